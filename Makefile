# `make test` checks everything; `make demo` shows the main job on real data. Both need only
# Python >= 3.11 with its venv module, and set up .venv when it is missing, or when pyproject.toml or
# constraints.txt changed.

ifndef PYTHON
PYTHON := $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' \
	2>/dev/null && { echo "$$python"; break; }; done)
endif

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
LOCK := constraints.txt

# What of the catalogue passes although it is not proved by both groups of checkers, each by name; whatever
# nothing needs is an error. Of normal noise it is taken for granted what its density integrates to.
ONE_GROUP :=
ASSUMED := gaussian
ACCEPT := $(ONE_GROUP:%=--accept one-group:%) $(ASSUMED:%=--accept assumed:%)
# Without Coq there is one group, and this run says so.
ACCEPT += $(if $(shell command -v coqc),,--accept one-group)

DRIFT := drift-proofs drift-claims drift-classes drift-catalogue
# Parts that run beside each other print one after the other, where this make can do that.
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

# Debian's packages, where this may install them.
install = root=; test "$$(id -u)" = 0 || root=sudo; $$root apt-get update -q \
	&& $$root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $(1)

.PHONY: test test-all test-env test-engines test-service test-site test-clients evidence checks lock lint types imports drift $(DRIFT) proofs kernel generated transcript \
	demo verify release sbom docs bench bench-proofs mutation format clean

# A test that passed is not run again while the files and tools that it depends on are the same,
# except for one in 20, drawn at random: tests/evidence.py. `test-all` runs everything, `evidence` what changed,
# and both write down what passed.
test test-all evidence: checks
	$(BIN)/pytest -n auto --maxprocesses 4 --dist worksteal --durations 10 --evidence=$(USE_$@)

USE_test := hold
EVIDENCE := hold
USE_test-all := all
USE_evidence := update

# The built wheel in one new environment per extra, with nothing but what that extra installs; one with
# the lowest version of everything; whether later Pythons find a wheel of every dependency; the hook in
# pre-commit; and the files for GitHub and pre-commit against their schemas.
test-env: $(VENV)/dev.ready
	$(BIN)/python -m tests.environments

# Spark, Beam, DuckDB, Polars and pandas, each in an environment of its own (`make test-engines ENGINES=beam`
# for one); what cannot be installed fails.
test-engines: proofs
	$(BIN)/python -m tests.on_engines $(ENGINES)

# The collector of examples/service, with a PostgreSQL that its tests start, in an environment of its own;
# fails where PostgreSQL is not there and cannot be installed.
test-service: build/service/ready
	@test -n "$(wildcard /usr/lib/postgresql/*/bin/initdb)" || command -v initdb >/dev/null \
		|| { $(call install,postgresql); }
	cd examples/service && ../../build/service/bin/python -m mypy --strict collector load tests
	cd examples/service && ../../build/service/bin/python -m pytest

# Clients in C with gcc and clang, sanitizers, on a Cortex-M3 in qemu, and under valgrind; TypeScript's
# types by its compiler; exact laws of all clients in all languages, which it prints at the end. What is
# missing is installed, or it fails. What passed on the same files and tools is not run again but for one in 20;
# `make test-clients EVIDENCE=update` writes down what passed.
DEVICE_TOOLS := gcc clang wasm-ld node tsc rustc valgrind arm-none-eabi-gcc qemu-system-arm
test-clients: $(VENV)/dev.ready
	@for tool in $(DEVICE_TOOLS); do command -v $$tool >/dev/null || lacking=1; done; \
		test -z "$$lacking" \
		|| { $(call install,gcc libc6-dev clang lld nodejs node-typescript rustc valgrind gcc-arm-none-eabi \
		qemu-system-arm); }
	@clang -fsanitize=address -o /dev/null -x c - <tests/on_devices/main.c 2>/dev/null \
		|| { $(call install,"libclang-rt-$$(clang -dumpversion | cut -d. -f1)-dev"); }
	$(BIN)/pytest tests/on_devices -n auto --maxprocesses 2 --durations 5 --evidence=$(EVIDENCE)
	@echo "Exact laws at small widths, of all clients in all languages, as counted:"
	@cat tests/on_devices/LAWS.txt

build/service/ready: examples/service/requirements.txt pyproject.toml | $(BIN)/python
	"$(PYTHON)" -m venv --clear build/service
	build/service/bin/python -m pip install --quiet --requirement examples/service/requirements.txt
	build/service/bin/python -m pip install --quiet --no-deps --editable .
	touch $@

checks: $(VENV)/dev.ready
	$(MAKE) --no-print-directory -j 2 $(SYNC) lint imports drift types
	@command -v coqc >/dev/null || printf '\n%s\n\n' "*** NO KERNEL CHECK: coqc is not \
	installed, so the Coq proofs were not compiled; install the package coq ***" >&2
	@command -v node >/dev/null || printf '\n%s\n\n' "*** NO JAVASCRIPT CHECK: node is not \
	installed, so no JavaScript client was run; install the package nodejs ***" >&2

# Certificates, questions to z3 and files for Coq, as far as they are not there yet: they are not in git.
proofs: $(VENV)/dev.ready
	$(BIN)/python -m release.texts

# Coq compiles them all, and what it accepted is compared with the list of expected theorems.
kernel: proofs
	$(BIN)/python -m ldp_verified.prove.coq

lint: $(VENV)/dev.ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/dev.ready
	$(BIN)/mypy

imports: $(VENV)/dev.ready
	$(BIN)/lint-imports

# What is generated is what would be generated now: classes and pages as they are committed, the texts of
# proofs by the hashes that are. That they are enough for every claim is what the tests of verify look at.
drift: $(DRIFT)

drift-proofs: $(VENV)/dev.ready
	$(BIN)/python -m release.texts --again

drift-claims: $(VENV)/dev.ready
	$(BIN)/ldp-verified claims --check CLAIMS.md --check docs/claims.html

drift-classes: $(VENV)/dev.ready
	$(BIN)/ldp-verified generate --check

drift-catalogue: $(VENV)/dev.ready
	$(BIN)/ldp-verified catalogue --check

generated: $(VENV)/dev.ready
	$(BIN)/ldp-verified generate
	$(BIN)/ldp-verified catalogue
	$(BIN)/python -m release.texts --write
	$(BIN)/ldp-verified verify $(ACCEPT) --summary
	$(BIN)/ldp-verified claims --write CLAIMS.md --write docs/claims.html

# The commit in use as sdist and wheel in dist/, built twice with one hash, its proofs rechecked from
# the wheel; nothing is uploaded. `make release DRAFT=1` asks for no clean tree and no transcript.
release: $(VENV)/dev.ready
	$(BIN)/python -m release $(if $(DRAFT),--draft --output build/draft)

sbom: $(VENV)/dev.ready
	$(BIN)/python -m release.sbom

# The site in build/site/html, from the pages as they are; a broken link or anchor is an error.
docs: $(VENV)/dev.ready build/site/venv.ready
	$(BIN)/python -m release.site
	NO_MKDOCS_2_WARNING=1 build/site/venv/bin/mkdocs build --strict --quiet

# The site, built and clicked through in headless Chromium: links, anchors, pictures, themes, the width of
# a phone, and a way to each common task.
test-site: docs
	@{ command -v chromedriver && { command -v chromium || command -v chromium-browser; }; } >/dev/null \
		|| { $(call install,chromium chromium-driver); }
	build/site/venv/bin/python -m pytest -q -p no:cacheprovider -c /dev/null --rootdir . \
		--confcutdir tests/on_site --import-mode=importlib tests/on_site
	build/site/venv/bin/python -m release.browse

build/site/venv.ready: release/site-requirements.txt | $(BIN)/python
	"$(PYTHON)" -m venv --clear build/site/venv
	build/site/venv/bin/python -m pip install --quiet --requirement release/site-requirements.txt
	touch $@

# Who proved what, over which files: every mechanism whose files, checkers or tools changed is verified
# anew. It goes on where it stopped; a whole catalogue takes many minutes.
transcript: $(VENV)/dev.ready
	$(BIN)/python -m ldp_verified.check.recheck

demo: $(VENV)/demo.ready
	@command -v coqc >/dev/null || printf '\n%s\n\n' "*** coqc is not installed: this run accepts what is \
	proved by one group of checkers only (--accept one-group) ***" >&2
	@$(BIN)/python -m ldp_verified.app.cli.demo

# Every claim of the catalogue, decided now: many minutes.
verify: $(VENV)/demo.ready
	$(BIN)/ldp-verified verify --summary $(ACCEPT)

bench: $(VENV)/dev.ready
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.devices

bench-proofs: $(VENV)/dev.ready
	$(BIN)/python -m benchmarks.proofs

# Systematic errors in every spec, and who rejects them, Coq included: many minutes. Fails where a
# wrong variant gets past all but one route. Answers are kept in build/, and an interrupted run goes
# on there; `make mutation MINUTES=30` begins no variant after that time, and `make mutation EACH=2`
# makes at most two variants of each kind for a mechanism: a round of the whole catalogue.
mutation: $(VENV)/dev.ready
	$(BIN)/ldp-verified verify --mutate --coq --resume build/mutation.jsonl \
	  $(if $(MINUTES),--minutes $(MINUTES)) $(if $(EACH),--each $(EACH)) --write benchmarks/MUTATION.md

format: $(VENV)/dev.ready
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) build .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "make: no Python >= 3.11 with the venv module was found;" \
		"install one, or name it: make PYTHON=/path/to/python" >&2; exit 1; }
	"$(PYTHON)" -m venv $(VENV)

# The library of theorems is compiled once and kept in the user's cache.
THEORY = @! command -v coqc >/dev/null || $(BIN)/python -c \
	'from ldp_verified.prove.coq.library import work_folder as f; f().__enter__()'

# Dependency groups need pip 25.1, which the lock has.
$(VENV)/dev.ready: pyproject.toml $(LOCK) | $(BIN)/python
	$(PIP) install --quiet --upgrade --constraint $(LOCK) pip
	$(PIP) install --quiet --constraint $(LOCK) --editable . --group dev
	$(THEORY)
	touch $@ $(VENV)/demo.ready

$(VENV)/demo.ready: pyproject.toml $(LOCK) | $(BIN)/python
	$(PIP) install --quiet --constraint $(LOCK) --editable '.[demo]'
	$(THEORY)
	touch $@

# The newest versions that fit pyproject.toml, found in an environment of their own.
lock:
	"$(PYTHON)" -m venv --clear build/lock
	build/lock/bin/python -m pip install --quiet --upgrade pip
	build/lock/bin/python -m pip install --quiet --editable . --group dev
	sed -n '/^#/p' $(LOCK) >build/lock/$(LOCK)
	build/lock/bin/python -m pip freeze --all --exclude-editable --exclude setuptools \
		>>build/lock/$(LOCK)
	mv build/lock/$(LOCK) $(LOCK)
