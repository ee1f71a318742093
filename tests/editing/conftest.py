"""Graphs to correct: a tiny one, and one that is read from texts as people write them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli
from kgscripts.pipeline import build_graph
from tests.assembly.tiny_reader import tiny, tiny_document

PASTA, NOODLES, SOUP = "cooking pasta", "boiling noodles", "making soup in a tent"
TINY = [
    tiny_document("boil the water in the pot. add the pasta. drain the pasta.", name="one", scenario=PASTA),
    tiny_document("boil the water. add the noodles. drain the noodles with the sieve.", name="two", scenario=NOODLES),
    tiny_document("heat the soup. stir the soup with the spoon.", name="three", scenario=SOUP),
]
TEXTS = {
    "laundry": (
        "Doing laundry\n\n1. Sort the clothes by colour.\n2. Put the clothes in the washing machine.\n"
        "3. Add the detergent.\n4. Hang the clothes on the line.\n",
        "Washing the clothes\n\n1. Sort the laundry.\n2. Load the washing machine.\n3. Pour in the detergent.\n"
        "4. Hang up the wet clothes.\n",
    ),
    "tire": (
        "How to change a flat tire\n\n1. Park the car.\n2. Remove the hubcap with a screwdriver.\n"
        "3. Loosen the lug nuts with a lug wrench.\n4. Lift the car.\n5. Tighten the lug nuts with the wrench.\n",
        "Changing a flat tire\n\n1. Park the car.\n2. Take off the hub cap.\n3. Loosen the lug nuts with the wrench.\n"
        "4. Jack up the car.\n5. Tighten the nuts with the lug wrench.\n",
    ),
}


@pytest.fixture(scope="session")
def tiny_graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a graph of the tiny language, which nobody changes."""
    path = tmp_path_factory.mktemp("tiny") / "graph"
    build_graph(output=path, texts=TINY, extractors=tiny())
    return path


@pytest.fixture(scope="session")
def read_graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a graph of texts, which nobody changes."""
    folder = tmp_path_factory.mktemp("read")
    (folder / "texts").mkdir()
    for name, texts in TEXTS.items():
        for number, text in enumerate(texts):
            (folder / "texts" / f"{name}{number}.txt").write_text(text, encoding="utf-8")
    build_graph(folder / "texts", output=folder / "graph")
    return folder / "graph"


@pytest.fixture
def graph(tiny_graph: Path, tmp_path: Path) -> Path:
    """A copy of the tiny graph."""
    return shutil.copytree(tiny_graph, tmp_path / "graph")


@pytest.fixture
def run() -> Callable[..., str]:
    """Runs a command and gives what it prints, in lines of at most 80 characters; an error of it is raised."""

    def run_command(*words: object) -> str:
        done = CliRunner().invoke(cli.app, list(map(str, words)))
        if done.exception:
            raise done.exception
        is_free = {"show", "export", "--list", "--json"} & set(words)
        assert is_free or all(len(line) <= 80 for line in done.output.splitlines())
        return done.output

    return run_command
