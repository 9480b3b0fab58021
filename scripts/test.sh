#!/usr/bin/env bash
# Runs the tests room by room, each in a process of its own: a room may put itself under a cap of
# processes and memory for as long as it lasts. Goes on after a failure and fails in the end.
set -uo pipefail
cd "$(dirname "$0")/.."

failed=()
for room in tests/*/ tests/test_*.py; do
  case "$room" in tests/bench/ | tests/data/ | */__pycache__/) continue ;; esac
  .venv/bin/pytest -m 'not bench' "$room" || failed+=("$room")
done
if ((${#failed[@]})); then
  echo "failed: ${failed[*]}" >&2
  exit 1
fi
