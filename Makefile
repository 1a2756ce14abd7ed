# `make run` serves Wardboard and `make test` tests it; each installs everything that it needs.
PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
export WARDBOARD_DATA ?= $(CURDIR)/var
# Receipts state it.
export WARDBOARD_COMMIT ?= $(shell git rev-parse HEAD 2>/dev/null)
# Tests start hundreds of processes: each would compile every module again.
unexport PYTHONDONTWRITEBYTECODE
# As `wardboard serve` has it. Other users can read nothing that these commands write.
KEY = umask 077; SECRET_KEY="$${SECRET_KEY:-$$($(BIN)/python -m leaderboard.secret_key)}" || exit; export SECRET_KEY

.PHONY: run worker test test-long lint types rules house mutations bench faults fuzz-api bundle manage messages gallery lock clean browser

# Serves on 127.0.0.1, as `wardboard serve` does: leaderboard/serve.py says what it sets up first.
run: $(VENV)/.runtime
	@PORT=$(PORT) exec $(BIN)/python -m leaderboard.serve

# Runs workers, with the settings of `make run`: WORKERS=1 DATABASE_URL=postgres://... make worker
worker: $(VENV)/.runtime
	@$(KEY); exec $(BIN)/python manage.py worker $(ARGS)

# make test ARGS="-k name" runs some.
test: $(VENV)/.dev browser
	BIN=$(BIN) tests/run $(ARGS)

# What simulates, tries many examples, or starts processes and browsers for minutes.
test-long: $(VENV)/.dev browser
	LONG=1 BIN=$(BIN) tests/run $(ARGS)

# mypy takes the longest: make -j2 lint runs the others beside it.
lint: types rules

types: $(VENV)/.dev
	$(BIN)/mypy

# In CI the audit of packages fails without an advisory database, unless OFFLINE=1 says that there is none.
OFFLINE ?= $(if $(CI),,1)

# hadolint's DL3008: Debian removes old versions, so a pinned one soon cannot be installed. DL3059: layers are kept
# apart where they change at different times.
rules: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/djlint --quiet --lint templates
	$(BIN)/djlint --quiet --lint --profile jinja --extension jinja templates
	$(BIN)/djlint --quiet --lint --profile jinja --extension svg templates
	$(BIN)/python -m tools.words
	$(BIN)/python tools/house.py --quiet
	$(BIN)/bandit --quiet --recursive --severity-level medium --exclude leaderboard/migrations leaderboard scoring wardboard tools
	$(BIN)/python -m tools.audit $(if $(OFFLINE),--offline)
	$(BIN)/python -m tools.leaks
	$(BIN)/python -m tools.mutations --check
	$(BIN)/hadolint --ignore DL3008 --ignore DL3059 Dockerfile
	SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(50))') HTTPS=1 DATABASE_URL=sqlite://:memory: sh -ec '\
	$(BIN)/python manage.py makemigrations --check --dry-run; \
	$(BIN)/python -m tools.migrations; \
	$(BIN)/python manage.py check --deploy --fail-level WARNING'

# Prints the size of each folder and checks the limits in docs/development.md.
house:
	@$(PYTHON) tools/house.py

# Plants faults in a copy of the code and says which test finds each; ARGS="rights" tries those of a kind.
mutations: $(VENV)/.dev
	@$(BIN)/python -m tools.mutations $(ARGS)

bench: $(VENV)/.dev
	@test -n "$(NAME)" || { echo "make bench NAME=$$(ls bench/*.py | xargs -n1 basename | sed 's/\.py//' | grep -v '^_' | paste -sd'|')"; exit 2; }
	@$(BIN)/python bench/$(NAME).py $(ARGS)

# Kills, cuts and fills what the service stands on, and counts what is lost: make faults ARGS="pool_children --files 100"
faults: $(VENV)/.dev
	@$(BIN)/python bench/faults.py $(ARGS)

# Checks every answer of a running service against the OpenAPI document; docs/development.md says more.
fuzz-api: $(VENV)/.dev
	@cd "$$(mktemp -d)" && $(abspath $(BIN))/schemathesis --config-file $(CURDIR)/tests/support/clients/schemathesis.toml \
		run http://127.0.0.1:$(PORT)/api/v1/openapi.json --checks all \
		$${WARDBOARD_TOKEN:+-H "Authorization: Bearer $$WARDBOARD_TOKEN"} $(ARGS)

# Packs wheels, image and files for a machine without internet into build/: docs/offline.md
bundle: $(VENV)/.dev
	@$(BIN)/python -m tools.bundle $(ARGS)

# Runs manage.py with the settings of `make run`: make manage ARGS="createsuperuser"
manage: $(VENV)/.runtime
	@$(KEY); $(BIN)/python manage.py $(ARGS)

# Collects the texts of the pages into the translation catalogues and compiles them.
messages: $(VENV)/.dev
	@$(KEY); $(BIN)/python -m tools.messages

# Takes pictures of all pages, with invented systems on the leaderboards, and puts them into var/gallery.
gallery: $(VENV)/.dev browser
	@fc-list :lang=zh-tw 2>/dev/null | grep -q . || .ci/apt fonts-noto-cjk
	@$(BIN)/python -m tools.pictures.gallery

# Pins newer versions. Edit pyproject.toml first if needed, and run the tests afterwards.
lock: $(VENV)/.dev
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --upgrade --extra server pyproject.toml -o requirements/requirements.lock
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --extra server --extra observability -c requirements/requirements.lock pyproject.toml -o requirements/requirements-observability.lock
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --extra dev -c requirements/requirements.lock pyproject.toml -o requirements/requirements-dev.lock
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --extra server --extra s3 -c requirements/requirements.lock pyproject.toml -o requirements/requirements-s3.lock

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 ..."; exit 1; }
	@# Debian and Ubuntu ship the venv module in a separate package.
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || .ci/apt python3-venv
	$(PYTHON) -m venv $(VENV)

# Bytecode is written when a module is first imported: most modules of the libraries never are.
INSTALL = $(BIN)/pip install --quiet --disable-pip-version-check --no-compile

$(VENV)/.runtime: requirements/requirements.lock pyproject.toml | $(VENV)/bin/python
	$(INSTALL) --require-hashes -r requirements/requirements.lock
	$(INSTALL) --no-deps --editable .
	@touch $@

# requirements-dev.lock has all of requirements.lock, in the same versions. uv, which pip installs first, needs a
# tenth of the time of pip for the rest. It reads no settings of pip: where it finds no index, pip installs all.
$(VENV)/.dev: requirements/requirements-dev.lock requirements/requirements.lock pyproject.toml | $(VENV)/bin/python
	@sed -n '/^uv==/,/[^\\]$$/p' requirements/requirements-dev.lock > $(VENV)/uv.lock
	$(INSTALL) --require-hashes -r $(VENV)/uv.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements/requirements-dev.lock \
		|| $(INSTALL) --require-hashes -r requirements/requirements-dev.lock
	$(INSTALL) --no-deps --editable .
	@touch $@ $(VENV)/.runtime

# The browser tests drive Chromium. Where none can be installed, they are skipped with a message.
browser: $(VENV)/.dev
	@$(BIN)/python -m tools.chromium || .ci/apt chromium-headless-shell || .ci/apt chromium || true

clean:
	rm -rf $(VENV) var build *.egg-info .pytest_cache .ruff_cache .hypothesis
