# expect: exited 0
# stdout: refused
# Signals every process number there is but its own.
import os
import signal

hit = []
for pid in range(1, 70000):
    if pid == os.getpid():
        continue
    try:
        os.kill(pid, signal.SIGKILL)
        hit.append(pid)
    except OSError:
        pass
print("refused" if hit in ([], [1]) else f"HIT {hit}")  # the kernel ignores it for an init
