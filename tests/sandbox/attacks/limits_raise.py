# expect: exited 0
# stdout: refused
import resource

raised = []
for name in ("RLIMIT_CPU", "RLIMIT_NOFILE", "RLIMIT_MEMLOCK", "RLIMIT_CORE"):
    kind = getattr(resource, name)
    try:
        resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        raised.append(name)
    except (OSError, ValueError):
        pass
print(raised or "refused")
