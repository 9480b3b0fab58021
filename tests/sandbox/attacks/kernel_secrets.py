# expect: exited 0
# stdout: refused
seen = []
for path in (
    "/proc/kcore",
    "/proc/kmsg",
    "/proc/sysrq-trigger",
    "/dev/mem",
    "/dev/kmsg",
    "/dev/sda",
    "/dev/vda",
    "/etc/shadow",
    "/root/.bashrc",
    "/proc/kpagecount",
):
    try:
        with open(path, "rb") as file:
            file.read(1)
            seen.append(path)
    except OSError:
        pass
print("refused" if not seen else f"READ {seen}")
