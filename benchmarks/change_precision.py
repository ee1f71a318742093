"""How often a state change that was read is true of its step: random changes, each judged twice.

``draw GRAPH --seed N`` prints a sheet: one change a row, with the step that it was read in and the text before it. A
change is right if this step brings it about, given the text before it. ``score SHEET`` prints the precision, with
``--read-in GRAPH`` that of the rows that are read for a graph. ``no-change`` prints what the model predicts for steps
that change nothing, one a line of a file (``data/everyday/no_change.txt`` unless another is given).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer
from attrs import frozen

from benchmarks.judging import Seed, Sheet, print_lines, read_sheet, scored, share, sheet
from kgscripts.lookup.tracking import predict_trusted
from kgscripts.models.registry import load
from kgscripts.records.opening import open_records
from schemas.changes import ProcedureStep
from schemas.records import Document, PassageKind, Sentence, StateChange
from schemas.script_graph import ScriptGraph

app = typer.Typer(help=__doc__, add_completion=False, rich_markup_mode=None)
NO_CHANGE = Path(__file__).parent / "data" / "everyday" / "no_change.txt"
_IDENTITY = ("source", "step", "entity", "attribute", "after")
_CHARACTERS_BEFORE = 300


@frozen
class Drawn:
    """A change, the name of the source that it was read in, its step, and the end of the text before that step."""

    source: str
    before_step: str
    step: str
    entity: str
    attribute: str
    before: str
    after: str


@app.command()
def draw(graph: Path, seed: Seed, number: int = 200) -> None:
    """Draw from all changes that were read for a graph, all equally likely."""
    print_lines(sheet(random.Random(seed).sample(read_in(graph), number)))


@app.command()
def score(sheet: Sheet, read_in: Annotated[Path | None, typer.Option(metavar="GRAPH")] = None) -> None:
    """Print the share that each judge finds true, with Wilson's 95 % interval, and their agreement."""
    rows = read_sheet(sheet)
    print_lines(scored(rows if read_in is None else still_read(rows, read_in)))


def still_read(rows: Iterable[dict[str, str]], graph: Path) -> list[dict[str, str]]:
    """The rows of a sheet whose source, step, entity, attribute and value afterwards are read for a graph."""
    read = {tuple(" ".join(getattr(item, name).split()) for name in _IDENTITY) for item in read_in(graph)}
    return [row for row in rows if tuple(row[name] for name in _IDENTITY) in read]


@app.command("no-change")
def no_change(steps: Annotated[Path, typer.Argument()] = NO_CHANGE, model: str = "default") -> None:
    """Print the changes that a model predicts for each step that has none, and the share of steps without any."""
    print_lines(_predicted(steps.read_text(encoding="utf-8").splitlines(), model))


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


def _predicted(texts: list[str], model: str) -> Iterator[str]:
    predictions = [
        found
        for [found] in predict_trusted(load("state-changes", model), [[ProcedureStep(text=text)] for text in texts])
    ]
    for text, found in zip(texts, predictions, strict=True):
        changes = (item.change for item in found)
        yield "\t".join([text, *(f"{item.attribute} of {item.entity}: {item.after}" for item in changes)])
    yield f"no change: {share(sum(not found for found in predictions), len(texts))}"


if __name__ == "__main__":
    app()
