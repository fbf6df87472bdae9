# Each target is a command that a person could type:
#   setup:   python3 tools/setup.py              makes .venv with what is pinned
#   browser: .venv/bin/python tools/browser.py   finds a browser for the tests, or installs one
#   book:    .venv/bin/python -m mipbook build
#   test:    .venv/bin/python -m pytest -n auto
#   test-all: the same with --all: every page in every way, by night and before a release
#   check:   .venv/bin/python tools/check.py     what concerns a change, before a commit
#   coverage: .venv/bin/python -m pytest --cov    which lines and branches the tests pass through
#   apps:    .venv/bin/python -m mipbook apps
# On Windows, without make, the same with .venv\Scripts\python.

PYTHON ?= python3
VENV := .venv/bin/python
# What is installed is compiled when it is first loaded, and must then be kept compiled.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: setup browser book test test-all check coverage apps lint clean

book: setup
	$(VENV) -m mipbook build

test: browser
	$(VENV) -m pytest -n auto

test-all: browser
	$(VENV) -m pytest -n auto --all

check: browser
	@$(VENV) tools/check.py

# It takes twice the time of these tests, so it is no part of the test target.
coverage: setup
	$(VENV) -m pytest -n auto --cov --hypothesis-profile=few --ignore=tests/book --ignore=tests/browser --ignore=tests/publish --ignore=tests/repository --ignore=tests/serving tests

apps: setup
	$(VENV) -m mipbook apps

lint: setup
	$(VENV) -m ruff check .
	$(VENV) -m ruff format --check .
	$(VENV) tools/prose.py
	$(VENV) tools/reviewed.py
	$(VENV) tools/parameters.py
	$(VENV) -m mypy
	.venv/bin/lint-imports --no-logo
	$(VENV) tools/panel_types.py --check
	$(VENV) tools/javascript.py

# A Python that is named must be the one of .venv; else any will do that made it.
setup:
	@command -v $(PYTHON) >/dev/null || { echo "Python is missing. Install Python 3.11 or newer, for instance: apt-get install python3 python3-venv" >&2; exit 1; }
	@$(PYTHON) tools/setup.py $(if $(filter file,$(origin PYTHON)),,--named)

browser: setup
	@$(VENV) tools/browser.py

clean:
	rm -rf _build tools/js/node_modules .venv .venv.old *.egg-info .pytest_cache .mypy_cache
	rm -rf .ruff_cache .import_linter_cache .hypothesis .coverage*
