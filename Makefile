# Everything needs Python 3.11 to 3.13, make and git, and installs the rest into this folder.
# Another interpreter for the tests: `make test TEST_PYTHON=/usr/bin/python3.13`.
# Arguments for what a target runs: `make test ARGS="-k postfilter"`; a chosen part of the suite has no coverage floor.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory

BIN := .venv/bin
TEST_PYTHON ?=
TEST_ENV := .venv-test$(subst /,-,$(TEST_PYTHON))
TEST_BIN := $(TEST_ENV)/bin
JOBS ?= auto
SOURCES = $(shell find src -name '*.py' -o -name '*.pyi' -o -name py.typed)
# Only `make test` runs everything, so only it may say which requirements are proven.
CLAIM_NOTHING := -p no:tests.requirements.plugin
LOCKED := pyproject.toml uv.lock

UV := .venv-tools/bin/uv
export UV_PYTHON := $(CURDIR)/.venv-tools/bin/python
export UV_PYTHON_DOWNLOADS := never
SYNC := $(UV) sync --quiet --frozen --inexact

.PHONY: help demo test check check-long gates-selftest mutation bench docs fmt lock golden clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 18

demo: .venv/.stamp-run ## show what privity does, in the terminal
	@$(BIN)/privity demo $(ARGS)

test: $(TEST_ENV)/.stamp-wheel ## run the whole suite against the built wheel, with coverage floors
	@mkdir -p build
	$(TEST_BIN)/python -m pytest -n $(JOBS) --cov --cov-report= \
	    --ignore=tests/architecture/test_gates_can_fail.py $(ARGS)
ifndef ARGS
	$(TEST_BIN)/python -m coverage json --quiet -o build/coverage.json
	$(TEST_BIN)/python -m tools.coverage_floors build/coverage.json
endif

check: .venv/.stamp-dev $(TEST_ENV)/.stamp-wheel ## run every static gate, and show that each can fail
	$(UV) lock --check --quiet
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/pyright --warnings
	PATH="$(CURDIR)/$(TEST_BIN):$$PATH" $(BIN)/pyright --verifytypes privity --ignoreexternal
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/deptry src
	$(BIN)/python -m tools.unused
	$(BIN)/codespell
	$(BIN)/python -m tools.vocabulary
	$(BIN)/python -m pytest -q -n $(JOBS) $(CLAIM_NOTHING) tests/architecture
	$(BIN)/python -m tools.shape

check-long: $(TEST_ENV)/.stamp-wheel mutation ## properties, machines, crashes and leaks at full length, and mutation
	PRIVITY_LONG=1 $(TEST_BIN)/python -m pytest -n $(JOBS) $(CLAIM_NOTHING) \
	    -m "long or property or machine or crash or leaks" $(ARGS)

gates-selftest: .venv/.stamp-dev ## plant a violation of each gate and expect it to be caught
	$(BIN)/python -m pytest -n $(JOBS) $(CLAIM_NOTHING) tests/architecture/test_gates_can_fail.py

mutation: .venv/.stamp-dev ## change the evaluator in small ways and expect a test to notice each
	$(BIN)/python -B -m tools.mutation

bench: .venv/.stamp-bench ## measure privity beside its peers
	$(BIN)/python -m bench $(ARGS)

docs: .venv/.stamp-docs ## build the documentation, strictly
	$(BIN)/zensical build --clean --strict

fmt: .venv/.stamp-dev ## format, and fix what can be fixed
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

lock: .venv-tools/.stamp ## lock the dependencies anew
	$(UV) lock

golden: .venv/.stamp-dev ## rewrite the snapshot of the wire enums
	$(BIN)/python -m tools.wire_enums --update

clean: ## remove what the other targets made, environments too
	rm -rf .venv .venv-* build dist site .coverage* .mutation \
	    .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache .cache

.venv-tools/.stamp: tools/bootstrap.sh
	@tools/bootstrap.sh

.venv/.stamp-run: .venv-tools/.stamp $(LOCKED)
	@$(SYNC) --no-default-groups
	@touch $@

.venv/.stamp-dev: .venv-tools/.stamp $(LOCKED)
	@$(SYNC)
	@touch .venv/.stamp-run $@

.venv/.stamp-bench: .venv-tools/.stamp $(LOCKED)
	@$(SYNC) --no-default-groups --group bench
	@touch .venv/.stamp-run $@

.venv/.stamp-docs: .venv-tools/.stamp $(LOCKED)
	@$(SYNC) --no-default-groups --group docs
	@touch .venv/.stamp-run $@

# The tests see the wheel and nothing of src/: a file the wheel lacks is a failing test.
$(TEST_ENV)/.stamp: .venv-tools/.stamp $(LOCKED)
	@UV_PROJECT_ENVIRONMENT=$(TEST_ENV) UV_PYTHON="$(or $(TEST_PYTHON),$(UV_PYTHON))" $(UV) sync --quiet --frozen --no-install-project --no-default-groups --group test
	@touch $@

$(TEST_ENV)/.stamp-wheel: $(TEST_ENV)/.stamp $(SOURCES) LICENSE
	@rm -rf dist
	@$(UV) build --quiet --wheel
	@$(UV) pip install --quiet --python $(TEST_ENV) --no-deps --reinstall dist/privity-*.whl
	@touch $@
