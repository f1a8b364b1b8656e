# Two commands from a bare python3: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The tests start hundreds of programs: bytecode is kept where the environment says otherwise.
unexport PYTHONDONTWRITEBYTECODE
# pip from 25.1 on knows the dependency groups of pyproject.toml.
PIP := -m pip install --quiet --constraint constraints.txt
NEW_PIP := -m pip install --quiet --upgrade 'pip>=25.1'
INSTALL := $(BIN)/python $(NEW_PIP) && $(BIN)/python $(PIP)
# Environments of their own, without torch: with the oldest versions allowed, and with another Python.
PY ?= python3.13
# Which tests they run; default: all.
TESTS ?=
OLDEST := .venv-oldest
OTHER := .venv-$(PY:python%=%)
INTEGRATIONS := .venv-integrations
CAUSAL := .venv-causal

.PHONY: demo dist sdist-test speeds repo-review test test-portable test-busy test-oldest test-python test-integrations test-causal lint types docs wheel-smoke readme readme-check bench clean help gallery paper paper-full yardstick fuzz faults memory concurrency mutate soak numerics

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: $(VENV)/.core  ## install into .venv and run the demonstration
	$(BIN)/shearer demo

test: $(VENV)/.test  ## install what the tests need and run every test
	$(BIN)/python -m pytest

test-portable: $(VENV)/.test  ## the numeric tests as other machines run them: arithmetic, locale, order, folder
	$(BIN)/python scripts/portable.py $(RUNS)

test-busy: $(VENV)/.test  ## every test, three times beside two busy loops, then as on a processor without AVX512
	$(BIN)/python scripts/portable.py busy busy-avx2

test-oldest: $(OLDEST)/.test  ## every test that needs no torch, with the oldest versions that pyproject.toml allows
	$(OLDEST)/bin/python -m pytest $(TESTS)

test-python: $(OTHER)/.test  ## every test that needs no torch, with another Python: make test-python PY=python3.13
	$(OTHER)/bin/python -m pytest $(TESTS)

test-integrations: $(INTEGRATIONS)/.test  ## the monitor in training loops of Lightning, Hugging Face and TensorBoard
	SHEARER_REQUIRE=lightning,transformers,accelerate,tensorboard $(INTEGRATIONS)/bin/python -m pytest tests/integrations

test-causal: $(CAUSAL)/.test  ## the test given conditions inside causal-learn and pgmpy; part of CI
	SHEARER_REQUIRE=causallearn,pgmpy,torch $(CAUSAL)/bin/python -m pytest tests/tools/test_causal.py tests/yardstick/test_rivals.py

lint: $(VENV)/.lint  ## ruff: style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.lint  ## mypy, strict
	$(BIN)/mypy

wheel-smoke: $(VENV)/.lint  ## build the wheel and try it in an empty environment without extras
	sh scripts/wheel_smoke.sh $(BIN)/python

dist: $(VENV)/.lint  ## build the source distribution and the wheel into dist/ and check what they say of themselves
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*

sdist-test: dist  ## install the source distribution where nothing else is and run the core tests from it: PY=python3.12
	sh scripts/sdist_test.sh "$$(sh scripts/find_python.sh $(PY))" dist

speeds: $(VENV)/.core  ## how the benchmarks' figures went from commit to commit
	$(BIN)/python scripts/speeds.py

repo-review:  ## what the Scientific Python guide asks of a repository, in an environment of its own
	$(PYTHON) -m venv .venv-review
	.venv-review/bin/python $(PIP) 'sp-repo-review[cli]' 'validate-pyproject[all]'
	.venv-review/bin/repo-review .

docs: $(VENV)/.docs  ## build the documentation and its gallery; warnings and broken links are errors
	$(BIN)/python docs/generate.py --check
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	$(BIN)/python docs/check_links.py docs/_build/html
	@echo "open docs/_build/html/index.html"

gallery: $(VENV)/.docs  ## run every example of the gallery and say how long it takes
	$(BIN)/python docs/gallery_pages.py

paper: $(VENV)/.test  ## some cases of the paper's tables and figures again, compared with the committed results
	$(BIN)/python -m experiments.again

paper-full: $(VENV)/.test  ## everything of the paper in its sizes: days, and a graphics card for the trainings
	$(BIN)/python -m experiments.again --full

yardstick: $(VENV)/.test  ## the quick run of the yardstick, gone on with where it stopped, and its page; half an hour
	$(BIN)/shearer yardstick experiments/results/yardstick_quick.json --quick --jobs 2 --report yardstick.html

readme: $(VENV)/.test  ## rewrite the generated parts of the README
	$(BIN)/python scripts/readme.py

readme-check: $(VENV)/.test  ## fail if the README is not what `make readme` writes
	$(BIN)/python scripts/readme.py --check

bench: $(VENV)/.bench  ## run the benchmarks beside their rivals and write their JSON; on an idle machine
	$(BIN)/python -m benchmarks
	$(BIN)/python docs/generate.py

fuzz: $(VENV)/.test  ## odd tables through every function, altered files through every reader: make fuzz CASES=10000 FILES=100000 MINUTES=60
	$(BIN)/python -m experiments.reliability.fuzz --cases $(or $(CASES),10000) --minutes $(or $(MINUTES),15)
	$(BIN)/python -m experiments.reliability.altered_files --cases $(or $(FILES),100000) --minutes $(or $(MINUTES),15)

faults: $(VENV)/.test  ## signals, full disks, other writers and closed pipes in the middle of commands
	$(BIN)/python -m experiments.reliability.faults

memory: $(VENV)/.test  ## peak memory against the budget, in fresh processes
	$(BIN)/python -m experiments.reliability.memory

numerics: $(VENV)/.test  ## ill-conditioned tables against 250 digits, the same answers however computed, no warnings
	$(BIN)/python -m experiments.reliability.numerics

concurrency: $(VENV)/.test  ## every function from 16 threads, by fork, spawn and loky
	$(BIN)/python -m experiments.reliability.concurrency

mutate: $(VENV)/.test  ## small changes of the source that some test must notice: make mutate COUNT=200 MINUTES=60
	$(BIN)/python -m experiments.reliability.mutants --mutants $(or $(COUNT),200) --minutes $(or $(MINUTES),60)

soak: $(VENV)/.test  ## mixed calls for a long time: make soak MINUTES=30
	$(BIN)/python -m experiments.reliability.soak --minutes $(or $(MINUTES),30)

clean:  ## remove the environment and everything built
	rm -rf $(VENV) .venv-* build dist docs/_build docs/gallery .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing shearer into $(VENV) ..."
	$(INSTALL) --editable .
	@touch $@

$(VENV)/.test: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing shearer and what its tests need into $(VENV) (a few minutes the first time) ..."
	$(INSTALL) --editable . --group test
	@touch $@ $(VENV)/.core

$(OLDEST)/.test: pyproject.toml constraints.txt scripts/oldest.py
	@echo "installing the oldest versions allowed into $(OLDEST) ..."
	$(PYTHON) -m venv --clear $(OLDEST)
	$(OLDEST)/bin/python scripts/oldest.py > $(OLDEST)/oldest.txt
	$(OLDEST)/bin/python $(NEW_PIP)
	$(OLDEST)/bin/python $(PIP) --constraint $(OLDEST)/oldest.txt --editable . --group test-core
	@touch $@

$(OTHER)/.test: pyproject.toml constraints.txt scripts/find_python.sh
	@echo "installing shearer and what its tests need, but torch, into $(OTHER) ..."
	python=$$(sh scripts/find_python.sh $(PY)) && "$$python" -m venv $(OTHER)
	$(OTHER)/bin/python $(NEW_PIP)
	$(OTHER)/bin/python $(PIP) --editable . --group test-core
	@touch $@

$(INTEGRATIONS)/.test: pyproject.toml constraints.txt
	@echo "installing shearer, Lightning, Transformers and TensorBoard into $(INTEGRATIONS) ..."
	$(PYTHON) -m venv $(INTEGRATIONS)
	$(INTEGRATIONS)/bin/python $(NEW_PIP)
	$(INTEGRATIONS)/bin/python $(PIP) --editable '.[integrations]' --group test
	@touch $@

$(CAUSAL)/.test: pyproject.toml constraints.txt
	@echo "installing shearer, causal-learn and pgmpy into $(CAUSAL) ..."
	$(PYTHON) -m venv $(CAUSAL)
	$(CAUSAL)/bin/python $(NEW_PIP)
	$(CAUSAL)/bin/python $(PIP) --editable '.[causal]' --group test
	@touch $@

$(VENV)/.docs: pyproject.toml constraints.txt $(VENV)/.test | $(BIN)/python
	$(INSTALL) --editable . --group test --group docs
	@touch $@

$(VENV)/.bench: pyproject.toml constraints.txt $(VENV)/.docs | $(BIN)/python
	$(INSTALL) --editable . --group docs --group bench
	@touch $@

$(VENV)/.lint: pyproject.toml constraints.txt $(VENV)/.test | $(BIN)/python
	$(INSTALL) --editable . --group dev
	@touch $@
