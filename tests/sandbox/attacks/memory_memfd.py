# expect: memory_limit
import os

fd = os.memfd_create("big")
while True:
    os.write(fd, bytes(1 << 20))
