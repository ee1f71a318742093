"""Requests to a served graph, about names that are drawn from it."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

from attrs import frozen

from benchmarks.http_load import Draw
from kgscripts import ScriptGraph

_QUERIES = Path(__file__).resolve().parents[1] / "docs" / "queries"
_QUERY_NAMES = ("usual-script", "tools-of-a-scenario", "needs-of-a-scenario", "what-comes-before", "what-a-tool-is-for")
_MOST_ROWS = 1_000


@frozen(kw_only=True)
class Names:
    """The names in a graph that requests are about."""

    steps: Sequence[tuple[str, str]]
    """The label of each step's scenario, and its own."""
    scenarios: Sequence[str]
    tools: Sequence[str]

    @classmethod
    def of(cls, graph: ScriptGraph) -> Names:
        """Those of a graph, in an order that is always the same."""
        scenarios, steps = graph.labels("Scenario"), graph.labels("SubEvent")
        parts = graph.rows("HAS_SUB_EVENT", ("from_id", "to_id"))
        return cls(
            steps=sorted({(scenarios[row["from_id"]], steps[row["to_id"]]) for row in parts}),
            scenarios=sorted(set(scenarios.values())),
            tools=sorted(set(graph.labels("Tool").values())),
        )

    def requests(self) -> dict[str, Draw]:
        """Requests of scripts and searches, by what a row of the result calls them."""
        return {
            "script": partial(_script, self, False),
            "script, all new": partial(_script, self, True),
            "search": partial(_search, self),
        }

    def any_request(self) -> Draw:
        """A request of any kind that a server answers, each as often as others."""
        return partial(_any, [*self.requests().values(), partial(_sparql, self.queries()["SPARQL"]), _fixed])

    def queries(self) -> dict[str, Draw]:
        """Queries of `docs/queries` about scenarios, steps and tools of the graph, below an address for SPARQL."""
        texts = [(_QUERIES / f"{name}.rq").read_text(encoding="utf-8") for name in _QUERY_NAMES]
        return {"SPARQL": partial(_query, self, texts, False), "SPARQL, all new": partial(_query, self, texts, True)}


def _any(draws: Sequence[Draw], chance: random.Random) -> str:
    return chance.choice(draws)(chance)


def _fixed(chance: random.Random) -> str:
    return chance.choice(("/", "/query", "/api/scenarios", "/.well-known/void"))


def _sparql(query: Draw, chance: random.Random) -> str:
    return f"/sparql{query(chance)}"


def _script(names: Names, new: bool, chance: random.Random) -> str:
    wanted = {"scenario": chance.choice(names.scenarios)}
    if new:
        wanted |= {"limit": str(chance.randint(20, 1_000))}
    return f"/api/script?{urlencode(wanted)}"


def _search(names: Names, chance: random.Random) -> str:
    return f"/api/search?{urlencode({'question': chance.choice(names.steps)[1]})}"


def _query(names: Names, texts: Sequence[str], new: bool, chance: random.Random) -> str:
    text, (scenario, step), tool = chance.choice(texts), chance.choice(names.steps), chance.choice(names.tools)
    for example, name in (("cooking pasta", scenario), ("drain pasta", step), ("knife", tool)):
        text = text.replace(f'"{example}"', json.dumps(name, ensure_ascii=False))
    most = _MOST_ROWS + chance.randrange(1_000_000) if new else _MOST_ROWS
    return "?" + urlencode({"query": f"{text}\nLIMIT {most}\n"})
