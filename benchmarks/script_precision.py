"""Whether the steps that are shown first are those of the script: random scenarios of graphs, for two to judge.

``draw GRAPH... --seed N`` prints a sheet: for each of 20 scenarios the 15 steps that ``kgscripts show --limit 15``
shows, in their order, each with one of the sentences behind it. Scenarios are drawn from those with at least
``--sources`` sources. Each of two people, by themselves, puts 1 or 0 into a column of their own. Right is a step that
people would name if they were asked what one does in this scenario, or that is done in many of its courses; wrong are
bystanders, other activities, thoughts, memories, and labels that do not say what is done.

``score SHEET`` prints the share that each reader finds right, with Wilson's 95 % interval, and their agreement.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from attrs import astuple, fields, frozen

from benchmarks.judging import READERS, read_sheet, verdicts
from exports.scripts import Step, list_scenarios, read_script
from schemas.script_graph import ScriptGraph

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


def draw(directories: Sequence[Path], number: int, sources: int, seed: int) -> list[Drawn]:
    """The first steps of so many scenarios, as many from each graph, all with enough sources equally likely.

    Raises
    ------
    ValueError
        If a graph has fewer.
    """
    found: list[Drawn] = []
    for place, directory in enumerate(directories):
        graph = ScriptGraph.open(directory)
        chance = random.Random(f"{seed} {directory.name}")
        names = sorted(item.iri for item in list_scenarios(graph) if item.support >= sources)
        share = number // len(directories) + (place < number % len(directories))
        scripts = [read_script(graph, name, limit=_STEPS, usual=True) for name in chance.sample(names, share)]
        told = _told(graph, {step.iri for script in scripts for step in script.steps}, chance)
        for script in scripts:
            for rank, step in enumerate(script.steps, start=1):
                found.append(_drawn(directory.name, script.scenario.label, rank, step, told))
    return found


def _drawn(graph: str, scenario: str, rank: int, step: Step, told: dict[str, tuple[str, str]]) -> Drawn:
    mention, around = told[step.iri]
    return Drawn(graph=graph, scenario=scenario, place=rank, step=step.label, mention=mention, around=around)


def _told(graph: ScriptGraph, steps: set[str], chance: random.Random) -> dict[str, tuple[str, str]]:
    """For each step the words of one of its mentions, and the sentence that they are in."""
    ids = {graph.iri(key): key for key in graph.select("SubEvent", ["id"])["id"].to_pylist() if graph.iri(key) in steps}
    mentions: dict[str, list[str]] = {identifier: [] for identifier in ids.values()}
    for row in graph.select("REALIZES", ["from_id", "to_id"], {"to_id": mentions}).to_pylist():
        mentions[row["to_id"]].append(row["from_id"])
    chosen = {iri: chance.choice(sorted(mentions[identifier])) for iri, identifier in sorted(ids.items())}
    wanted = set(chosen.values())
    around = graph.select("WITHIN", ["from_id", "to_id"], {"from_id": wanted}).to_pylist()
    within = {row["from_id"]: row["to_id"] for row in around}
    needed = wanted | set(within.values())
    texts = {row["id"]: row["text"] for row in graph.select("Passage", ["id", "text"], {"id": needed}).to_pylist()}
    return {iri: (texts[mention], texts.get(within[mention], "")) for iri, mention in chosen.items()}


def sheet(drawn: Iterable[Drawn]) -> Iterator[str]:
    """The lines of a sheet without verdicts."""
    yield "\t".join((*READERS, *(item.name for item in fields(Drawn))))
    for item in drawn:
        yield "\t".join(("", "", *(" ".join(str(value).split()) for value in astuple(item))))


def score(lines: Iterable[str]) -> Iterator[str]:
    """The shares that are right and the agreement, in words.

    Raises
    ------
    ValueError
        See `benchmarks.judging.verdicts`.
    """
    rows = read_sheet(lines)
    for graph in dict.fromkeys(row["graph"] for row in rows):
        yield from (f"{graph}, {line}" for line in verdicts([row for row in rows if row["graph"] == graph]))
    yield from (f"all, {line}" for line in verdicts(rows))


def main() -> None:
    """Draw or score, as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.script_precision", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("graphs", type=Path, nargs="+")
    drawing.add_argument("--seed", type=int, required=True)
    drawing.add_argument("--number", type=int, default=20, help="scenarios")
    drawing.add_argument("--sources", type=int, default=8, help="the fewest sources of a scenario")
    scoring = commands.add_parser("score")
    scoring.add_argument("sheet", type=argparse.FileType(encoding="utf-8"))
    arguments = parser.parse_args()
    if arguments.command == "draw":
        drawn = draw(arguments.graphs, arguments.number, arguments.sources, arguments.seed)
        sys.stdout.writelines(line + "\n" for line in sheet(drawn))
    else:
        sys.stdout.writelines(line + "\n" for line in score(arguments.sheet))


if __name__ == "__main__":
    main()
