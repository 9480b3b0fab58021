# expect: exited 0
# stdout: done
import contextlib

# Leaves notes everywhere for leftover_write_read.py, which runs next.

for path in ("/tmp/note", "/dev/shm/note", "/var/tmp/note", "/dev/note", "/run/note", "/note"):
    with contextlib.suppress(OSError), open(path, "w") as file:
        file.write("note")
print("done")
