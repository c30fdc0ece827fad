# The scripts in scripts/ do the work; `make help` lists the targets.
#   PYTHON=python3.12   Python for .venv                     PORT=9000   port of run and crowd
#   WORKERS=5           processes for the tests              ARGS='-k tuples'   further arguments for pytest, manage.py serve
#   OUT=/some/folder    folder for `make pictures`                             or pictures (ARGS='--only screen --language de')

PY := .venv/bin/python
# One more than two processors: a test that waits for another process leaves its processor idle.
WORKERS ?= 3
ARGS ?=
# PYTHONDONTWRITEBYTECODE would have every process compile all modules again.
# worksteal: a process that has finished takes tests from another one instead of waiting for it.
PYTEST = exec env -u PYTHONDONTWRITEBYTECODE $(PY) -m pytest -n $(WORKERS) --dist worksteal
OUT ?= var/pictures
ifdef PYTHON
export PYTHON
endif

.DEFAULT_GOAL := help
# The documentation is built where the site shows it at /help/.
HELP := build/site/help/index.html
.PHONY: help run crowd test test-all check docs bench papers pictures docs-pictures models clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

run: ## install what is missing, then start Likeness on this machine; Ctrl-C stops it
	@sh scripts/setup web platforms
	@$(MAKE) -s docs || echo "Likeness starts without its documentation."
	@exec $(PY) manage.py serve $(ARGS)

crowd: ## start Likeness with simulated paid platforms, to try both sides (requester, worker) without real money
	@sh scripts/setup web platforms test
	@exec $(PY) -m tests.simulators $(ARGS)

test: ## run all tests except slow ones, in a few minutes
	@sh scripts/setup web platforms test
	@$(PYTEST) -m 'not slow' $(ARGS)

test-all: ## run all tests; those that need Chromium, PostgreSQL, Redis or models are skipped if these are missing
	@sh scripts/setup web platforms test
	@$(PYTEST) $(ARGS)

check: ## check style, types, JavaScript, templates and migrations
	@sh scripts/setup web platforms test check
	@sh scripts/check

docs: $(HELP) ## build the documentation; the site shows it at /help/

$(HELP): $(shell find docs -name '*.md' -o -name '*.py' -o -name '*.png' -o -name '*.svg' \
		-o -name '*.csv' -o -name '*.rst' -o -name '*.css') requirements.txt
	@sh scripts/setup docs
	@$(PY) -m sphinx -q -W --keep-going -d build/doctrees docs build/site/help
	@touch $@

bench: ## compare the speed with a bare Django application, in about half an hour; ARGS=--quick takes four minutes
	@sh scripts/setup web platforms models modeltests
	@exec $(PY) -m benchmarks $(ARGS)

papers: ## run the studies of four papers at full size and measure time, memory and waiting times of each step; ARGS='giccs --scale 0.1'
	@sh scripts/setup web platforms models modeltests
	@exec $(PY) -m benchmarks.papers $(ARGS)

pictures: ## take a picture of every page in every state, and make contact sheets; fails if a page is broken
	@sh scripts/setup web platforms test
	@exec $(PY) -m tests.pictures --out '$(OUT)' $(ARGS)

docs-pictures: ## take the pictures of the documentation again, in about 20 seconds; ARGS='--only ledger' takes some of them
	@sh scripts/setup web platforms test
	@exec $(PY) -m tests.pictures.documentation $(ARGS)

models: ## install what measures with models need (torch, which is large)
	@sh scripts/setup web platforms models

clean: ## remove .venv, built files and caches; the data in var/ stay
	rm -rf build docs/tutorials/notebooks docs/notebooks/scores.csv .venv .venv.installing .pytest_cache .mypy_cache .ruff_cache .hypothesis staticfiles
	find . -name '.?*' -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
