# Every target sets up what it needs by itself, in the virtual environment .venv: the engine, with `docs` the site, with
# `dev` what tests and checks need; once, and again when pyproject.toml changes. uv does it where it is installed, else
# python3 -m venv and pip.

.DEFAULT_GOAL := help
SHELL := /bin/sh
BIN := .venv/bin
ENGINE := .venv/.has-engine
DOCS := .venv/.has-docs
DEV := .venv/.has-dev
export PYTHON
# Python keeps what it compiles, and pytest the tests that it rewrites: half of what a run collects its tests with.
unexport PYTHONDONTWRITEBYTECODE

SMOKE_OF_SERVICES := tests/conformance/test_every_backend.py tests/services/test_catalogues.py \
  tests/faults/test_server_releases.py::test_rows_are_released_into_the_server
SMOKE_OF_SPARK := tests/conformance/test_every_backend.py
SMOKE_OF_BROWSER := without_what_may_be_missing or policy_of_the_page or (fits_320_pixels and generalization)
SECONDS := 600
# Two at a time, the longest first; what each prints stays together where make can do that.
CHECKS := check-types check-docs check-site check-sql check-rooms check-style
AS_WHOLES := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

.PHONY: help demo test fast thorough long services spark browser smoke rest whole mutants check $(CHECKS) docs format bench clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

demo: $(ENGINE)  ## one million synthetic members, five requests: released, answered from memory, refused, predicted
	@$(BIN)/ordermade demo

test: $(DEV)  ## the test suite, but for what is heavy by nature and what needs a server
	@$(BIN)/python -m pytest -m "not thorough and not services and not browser and not spark"

fast: $(DEV)  ## the tests that take seconds
	@$(BIN)/python -m pytest -m "not slow and not thorough and not services and not browser and not spark"

thorough: $(DEV)  ## the rest of the suite: large public tables, every kind of source
	@$(BIN)/python -m pytest -m "thorough and not services and not browser and not spark"

long: $(DEV)  ## what takes minutes, whole: kills, fuzzing, loads (the suite runs a sample of each)
	@ORDERMADE_LONG=1 $(BIN)/python -m pytest -m "long and not services and not browser and not spark" -s -o faulthandler_timeout=14400  # a thousand kills take half an hour

services: $(DEV)  ## the tests that need PostgreSQL or MariaDB: servers are found, or started for them
	@$(BIN)/python -m tests.services

spark: $(DEV)  ## the tests that need PySpark and Java, on a local Spark; none where one is missing
	@$(BIN)/python -m tests.spark

browser: $(DEV)  ## the tests that open reports and the portal in Chromium: the distribution's is installed where it may be
	@$(BIN)/python -m tests.browser

smoke: $(DEV)  ## a few tests of each kind of server, of Spark where it is installed, and of the browser
	@$(BIN)/python -m tests.services $(SMOKE_OF_SERVICES)
	@$(BIN)/python -m tests.spark $(SMOKE_OF_SPARK)
	@$(BIN)/python -m tests.browser -k "$(SMOKE_OF_BROWSER)"

rest: $(DEV)  ## of thorough, services and browser, all that the changes since the last whole run reach, in SECONDS
	@$(BIN)/python -m checks.rest $(SECONDS)

whole: $(DEV)  ## all of the suite, long, services and Spark too, and its line in CONTRIBUTING.md: hours
	@$(BIN)/python -m checks.whole_run

mutants: $(DEV)  ## faults put into a copy of the engine, one by one: the tests named for each are to fail
	@$(BIN)/python -m tests.mutants $(NAMED)

check: $(DEV)  ## lint, format, types, rooms, every SQL file, docs and their site
	@$(MAKE) --no-print-directory --jobs=2 $(AS_WHOLES) $(CHECKS)

check-types: $(DEV)
	@$(BIN)/mypy
	@$(BIN)/python -m checks.user_types

check-docs: $(DEV)
	@$(BIN)/python -m checks.docs

check-site: $(DEV)
	@$(BIN)/python -m checks.site

check-sql: $(DEV)
	@$(BIN)/python checks/sql.py

check-rooms: $(DEV)
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python checks/catalogue.py

check-style: $(DEV)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

docs: $(DOCS)  ## build the site of the documentation into site/
	@$(BIN)/python -m checks.site
	@echo "open site/index.html"

format: $(DEV)  ## rewrite the code as `make check` wants it
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(DEV)  ## measure, all in one run, and print ratios
	@$(BIN)/python -m bench

clean:  ## remove the environment and everything that was built or cached
	rm -rf .venv dist build site .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(ENGINE): pyproject.toml
	@sh .ci/set-up

$(DOCS): pyproject.toml
	@sh .ci/set-up docs

$(DEV): pyproject.toml
	@sh .ci/set-up dev
