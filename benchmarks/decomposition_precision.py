"""How often a decomposition of an abstract step is right: random statements of a graph of pairs, each judged twice.

``draw GRAPH --seed N`` prints a sheet: one statement a row, with one of the pairs behind it. Right is, in this pair,

- a *step*, if the concrete step (the words in the column ``mention``) is done as a part of the abstract step, or in
  order to do it, and says what is done; that of another abstract step, or one that is nothing by itself, is wrong;
- a *tool*, if the abstract step is done with this tool (implements, vessels and appliances count, food and furniture do
  not).

``--half first`` draws from half of the abstract texts, for development, and ``second`` from the others.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from attrs import frozen

from benchmarks.judging import Seed, commands, print_lines, sheet
from schemas.records import PassageKind
from schemas.script_graph import ScriptGraph

_RELATIONS = {"step": "DECOMPOSES_INTO", "tool": "USES"}
_Half: TypeAlias = Literal["first", "second"]
app = commands(__doc__, by="kind")


@frozen
class Drawn:
    """A statement, the name of a source that says so, its two sides, and the words of the concrete event."""

    kind: str
    source: str
    abstract: str
    concrete: str
    step: str
    has: str
    mention: str


@frozen
class _Pair:
    """The two sides of a source, the first character of the concrete one, and the steps of the abstract one."""

    name: str
    abstract: str
    concrete: str
    start: int
    steps: frozenset[str]


@app.command()
def draw(graph: Path, seed: Seed, half: _Half = "second", steps: int = 200, tools: int = 100) -> None:
    """Draw statements of each kind, all of those in the half equally likely, each with one of its pairs."""
    print_lines(sheet(list(_drawn(ScriptGraph.open(graph), {"step": steps, "tool": tools}, seed, half))))


def _drawn(graph: ScriptGraph, numbers: Mapping[str, int], seed: int, half: _Half) -> Iterator[Drawn]:
    labels = graph.labels("SubEvent") | graph.labels("Tool")
    pairs = _pairs(graph, half)
    mentions = {row["id"]: row for row in graph.rows("Passage", where={"source": pairs})}
    evidence: dict[str, list[str]] = {}
    for row in graph.rows("EVIDENCED_BY"):
        evidence.setdefault(row["from_id"], []).append(row["to_id"])
    for kind, number in numbers.items():
        chance = random.Random(f"{seed} {kind}")
        rows = (row for row in graph.rows(_RELATIONS[kind]) if row["log_probability"] is not None)
        # A statement may also rest on texts that tell the same step with its tool by themselves: those are no pairs.
        stated = [
            (row, [mentions[name] for name in sorted(evidence[row["statement"]]) if name in mentions])
            for row in sorted(rows, key=lambda row: str(row["statement"]))
        ]
        stated = [(row, [item for item in items if _in_pair(row, item, pairs)]) for row, items in stated]
        for row, items in chance.sample([(row, items) for row, items in stated if items], number):
            mention = chance.choice(items)
            pair = pairs[mention["source"]]
            step, has = labels[row["from_id"]], labels[row["to_id"]]
            yield Drawn(kind, pair.name, pair.abstract, pair.concrete, step, has, mention["text"])


def _in_pair(row: dict[str, Any], mention: dict[str, Any], pairs: dict[str, _Pair]) -> bool:
    pair = pairs[mention["source"]]
    return row["from_id"] in pair.steps and mention["start"] >= pair.start


def _pairs(graph: ScriptGraph, half: _Half) -> dict[str, _Pair]:
    """The pairs of a graph whose abstract texts are in the half, by the id of their source."""
    names = {row["id"]: row["name"] for row in graph.rows("Source", ["id", "name"])}
    sides: dict[str, dict[str, dict[str, Any]]] = {}
    passages = {}
    for row in graph.rows("Passage"):
        passages[row["id"]] = row
        if row["kind"] in (PassageKind.ABSTRACT, PassageKind.CONCRETE):
            sides.setdefault(row["source"], {})[row["kind"]] = row
    realized: dict[str, set[str]] = {}
    for row in graph.rows("REALIZES"):
        mention = passages[row["from_id"]]
        both = sides.get(mention["source"])
        if both and mention["start"] < both[PassageKind.CONCRETE]["start"]:
            realized.setdefault(mention["source"], set()).add(row["to_id"])
    found = {}
    for source, both in sides.items():
        abstract, concrete = both[PassageKind.ABSTRACT], both[PassageKind.CONCRETE]
        digit = hashlib.sha256(" ".join(abstract["text"].split()).encode()).digest()[0]
        if get_args(_Half)[digit % 2] == half:
            steps = frozenset(realized.get(source, ()))
            found[source] = _Pair(names[source], abstract["text"], concrete["text"], concrete["start"], steps)
    return found


if __name__ == "__main__":
    app()
