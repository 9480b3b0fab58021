# expect: memory_limit
# A child is killed for memory; the parent goes on as if nothing had happened.
import os

pid = os.fork()
if pid == 0:
    hoard = []
    while True:
        hoard.append(bytearray(1 << 20))
os.waitpid(pid, 0)
print(7)
