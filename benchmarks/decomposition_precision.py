"""How often a decomposition of an abstract step is right: random statements of a graph of pairs, for two to judge.

``draw GRAPH --seed N`` prints a sheet: one statement a row, with one of the pairs behind it. Each of two people, by
themselves, puts 1 or 0 into a column of their own. Right is, in this pair,

- a *step*, if the concrete step (the words in the column ``mention``) is done as a part of the abstract step, or in
  order to do it, and says what is done; that of another abstract step, or one that is nothing by itself, is wrong;
- a *tool*, if the abstract step is done with this tool (implements, vessels and appliances count, food and furniture do
  not).

``score SHEET`` prints the share that each reader finds right, with Wilson's 95 % interval, and their agreement.
``--half first`` draws from half of the abstract texts, for development, and ``second`` from the others.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import astuple, fields, frozen

from benchmarks.judging import READERS, read_sheet, verdicts
from schemas.records import PassageKind
from schemas.script_graph import ScriptGraph

_RELATIONS = {"step": "DECOMPOSES_INTO", "tool": "USES"}
_HALVES = ("first", "second")


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


def draw(directory: Path, numbers: dict[str, int], seed: int, half: str) -> list[Drawn]:
    """Draw so many statements of each kind, all of those in the half equally likely, each with one of its pairs.

    Raises
    ------
    ValueError
        If the graph has fewer.
    """
    graph = ScriptGraph.open(directory)
    labels = {
        row["id"]: row["label"]
        for name in ("SubEvent", "Tool")
        for row in graph.select(name, ["id", "label"]).to_pylist()
    }
    pairs = _pairs(graph, half)
    mentions = {row["id"]: row for row in graph.select("Passage", where={"source": pairs}).to_pylist()}
    evidence: dict[str, list[str]] = {}
    for row in graph.rows("EVIDENCED_BY"):
        evidence.setdefault(row["from_id"], []).append(row["to_id"])
    found: list[Drawn] = []
    for kind, number in numbers.items():
        chance = random.Random(f"{seed} {kind}")
        rows = sorted(
            (row for row in graph.rows(_RELATIONS[kind]) if row["log_probability"] is not None),
            key=lambda row: str(row["statement"]),
        )
        # A statement may also rest on texts that tell the same step with its tool by themselves: those are no pairs.
        stated = [
            (row, [mentions[name] for name in sorted(evidence[row["statement"]]) if name in mentions]) for row in rows
        ]
        stated = [(row, [item for item in items if _in_pair(row, item, pairs)]) for row, items in stated]
        for row, items in chance.sample([(row, items) for row, items in stated if items], number):
            mention = chance.choice(items)
            pair = pairs[mention["source"]]
            step, has = labels[row["from_id"]], labels[row["to_id"]]
            found.append(Drawn(kind, pair.name, pair.abstract, pair.concrete, step, has, mention["text"]))
    return found


def _in_pair(row: dict[str, Any], mention: dict[str, Any], pairs: dict[str, _Pair]) -> bool:
    pair = pairs[mention["source"]]
    return row["from_id"] in pair.steps and mention["start"] >= pair.start


def _pairs(graph: ScriptGraph, half: str) -> dict[str, _Pair]:
    """The pairs of a graph whose abstract texts are in the half, by the id of their source."""
    names = {row["id"]: row["name"] for row in graph.select("Source", ["id", "name"]).to_pylist()}
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
        if _HALVES[digit % 2] == half:
            steps = frozenset(realized.get(source, ()))
            found[source] = _Pair(names[source], abstract["text"], concrete["text"], concrete["start"], steps)
    return found


def sheet(drawn: Iterable[Drawn]) -> Iterator[str]:
    """The lines of a sheet without verdicts."""
    yield "\t".join((*READERS, *(item.name for item in fields(Drawn))))
    for item in drawn:
        yield "\t".join(("", "", *(" ".join(value.split()) for value in astuple(item))))


def score(lines: Iterable[str]) -> Iterator[str]:
    """The shares that are right and the agreement, of the steps and of the tools, in words.

    Raises
    ------
    ValueError
        See `benchmarks.judging.verdicts`.
    """
    rows: Sequence[dict[str, str]] = read_sheet(lines)
    for kind in _RELATIONS:
        of_kind = [row for row in rows if row["kind"] == kind]
        if of_kind:
            yield from (f"{kind}s, {line}" for line in verdicts(of_kind))


def main() -> None:
    """Draw or score, as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decomposition_precision", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("graph", type=Path)
    drawing.add_argument("--seed", type=int, required=True)
    drawing.add_argument("--half", choices=_HALVES, required=True)
    drawing.add_argument("--steps", type=int, default=200)
    drawing.add_argument("--tools", type=int, default=100)
    scoring = commands.add_parser("score")
    scoring.add_argument("sheet", type=argparse.FileType(encoding="utf-8"))
    arguments = parser.parse_args()
    if arguments.command == "draw":
        numbers = {"step": arguments.steps, "tool": arguments.tools}
        lines = sheet(draw(arguments.graph, numbers, arguments.seed, arguments.half))
    else:
        lines = score(arguments.sheet)
    sys.stdout.writelines(line + "\n" for line in lines)


if __name__ == "__main__":
    main()
