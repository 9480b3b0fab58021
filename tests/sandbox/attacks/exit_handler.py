# expect: exited 3
import atexit
import os

atexit.register(lambda: os._exit(3))
print("accepted")
