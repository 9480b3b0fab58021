# expect: exited 0
# stdout: refused
# The init and the supervisor show nothing.
import os

seen = []
for pid in [p for p in os.listdir("/proc") if p.isdigit() and int(p) != os.getpid()] + ["1"]:
    for name in ("environ", "mem", "maps", "root/work", "fd/0", "cwd"):
        try:
            with open(f"/proc/{pid}/{name}", "rb") as file:
                if file.read(1):
                    seen.append((pid, name))
        except OSError:
            pass
print("refused" if not seen else f"READ {seen}")
