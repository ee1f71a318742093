"""A graph that can be corrected: it has records."""

from __future__ import annotations

from pathlib import Path

from kgscripts import ScriptGraph
from kgscripts.pipeline import build_graph
from tests.assembly.tiny_changes import TinyChanges
from tests.assembly.tiny_reader import TinyLister, tiny, tiny_document

TEXTS = (
    "we fill the pot. boil the water in the pot. add the pasta. stir the pasta with the spoon. drain the pasta.",
    "fill the pot. boil the water. add the pasta. pour the pasta with the colander. eat the pasta with the fork.",
    "boil the water in the pot. we add the salt. add the pasta. drain the pasta with the colander. talk.",
)
PASTA = "cooking pasta"


def correctable_graph(path: Path) -> ScriptGraph:
    """The graph of `TEXTS`; its step "boil a water" has two wordings."""
    documents = [tiny_document(text, name=f"{i}.txt", scenario=PASTA) for i, text in enumerate(TEXTS)]
    build_graph(output=path, texts=documents, extractors=[*tiny(), TinyChanges(), TinyLister()])
    return ScriptGraph.open(path)
