# expect: exited 0
# stdout: refused
# keys outlive processes and know no namespace

import ctypes
import errno

libc = ctypes.CDLL(None, use_errno=True)


def call(*args):
    result = libc.syscall(*args)
    return result if result >= 0 else -ctypes.get_errno()


results = [
    call(250, 0, -3, 1),
    call(248, b"user", b"k", b"v", 1, -3),
    call(249, b"user", b"k", 0, 0),
]
print("refused" if all(r in (-errno.EPERM,) for r in results) else f"ALLOWED {results}")
