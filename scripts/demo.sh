#!/usr/bin/env bash
# What `make demo` runs once everything is installed: a real model family, merged at alpha 1.5, served
# by vLLM on this machine, at work in all three modes; every submission judged in a sandbox; one report.
set -euo pipefail
cd "$(dirname "$0")/.."
export FRONTIER_AGENT_VLLM="$PWD/.venv-vllm/bin/vllm"
agent=.venv/bin/agent
start=$SECONDS

"$agent" run --mode reasoning,tool_use,agentic --model ckpt_alpha1.5 \
  --models demo/models.yaml --suite tasks/demo.yaml -n 2 --out demo/run
"$agent" report demo/run -o demo/report.html --json >demo/report.json
echo "demo done in $((SECONDS - start)) s: the report is $PWD/demo/report.html"
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then
  xdg-open demo/report.html >/dev/null 2>&1 &
fi
