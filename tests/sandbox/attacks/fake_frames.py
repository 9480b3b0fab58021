# expect: exited 1
# What looks like the supervisor's frames is only output.
import os
import struct

os.write(1, struct.pack("<IBH", 4, ord("F"), 1) + b"\0" * 4)
os.write(1, struct.pack("<IBH", 0, ord("!"), 0))
os._exit(1)
