# expect: cpu_limit
# Each burner lives for a moment only, and nobody waits for it.
import os
import time

while True:
    if os.fork() == 0:
        if os.fork() == 0:
            end = time.process_time() + 0.02
            while time.process_time() < end:
                pass
        os._exit(0)
    os.wait()
    time.sleep(0.03)
