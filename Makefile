# Two commands matter: `make demo` shows the whole mission, `make test` checks all of it.
# Both create the environment in .venv on first use. PYTHON may name another interpreter (3.11 or newer).
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DEMO ?= .demo
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# Our matrices are small: threads of the linear algebra library only get in each other's way.
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: demo dashboard test test-slow lint format performance clean help

help:
	@grep -E '^[a-z-]+:.*##' Makefile | sed 's/:.*##/\t/'

$(BIN)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $@

$(BIN)/.installed-dev: $(BIN)/.installed
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: $(BIN)/.installed  ## a workspace with measured agents, analysed, in under three minutes
	$(BIN)/metrology demo --directory $(DEMO)

dashboard: $(BIN)/.installed  ## open the dashboard on the demo workspace
	$(BIN)/metrology dashboard --db $(DEMO)/metrology.db

lint: $(BIN)/.installed-dev  ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(BIN)/.installed-dev  ## rewrite the code in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

test: lint  ## lint, types, layers and every test but the slow ones
	$(BIN)/python -m pytest -n 2 -m "not slow" --dist loadgroup

test-slow: $(BIN)/.installed-dev  ## the tests that take minutes
	$(BIN)/python -m pytest -m slow

performance: $(BIN)/.installed-dev  ## print the figures of tests/performance
	for name in campaigns process imports storage estimators startup; do echo "== $$name"; $(BIN)/python -m tests.performance.$$name || exit 1; done

clean:  ## remove the environment and the demo workspace
	rm -rf $(VENV) $(DEMO)
