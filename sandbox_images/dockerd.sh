#!/bin/sh
# Starts a Docker daemon where none answers (for CI on Debian; needs root). Images can then be built
# without a registry: `agent images build` makes its base with mmdebstrap.
set -eu

if docker info >/dev/null 2>&1; then
    echo "dockerd.sh: a daemon answers"
    exit 0
fi
if [ "$(id -u)" != 0 ]; then
    echo "dockerd.sh: no daemon answers, and starting one needs root" >&2
    exit 1
fi
if ! command -v dockerd >/dev/null || ! command -v mmdebstrap >/dev/null; then
    apt-get -o DPkg::Lock::Timeout=300 update -q
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -qy --no-install-recommends \
        docker.io iptables mmdebstrap
fi
log=/var/log/dockerd.log
# What a killed daemon leaves: a process id that another program may have by now.
for pid_file in /var/run/docker.pid /var/run/docker/containerd/containerd.pid; do
    if [ -f "$pid_file" ]; then
        case "$(cat "/proc/$(cat "$pid_file")/comm" 2>/dev/null)" in
            dockerd | containerd) ;;
            *) rm -f "$pid_file" ;;
        esac
    fi
done
nohup setsid dockerd >"$log" 2>&1 </dev/null &
for _ in $(seq 60); do
    if docker info >/dev/null 2>&1; then
        echo "dockerd.sh: a daemon answers now"
        exit 0
    fi
    sleep 1
done
echo "dockerd.sh: dockerd does not answer after 60 s; the end of its log:" >&2
tail -20 "$log" >&2
exit 1
