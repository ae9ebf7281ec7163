# Every target sets up what it needs: Python 3.11 or newer, git and make are enough.
.DEFAULT_GOAL := help
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PEERS := .venv-peers
# Which address `make serve` takes is set by WORKFLOW_AGENT_HOST, WORKFLOW_AGENT_PORT and so on.

.PHONY: help serve test test-slow check format demo docs bench bench-peers eval eval-model clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /	/' | sort

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 serve"; exit 1; }
	@echo "Setting up $(VENV) from requirements.lock: once, and it takes from half a minute to several." >&2
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv --quiet --allow-existing --python $(PYTHON) $(VENV) && \
	  uv pip install --quiet --python $(BIN)/python --require-hashes --no-deps -r requirements.lock && \
	  uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e . ; \
	else \
	  $(PYTHON) -m venv $(VENV) && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . ; \
	fi
	@touch $(READY)
	@echo "$(VENV) is ready." >&2

serve: $(READY) ## Run the server; settings come from WORKFLOW_AGENT_* variables
	@$(BIN)/workflow-agent serve

test: $(READY) ## Run the tests with the coverage floor; of the slow ones a tenth
	@$(BIN)/python -m pytest -q -n 2 --dist loadgroup --part quick --cov --cov-report=term

test-slow: $(READY) ## Run storms, browsers, properties and whatever else is slow, and the HTTP suites over PostgreSQL
	@$(BIN)/python -m pytest -q -n 2 --dist loadgroup --part slow
	@WORKFLOW_AGENT_TEST_STORES=postgres $(BIN)/python -m pytest -q -n 2 --dist loadgroup tests/api

check: $(READY) ## Format, lint, types and layers
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/basedpyright
	@$(BIN)/lint-imports

format: $(READY) ## Put the code into its format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

demo: $(READY) ## Play a conversation over real HTTP and show it
	@$(BIN)/python -m benchmarks.demo

docs: $(READY) ## Write the generated pages and schemas again
	@$(BIN)/workflow-agent settings --markdown > docs/settings.md
	@$(BIN)/workflow-agent openapi --markdown > docs/api.md
	@$(BIN)/workflow-agent schemas docs/schemas

bench: $(READY) ## Run the benchmarks and write benchmarks/REPORT.md
	@$(BIN)/python -m benchmarks

bench-peers: $(PEERS)/.ready ## Compare with other frameworks and write benchmarks/PEERS.md
	@$(PEERS)/bin/python -m benchmarks.peers

$(PEERS)/.ready: benchmarks/peers/requirements.lock
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv --quiet --allow-existing --python $(PYTHON) $(PEERS) && \
	  uv pip install --quiet --python $(PEERS)/bin/python --require-hashes --no-deps -r $< ; \
	else \
	  $(PYTHON) -m venv $(PEERS) && \
	  $(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r $< ; \
	fi
	@touch $@

eval: $(READY) ## Run the evaluations and write benchmarks/EVALUATIONS.md
	@$(BIN)/python -m benchmarks.evaluations

eval-model: $(READY) ## Evaluate a provider's model: MODEL=openai:gpt-5.2 [BASE_URL=…] [FILE=rated.jsonl] [OPTIONS="--cases 20 --most-usd 2"]
	@$(BIN)/python -m benchmarks.eval_model --model "$(MODEL)" --base-url "$(BASE_URL)" $(if $(FILE),--file "$(FILE)") $(OPTIONS)

clean: ## Remove what the targets made
	@rm -rf $(VENV) $(PEERS) .pytest_cache .ruff_cache .coverage* dist
