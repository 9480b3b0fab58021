# expect: signaled 9|idle_limit|exited 0
# Stops and kills all that it can reach: itself.
import contextlib
import os
import signal

for pid, number in ((os.getppid(), signal.SIGSTOP), (1, signal.SIGKILL), (-1, signal.SIGKILL)):
    with contextlib.suppress(OSError):
        os.kill(pid, number)
