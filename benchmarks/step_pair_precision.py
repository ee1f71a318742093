"""Whether steps that are joined across a script or across scripts belong together: random relations, for two to judge.

``draw GRAPH... --seed N`` prints a sheet: ALTERNATIVE_TO and CLOSE_MATCH of the graphs, 50 of each, or all where there
are fewer; both steps with their scenario, their most frequent actions and one of the sentences behind each. Each of two
people, by themselves, puts 1 or 0 into a column of their own. Right is

- an *alternative*, if people who do this scenario do the one or the other in its place; wrong are two wordings of one
  thing, and two things that are both done;
- a *match*, if both are the same thing to do, in one scenario and in the other, so that who can do the one can do the
  other; wrong are steps that share words only, or that do not say what is done.

``score SHEET`` prints the share that each reader finds right, with Wilson's 95 % interval, and their agreement.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import astuple, fields, frozen

from benchmarks.judging import READERS, read_sheet, verdicts
from schemas.script_graph import ScriptGraph

_RELATIONS = {"alternative": "ALTERNATIVE_TO", "match": "CLOSE_MATCH"}
_MOST_ACTIONS = 4


@frozen
class Drawn:
    """Two steps that a relation joins: scenario, label, most frequent actions and a sentence of each."""

    kind: str
    graph: str
    scenario: str
    step: str
    actions: str
    around: str
    other_scenario: str
    other: str
    other_actions: str
    other_around: str


def draw(directories: Sequence[Path], number: int, seed: int) -> list[Drawn]:
    """So many relations of each type from all graphs, all equally likely, or all of them where there are fewer."""
    graphs = [ScriptGraph.open(directory) for directory in directories]
    found: list[Drawn] = []
    for kind, relation in _RELATIONS.items():
        chance = random.Random(f"{seed} {kind}")
        rows = [
            (place, row)
            for place, graph in enumerate(graphs)
            for row in graph.select(relation, ["from_id", "to_id"]).to_pylist()
        ]
        rows.sort(key=lambda item: (item[0], item[1]["from_id"], item[1]["to_id"]))
        chosen = chance.sample(rows, min(number, len(rows)))
        for place, graph in enumerate(graphs):
            pairs = [(row["from_id"], row["to_id"]) for at, row in chosen if at == place]
            steps = _described(graph, {step for pair in pairs for step in pair}, chance)
            name = directories[place].name
            found += [Drawn(kind, name, *steps[start], *steps[end]) for start, end in pairs]
    return found


def _described(graph: ScriptGraph, steps: set[str], chance: random.Random) -> dict[str, tuple[str, str, str, str]]:
    """Of each step the scenario, the label, the most frequent actions and a sentence."""
    scenarios = {row["id"]: row["label"] for row in graph.select("Scenario", ["id", "label"]).to_pylist()}
    actions: dict[str, list[dict[str, Any]]] = {step: [] for step in steps}
    wordings = graph.select("EXPRESSED_AS", ["from_id", "to_id", "probability"], {"from_id": steps})
    for row in wordings.to_pylist():
        actions[row["from_id"]].append(row)
    worded = graph.select("Action", ["id", "label"], {"id": wordings["to_id"]}).to_pylist()
    labels = {row["id"]: row["label"] for row in worded}
    mentions: dict[str, list[str]] = {step: [] for step in steps}
    for row in graph.select("REALIZES", ["from_id", "to_id"], {"to_id": steps}).to_pylist():
        mentions[row["to_id"]].append(row["from_id"])
    chosen = {step: chance.choice(sorted(mentions[step])) for step in sorted(steps)}
    within = {
        row["from_id"]: row["to_id"]
        for row in graph.select("WITHIN", ["from_id", "to_id"], {"from_id": chosen.values()}).to_pylist()
    }
    passages = graph.select("Passage", ["id", "text"], {"id": within.values()}).to_pylist()
    texts = {row["id"]: row["text"] for row in passages}
    found = {}
    for row in graph.select("SubEvent", ["id", "label", "scenario"], {"id": steps}).to_pylist():
        often = sorted(actions[row["id"]], key=lambda item: (-item["probability"], labels[item["to_id"]]))
        words = ", ".join(labels[item["to_id"]] for item in often[:_MOST_ACTIONS])
        around = texts.get(within[chosen[row["id"]]], "")
        found[row["id"]] = (scenarios[row["scenario"]], row["label"], words, around)
    return found


def sheet(drawn: Iterable[Drawn]) -> Iterator[str]:
    """The lines of a sheet without verdicts."""
    yield "\t".join((*READERS, *(item.name for item in fields(Drawn))))
    for item in drawn:
        yield "\t".join(("", "", *(" ".join(value.split()) for value in astuple(item))))


def score(lines: Iterable[str]) -> Iterator[str]:
    """The shares that are right and the agreement, in words.

    Raises
    ------
    ValueError
        See `benchmarks.judging.verdicts`.
    """
    rows = read_sheet(lines)
    for kind in _RELATIONS:
        yield from (f"{kind}, {line}" for line in verdicts([row for row in rows if row["kind"] == kind]))


def main() -> None:
    """Draw or score, as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.step_pair_precision", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("graphs", type=Path, nargs="+")
    drawing.add_argument("--seed", type=int, required=True)
    drawing.add_argument("--number", type=int, default=50, help="relations of each type")
    scoring = commands.add_parser("score")
    scoring.add_argument("sheet", type=argparse.FileType(encoding="utf-8"))
    arguments = parser.parse_args()
    if arguments.command == "draw":
        lines = sheet(draw(arguments.graphs, arguments.number, arguments.seed))
    else:
        lines = score(arguments.sheet)
    sys.stdout.writelines(line + "\n" for line in lines)


if __name__ == "__main__":
    main()
