# expect: exited 0
# stdout: refused
# attaches to its parent, asks to be traced

import ctypes
import errno

libc = ctypes.CDLL(None, use_errno=True)


def call(*args):
    result = libc.syscall(*args)
    return result if result >= 0 else -ctypes.get_errno()


results = [
    call(101, 16, 1, 0, 0),
    call(101, 0, 0, 0, 0),
]
print("refused" if all(r in (-errno.EPERM,) for r in results) else f"ALLOWED {results}")
