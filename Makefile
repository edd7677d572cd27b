# Everything there is to type. Each target sets up what it needs, once, into .venv; nothing has to be sourced.
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
INPUTS := requirements/run.txt requirements/ros.txt requirements/build.txt setup.py laboratory/setup.py scripts/setup.sh scripts/uv_as_pip.sh scripts/build_interfaces.sh scripts/link_package.py $(wildcard lucca_interfaces/*/*.msg lucca_interfaces/*/*.srv lucca_interfaces/*/*.action)
# Processes for tests with a graph of ROS, which wait half of their time. Each has a domain of its own; the tests of
# a file stay together, as they may share a stack.
STACKS ?= $(shell echo $$(( $$(nproc) > 18 ? 36 : 2 * $$(nproc) )))
# One more than cores, as some tests wait.
WORKERS ?= $(shell echo $$(( $$(nproc) + 1 )))
UNIT := not ros and not physics and not launch
ARGS ?=
# What runs the tests: `make coverage` takes coverage instead.
TEST_PYTHON ?= $(BIN)/python
OUT ?= out/demo

export ROS_AUTOMATIC_DISCOVERY_RANGE ?= LOCALHOST
export MUJOCO_GL ?= egl
# The second is what the ROS wheels leave to the children of another environment: this one would not find its libraries.
unexport PYTHONPATH
unexport _ROS_WHEELS_BOOTSTRAP_COMPLETE
# Containers set it. Without kept bytecode each node and each command compiles all that it imports: seconds a start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo test coverage unit mutants check format bench claims soak colcon parameters clean
help: ## lists the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort

setup: $(VENV)/.ready-run ## sets up .venv for running

$(VENV)/.ready-run: $(INPUTS)
	@scripts/setup.sh run

$(VENV)/.ready-dev: $(INPUTS) requirements/dev.txt
	@scripts/setup.sh dev

# Scripts in an environment name its folder: after a move it is made anew.
ifneq ($(shell cat $(VENV)/.place 2>/dev/null),$(CURDIR))
.PHONY: elsewhere
$(VENV)/.ready-run $(VENV)/.ready-dev: elsewhere
endif

demo: $(VENV)/.ready-run ## sorts, is interrupted by the tower, resumes; then the other tasks. ARGS="--seed 3"
	$(BIN)/lucca demo --out $(OUT) $(ARGS)

# worksteal: neighbours stay together, so what a module shares is made in one process and not in each.
WITHOUT_ROS = $(TEST_PYTHON) -m pytest -n $(WORKERS) --dist worksteal -m "not ros and not launch" $(ARGS)
WITH_ROS = $(TEST_PYTHON) -m pytest -n $(STACKS) --dist loadfile --no-loadscope-reorder -m "ros or launch" $(ARGS)

test: $(VENV)/.ready-dev ## all tests, the real nodes over DDS included
	$(WITHOUT_ROS)
	$(WITH_ROS)

coverage: TEST_PYTHON = $(BIN)/coverage run
coverage: $(VENV)/.ready-dev ## the share of the lines that `make test` runs, by package; the processes that tests start count, too
	mkdir -p out
	$(BIN)/coverage erase
	failed=0; $(WITHOUT_ROS) || failed=1; $(WITH_ROS) || failed=1; \
	$(BIN)/coverage combine -q && $(BIN)/coverage json -q -o out/coverage.json && \
	$(BIN)/python scripts/coverage_table.py out/coverage.json && exit $$failed

unit: $(VENV)/.ready-dev ## only the tests that need no ROS and no physics
	$(BIN)/python -m pytest -n auto --dist worksteal -m "$(UNIT)" $(ARGS)

mutants: $(VENV)/.ready-dev ## breaks promises one by one in a copy and shows that tests of `make test` fail
	$(BIN)/python scripts/mutations.py $(ARGS)

check: $(VENV)/.ready-dev ## format, lint, types, parameter tables
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python scripts/parameter_tables.py --check

format: $(VENV)/.ready-dev ## formats and mends what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

parameters: $(VENV)/.ready-dev ## prints docs/parameters.md anew
	$(BIN)/python scripts/parameter_tables.py

bench: $(VENV)/.ready-run ## overhead, perception, simulation speed and prompt size against their budgets
	$(BIN)/lucca bench $(ARGS)

# `make claims --check` works as well as ARGS=--check: make takes the option for its own --check-symlink-times, whose letter is L.
claims: $(VENV)/.ready-dev ## lists each published figure with its command; with --check, runs their small forms
	$(BIN)/python laboratory/scripts/claims.py $(if $(findstring L,$(firstword -$(MAKEFLAGS))),--check) $(ARGS)

soak: $(VENV)/.ready-dev ## every slow test: kills, cancels, 20 seeds in physics, whole experiments (hours); see requirements/soak.txt
	$(BIN)/python -m pytest -m slow --timeout 28800 $(ARGS)

colcon: $(VENV)/.ready-dev ## builds and tests the workspace with colcon, as on a machine with ROS 2 from apt
	scripts/colcon.sh

clean: ## undoes the set-up and everything built
	rm -rf $(VENV) build install log out *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
