"""How often a tool that an alignment gives to an abstract step is one: random statements, for a person to judge.

``draw GRAPH --seed N`` prints a sheet: one (sub-event, tool) statement a row, with one pair that says so. A person
puts 1 (the abstract event, as this pair describes it, is done with this tool) or 0 into the first column.
``score SHEET`` prints the precision with Wilson's 95 % interval; of a sheet it needs the first column alone.
"""

from __future__ import annotations

import argparse
import csv
import math
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from attrs import astuple, fields, frozen

from schemas.records import PassageKind
from schemas.script_graph import ScriptGraph

_Z = 1.959964


@frozen
class Drawn:
    """A statement, the name of the source that says so, and its two sides; `mention` are the words of the event."""

    source: str
    tool: str
    step: str
    mention: str
    abstract: str
    concrete: str


def draw(directory: Path, number: int, seed: int) -> list[Drawn]:
    """Draw statements that alignments make, each with one of the pairs behind it, all equally likely.

    Raises
    ------
    ValueError
        If the graph has fewer.
    """
    graph = ScriptGraph.open(directory)
    uses = sorted(
        (row for row in graph.rows("USES") if row["log_probability"] is not None), key=lambda row: str(row["statement"])
    )
    chance = random.Random(seed)
    chosen = chance.sample(uses, number)
    evidence: dict[str, list[str]] = {row["statement"]: [] for row in chosen}
    for row in graph.rows("EVIDENCED_BY"):
        if row["from_id"] in evidence:
            evidence[row["from_id"]].append(row["to_id"])
    labels = {row["id"]: row["label"] for name in ("SubEvent", "Tool") for row in graph.rows(name)}
    names = {row["id"]: row["name"] for row in graph.rows("Source")}
    passages = {row["id"]: row for row in graph.rows("Passage")}
    steps_of: dict[str, set[str]] = defaultdict(set)
    sides: dict[tuple[str, str], str] = {}
    bounds: dict[str, int] = {}
    for row in passages.values():
        if row["kind"] in (PassageKind.ABSTRACT, PassageKind.CONCRETE):
            sides[row["source"], row["kind"]] = row["text"]
        if row["kind"] == PassageKind.CONCRETE:
            bounds[row["source"]] = row["start"]
    for row in graph.rows("REALIZES"):
        passage = passages[row["from_id"]]
        if passage["start"] < bounds.get(passage["source"], 0):
            steps_of[passage["source"]].add(row["to_id"])
    drawn = []
    for row in chosen:
        # A statement may also rest on texts that tell the same step with its tool by themselves: those are no pairs.
        mentions = [
            passage
            for passage in map(passages.__getitem__, sorted(evidence[row["statement"]]))
            if row["from_id"] in steps_of[passage["source"]] and passage["start"] >= bounds[passage["source"]]
        ]
        passage = chance.choice(mentions)
        source = passage["source"]
        drawn.append(
            Drawn(
                source=names[source],
                tool=labels[row["to_id"]],
                step=labels[row["from_id"]],
                mention=passage["text"],
                abstract=sides[source, PassageKind.ABSTRACT],
                concrete=sides[source, PassageKind.CONCRETE],
            )
        )
    return drawn


def wilson(right: int, number: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    share = right / number
    middle = share + _Z**2 / (2 * number)
    width = _Z * math.sqrt(share * (1 - share) / number + _Z**2 / (4 * number**2))
    return (middle - width) / (1 + _Z**2 / number), (middle + width) / (1 + _Z**2 / number)


def score(lines: Iterable[str]) -> str:
    """The precision of a judged sheet, in words.

    Raises
    ------
    ValueError
        If a row is not judged.
    """
    verdicts = [int(row["verdict"]) for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]
    if not verdicts or not set(verdicts) <= {0, 1}:
        raise ValueError("each row needs the verdict 1 or 0")
    low, high = wilson(sum(verdicts), len(verdicts))
    return f"{sum(verdicts)} of {len(verdicts)}: {sum(verdicts) / len(verdicts):.3f} (95 % {low:.3f} to {high:.3f})"


def sheet(drawn: Iterable[Drawn]) -> Iterator[str]:
    """The lines of a sheet without verdicts."""
    yield "\t".join(("verdict", *(item.name for item in fields(Drawn))))
    for item in drawn:
        yield "\t".join(("", *(" ".join(value.split()) for value in astuple(item))))


def main() -> None:
    """Draw or score, as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tool_precision", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("graph", type=Path)
    drawing.add_argument("--seed", type=int, required=True)
    drawing.add_argument("--number", type=int, default=200)
    scoring = commands.add_parser("score")
    scoring.add_argument("sheet", type=argparse.FileType(encoding="utf-8"))
    arguments = parser.parse_args()
    if arguments.command == "draw":
        sys.stdout.writelines(line + "\n" for line in sheet(draw(arguments.graph, arguments.number, arguments.seed)))
    else:
        print(score(arguments.sheet))


if __name__ == "__main__":
    main()
