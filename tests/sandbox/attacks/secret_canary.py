# expect: exited 0
# stdout: nothing
# The test writes the word into the environment and files of the host, and into other sandboxes.
import os

word = ("canary" + "-7f3a").encode()
found = []
for top in (
    "/work",
    "/tmp",
    "/dev/shm",
    "/etc",
    "/home",
    "/root",
    "/run",
    "/var",
    "/opt",
    "/mnt",
    "/srv",
):
    for folder, _, names in os.walk(top):
        for name in names:
            try:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    if (
                        word in file.read(1 << 20)
                        and "secret_canary" not in path
                        and path != "/work/main.py"
                    ):
                        found.append(path)
            except OSError:
                pass
if word in repr(os.environ).encode():
    found.append("environment")
print(found or "nothing")
