# `make run` serves; `make test` runs everything; `make help` lists the rest.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

CARGO ?= cargo
PYTHON ?= python3
TARGET ?= $(or $(CARGO_TARGET_DIR),$(CURDIR)/target)
DEBUG := $(TARGET)/debug
RELEASE := $(TARGET)/release
VENV := $(CURDIR)/.venv
NODE_TESTS := tests/javascript
CYCLES ?= 100
OPERATIONS ?= 1000000
HISTORIES ?= 5000
RESTORES ?= 1000
DAMAGES ?= 10000
ITEMS ?= 1000000,10000000

# $(call need,command,what to install)
need = command -v $(1) >/dev/null || { echo "make: '$(1)' is missing: $(2)" >&2; exit 1; }

.PHONY: help
help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1\t/' | expand -t 20

.PHONY: run
run: rust ## Build and serve on http://127.0.0.1:8000
	@$(CARGO) build --release --package monotable
	@exec $(RELEASE)/monotable serve $(ARGS)

.PHONY: test
test: lint test-rust test-python test-javascript test-crash test-transfers test-streams test-restores test-rot test-history test-model ## Everything

.PHONY: lint
lint: rust ## Formatting and clippy
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --all-features --quiet -- -D warnings

.PHONY: test-rust
test-rust: rust ## Unit, property and contract tests
	$(CARGO) test --workspace --all-features --quiet

.PHONY: test-python
test-python: $(DEBUG)/monotable $(VENV)/ready ## Black-box tests with boto3
	MONOTABLE_BIN=$(DEBUG)/monotable $(VENV)/bin/python -m pytest -q tests/python

.PHONY: test-javascript
test-javascript: $(DEBUG)/monotable $(NODE_TESTS)/node_modules/ready ## Black-box tests with the JavaScript SDK
	cd $(NODE_TESTS) && MONOTABLE_BIN=$(DEBUG)/monotable node --test

.PHONY: test-crash
test-crash: $(DEBUG)/monotable ## A few cycles of kill -9
	$(CARGO) build --quiet --package monotable-bench
	$(DEBUG)/monotable-bench crash --server $(DEBUG)/monotable --cycles 8

.PHONY: test-transfers
test-transfers: $(DEBUG)/monotable ## Transactions through a few cycles of kill -9
	$(CARGO) build --quiet --package monotable-bench
	$(DEBUG)/monotable-bench transfers --server $(DEBUG)/monotable --cycles 8

.PHONY: test-streams
test-streams: $(DEBUG)/monotable ## Streams and expiry through a few cycles of kill -9
	$(CARGO) build --quiet --package monotable-bench
	$(DEBUG)/monotable-bench streams --server $(DEBUG)/monotable --cycles 8

.PHONY: test-restores
test-restores: $(DEBUG)/monotable ## Restores through a few cycles of kill -9
	$(CARGO) build --quiet --package monotable-bench
	$(DEBUG)/monotable-bench restores --server $(DEBUG)/monotable --restores 30 --items 500

.PHONY: test-rot
test-rot: $(DEBUG)/monotable ## A few damages of files, and planted faults that must be found
	$(CARGO) build --quiet --package monotable-bench
	$(DEBUG)/monotable-bench rot --server $(DEBUG)/monotable --short --damages 60
	for fault in ignore-checksums hide-damage; do \
	  $(DEBUG)/monotable-bench rot --server $(DEBUG)/monotable --short --damages 40 --planted $$fault; done

.PHONY: test-history
test-history: $(DEBUG)/monotable ## Short histories have an order, and planted faults are found
	$(CARGO) build --quiet --package monotable-bench
	$(DEBUG)/monotable-bench history --server $(DEBUG)/monotable --histories 200
	$(DEBUG)/monotable-bench history --server $(DEBUG)/monotable --histories 400 --plant-all

.PHONY: test-model
test-model: $(DEBUG)/monotable ## Random writes against a plain model, briefly
	$(CARGO) build --quiet --package monotable-bench
	$(DEBUG)/monotable-bench model --server $(DEBUG)/monotable --operations 20000

.PHONY: crash
crash: release ## A campaign of kill -9: make crash CYCLES=100
	$(RELEASE)/monotable-bench crash --server $(RELEASE)/monotable --cycles $(CYCLES)

.PHONY: transfers
transfers: release ## Transactions through a campaign of kill -9: make transfers CYCLES=200
	$(RELEASE)/monotable-bench transfers --server $(RELEASE)/monotable --cycles $(CYCLES)

.PHONY: streams
streams: release ## Streams and expiry through a campaign of kill -9: make streams CYCLES=200
	$(RELEASE)/monotable-bench streams --server $(RELEASE)/monotable --cycles $(CYCLES)

.PHONY: restores
restores: release ## Restores to moments that were noted, through kill -9: make restores RESTORES=1000
	$(RELEASE)/monotable-bench restores --server $(RELEASE)/monotable --restores $(RESTORES)

.PHONY: rot
rot: release ## Damages of files of every kind: make rot DAMAGES=10000
	$(RELEASE)/monotable-bench rot --server $(RELEASE)/monotable --damages $(DAMAGES)

.PHONY: history
history: release ## Concurrent histories, each checked for an order: make history HISTORIES=5000
	$(RELEASE)/monotable-bench history --server $(RELEASE)/monotable --histories $(HISTORIES)
	$(RELEASE)/monotable-bench history --server $(RELEASE)/monotable --histories 1000 --plant-all

.PHONY: model
model: release ## Random writes from several clients against a plain model: make model OPERATIONS=1000000
	$(RELEASE)/monotable-bench model --server $(RELEASE)/monotable --operations $(OPERATIONS)

.PHONY: bench
bench: release peers ## Throughput beside the peers that are installed (see bench/README.md)
	$(RELEASE)/monotable-bench compare --server $(RELEASE)/monotable \
	  --dynoxide $(TARGET)/peers/bin/dynoxide --dynalite $(TARGET)/peers/node_modules/.bin/dynalite $(ARGS)

.PHONY: bench-scale
bench-scale: release ## Latency and memory as tables grow: make bench-scale ITEMS=1000000,10000000
	$(RELEASE)/monotable-bench scale --server $(RELEASE)/monotable --items $(ITEMS)

.PHONY: bench-expiry
bench-expiry: release ## Latency while a million items expire at once
	$(RELEASE)/monotable-bench expiry --server $(RELEASE)/monotable $(ARGS)

.PHONY: bench-restore
bench-restore: release ## Restore a million items while the table is in use
	$(RELEASE)/monotable-bench restore-scale --server $(RELEASE)/monotable $(ARGS)

.PHONY: release
release: rust
	$(CARGO) build --release --package monotable --package monotable-bench

.PHONY: peers
peers: node $(TARGET)/peers/bin/dynoxide $(TARGET)/peers/node_modules/.bin/dynalite

$(TARGET)/peers/bin/dynoxide:
	$(CARGO) install --quiet --root $(TARGET)/peers --target-dir $(TARGET)/peers/build --version 3.2.0 dynoxide-rs

$(TARGET)/peers/node_modules/.bin/dynalite:
	mkdir -p $(TARGET)/peers
	npm install --prefix $(TARGET)/peers --no-save --no-audit --no-fund dynalite@4

.PHONY: $(DEBUG)/monotable
$(DEBUG)/monotable: rust
	$(CARGO) build --quiet --package monotable

$(VENV)/ready: tests/python/requirements.txt
	@$(call need,$(PYTHON),apt-get install python3 python3-venv)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make: Python 3.11 or later is needed" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) || { echo "make: no venv module: apt-get install python3-venv" >&2; exit 1; }
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

$(NODE_TESTS)/node_modules/ready: $(NODE_TESTS)/package.json $(NODE_TESTS)/package-lock.json | node
	cd $(NODE_TESTS) && npm ci --no-audit --no-fund --silent
	touch $@

.PHONY: rust
rust:
	@$(call need,$(CARGO),install Rust 1.95 or later with rustup)
	@command -v cc >/dev/null || { echo "make: no C compiler: apt-get install build-essential" >&2; exit 1; }

.PHONY: node
node:
	@$(call need,node,apt-get install nodejs npm (version 20 or later))
	@$(call need,npm,apt-get install npm)

.PHONY: clean
clean: ## Remove what was built
	$(CARGO) clean
	rm -rf $(VENV) $(NODE_TESTS)/node_modules
