"""Whether steps that are joined across a script or across scripts belong together: random relations, judged twice.

``draw GRAPH... --seed N`` prints a sheet: ALTERNATIVE_TO and CLOSE_MATCH of the graphs, 50 of each, or all where there
are fewer; both steps with their scenario, their most frequent actions and one of the sentences behind each. Right is

- an *alternative*, if people who do this scenario do the one or the other in its place; wrong are two wordings of one
  thing, and two things that are both done;
- a *match*, if both are the same thing to do, in one scenario and in the other, so that who can do the one can do the
  other; wrong are steps that share words only, or that do not say what is done.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from attrs import frozen

from benchmarks.judging import Seed, commands, evidence_of, print_lines, sheet
from schemas.script_graph import ScriptGraph

app = commands(__doc__, by="kind")
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


@app.command()
def draw(graphs: list[Path], seed: Seed, number: int = 50) -> None:
    """Draw relations of each type from all graphs, all equally likely, or all of them where there are fewer."""
    print_lines(sheet([item for kind in _RELATIONS for item in _drawn(graphs, kind, number, seed)]))


def _drawn(directories: list[Path], kind: str, number: int, seed: int) -> Iterator[Drawn]:
    graphs = [ScriptGraph.open(directory) for directory in directories]
    chance = random.Random(f"{seed} {kind}")
    rows = [
        (place, row["from_id"], row["to_id"])
        for place, graph in enumerate(graphs)
        for row in graph.rows(_RELATIONS[kind], ["from_id", "to_id"])
    ]
    chosen = chance.sample(sorted(rows), min(number, len(rows)))
    for place, graph in enumerate(graphs):
        pairs = [(start, end) for at, start, end in chosen if at == place]
        steps = _described(graph, {step for pair in pairs for step in pair}, chance)
        yield from (Drawn(kind, directories[place].name, *steps[start], *steps[end]) for start, end in pairs)


def _described(
    graph: ScriptGraph, steps: Collection[str], chance: random.Random
) -> dict[str, tuple[str, str, str, str]]:
    """Of each step the scenario, the label, the most frequent actions and a sentence."""
    scenarios, evidence = graph.labels("Scenario"), evidence_of(graph, steps, chance)
    actions: dict[str, list[dict[str, Any]]] = {step: [] for step in steps}
    for row in graph.rows("EXPRESSED_AS", ["from_id", "to_id", "probability"], {"from_id": steps}):
        actions[row["from_id"]].append(row)
    labels = graph.labels("Action", {row["to_id"] for rows in actions.values() for row in rows})
    found = {}
    for row in graph.rows("SubEvent", ["id", "label", "scenario"], {"id": steps}):
        often = sorted(actions[row["id"]], key=lambda item: (-item["probability"], labels[item["to_id"]]))
        words = ", ".join(labels[item["to_id"]] for item in often[:_MOST_ACTIONS])
        found[row["id"]] = (scenarios[row["scenario"]], row["label"], words, evidence[row["id"]][1])
    return found


if __name__ == "__main__":
    app()
