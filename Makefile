# Needs git, make and Python 3.11 or newer with venv; everything else goes into .venv.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
PYTEST_ARGS ?=

.PHONY: demo test test-docker lint bench clean

# The matrix is shown whatever became of the run; a red one of either fails.
demo: $(READY)
	@code=0; $(BIN)/pytest scenarios -v || code=$$?; $(BIN)/goalkeeper trace || code=$$?; exit $$code

test: $(READY)
	$(BIN)/pytest tests scenarios -n auto $(PYTEST_ARGS)

test-docker: $(READY)
	@if [ "$$(id -u)" != 0 ]; then echo "make test-docker sets up a Docker engine and needs root: sudo make test-docker"; exit 2; fi
	@echo "no goal needs Docker yet: nothing to run"

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python -m benchmarks

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Goalkeeper needs Python 3.11 or newer with venv (Debian, Ubuntu: apt-get install python3-venv)"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info src/*.egg-info .pytest_cache .mypy_cache .ruff_cache
