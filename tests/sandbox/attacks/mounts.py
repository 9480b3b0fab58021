# expect: exited 0
# stdout: refused
# the old and the new mount calls

import ctypes
import errno

libc = ctypes.CDLL(None, use_errno=True)


def call(*args):
    result = libc.syscall(*args)
    return result if result >= 0 else -ctypes.get_errno()


results = [
    call(165, b"none", b"/tmp", b"tmpfs", 0, 0),
    call(166, b"/work", 2),
    call(155, b"/", b"/"),
    call(161, b"/tmp"),
    call(428, -100, b"/", 1),
    call(430, b"tmpfs", 0),
]
print("refused" if all(r in (-errno.EPERM,) for r in results) else f"ALLOWED {results}")
