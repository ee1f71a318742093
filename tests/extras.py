"""The extras of the package: for each the modules that it brings and a command that needs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from attrs import frozen

from tests.corpora.test_packages import pdf
from tests.training import corpus

_FAST = ("--without", "state-changes", "--without", "scenarios", "--without", "steps")
_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


@frozen(kw_only=True)
class Extra:
    """An extra. `needed_by` gives the arguments of a command that needs it, in a folder that `prepare` has filled."""

    modules: tuple[str, ...]
    needed_by: Callable[[Path], tuple[object, ...]]
    shows: str
    """What the command prints or logs that has the extra."""
    says: str = ""
    """Standard input of the command."""
    beside: tuple[str, ...] = ()
    """Other extras that the command needs."""


def _built(name: str) -> Callable[[Path], tuple[object, ...]]:
    return lambda folder: ("build-graph", folder / name, "-o", folder / f"graph of {name}", *_FAST)


def _trained(*more: object) -> Callable[[Path], tuple[object, ...]]:
    options = ("--epochs", 1, "--limit", 40, "--accelerator", "cpu")
    return lambda folder: (
        *("train", "transducer", "--train", folder / "pairs.tsv", "--config", folder / "transducer.toml"),
        *("--out", folder / f"model{len(more)}", *options, *more),
    )


EXTRAS = {
    "mcp": Extra(
        modules=("mcp",),
        needed_by=lambda folder: ("mcp", folder / "graph"),
        says=f"{json.dumps(_HELLO)}\n",
        shows="serverInfo",
    ),
    "pdf": Extra(modules=("pypdf",), needed_by=_built("a.pdf"), shows="1 source"),
    "ray": Extra(
        modules=("ray",), needed_by=lambda folder: (*_built("tea.txt")(folder), "--engine", "ray"), shows="1 source"
    ),
    "serve": Extra(
        modules=("starlette", "uvicorn"),
        needed_by=lambda folder: ("serve", folder / "graph", "--port", 18_473),
        shows="serving",
    ),
    "shacl": Extra(
        modules=("pyshacl", "rdflib"), needed_by=lambda folder: ("validate", folder / "graph"), shows="conforms"
    ),
    "tensorboard": Extra(
        modules=("tensorboard",),
        needed_by=_trained("--tensorboard"),
        shows="finished after 1 epochs",
        beside=("train",),
    ),
    "train": Extra(
        modules=("pytorch_lightning", "peft", "tomotopy", "spacy_lookups_data"),
        needed_by=_trained(),
        shows="finished after 1 epochs",
    ),
    "web": Extra(modules=("trafilatura",), needed_by=_built("page.html"), shows="1 source"),
}


def prepare(folder: Path) -> None:
    """Write the inputs of all commands, but not the graph."""
    steps = "Fill the kettle with water. Boil the water. Pour the water over the tea leaves. Drink the tea."
    (folder / "tea.txt").write_text(f"How to make tea\n\n{steps}\n", encoding="utf-8")
    (folder / "a.pdf").write_bytes(pdf("How to make tea", *steps.split(". ")))
    prose = "".join(
        f"<p>On day {day} I boiled the water, and then I poured it over the leaves.</p>" for day in range(6)
    )
    page = f"<html><head><title>Tea</title></head><body><article><h1>Tea</h1>{prose}</article></body></html>"
    (folder / "page.html").write_text(page, encoding="utf-8")
    corpus.write(folder)
    corpus.configuration(folder)
