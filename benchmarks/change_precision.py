"""How often a state change that was read is true of its step: random changes, for two people to judge.

``draw GRAPH --seed N`` prints a sheet: one change a row, with the step that it was read in and the text before it. Each
of two people, by themselves, puts 1 (this step brings this change about, given the text before it) or 0 into a column
of their own. ``score SHEET`` prints the precision of each, with Wilson's 95 % interval, and their agreement;
``--read-in GRAPH`` leaves out the rows that are not read for a graph. ``no-change`` prints what the model predicts for
steps that change nothing, one a line of a file (``data/everyday/no_change.txt`` unless another is given).
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from attrs import astuple, fields, frozen

from benchmarks.judging import READERS, read_sheet, share, verdicts
from kgscripts.lookup.tracking import predict_trusted
from kgscripts.models.registry import load
from kgscripts.records.opening import open_records
from schemas.changes import ProcedureStep
from schemas.records import Document, PassageKind, Sentence, StateChange
from schemas.script_graph import ScriptGraph

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


def draw(directory: Path, number: int, seed: int) -> list[Drawn]:
    """Draw from all changes that were read for a graph, all equally likely.

    Raises
    ------
    ValueError
        If the graph has fewer.
    """
    return random.Random(seed).sample(_read_in(directory), number)


def _read_in(directory: Path) -> list[Drawn]:
    """All changes that were read for a graph."""
    names = {
        row["digest"]: row["name"]
        for row in ScriptGraph.open(directory).select("Source", ["digest", "name"]).to_pylist()
    }
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


def score(lines: Iterable[str], graph: Path | None = None) -> Iterator[str]:
    """The precision and the agreement of a judged sheet, in words; with a graph, of the rows that are read for it.

    A row is read if its source, step, entity, attribute and value afterwards are.

    Raises
    ------
    ValueError
        See `benchmarks.judging.verdicts`.
    """
    rows = read_sheet(lines)
    if graph is not None:
        read = {tuple(" ".join(getattr(item, name).split()) for name in _IDENTITY) for item in _read_in(graph)}
        rows = [row for row in rows if tuple(row[name] for name in _IDENTITY) in read]
    yield from verdicts(rows)


def sheet(drawn: Iterable[Drawn]) -> Iterator[str]:
    """The lines of a sheet without verdicts."""
    yield "\t".join((*READERS, *(item.name for item in fields(Drawn))))
    for item in drawn:
        yield "\t".join(("", "", *(" ".join(value.split()) for value in astuple(item))))


def no_change(steps: Path, model: str) -> Iterator[str]:
    """The changes that a model predicts for each step that has none, and the share of steps without any."""
    texts = steps.read_text(encoding="utf-8").splitlines()
    predictions = [
        found
        for [found] in predict_trusted(load("state-changes", model), [[ProcedureStep(text=text)] for text in texts])
    ]
    for text, found in zip(texts, predictions, strict=True):
        changes = (item.change for item in found)
        yield "\t".join([text, *(f"{item.attribute} of {item.entity}: {item.after}" for item in changes)])
    yield f"no change: {share(sum(not found for found in predictions), len(texts))}"


def main() -> None:
    """Draw, score or predict, as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.change_precision", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("graph", type=Path)
    drawing.add_argument("--seed", type=int, required=True)
    drawing.add_argument("--number", type=int, default=200)
    scoring = commands.add_parser("score")
    scoring.add_argument("sheet", type=argparse.FileType(encoding="utf-8"))
    scoring.add_argument("--read-in", type=Path, metavar="GRAPH")
    nothing = commands.add_parser("no-change")
    nothing.add_argument("steps", type=Path, nargs="?", default=NO_CHANGE)
    nothing.add_argument("--model", default="default")
    arguments = parser.parse_args()
    if arguments.command == "draw":
        lines = sheet(draw(arguments.graph, arguments.number, arguments.seed))
    elif arguments.command == "score":
        lines = score(arguments.sheet, arguments.read_in)
    else:
        lines = no_change(arguments.steps, arguments.model)
    sys.stdout.writelines(line + "\n" for line in lines)


if __name__ == "__main__":
    main()
