# expect: exited 0
# stdout: done
# Double fork, own session, closed descriptors: must be gone afterwards.
import os
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(3):
            os.close(fd)
        time.sleep(600)
    os._exit(0)
print("done")
