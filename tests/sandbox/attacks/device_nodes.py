# expect: exited 0
# stdout: refused
import os
import stat

made = []
for kind, device in ((stat.S_IFCHR, os.makedev(1, 3)), (stat.S_IFBLK, os.makedev(254, 0))):
    try:
        os.mknod("/work/node", kind | 0o666, device)
        made.append(device)
    except OSError:
        pass
print("refused" if not made else "MADE")
