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
LAYER := $(TARGET)/layer/disk.so
CYCLES ?= 100
OPERATIONS ?= 1000000
HISTORIES ?= 5000
RESTORES ?= 1000
DAMAGES ?= 10000
ITEMS ?= 1000000,10000000
REQUESTS ?= 1000000
SYNC_MS ?= 1
# Overload for a debug build: less of everything, but more than it takes.
OVERLOADED := --writers 1200 --readers 40 --seconds 4

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
test: lint test-rust test-python test-javascript test-crash test-power test-faults test-transfers test-streams test-restores test-history test-model test-transfer-scale test-abuse test-overload test-bench test-rot ## Everything

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
test-crash: $(DEBUG)/monotable ## A few cycles of kill -9, and planted faults are found
	$(DEBUG)/monotable-bench crash --server $(DEBUG)/monotable --cycles 8
	$(DEBUG)/monotable-bench crash --server $(DEBUG)/monotable --cycles 30 --planted-all

.PHONY: test-power
test-power: $(DEBUG)/monotable $(LAYER) ## A few power losses, and planted faults that they must find
	$(DEBUG)/monotable-bench power --server $(DEBUG)/monotable --layer $(LAYER) --cycles 25 --points 25 --sessions 3 --heat 4500 --bulk 0
	for fault in answer-before-sync skip-directory-sync; do $(DEBUG)/monotable-bench power --server $(DEBUG)/monotable \
	  --layer $(LAYER) --cycles 200 --points 25 --sessions 2 --heat 600 --bulk 0 --planted $$fault; done

.PHONY: test-faults
test-faults: $(DEBUG)/monotable $(LAYER) ## Some of the calls on files fail, and a planted fault that this must find
	$(DEBUG)/monotable-bench faults --server $(DEBUG)/monotable --layer $(LAYER) --step 40 --room 100000
	$(DEBUG)/monotable-bench faults --server $(DEBUG)/monotable --layer $(LAYER) --scenes fresh --step 60 --planted answer-after-failure

.PHONY: test-transfers
test-transfers: $(DEBUG)/monotable ## Transactions through a few cycles of kill -9
	$(DEBUG)/monotable-bench transfers --server $(DEBUG)/monotable --cycles 8

.PHONY: test-streams
test-streams: $(DEBUG)/monotable ## Streams and expiry through a few cycles of kill -9
	$(DEBUG)/monotable-bench streams --server $(DEBUG)/monotable --cycles 8

.PHONY: test-restores
test-restores: $(DEBUG)/monotable ## Restores through a few cycles of kill -9
	$(DEBUG)/monotable-bench restores --server $(DEBUG)/monotable --restores 30 --items 500

.PHONY: test-rot
test-rot: $(DEBUG)/monotable ## A few damages of files, and planted faults that must be found
	$(DEBUG)/monotable-bench rot --server $(DEBUG)/monotable --short --damages 60
	for fault in hide-damage lose-index-entries lose-counts; do \
	  $(DEBUG)/monotable-bench rot --server $(DEBUG)/monotable --short --damages 300 --planted $$fault; done

.PHONY: test-history
test-history: $(DEBUG)/monotable ## Short histories have an order, and planted faults are found
	$(DEBUG)/monotable-bench history --server $(DEBUG)/monotable --histories 200
	$(DEBUG)/monotable-bench history --server $(DEBUG)/monotable --histories 400 --plant-all

.PHONY: test-model
test-model: $(DEBUG)/monotable ## Random writes against a plain model, briefly
	$(DEBUG)/monotable-bench model --server $(DEBUG)/monotable --operations 20000

.PHONY: test-transfer-scale
test-transfer-scale: $(DEBUG)/monotable ## Export and import through a kill -9, and find a planted fault
	$(DEBUG)/monotable-bench transfer-scale --server $(DEBUG)/monotable --items 4000 --seconds 1
	MONOTABLE_PLANTED=lose-import-page $(DEBUG)/monotable-bench transfer-scale \
	  --server $(DEBUG)/monotable --items 2000 --seconds 1 --planted

.PHONY: test-abuse
test-abuse: $(DEBUG)/monotable ## Bad clients, briefly, and planted faults are found
	$(DEBUG)/monotable-bench abuse --server $(DEBUG)/monotable --requests 6000 --crowd 8 --idle 1000
	$(DEBUG)/monotable-bench abuse --server $(DEBUG)/monotable --requests 2000 --crowd 4 --plant-all

.PHONY: test-overload
test-overload: $(DEBUG)/monotable $(DEBUG)/slow_sync.so ## More than disk and memory take, briefly, and planted faults are found
	$(DEBUG)/monotable-bench overload --server $(DEBUG)/monotable --slow-sync $(DEBUG)/slow_sync.so $(OVERLOADED)
	$(DEBUG)/monotable-bench overload --server $(DEBUG)/monotable --slow-sync $(DEBUG)/slow_sync.so $(OVERLOADED) --plant-all

.PHONY: test-bench
test-bench: $(DEBUG)/monotable ## Every workload, briefly: only the form of the results is looked at
	bench/smoke.sh $(DEBUG)

.PHONY: crash
crash: release ## A campaign of kill -9 with everything on: make crash CYCLES=1000
	$(RELEASE)/monotable-bench crash --server $(RELEASE)/monotable --cycles $(CYCLES)

.PHONY: power
power: release $(LAYER) ## Power losses at many places of traced runs: make power CYCLES=500
	$(RELEASE)/monotable-bench power --server $(RELEASE)/monotable --layer $(LAYER) --cycles $(CYCLES)

.PHONY: power-planted
power-planted: $(DEBUG)/monotable $(LAYER) ## Every fault that is planted must lose data in a power loss
	for fault in answer-before-sync skip-directory-sync skip-recovery-sync; do $(DEBUG)/monotable-bench power \
	  --server $(DEBUG)/monotable --layer $(LAYER) --cycles 1000 --points 40 --sessions 8 --heat 300 --bulk 0 \
	  --planted $$fault; done

.PHONY: io-errors
io-errors: release $(LAYER) ## Every call on a file fails, in four ways; and disks that are full
	$(RELEASE)/monotable-bench faults --server $(RELEASE)/monotable --layer $(LAYER) $(ARGS)

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

.PHONY: abuse
abuse: release ## Malformed requests and bad clients: make abuse REQUESTS=1000000
	$(RELEASE)/monotable-bench abuse --server $(RELEASE)/monotable --requests $(REQUESTS)

.PHONY: overload
overload: release $(RELEASE)/slow_sync.so ## More than disk and memory take, on a disk that is slow
	$(RELEASE)/monotable-bench overload --server $(RELEASE)/monotable --slow-sync $(RELEASE)/slow_sync.so $(ARGS)

.PHONY: bench
bench: release bench-peers ## Every workload beside the peers and the limits: make bench ARGS="--seconds 3"
	mkdir -p $(TARGET)/bench
	$(RELEASE)/monotable-bench compare --server $(RELEASE)/monotable --peers $(TARGET)/peers \
	  --json $(TARGET)/bench/results.json --plot $(TARGET)/bench/plot.svg $(ARGS)

.PHONY: bench-disk
bench-disk: release $(RELEASE)/slow_sync.so ## Durable writes beside the store's own commits, where a sync takes SYNC_MS more
	SLOW_SYNC_MS=$(SYNC_MS) LD_PRELOAD=$(abspath $(RELEASE))/slow_sync.so $(RELEASE)/monotable-bench compare \
	  --server $(RELEASE)/monotable --workloads put-item,update-counter --beside commits --share 0 $(ARGS)

.PHONY: bench-guard
bench-guard: release ## Instructions of hot operations against the record; RECORD=1 records them
	@$(call need,valgrind,Debian package valgrind)
	$(RELEASE)/monotable-bench guard --server $(RELEASE)/monotable --file bench/instructions.txt $(if $(RECORD),--record)

.PHONY: bench-scale
bench-scale: release ## Latency and memory as tables grow: make bench-scale ITEMS=1000000,10000000
	$(RELEASE)/monotable-bench scale --server $(RELEASE)/monotable --items $(ITEMS)

.PHONY: bench-expiry
bench-expiry: release ## Latency while a million items expire at once
	$(RELEASE)/monotable-bench expiry --server $(RELEASE)/monotable $(ARGS)

.PHONY: bench-restore
bench-restore: release ## Restore a million items while the table is in use
	$(RELEASE)/monotable-bench restore-scale --server $(RELEASE)/monotable $(ARGS)

.PHONY: bench-transfer
bench-transfer: release ## Export and import a million items while the server is in use
	$(RELEASE)/monotable-bench transfer-scale --server $(RELEASE)/monotable $(ARGS)

# The layer below a server that traces its files and lets calls fail.
$(LAYER): bench/interpose/disk.c | rust
	mkdir -p $(@D)
	cc -std=gnu11 -O2 -Wall -Wextra -Werror -fPIC -shared -o $@ $<

$(TARGET)/%/slow_sync.so: bench/interpose/slow_sync.c | rust
	mkdir -p $(@D)
	cc -O2 -Wall -Wextra -shared -fPIC -o $@ $<

.PHONY: release
release: rust
	$(CARGO) build --release --package monotable --package monotable-bench

# A peer that cannot be installed is named, and `make bench` shows it as missing.
.PHONY: bench-peers
bench-peers: rust ## Install the servers that make bench measures
	@for peer in bin/dynoxide node_modules/.bin/dynalite moto/bin/moto_server; do \
	  $(MAKE) --no-print-directory $(TARGET)/peers/$$peer || echo "make: $$peer cannot be installed" >&2; \
	done

$(TARGET)/peers/bin/dynoxide:
	$(CARGO) install --quiet --root $(TARGET)/peers --target-dir $(TARGET)/peers/build --version 3.2.0 dynoxide-rs

$(TARGET)/peers/node_modules/.bin/dynalite:
	@$(call need,npm,apt-get install nodejs npm (version 20 or later))
	mkdir -p $(TARGET)/peers
	npm install --prefix $(TARGET)/peers --no-save --no-audit --no-fund dynalite@4

$(TARGET)/peers/moto/bin/moto_server:
	@$(call need,$(PYTHON),apt-get install python3 python3-venv)
	$(PYTHON) -m venv $(TARGET)/peers/moto
	$(TARGET)/peers/moto/bin/python -m pip install --quiet --disable-pip-version-check 'moto[server]==5.*'

.PHONY: $(DEBUG)/monotable
$(DEBUG)/monotable: rust
	# As for the tests, so that what others wrote is built once.
	$(CARGO) build --quiet --workspace --all-features

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
