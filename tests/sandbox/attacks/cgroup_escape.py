# expect: exited 0
# stdout: refused
import glob
import os

reached = [
    p
    for p in glob.glob("/cgroup/*") + glob.glob("/sys/fs/cgroup/*")
    if os.path.exists(p + "/cgroup.procs") or os.path.exists(p + "/tasks")
]
print("refused" if not reached else f"REACHED {reached}")
