# expect: exited 0
# stdout: refused
written = []
for path in (
    "/proc/sys/kernel/hostname",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sysrq-trigger",
    "/proc/self/oom_score_adj",
    "/proc/self/uid_map",
    "/proc/sys/kernel/core_pattern",
):
    try:
        with open(path, "w") as file:
            file.write("-1000")
        written.append(path)
    except OSError:
        pass
print(written if [p for p in written if "self" not in p] else "refused")
