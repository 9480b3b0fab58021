# expect: exited 0
# stdout: refused
# io_uring, bpf, userfaultfd, perf

import ctypes
import errno

libc = ctypes.CDLL(None, use_errno=True)


def call(*args):
    result = libc.syscall(*args)
    return result if result >= 0 else -ctypes.get_errno()


results = [
    call(425, 8, 0),
    call(321, 0, 0, 0),
    call(323, 0),
    call(298, 0, 0, -1, -1, 0),
]
print("refused" if all(r in (-errno.EPERM,) for r in results) else f"ALLOWED {results}")
