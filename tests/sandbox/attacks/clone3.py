# expect: exited 0
# stdout: refused
# Its flags cannot be filtered, so it must not exist.

import ctypes
import errno

libc = ctypes.CDLL(None, use_errno=True)


def call(*args):
    result = libc.syscall(*args)
    return result if result >= 0 else -ctypes.get_errno()


print("refused" if call(435, 0, 0) == -errno.ENOSYS else "ALLOWED")
