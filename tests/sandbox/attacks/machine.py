# expect: exited 0
# stdout: refused
# clock, host name, modules, reboot, swap

import ctypes
import errno

libc = ctypes.CDLL(None, use_errno=True)


def call(*args):
    result = libc.syscall(*args)
    return result if result >= 0 else -ctypes.get_errno()


results = [
    call(227, 0, 0),
    call(170, b"x", 1),
    call(175, 0, 0, 0),
    call(169, 0, 0, 0, 0),
    call(167, b"/tmp", 0),
    call(103, 3, 0, 0),
]
print("refused" if all(r in (-errno.EPERM,) for r in results) else f"ALLOWED {results}")
