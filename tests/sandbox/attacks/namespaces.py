# expect: exited 0
# stdout: refused
# a user namespace is the door to most kernel holes

import ctypes
import errno

libc = ctypes.CDLL(None, use_errno=True)


def call(*args):
    result = libc.syscall(*args)
    return result if result >= 0 else -ctypes.get_errno()


results = [
    call(272, 0x10000000),
    call(272, 0x20000),
    call(56, 0x10000011, 0, 0, 0, 0),
    call(308, 0, 0),
]
print("refused" if all(r in (-errno.EPERM,) for r in results) else f"ALLOWED {results}")
