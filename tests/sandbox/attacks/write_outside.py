# expect: exited 0
# stdout: []
import os

written = []
for folder, names, _ in os.walk("/"):
    if folder.startswith(("/proc", "/sys", "/usr/share", "/usr/lib", "/dev/pts")):
        names.clear()
        continue
    try:
        open(os.path.join(folder, ".probe"), "w").close()
        written.append(folder)
    except OSError:
        pass
print(sorted(w for w in written if not w.startswith(("/tmp", "/dev/shm", "/work"))))
