"""The page: its data, its scripts and its styles in one file, which loads nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from exports.views.explore.document import data_block, html_document, packed_block, policy, scripts, style
from exports.views.explore.index import Index, read_index
from exports.views.explore.scenario_map import read_map
from exports.views.explore.scripts import Places, contexts_data, places_of, read_models, script_data
from kgscripts.scripts.names import find_scenario
from schemas.errors import ConfigurationError
from schemas.script_graph import StoredGraph

MOST_BYTES = 20_000_000
"""The largest size of a page if nothing else is asked for."""


@frozen(kw_only=True)
class Page:
    """A page (`html`) that has the scripts of `scripts` scenarios of the graph, which has `scenarios`.

    `policy` is its content security policy, and `index` what it knows of the whole graph: the data of scripts refers to
    it by numbers.
    """

    html: str
    policy: str
    index: Index
    scripts: int
    scenarios: int


def make_page(
    graph: StoredGraph,
    scenarios: Sequence[str] = (),
    max_bytes: int = MOST_BYTES,
    *,
    server: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Page:
    """The page for a browser in which one looks through a graph, at most `max_bytes` of UTF-8.

    It has the index of the whole graph, and the scripts of `scenarios` (their names), by default of the best supported
    ones that fit. Where room is left, passages have the text around them, those of the best supported scenarios first.

    `server` is for a page that asks the server that it comes from: ``at`` is what all addresses of the graph begin with
    ("" or "/g/NAME"), and ``edit`` says whether the server takes corrections. `progress` is called with the number of
    scripts that are written, and of those that are wanted.

    Raises
    ------
    QueryError
        If no scenario or several scenarios have one of the names.
    ConfigurationError
        If what is asked for does not fit.
    """
    asked = list(dict.fromkeys(find_scenario(graph, name)["id"] for name in scenarios))
    index, blocks = _fitting_index(graph, read_models(graph), max_bytes, server)
    room = max_bytes - _size(_document(graph, blocks, server))
    # A served page reads scripts when they are looked at.
    wanted = asked or ([] if server is not None else list(index.scenarios))
    places: dict[int, Places] = {}
    for number, content in _scripts(graph, index, wanted, progress):
        block = packed_block(f"script-{number}", content)
        if _size(block) + len("\n") > room:
            if asked:
                raise ConfigurationError(
                    f"{len(asked):,} scenarios do not fit on a page of {max_bytes / 1e6:,.1f} MB",
                    where="--max-size",
                    remedy="name fewer scenarios, or allow a larger page",
                )
            break
        room -= _size(block) + len("\n")
        blocks.append(block)
        places[number] = places_of(content)
    blocks += _fitting_contexts(graph, places, room)
    return Page(
        html=_document(graph, blocks, server),
        policy=_policy(server),
        index=index,
        scripts=len(places),
        scenarios=len(index.scenarios),
    )


def _scripts(
    graph: StoredGraph, index: Index, wanted: Sequence[str], progress: Callable[[int, int], None]
) -> Iterator[tuple[int, dict[str, Any]]]:
    for done, scenario in enumerate(wanted):
        progress(done, len(wanted))
        yield index.scenarios[scenario], script_data(graph, index, scenario)
    progress(len(wanted), len(wanted))


def _fitting_contexts(graph: StoredGraph, places: Mapping[int, Places], room: int) -> Iterator[str]:
    """The text around the passages of the scripts with these numbers, as much of it as fits."""
    for number, content in zip(places, contexts_data(graph, places.values()), strict=True):
        block = packed_block(f"contexts-{number}", content)
        if content is not None and (size := _size(block) + len("\n")) <= room:
            room -= size
            yield block


def _fitting_index(
    graph: StoredGraph, models: list[dict[str, Any]], max_bytes: int, server: Mapping[str, Any] | None
) -> tuple[Index, list[str]]:
    """The index of what enough sources have, so that it takes at most half of the room for data, and its blocks."""
    room = max_bytes - _size(_document(graph, [], server))
    least = 0
    while True:
        index = read_index(graph, least)
        if server is not None:
            # The answers of the server name nodes by their ids.
            for kind, numbers in (("scenarios", index.scenarios), ("steps", index.steps)):
                index.data[kind]["id"] = list(numbers)
        about = {
            "name": graph.directory.resolve().name,
            "base_iri": graph.manifest.base_iri,
            "build": graph.manifest.build_id,
            "least": least,
            "models": models,
        }
        blocks = [
            data_block("graph", about),
            data_block("index", index.data),
            data_block("map", read_map(graph, index)),
        ]
        size = sum(_size(block) + len("\n") for block in blocks)
        if size <= room / 2 or (not index.steps and size <= room):
            return index, blocks
        if not index.steps:
            raise ConfigurationError(
                f"an index of {len(index.scenarios):,} scenarios does not fit on a page of {max_bytes / 1e6:,.1f} MB",
                where="--max-size",
                remedy=f"allow {(max_bytes - room + size) / 1e6 + 0.1:,.1f} MB or more",
            )
        # At first all, then what 2, 4, 8 sources have.
        least = least * 2 or 2


def _document(graph: StoredGraph, blocks: Sequence[str], server: Mapping[str, Any] | None = None) -> str:
    own = [] if server is None else [data_block("server", server)]
    return html_document(
        graph.directory.resolve().name, [*own, *blocks], style=style(), policy=_policy(server), scripts=scripts()
    )


def _policy(server: Mapping[str, Any] | None) -> str:
    return policy(scripts(), style(), asks_server=server is not None)


def _size(text: str) -> int:
    return len(text.encode())
