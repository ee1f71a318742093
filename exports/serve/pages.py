"""The page to look through the graph, and the scripts that it asks for."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from attrs import evolve

from exports.explore.contexts import contexts_data, places_of
from exports.explore.index import Index
from exports.explore.page import make_page
from exports.explore.scripts import script_data
from exports.rows import find_scenario
from exports.serve.small_page import UNFRAMED, Page
from schemas.script_graph import ScriptGraph


class ExploredGraph:
    """Makes the page of a graph, and keeps what the numbers in its scripts mean. `server` is that of `explore_page`."""

    def __init__(self, server: Mapping[str, Any]) -> None:
        self._server = server
        self._index: tuple[str, Index] | None = None
        self._making = threading.Lock()

    def page(self, graph: ScriptGraph) -> Page:
        """The page of a graph."""
        with self._making:
            return self._made(graph)[0]

    def script(self, graph: ScriptGraph, scenario: str) -> dict[str, Any]:
        """The script of a scenario as the page of the graph has those on it, with its ``contexts``, and the ``build``
        to which the numbers in it belong.

        Raises
        ------
        QueryError
            If no scenario or several scenarios have this name.
        """
        build = graph.build_id
        with self._making:
            known = self._index
            index = known[1] if known is not None and known[0] == build else self._made(graph)[1]
        data = script_data(graph, index, find_scenario(graph, scenario)["id"])
        (contexts,) = contexts_data(graph, [places_of(data)])
        return {**data, "contexts": contexts, "build": build}

    def _made(self, graph: ScriptGraph) -> tuple[Page, Index]:
        made = make_page(graph, server=self._server)
        # What the page has of the index is in its text.
        index = evolve(made.index, data={})
        self._index = graph.build_id, index
        return Page(html=made.html, policy=made.policy + UNFRAMED), index
