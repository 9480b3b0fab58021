# expect: signaled 9|idle_limit|exited 0
# Stops and kills all that it can reach: itself.
import os, signal, time
for pid, number in ((os.getppid(), signal.SIGSTOP), (1, signal.SIGKILL), (-1, signal.SIGKILL)):
    try:
        os.kill(pid, number)
    except OSError:
        pass
