# expect: exited 0
# stdout: refused
# Runs out of files long before the machine does.
import errno

n = 0
try:
    for n in range(200_000):
        open(f"/tmp/{n}", "w").close()
    print("ALLOWED")
except OSError as error:
    print("refused" if error.errno == errno.ENOSPC else error)
