# All targets work from a fresh clone with Python 3.11 or newer, pip, venv and make.
# Another interpreter: make test PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# A stamp says which extras are installed; it is older than these files when they have changed since.
REQUIREMENTS := pyproject.toml constraints.txt
INSTALLED := $(VENV)/installed
INSTALLED_TEST := $(VENV)/installed-test
INSTALLED_BENCH := $(VENV)/installed-bench
INSTALLED_PICTURES := $(VENV)/installed-pictures
INSTALLED_DOCS := $(VENV)/installed-docs
LOWEST := .venv-lowest

# Repeat only some tests: make stress RUNS=50 TESTS="tests/tui/test_terminal.py -k stopped"
# Only those that load can disturb: make stress TESTS=--only-timed
# Runs of one commit add up (build/stress): stop at any time, and start again.
RUNS ?= 20
BUSY ?= 2
TESTS ?=
VERSIONS := 3.11 3.12 3.13

# Many tests wait for a process, a terminal or a browser, so four workers keep two cores busy. Each takes its share of the
# tests in order, so that servers and browsers start rarely, and steals what is left at the end.
PYTEST := -m pytest -n 4 --dist worksteal
# Some images set this. Then every process that a test starts compiles all modules again: 0.7 s instead of 0.25 s.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run test check format pytest stress test-versions test-lowest test-postgresql bench soak results pictures docs clean

help:
	@echo "make run       open the question screen with the navigation bank"
	@echo "make test      format, lint, types, import contracts, and all tests"
	@echo "make check     the same without the tests"
	@echo "make format    put the code into the one format"
	@echo "make stress    the tests 20 times beside two busy loops; goes on where it was stopped"
	@echo "make test-3.12, make test-3.13, ..."
	@echo "               the tests with that version of Python, in an environment of its own"
	@echo "make test-versions"
	@echo "               the same with every version that is supported"
	@echo "make test-lowest"
	@echo "               the tests with the lowest versions of the dependencies that are allowed"
	@echo "make test-postgresql"
	@echo "               the tests of store and session once more, through a PostgreSQL server"
	@echo "make bench     print the benchmarks"
	@echo "make soak      the long reliability runs"
	@echo "make results   compute the tables of docs/results.md again"
	@echo "make pictures  draw the pictures of the README again"
	@echo "make docs      build the documentation as a site in build/site"
	@echo "make clean     remove .venv and everything that was generated"

run: $(INSTALLED)
	$(BIN)/odm-tui --bank navigation

test: check
	$(BIN)/python $(PYTEST)

pytest: $(INSTALLED_TEST)
	$(BIN)/python $(PYTEST) $(TESTS)

stress: $(INSTALLED_TEST)
	$(BIN)/python -m benchmarks.stress --runs $(RUNS) --busy $(BUSY) $(TESTS)

test-3.%:
	@python=$$(.ci/find-python 3.$*) && $(MAKE) --no-print-directory pytest VENV=.venv-3.$* PYTHON="$$python"

test-versions: $(VERSIONS:%=test-%)

# Without numba, which needs newer versions of numpy: the modules that are compiled with it are left out.
test-lowest: $(LOWEST)/installed-test
	$(LOWEST)/bin/python $(PYTEST) --doctest-ignore-import-errors $(TESTS)

# The tests of store and session once more: what each has written goes through a PostgreSQL server and comes out the same.
test-postgresql: $(INSTALLED_TEST)
	ODM_TUI_TESTS_MIRROR=1 $(BIN)/python $(PYTEST) tests/store tests/session $(TESTS)

check: $(INSTALLED_TEST)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(INSTALLED_TEST)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(INSTALLED_BENCH)
	$(BIN)/python -m benchmarks

# Two runs, one table: first what can share the machine, then what measures time and needs it alone.
soak: export ODM_TUI_TESTS_TABLE := $(CURDIR)/build/soak.jsonl
soak: $(INSTALLED_TEST)
	@mkdir -p build && rm -f $(ODM_TUI_TESTS_TABLE)
	@git log -1 --format='commit %H' 2>/dev/null || true
	@$(BIN)/python -m pytest tests -m "soak and not alone" -n 2 --dist worksteal --durations=20 $(TESTS); shared=$$?; \
	$(BIN)/python -m pytest tests -m "soak and alone" --durations=20 $(TESTS); alone=$$?; \
	test $$shared = 0 && { test $$alone = 0 || { test $$alone = 5 && test -n "$(TESTS)"; }; }

results: $(INSTALLED_TEST)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.results

pictures: $(INSTALLED_PICTURES)
	$(BIN)/python docs/make_pictures.py

# Strict: a warning is an error. The variable only silences an announcement of the theme's authors.
docs: $(INSTALLED_DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --clean --config-file docs/site/mkdocs.yml

clean:
	rm -rf $(VENV) .venv-* build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find odm_tui tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): $(REQUIREMENTS) | $(BIN)/python
	$(PIP) --editable .
	@touch $@

$(INSTALLED_TEST): $(REQUIREMENTS) | $(BIN)/python
	$(PIP) --editable ".[test,charts,evaluation,cluster,fast,teams,web]"
	@touch $(INSTALLED) $@

$(INSTALLED_BENCH): $(REQUIREMENTS) | $(BIN)/python
	$(PIP) --editable ".[test,bench,evaluation,cluster,fast,teams]"
	@touch $(INSTALLED) $@

$(INSTALLED_PICTURES): $(REQUIREMENTS) | $(BIN)/python
	$(PIP) --editable ".[charts]"
	@touch $(INSTALLED) $@

$(INSTALLED_DOCS): $(REQUIREMENTS) | $(BIN)/python
	$(PIP) --editable ".[docs]"
	@touch $(INSTALLED) $@

$(LOWEST)/installed-test: pyproject.toml
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LOWEST)/bin/python -m uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct \
		--editable ".[test,charts,evaluation,cluster,teams,web]"
	@touch $@
