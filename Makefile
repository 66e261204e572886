# Every target does its own set-up. `make demo` and `make test` are all that is needed to look at it and to trust it.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SCENARIO ?= healthy
STAMP := $(VENV)/.ready

.PHONY: demo test lint bench goldens wheel-check clean

demo: $(STAMP)
	$(BIN)/sparktui --demo=$(SCENARIO)

test: $(STAMP) system-packages
	$(BIN)/pytest -n 2 --dist loadgroup -m "not real" tests
	$(BIN)/pytest -m real tests

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(STAMP) system-packages
	$(BIN)/python -m tests.bench

goldens: $(STAMP)
	$(BIN)/python -m tests.goldens

# The wheel, alone in an empty environment, must show the demo.
wheel-check: $(STAMP)
	tests/wheel_check.sh $(BIN)/python

.PHONY: system-packages
system-packages:
	@tests/system_packages.sh test

$(STAMP): pyproject.toml tests/system_packages.sh
	@tests/system_packages.sh run
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed, $(PYTHON) is $$($(PYTHON) -V 2>&1); choose one: make PYTHON=python3.12 ..."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
