# expect: exited 0
# stdout: done
# A path deeper than any that can be named.
import os

for _ in range(3000):
    os.mkdir("d" * 100)
    os.chdir("d" * 100)
print("done")
