# expect: exited 0
# stdout: refused
# System V and POSIX messages and memory

import ctypes
import errno

libc = ctypes.CDLL(None, use_errno=True)


def call(*args):
    result = libc.syscall(*args)
    return result if result >= 0 else -ctypes.get_errno()


results = [
    call(29, 4242, 4096, 0o1666),
    call(64, 4242, 1, 0o1666),
    call(68, 4242, 0o1666),
    call(240, b"q", 0o102, 0o666, 0),
]
print("refused" if all(r in (-errno.EPERM,) for r in results) else f"ALLOWED {results}")
