# `make run` and `make test` each work as the first and only command after a clone.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PORT HOST

.PHONY: run setup setup-dev test services check lint types imports migrations e2e soak bench messages browser clean

## Start Daybook: environment, database, sample studies, first account, server.
run: $(VENV)/.ready
	@exec $(BIN)/python manage.py serve

## Create the environment that `make run` uses.
setup: $(VENV)/.ready

$(VENV)/.ready: requirements.txt scripts/setup.sh
	@PYTHON=$(PYTHON) bash scripts/setup.sh $(VENV) requirements.txt
	@touch $@

setup-dev: $(VENV)/.ready-dev

$(VENV)/.ready-dev: requirements.txt requirements-dev.txt scripts/setup.sh
	@PYTHON=$(PYTHON) bash scripts/setup.sh $(VENV) requirements-dev.txt
	@touch $@ $(VENV)/.ready

## Run the tests that need no service and no browser.
test: setup-dev
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile $(ARGS)

## Lint, types, import rules, migrations.
check: lint types imports migrations

lint: setup-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup-dev
	$(BIN)/mypy project agents reviews

imports: setup-dev
	$(BIN)/lint-imports

migrations: setup-dev
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py check

## Tests that need PostgreSQL (TEST_DATABASE_URL) and Redis (TEST_REDIS_URL).
services: setup-dev
	$(BIN)/python -m pytest -m services $(ARGS)
	DATABASE_URL=$(TEST_DATABASE_URL) $(BIN)/python -m pytest --create-db -p no:cacheprovider \
		-n auto --maxprocesses 4 --dist loadfile \
		tests/store tests/contract tests/services tests/reviews/test_decide.py tests/test_worker.py $(ARGS)

## Drive the product in a real browser (Debian: chromium).
e2e: setup-dev
	$(BIN)/python -m pytest -m e2e -n 2 --dist loadfile $(ARGS)

## The long runs: crash, load, locks, faults; an hour or more. Contests also on PostgreSQL when TEST_DATABASE_URL names one.
soak: setup-dev
	$(BIN)/python -m pytest -m soak --timeout 3600 $(ARGS)
	DAYBOOK_SOAK=1000 $(BIN)/python -m pytest --timeout 3600 tests/services/test_gates.py
	$(if $(TEST_DATABASE_URL),DATABASE_URL=$(TEST_DATABASE_URL) $(BIN)/python -m pytest --create-db \
		-p no:cacheprovider -m soak tests/services $(ARGS))
	$(BIN)/python benchmarks/crash.py
	$(BIN)/python benchmarks/faults.py

## Every benchmark, short; without QUICK=--quick the published length.
bench: setup-dev
	@for script in benchmarks/*.py; do \
		echo "== $$script"; $(BIN)/python $$script $(QUICK) || exit 1; \
	done

## Extract and compile translations (needs gettext).
messages: setup-dev
	$(BIN)/python manage.py makemessages -l zh_Hans --ignore=.venv --ignore=var --no-location
	$(BIN)/python manage.py compilemessages -l zh_Hans --ignore=.venv

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
