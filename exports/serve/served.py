"""The graph that is served: opened for each request, so that one that was built again is taken up."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import attrs
from attrs import frozen

from exports.cypher import run_query as run_cypher
from exports.needs import list_needs
from exports.rdf.terms import PREFIXES
from exports.scripts import list_scenarios, read_step
from exports.serve.limits import ServerLimits
from exports.serve.negotiation import RESULTS
from exports.serve.protocol import ProtocolError, ProtocolRequest, describing
from exports.serve.sparql import Answer, answer
from exports.sparql import embedded_store
from exports.tool_uses import read_tool_uses
from schemas.errors import GraphDirectoryError
from schemas.kept_stores import use_store
from schemas.script_graph import ScriptGraph

Values = dict[str, Any]

_SWAP_SECONDS = 5.0
"""How long a new build may take to move its files into place."""


@frozen
class Served:
    """A graph directory, and the answers over it."""

    directory: Path
    limits: ServerLimits

    def graph(self) -> ScriptGraph:
        """The graph as it is now; while a new build is moved into place, it is waited for."""
        end = time.monotonic() + _SWAP_SECONDS
        while True:
            try:
                return ScriptGraph.open(self.directory)
            except GraphDirectoryError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def sparql(self, request: ProtocolRequest, accept: str | None) -> Answer:
        """See `exports.serve.sparql.answer`."""
        graph = self.graph()
        prefixes = PREFIXES | {"data": graph.manifest.base_iri}
        return use_store(
            lambda: embedded_store(graph), lambda path: answer(path, request, accept, prefixes, self.limits)
        )

    def described(self, identifier: str, accept: str | None) -> Answer:
        """The triples about a node, by its id; raises ProtocolError with the status 404 if there are none."""
        wanted = self.graph().iri(quote(identifier, safe="/"))
        is_there, description = describing(wanted)
        if '"boolean":true' not in self.sparql(is_there, RESULTS[0]).content:
            raise ProtocolError(404, f"the graph says nothing of {wanted}")
        return self.sparql(description, accept)

    def cypher(self, query: str, parameters: Mapping[str, object]) -> Values:
        """The rows of a query in Cypher."""
        table = run_cypher(
            self.graph(),
            query,
            parameters=parameters,
            timeout=self.limits.query_seconds,
            max_rows=self.limits.rows,
        )
        return {"columns": list(table.columns), "rows": [list(row) for row in table.rows]}

    def scenarios(self) -> Values:
        """All scenarios, best supported first."""
        return {"scenarios": [attrs.asdict(each) for each in list_scenarios(self.graph())]}

    def script(self, scenario: str, limit: int, evidence: int) -> Values:
        """The script of a scenario."""
        return self.graph().script(scenario, limit=limit, evidence=evidence).to_dict()

    def step(self, scenario: str, step: str, evidence: int) -> Values:
        """A step with its parts and passages."""
        label, found = read_step(self.graph(), scenario, step, usual=True, evidence=evidence)
        return {"scenario": label, "step": attrs.asdict(found)}

    def needs(self, scenario: str) -> Values:
        """What a scenario needs."""
        return attrs.asdict(list_needs(self.graph(), scenario, usual=True, evidence=1))

    def plan(self, scenario: str, likely: bool) -> Values:
        """A scenario as a plan."""
        return self.graph().script(scenario, evidence=1).plan(likely=likely).to_dict()

    def tool(self, name: str, limit: int) -> Values:
        """The steps that are done with a tool."""
        label, uses, left_out = read_tool_uses(self.graph(), name, limit=limit)
        return {"tool": label, "uses": [attrs.asdict(use) for use in uses], "left_out": left_out}

    def search(self, question: str, kind: str, limit: int) -> Values:
        """What a question is about; of all kinds if none is named."""
        return self.graph().search(question, kind=kind or None, limit=limit).to_dict()
