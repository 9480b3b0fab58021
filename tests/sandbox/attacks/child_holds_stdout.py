# expect: exited 0
# stdout: done
# A daemon that keeps stdout open may not delay the end.
import os
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(60)
    os._exit(0)
print("done")
