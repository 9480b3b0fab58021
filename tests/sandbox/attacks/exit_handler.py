# expect: exited 3
import atexit, os
atexit.register(lambda: os._exit(3))
print('accepted')
