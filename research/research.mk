# Targets of the research; the Makefile at the top includes this file, and paths are seen from there.

.PHONY: research research-test research-lint mutations mutations-tables mutations-verifiers mutations-sample

# Nothing else should run meanwhile. Results are kept in research/results; research/pages show them.
research: build static ## measure research suites, by name: make research SUITES="race trees"
	$(PY) -m research $(SUITES)

research-test: build ## the tests of the research, except the slow ones
	$(PYTEST) -m "not slow and not release" $(RESEARCH_TESTS)

lint: research-lint
research-lint: $(STAMPS)/packages $(GO)
	$(PY) -m mypy -p research
	$(PY) -c 'from importlinter.cli import lint_imports; raise SystemExit(lint_imports("research/pyproject.toml"))'
	@unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l research/mutants) && test -z "$$unformatted" || \
	  { echo "gofmt would change: $$unformatted"; exit 1; }
	cd research/mutants && $(GO) vet ./...
	cd research/mutants && $(GO) run $(STATICCHECK) ./...

# Nothing else should run meanwhile. A run that was stopped goes on where it was with RESUME=1; once tests were added,
# AGAIN=1 tries what the last run's tests did not notice: of the verifiers, what the kept results name.
MUTATE := GO=$(GO) $(PY) -m research.mutations
mutations: $(STAMPS)/packages $(GO) ## change the circuit in every small way: a test must fail; writes research/mutations/*.md: make mutations [RESUME=1] [AGAIN=1] [FILE=gadget/radius]
	$(MUTATE)$(if $(RESUME), --resume)$(if $(AGAIN), --again)$(if $(FILE), --file "$(FILE)")

mutations-tables: $(STAMPS)/packages $(GO) web ## change each row of the tables that programs share: a test of each language must fail; writes research/mutations/tables.md
	$(MUTATE).tables

mutations-verifiers: build web ## change the verifiers in small ways, a thousand places each: a test must fail; writes research/mutations/verifiers.*: make mutations-verifiers [RESUME=1] [AGAIN=1 TESTS="..."] [SAMPLE=1000] [SEED=1] [MINUTES=60]
	$(MUTATE).verifiers$(if $(RESUME), --resume)$(if $(AGAIN), --again)$(if $(SAMPLE), --sample $(SAMPLE))$(if $(SEED), --seed "$(SEED)")$(if $(MINUTES), --minutes $(MINUTES))$(if $(TESTS), --tests $(TESTS))

# SINCE is origin/main, or the last commit but one. Where no verifier has changed since then, none of its tests is run.
mutations-sample: build web ## twenty changes that belong to the sources as they are, twenty of the tables, and MUTANTS=20 of each verifier's files that changed: make mutations-sample [SINCE=REV]
	$(MUTATE) --sample 20
	$(MUTATE).tables --sample 20
	$(MUTATE).verifiers --sample $(or $(MUTANTS),20) --since $(SINCE)
