# expect: cpu_limit
# The child burns the time, the parent sleeps.
import os
import time

if os.fork() == 0:
    while True:
        pass
time.sleep(60)
