"""How often a state change that was read is true of its step: random changes of each level, each judged twice.

``draw GRAPH --seed N`` prints a sheet: one change a row, with the step that it was read in and the text before it. A
change is right if this step brings it about, given the text before it. ``score SHEET`` prints the precision of each
level, and how far the probabilities are from the verdicts. ``no-change`` prints what is read in steps that change
nothing, one a line of a file (``data/everyday/no_change.txt`` unless another is given).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer
from attrs import frozen

from benchmarks.judging import JUDGES, Seed, Sheet, print_lines, read_sheet, scored, share, sheet
from kgscripts.corpora.procedures import Procedure
from kgscripts.evaluation.changes.calibration import calibration, calibration_lines
from kgscripts.lookup.tracking import StepReader
from kgscripts.models.registry import load
from kgscripts.records.opening import open_records
from schemas.changes import Level
from schemas.records import Document, PassageKind, Sentence, StateChange
from schemas.script_graph import ScriptGraph

app = typer.Typer(help=__doc__, add_completion=False, rich_markup_mode=None)
NO_CHANGE = Path(__file__).parent / "data" / "everyday" / "no_change.txt"
_CHARACTERS_BEFORE = 300


@frozen
class Drawn:
    """A change with its level and probability, the name of the source that it was read in, its step, and the end of the
    text before that step."""

    level: Level
    probability: float
    source: str
    before_step: str
    step: str
    entity: str
    attribute: str
    before: str
    after: str


@app.command()
def draw(graph: Path, seed: Seed, number: int = 200) -> None:
    """Draw so many changes of each level from all that were read for a graph, all equally likely."""
    chance = random.Random(seed)
    read = read_in(graph)
    drawn = [item for level in Level for item in chance.sample([each for each in read if each.level is level], number)]
    print_lines(sheet(drawn))


@app.command()
def score(sheet: Sheet) -> None:
    """Print the share that each judge finds true, with Wilson's 95 % interval, their agreement, and calibration."""
    rows = read_sheet(sheet)
    print_lines(scored(rows, by="level"))
    for judge in (judge for judge in JUDGES if any(row[judge] for row in rows)):
        print_lines(["", f"{judge} judge"])
        probabilities = [float(row["probability"]) for row in rows]
        print_lines(calibration_lines(calibration(probabilities, [row[judge] == "1" for row in rows])))


@app.command("no-change")
def no_change(steps: Annotated[Path, typer.Argument()] = NO_CHANGE, model: str = "default") -> None:
    """Print the changes that are read in each step that has none, and the share of steps without any."""
    print_lines(_read_in_steps(steps.read_text(encoding="utf-8").splitlines(), model))


def read_in(directory: Path) -> list[Drawn]:
    """All changes that were read for a graph."""
    names = {row["digest"]: row["name"] for row in ScriptGraph.open(directory).rows("Source", ["digest", "name"])}
    digests = sorted(names)
    with open_records(directory, create=False) as store:
        changes = store.read(StateChange, digests)
        documents = store.read(Document, digests)
        sentences = store.read(Sentence, digests)
    found = []
    for digest, change in [(name, item) for name in sorted(changes) for item in changes[name]]:
        [document] = documents[digest]
        start, end = _step(document, sentences.get(digest, ()), change)
        found.append(
            Drawn(
                level=change.level,
                probability=change.probability,
                source=names[digest],
                before_step=document.text[max(0, start - _CHARACTERS_BEFORE) : start],
                step=document.text[start:end],
                entity=change.entity,
                attribute=change.attribute,
                before=change.before,
                after=change.after,
            )
        )
    return found


def _step(document: Document, sentences: Iterable[Sentence], change: StateChange) -> tuple[int, int]:
    """The span of the step, or else of the sentence, that a change was read in."""
    steps = [(item.start, item.end) for item in document.passages if item.kind is PassageKind.STEP]
    spans = [*steps, *((item.start, item.end) for item in sentences)]
    return next(((start, end) for start, end in spans if start <= change.start < end), (change.start, change.end))


def _read_in_steps(texts: list[str], model: str) -> Iterator[str]:
    procedures = [Procedure(id=str(number), steps=(text,)) for number, text in enumerate(texts)]
    read = [step.changes for [step] in StepReader(load("state-changes", model)).read(procedures)]
    for text, found in zip(texts, read, strict=True):
        changes = ((item.level, item.change) for item in found)
        yield "\t".join(
            [text, *(f"{level}: {item.attribute} of {item.entity}: {item.after}" for level, item in changes)]
        )
    for level in Level:
        without = sum(all(item.level is not level for item in found) for found in read)
        yield f"nothing {level}: {share(without, len(texts))}"


if __name__ == "__main__":
    app()
