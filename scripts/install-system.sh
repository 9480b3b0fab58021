#!/usr/bin/env bash
# Installs and starts the system parts that the full test-suite uses: g++, Chromium (the viewer's
# tests) and a Docker daemon. Debian or Ubuntu, as root; does nothing for what is already there.
# The product itself needs only gcc and g++.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
command -v g++ >/dev/null || missing+=(g++)
command -v chromium >/dev/null || missing+=(chromium)
if ((${#missing[@]})); then
  echo "installing ${missing[*]}"
  apt-get -o DPkg::Lock::Timeout=300 update -qq
  DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
    install -y -qq --no-install-recommends "${missing[@]}" >/tmp/install-system.log 2>&1 \
    || { tail -n 20 /tmp/install-system.log >&2; exit 1; }
fi
sandbox_images/dockerd.sh
