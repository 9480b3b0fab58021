# expect: exited 0
# stdout: 4
# Nothing is inherited but the standard descriptors (and the one of this list).
import os

print(len(os.listdir("/proc/self/fd")))
