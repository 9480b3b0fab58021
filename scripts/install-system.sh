#!/usr/bin/env bash
# Installs and starts the system parts that the full test-suite uses: a Docker daemon (docker.io),
# mmdebstrap (a base image without a registry) and Chromium (the viewer's tests). Debian or Ubuntu,
# as root; does nothing for what is already there. The product itself needs none of them.
set -euo pipefail

missing=()
command -v dockerd >/dev/null || missing+=(docker.io)
command -v mmdebstrap >/dev/null || missing+=(mmdebstrap)
command -v chromium >/dev/null || missing+=(chromium)
command -v g++ >/dev/null || missing+=(g++)
if ((${#missing[@]})); then
  echo "installing ${missing[*]}"
  apt-get -o DPkg::Lock::Timeout=300 update -qq
  DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
    install -y -qq --no-install-recommends "${missing[@]}" \
    >/tmp/install-system.log 2>&1 || { tail -n 20 /tmp/install-system.log >&2; exit 1; }
fi

daemon_answers() { docker version >/dev/null 2>&1; }
if ! daemon_answers; then
  echo "starting dockerd"
  rm -f /var/run/docker.pid
  setsid dockerd >/tmp/dockerd.log 2>&1 </dev/null &
  for _ in $(seq 60); do daemon_answers && break; sleep 0.5; done
  daemon_answers || { tail -n 20 /tmp/dockerd.log >&2; exit 1; }
fi
echo "docker answers"
