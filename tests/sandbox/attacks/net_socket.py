# expect: exited 0
# stdout: refused
# TCP, UDP, raw, netlink, unix sockets

import ctypes
import errno

libc = ctypes.CDLL(None, use_errno=True)


def call(*args):
    result = libc.syscall(*args)
    return result if result >= 0 else -ctypes.get_errno()


results = [
    call(41, 2, 1, 0),
    call(41, 2, 2, 0),
    call(41, 17, 3, 0),
    call(41, 16, 3, 0),
    call(41, 1, 1, 0),
]
print("refused" if all(r in (-errno.EPERM,) for r in results) else f"ALLOWED {results}")
