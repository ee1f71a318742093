"""`kgscripts prepare`: the stores and indexes of a graph, made before they are needed."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from exports.cypher import ladybug_store
from exports.query import sparql
from kgscripts.commands.options import GraphFolder
from kgscripts.search.searching import vectors_store, words_store
from schemas.errors import ModelError
from schemas.script_graph import StoredGraph
from schemas.terminal import echo, printable, progress_bar

Progress = Callable[[int, int], None]
"""Called with what is done, and all that is to be done."""

STORES = {
    "words": "the index of words",
    "oxigraph": "the store for SPARQL",
    "ladybug": "the store for Cypher",
    "vectors": "the vectors for searches by meaning",
}
"""What each kind of `schemas.kept_stores` is, in the order in which they are made."""


def prepare(
    directory: GraphFolder,
) -> None:
    """Make the stores for queries and the indexes for searches of a graph, which the first use would wait for.

    What is there is left as it is. After Ctrl-C the next call goes on.

    Example: kgscripts prepare graph
    """
    opened = StoredGraph.open(directory)
    with progress_bar() as bar:
        task = bar.add_task("", visible=False)

        def announce(kind: str) -> None:
            made.append(kind)
            bar.reset(task, description=f"making {STORES[kind]}", total=None, visible=True)
            if bar.disable:
                echo(f"making {STORES[kind]}", err=True)

        made: list[str] = []
        graph = _Announced(opened.directory, opened.manifest, announce)
        try:
            make_stores(graph, lambda done, every: bar.update(task, completed=done, total=every))
        except ModelError as error:
            echo(f"{STORES['vectors']} are not made: {printable(str(error))}", err=True)
            made.remove("vectors")
    echo(f"made {', '.join(STORES[kind] for kind in made)}" if made else "nothing is missing")


@frozen(repr=False)
class _Announced(StoredGraph):
    """A graph that says which store is made."""

    before_store_is_made: Callable[[str], None]  # type: ignore[assignment]


def make_stores(graph: StoredGraph, progress: Progress) -> None:
    """Make what is missing of a graph's own stores, one after the other.

    Raises
    ------
    StoreError
        If one cannot be written.
    ModelError
        If MiniLM cannot be found, when all others are made.
    """
    every = sum(map(graph.manifest.rows, graph.manifest.tables))
    words_store(graph)
    for embedded_store in (sparql.embedded_store, ladybug_store.embedded_store):
        done = 0

        def advance(rows: int) -> None:
            nonlocal done
            done += rows
            progress(done, every)

        embedded_store(graph, advance)
    vectors_store(graph, progress)
