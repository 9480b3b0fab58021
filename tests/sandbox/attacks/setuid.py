# expect: exited 0
# stdout: refused
import os
import subprocess

became = []
for uid in (0, 1, 65534):
    for call in (os.setuid, os.setgid):
        try:
            call(uid)
            became.append(uid)
        except OSError:
            pass
open("/work/s", "w").close()
os.chmod("/work/s", 0o6755)
if (
    os.path.exists("/bin/su")
    and subprocess.run(
        ["/bin/su", "-c", "true"], capture_output=True, stdin=subprocess.DEVNULL
    ).returncode
    == 0
):
    became.append("su")
print("refused" if not became and os.geteuid() != 0 else f"BECAME {became} {os.geteuid()}")
