# expect: exited 0
# stdout: refused
import os
import subprocess

with open("/work/a", "w") as file:
    file.write("#!/work/a\n")
os.chmod("/work/a", 0o755)
try:
    subprocess.run(["/work/a"])
    print("ALLOWED")
except OSError:
    print("refused")
