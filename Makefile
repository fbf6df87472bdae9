# Each target is a command that a person could type:
#   setup: python3 -m venv .venv && .venv/bin/python -m pip install -r requirements.txt
#   book:  .venv/bin/python -m mipbook.build
#   test:  .venv/bin/python -m pytest -n auto
#   apps:  .venv/bin/python -m mipbook.apps
# On Windows, without make, the same with .venv\Scripts\python.

PYTHON ?= python3
VENV := .venv/bin/python
READY := .venv/ready

.PHONY: book test apps lint clean

book: $(READY)
	$(VENV) -m mipbook.build

test: $(READY)
	$(VENV) -m pytest -n auto

apps: $(READY)
	$(VENV) -m mipbook.apps

lint: $(READY)
	$(VENV) -m ruff check .
	$(VENV) -m ruff format --check .
	$(VENV) -m mypy

clean:
	rm -rf _build .venv *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(READY): requirements.txt constraints.txt pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "Python is missing. Install Python 3.11 or newer, for instance: apt-get install python3 python3-venv"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed. Name one with: make PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv is missing. Install it, for instance: apt-get install python3-venv"; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; echo "The environment could not be made. Install venv, for instance: apt-get install python3-venv"; exit 1; }
	$(VENV) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@
