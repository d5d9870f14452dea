# Nightporter. `make` lists what there is.
.DEFAULT_GOAL := help
SHELL := /bin/sh

# Where git has no say, as in a clone that belongs to another user, Go would refuse to
# build rather than leave the commit out of the version.
no_vcs := $(shell git rev-parse HEAD >/dev/null 2>&1 || echo -buildvcs=false)
# One set of flags for every build and test, so that the C part of SQLite is compiled once.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath -tags=sqlite_omit_load_extension $(no_vcs))
override export CGO_ENABLED := 1

# REQUIRE_REAL=1: a test that would skip for want of a real server fails.
REQUIRE_REAL ?= $(NIGHTPORTER_REQUIRE_REAL)
export NIGHTPORTER_REQUIRE_REAL := $(REQUIRE_REAL)

E2E := go test ./internal/e2e -count=1 -v

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' Makefile

.PHONY: demo
demo: build ## show a first sync, edits, a kill and a second sync, in ./demo; no network, no key
	bin/nightporter demo --dir demo

.PHONY: build
build: need ## build bin/nightporter
	go build -o bin/nightporter ./cmd/nightporter

.PHONY: windows
windows: need ## build bin/nightporter.exe for Windows (64 bit)
	@command -v x86_64-w64-mingw32-gcc >/dev/null || { echo "make windows needs a C compiler for Windows: apt-get install gcc-mingw-w64-x86-64-win32" >&2; exit 1; }
	GOOS=windows GOARCH=amd64 CC=x86_64-w64-mingw32-gcc go build -o bin/nightporter.exe ./cmd/nightporter

.PHONY: unit
unit: build ## run the service under a systemd of its own, in namespaces (Linux, root): start, reload, watchdog, stop
	scripts/try-unit.sh

# Debian keeps PostgreSQL's programs out of PATH. They are put into it, as go test looks
# at PATH to tell that what it remembers of the tests is older than PostgreSQL is here.
.PHONY: test
test: need ## vet and run every test; installs nothing (REQUIRE_REAL=1: a skipped server fails)
	go vet ./...
	PATH="$$PATH$$(scripts/pgbin.sh | sed 's/^/:/')" go test -timeout 25m ./...
	@scripts/pgbin.sh >/dev/null || echo "skipped: every test against a real PostgreSQL; make deps-test installs it"

.PHONY: crash
crash: N = 300
crash: need ## kill the program at every step of every scene, and with kill -9 N times (300) in the middle of runs
	NIGHTPORTER_CRASH=all NIGHTPORTER_CRASH_N=$(N) $(E2E) -run '^(TestCrashMatrix.*|TestKill9)$$' -timeout 60m

.PHONY: drift
drift: N = 1000
drift: need ## scan N times (1000) while a writer moves the list
	NIGHTPORTER_DRIFT_N=$(N) $(E2E) -run '^TestF1[34]_Drift' -timeout 60m

.PHONY: mutants
mutants: need ## plant each fault of internal/mutants and show which test notices it; ONLY=guard for some
	@go run ./internal/mutants -only "$(ONLY)"

.PHONY: fuzz
fuzz: TIME = 30s
fuzz: need ## feed every reader of foreign text what nobody thought of, each for TIME (30s); ONLY=Phone for some
	@scripts/fuzz.sh $(TIME) $(ONLY)

.PHONY: month
month: SEEDS = 10
month: EVERY = 10m
month: need ## run the service through a month on a fast clock, SEEDS times (10); SEED=7 for that one alone; lists are read every 10m, EVERY= reads them as often as a house does (4 times the runs)
	GOGC=400 GOTMPDIR="$${TMPDIR:-/tmp}" TMPDIR=$$(test -w /dev/shm && echo /dev/shm || echo "$${TMPDIR:-/tmp}") NIGHTPORTER_MONTH_EVERY=$(EVERY) NIGHTPORTER_MONTH=$(if $(SEED),=$(SEED),$(SEEDS)) go test ./internal/month -count=1 -parallel 2 -v -run '^TestMonth$$' -timeout 180m

.PHONY: week
week: WEEKS = 97
week: need ## run one configuration with everything through a week, as written, and WEEKS times (97: at every step) killed all along (needs PostgreSQL)
	PATH="$$PATH$$(scripts/pgbin.sh | sed 's/^/:/')" NIGHTPORTER_CRASH=all NIGHTPORTER_WEEKS=$(WEEKS) go test ./internal/week -count=1 -parallel 2 -v -timeout 180m

.PHONY: simulate
simulate: N = $(if $(SEED),1,1000)
simulate: need ## play N seeds (1000) of 200 steps on a clock of their own; SEED=7 that one (and N more); FILES=1 state in files, power cuts; TWICE=500 so many twice instead
	NIGHTPORTER_SEED=$(SEED) NIGHTPORTER_HISTORIES=$(N) NIGHTPORTER_FILES=$(FILES) NIGHTPORTER_TWICE=$(TWICE) CGO_CFLAGS="-O3 -DSQLITE_DEFAULT_MEMSTATUS=0" GOGC=800 go test ./internal/histories -count=1 -v -run '^$(if $(TWICE),TestTwice,TestHistories)$$' -timeout 720m

.PHONY: transcripts
transcripts: N = 2000
transcripts: need ## what the engine of OLD= (a commit) and this one do in N histories (2000): where they differ; TEXT=1 what they say, too
	@scripts/transcripts.sh "$(or $(OLD),HEAD)" $(N)

.PHONY: bench
bench: need ## time passes over 10,000 to 1,000,000 contacts a side against the limit; memory, latency, requests
	$(E2E) -run '^$$' -bench . -benchtime 1x -timeout 60m

.PHONY: rest
rest: MINUTES = 60
rest: need ## run the service for MINUTES (60) with nothing to do, and say what that costs (needs PostgreSQL)
	PATH="$$PATH$$(scripts/pgbin.sh | sed 's/^/:/')" NIGHTPORTER_REST=$(MINUTES) $(E2E) -run '^TestRest$$' -timeout $$(($(MINUTES) + 30))m

.PHONY: lint
lint: need ## run golangci-lint (the pinned version is put into ./bin)
	lint=$$(scripts/golangci-lint.sh) && "$$lint" run ./...

.PHONY: fmt
fmt: need ## format every Go file
	lint=$$(scripts/golangci-lint.sh) && "$$lint" fmt ./...

.PHONY: deps-test
deps-test: ## install the servers that tests run against (Debian; needs root or sudo)
	@scripts/deps-test.sh

.PHONY: clean
clean: ## remove what was built, and the demo
	rm -rf bin demo

.PHONY: need
need:
	@scripts/need.sh
