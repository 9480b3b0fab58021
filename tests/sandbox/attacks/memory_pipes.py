# expect: memory_limit|exited 0
# Memory of the kernel, held by pipes. The limit on descriptors ends it, or the one on memory.
import fcntl
import os

count = 0
try:
    while True:
        r, w = os.pipe()
        fcntl.fcntl(w, 1031, 1 << 20)
        os.set_blocking(w, False)
        try:
            while os.write(w, bytes(1 << 16)):
                pass
        except BlockingIOError:
            count += 1
except OSError:
    print(count)
