# expect: exited 0
# stdout: []
import os

print(
    [
        p
        for p in ("/tmp/note", "/dev/shm/note", "/var/tmp/note", "/dev/note", "/run/note", "/note")
        if os.path.exists(p)
    ]
)
