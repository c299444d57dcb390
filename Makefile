# Every target sets up what it needs: a machine with Python >= 3.11 and make is enough.
# PYTHON=/path/to/python chooses the Python of the environment; PYTEST_ARGS="-k name" goes to pytest.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
export NO_MKDOCS_2_WARNING := 1

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CANDIDATES := python3.13 python3.12 python3.11 python3
SUITABLE := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PYTEST_ARGS ?=
# Tests that measure this machine, or begin a cluster on it, run alone: neighbours would be measured with them, or
# meet the same ports. (5: no test of that name here.)
ALONE := $(wildcard tests/measure tests/test_*.py tests/record/test_*.py tests/record/samplers)
ALONE += $(addprefix tests/app/test_,attach.py explain_training.py import_slurm.py roofline_runs.py run_blame.py \
    snakemake_processes.py snakemake_slurm.py)
BESIDE := tests src $(patsubst %,--ignore=%,$(ALONE))
SOAK_TIMEOUT_S ?= 7200

say = @printf '%-8s %s\n' '$(1)' '$(2)'

.PHONY: help venv check test coverage demo bench soak docs clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

venv: $(READY) ## Create .venv with Longpole and all its tools
	@:

$(READY): pyproject.toml constraints.txt
	@found=; \
	for candidate in $${PYTHON:-$(CANDIDATES)}; do \
	    if "$$candidate" -c '$(SUITABLE)' >/dev/null 2>&1; then found=$$candidate; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	    echo "No suitable Python: none of '$${PYTHON:-$(CANDIDATES)}' is Python >= 3.11 with the venv module; install one (on Debian: python3 and python3-venv) or set PYTHON=/path/to/python." >&2; \
	    exit 1; \
	fi; \
	printf '%-8s %s\n' venv "$(VENV) with $$("$$found" -V)"; \
	rm -rf $(VENV); \
	"$$found" -m venv $(VENV)
	$(call say,install,longpole and its tools)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[dev,docs,frameworks,workflows]'
	@$(BIN)/python -m compileall -q src
	@touch $@

check: $(READY) ## Lint, format, types, layers, dependencies
	$(call say,ruff,lint)
	@$(BIN)/ruff check --quiet .
	$(call say,ruff,format)
	@$(BIN)/ruff format --quiet --check . || { $(BIN)/ruff format --check . || true; echo 'Run .venv/bin/ruff format .' >&2; exit 1; }
	$(call say,mypy,types)
	@$(BIN)/mypy --no-error-summary
	$(call say,imports,layers)
	@out=$$($(BIN)/lint-imports --no-cache 2>&1) || { echo "$$out" >&2; exit 1; }
	$(call say,deptry,dependencies)
	@out=$$($(BIN)/deptry src 2>&1) || { echo "$$out" >&2; exit 1; }

test: check ## All checks, all tests, the docs: what CI runs
	$(call say,pytest,tests and doctests on all cores)
	@$(BIN)/python -m pytest -q -n auto --dist loadfile $(PYTEST_ARGS) $(BESIDE) || [ $$? = 5 ]
	$(call say,pytest,tests that measure this machine)
	@$(BIN)/python -m pytest -q $(PYTEST_ARGS) $(ALONE) || [ $$? = 5 ]
	$(call say,mkdocs,site)
	@$(BIN)/mkdocs build --quiet --strict

coverage: $(READY) ## Which lines no test reaches (takes several times as long as the tests alone)
	$(call say,pytest,tests and doctests with coverage)
	@$(BIN)/python -m pytest -q -n auto --dist loadfile --cov --cov-report=term $(PYTEST_ARGS) $(BESIDE) || [ $$? = 5 ]

demo: $(READY) ## Classify galaxies under two placements of their data; explain, table and compare
	$(call say,demo,examples/demo.py)
	@$(BIN)/python examples/demo.py

bench: $(READY) ## Measure what recording costs, how analyses scale, how predictions err, how fast tasks run
	$(call say,bench,benchmarks/overhead.py)
	@$(BIN)/python benchmarks/overhead.py
	$(call say,bench,benchmarks/store.py)
	@$(BIN)/python benchmarks/store.py
	$(call say,bench,benchmarks/analyse.py)
	@$(BIN)/python benchmarks/analyse.py
	$(call say,bench,benchmarks/staging.py)
	@$(BIN)/python -m benchmarks.staging
	$(call say,bench,benchmarks/predictions.py)
	@$(BIN)/python benchmarks/predictions.py
	$(call say,bench,benchmarks/engine.py)
	@$(BIN)/python benchmarks/engine.py

soak: $(READY) ## The long campaigns (hours)
	$(call say,pytest,soak)
	@$(BIN)/python -m pytest -q -m soak --timeout=$(SOAK_TIMEOUT_S) $(PYTEST_ARGS)

docs: $(READY) ## Build the docs into site/
	$(call say,mkdocs,site/)
	@$(BIN)/mkdocs build --quiet --strict

clean: ## Remove what make has built, .venv included; recorded runs stay
	$(call say,clean,environment; caches; build outputs)
	@rm -rf $(VENV) build dist site htmlcov .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	@find src tests benchmarks examples workflows -type d -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
