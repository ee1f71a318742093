"""The page to look through the graph, made once for each build, and the scripts that it asks for."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from exports.explore.contexts import contexts_data, places_of
from exports.explore.index import Index
from exports.explore.page import make_page
from exports.explore.scripts import script_data
from exports.rows import find_scenario
from schemas.script_graph import ScriptGraph

READING = {"at": "", "edit": False}
"""The server of a page that changes nothing, at the root of its host."""


@frozen(kw_only=True)
class Page:
    """A page and the policy under which a browser shows it."""

    html: str
    policy: str


_making = threading.Lock()


def page(graph: ScriptGraph, server: Mapping[str, Any] = READING) -> Page:
    """The page of a graph; the one of the latest build is kept. `server` is that of `explore_page`."""
    return _made(graph, server)[0]


def explored_script(graph: ScriptGraph, scenario: str, server: Mapping[str, Any] = READING) -> dict[str, Any]:
    """The script of a scenario as the page of the graph has those on it, with its ``contexts``, and the ``build`` to
    which the numbers in it belong.

    Raises
    ------
    QueryError
        If no scenario or several scenarios have this name.
    """
    index = _made(graph, server)[1]
    data = script_data(graph, index, find_scenario(graph, scenario)["id"])
    (contexts,) = contexts_data(graph, [places_of(data)])
    return {**data, "contexts": contexts, "build": graph.build_id}


def _made(graph: ScriptGraph, server: Mapping[str, Any]) -> tuple[Page, Index]:
    with _making:
        return _make(graph.directory, graph.build_id, json.dumps(dict(server), sort_keys=True))


@lru_cache(maxsize=16)
def _make(directory: Path, _: str, server: str) -> tuple[Page, Index]:
    made = make_page(ScriptGraph.open(directory), server=json.loads(server))
    # What the page has of the index is in its text.
    return Page(html=made.html, policy=f"{made.policy}; frame-ancestors 'none'"), evolve(made.index, data={})
