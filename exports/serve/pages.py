"""The page to look through the graph, and the scripts that it asks for."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from attrs import evolve

from exports.serve.kept_graph import KeptGraph
from exports.serve.small_page import UNFRAMED, Page
from exports.views.explore.index import Index
from exports.views.explore.page import make_page
from exports.views.explore.scripts import contexts_data, places_of, script_data
from kgscripts.scripts.names import find_scenario


class ExploredGraph:
    """Makes the page of a graph, and keeps what the numbers in its scripts mean. `server` is that of `explore_page`."""

    def __init__(self, server: Mapping[str, Any]) -> None:
        self._server = server
        self._made: tuple[str, Page, Index] | None = None
        self._making = threading.Lock()

    def page(self, graph: KeptGraph) -> Page:
        """The page of a graph."""
        return self._found(graph)[0]

    def script(self, graph: KeptGraph, scenario: str) -> dict[str, Any]:
        """The script of a scenario as the page of the graph has those on it, with its ``contexts``, and the ``build``
        to which the numbers in it belong.

        Raises
        ------
        QueryError
            If no scenario or several scenarios have this name.
        """
        build, index = graph.build_id, self._found(graph)[1]
        data = script_data(graph, index, find_scenario(graph, scenario)["id"])
        (contexts,) = contexts_data(graph, [places_of(data)])
        return {**data, "contexts": contexts, "build": build}

    def make(self, graph: KeptGraph) -> tuple[Page, Index]:
        """The page of a graph with its index, made if they are not there; for a large graph that takes seconds."""
        with self._making:
            known = self._made
            if known is None or known[0] != graph.build:
                made = make_page(graph, server=self._server)
                # What the page has of the index is in its text.
                page = Page(html=made.html, policy=made.policy + UNFRAMED)
                self._made = known = graph.build, page, evolve(made.index, data={})
            return known[1:]

    def _found(self, graph: KeptGraph) -> tuple[Page, Index]:
        if self._made is None or self._made[0] != graph.build:
            graph.before_store_is_made("page")
        return self.make(graph)
