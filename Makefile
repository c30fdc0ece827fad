# Everything is done by the scripts in scripts/; `make help` lists what there is.
#   PYTHON=python3.12   the Python to make .venv with        PORT=9000   the port of run and crowd
#   WORKERS=5           processes that run the tests         ARGS='-k tuples'   further arguments of pytest, manage.py serve
#   OUT=/some/folder    where `make pictures` puts them                        or pictures (ARGS='--only screen --language de')

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

run: ## install what is missing, then start Likeness on this machine; Ctrl-C ends it
	@sh scripts/setup web platforms
	@$(MAKE) -s docs || echo "Likeness starts without its documentation."
	@exec $(PY) manage.py serve $(ARGS)

crowd: ## start Likeness with simulated paid platforms, to try both sides (requester, worker) without real money
	@sh scripts/setup web platforms test
	@exec $(PY) -m tests.simulators $(ARGS)

test: ## run the tests in a few minutes: all but those that are marked slow
	@sh scripts/setup web platforms test
	@$(PYTEST) -m 'not slow' $(ARGS)

test-all: ## run every test; what needs Chromium, PostgreSQL, Redis or models is skipped where that is missing
	@sh scripts/setup web platforms test
	@$(PYTEST) $(ARGS)

check: ## style, types, JavaScript, templates, migrations
	@sh scripts/setup web platforms test check
	@sh scripts/check

docs: $(HELP) ## build the documentation; the site shows it at /help/

$(HELP): $(shell find docs -name '*.md' -o -name '*.py' -o -name '*.png' -o -name '*.svg' \
		-o -name '*.csv' -o -name '*.rst') requirements.txt
	@sh scripts/setup docs
	@$(PY) -m sphinx -q -W --keep-going -d build/doctrees docs build/site/help
	@touch $@

bench: ## measure speed beside a bare Django application, about half an hour; ARGS=--quick takes four minutes
	@sh scripts/setup web platforms models modeltests
	@exec $(PY) -m benchmarks $(ARGS)

papers: ## the four papers' studies at full size: time, memory and waiting of each step; ARGS='giccs --scale 0.1'
	@sh scripts/setup web platforms models modeltests
	@exec $(PY) -m benchmarks.papers $(ARGS)

pictures: ## a picture of every page in every state, and contact sheets of them; fails where a page is broken
	@sh scripts/setup web platforms test
	@exec $(PY) -m tests.pictures --out '$(OUT)' $(ARGS)

docs-pictures: ## take the pictures of the documentation anew, in about 20 seconds; ARGS='--only ledger' takes some
	@sh scripts/setup web platforms test
	@exec $(PY) -m tests.pictures.documentation $(ARGS)

models: ## install what the worker that scores baselines needs (torch: large)
	@sh scripts/setup web platforms models

clean: ## remove .venv and caches; the data in var/ stay
	rm -rf build docs/tutorials/notebooks docs/notebooks/scores.csv .venv .venv.installing .pytest_cache .mypy_cache .ruff_cache .hypothesis staticfiles
	find . -name '.?*' -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
