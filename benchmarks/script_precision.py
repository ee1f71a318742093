"""Whether the steps that are shown first are those of the script: random scenarios of graphs, each step judged twice.

``draw GRAPH... --seed N`` prints a sheet: for each of 20 scenarios the 15 steps that ``kgscripts show --limit 15``
shows, in their order, each with one of the sentences behind it. Scenarios are drawn from those with at least
``--sources`` sources. Right is a step that people would name if they were asked what one does in this scenario, or that
is done in many of its courses; wrong are bystanders, other activities, thoughts, memories, and labels that do not say
what is done.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from attrs import frozen

from benchmarks.judging import Seed, commands, evidence_of, print_lines, sheet
from exports.scripts import list_scenarios, read_script
from schemas.script_graph import ScriptGraph

app = commands(__doc__, by="graph")
_STEPS = 15


@frozen
class Drawn:
    """A step of a scenario, the graph that has it, and the words of a mention in what stands around them."""

    graph: str
    scenario: str
    place: int
    step: str
    mention: str
    around: str


@app.command()
def draw(graphs: list[Path], seed: Seed, number: int = 20, sources: int = 8) -> None:
    """Draw scenarios, as many from each graph, all with enough sources equally likely."""
    shares = [number // len(graphs) + (place < number % len(graphs)) for place in range(len(graphs))]
    drawn = (_drawn(directory, share, sources, seed) for directory, share in zip(graphs, shares, strict=True))
    print_lines(sheet(list(chain.from_iterable(drawn))))


def _drawn(directory: Path, number: int, sources: int, seed: int) -> Iterator[Drawn]:
    graph = ScriptGraph.open(directory)
    chance = random.Random(f"{seed} {directory.name}")
    names = sorted(item.iri for item in list_scenarios(graph) if item.support >= sources)
    scripts = [read_script(graph, name, limit=_STEPS, usual=True) for name in chance.sample(names, number)]
    ids = {step.iri: step.iri.removeprefix(graph.iri("")) for script in scripts for step in script.steps}
    evidence = evidence_of(graph, ids.values(), chance)
    for script in scripts:
        for place, step in enumerate(script.steps, start=1):
            yield Drawn(directory.name, script.label, place, step.label, *evidence[ids[step.iri]])


if __name__ == "__main__":
    app()
