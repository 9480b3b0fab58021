# expect: exited 0
# stdout: refused
# The input cannot be changed, however it is opened.
import os

changed = False
for flags in (os.O_WRONLY, os.O_RDWR):
    try:
        fd = os.open("/proc/self/fd/0", flags)
        changed |= os.write(fd, b"x") == 1
    except OSError:
        pass
print("CHANGED" if changed else "refused")
