# Two commands for a fresh clone: `make graph` and `make test`. Each sets up what it needs.
PYTHON ?= python3
VENV ?= .venv
GRAPH ?= build/example-graph
BIN := $(VENV)/bin
export HF_HUB_OFFLINE = 1

.PHONY: graph test lint bench format clean text-model scores

graph: $(VENV)/.core
	$(BIN)/kgscripts build-graph kgscripts/examples/texts kgscripts/examples/pages -o $(GRAPH)
	$(BIN)/kgscripts query $(GRAPH) --sparql docs/queries/cooking-pasta.rq
	$(BIN)/kgscripts query $(GRAPH) --cypher docs/queries/cooking-pasta.cypher
	$(BIN)/kgscripts query $(GRAPH) --cypher docs/queries/what-changes.cypher
	$(BIN)/kgscripts query $(GRAPH) --sparql docs/queries/decomposition.rq
	$(BIN)/kgscripts query $(GRAPH) --cypher docs/queries/tools-by-alignment.cypher

# Two processes, one thread each: more threads would compete for the cores. Tests that share fixtures stay together
# (`OneProcessAFile` in tests/conftest.py).
test: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2

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

# Measures the extractor anew, as the scores that ship: make scores CORPORA=folder-with-the-three-corpora
scores: $(VENV)/.core
	$(BIN)/kgscripts evaluate extraction --inscript $(CORPORA)/inscript --descript $(CORPORA)/descript \
	  --recipes $(CORPORA)/recipe-flow --attach-as unseen

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) build dist *.egg-info

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "kgscripts needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[web]'
	touch $@

$(VENV)/.dev: $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[train,test,lint]'
	touch $@
