# make run    set up everything and open the dashboard, which scores a sample match as if live
# make samples  read the sample pictures (scores in the terminal, overlays in out/)
# make test   run the tests        make bench  measure the speed        make lint  check the code
# PYTHON=python3.12 make run        use another Python (3.11 or later)

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: run samples test bench accuracy lint libs clean

run: $(VENV)/.installed libs
	@$(BIN)/referee watch sample

samples: $(VENV)/.installed libs
	@$(BIN)/python benchmarks/samples.py

test: $(VENV)/.installed-dev libs
	@$(BIN)/python -m pytest

bench: $(VENV)/.installed-dev libs
	@$(BIN)/python benchmarks/bench_read.py
	@$(BIN)/python benchmarks/bench_video.py

accuracy: $(VENV)/.installed-dev libs
	@$(BIN)/python benchmarks/accuracy.py

lint: $(VENV)/.installed-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or later is needed (PYTHON=... make run uses another one)"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "Python's venv module is missing: sudo apt-get install -y python3-venv"; exit 1; }

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "Setting up $(VENV) (once; needs the network, about 300 MB)"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	@echo "Setting up $(VENV) for development (once; needs the network)"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.installed

# OpenCV's wheel needs two libraries of the system that a bare Linux lacks.
libs:
	@$(BIN)/python -c 'import cv2' 2>/dev/null || { \
	  echo "OpenCV can't start; on Debian or Ubuntu this command gives it what it lacks:"; \
	  echo "    sudo apt-get install -y libgl1 libglib2.0-0"; exit 1; }

clean:
	rm -rf out build dist .mypy_cache .ruff_cache .pytest_cache
