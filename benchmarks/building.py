"""``build-graph`` beside spaCy's parse of the same text, alone; ten times the input; with networks and without."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measure import Measurement, Row, at_least, at_most, measure
from kgscripts.corpora.files import find_files
from kgscripts.corpora.formats import read_file
from schemas.records import Document

STORIES = 2000
STORIES_OF_10_000_SENTENCES = 854
CHANGES = ("state-changes",)
NETWORKS = (*CHANGES, "scenarios")
SHARED = Path(os.environ.get("KGSCRIPTS_SHARED", Path(__file__).resolve().parents[2] / "shared"))
EXAMPLES = Path(__file__).resolve().parents[1] / "kgscripts" / "examples" / "texts"


def _inputs() -> tuple[Path, int]:
    """The MCScript stories where they are at hand, else the shipped examples."""
    stories = SHARED / "corpora" / "mcscript"
    return (stories, STORIES) if stories.is_dir() else (EXAMPLES, 13)


def _documents(inputs: Path, limit: int) -> list[Document]:
    found: list[Document] = []
    for file in find_files([inputs]):
        found += [item for item in read_file(file) if isinstance(item, Document)]
    return found[:limit]


def parse_alone(inputs: Path, limit: int) -> Callable[[], int]:
    """What any reader of text has to pay: spaCy over every passage. Returns the number of words."""
    from kgscripts.text.pipeline import load_pipeline

    nlp = load_pipeline()
    texts = [
        document.text[passage.start : passage.end].replace("\n", " ")
        for document in _documents(inputs, limit)
        for passage in document.passages
    ]
    return lambda: sum(len(doc) for doc in nlp.pipe(texts, batch_size=128))


def build(inputs: Path, limit: int | None, output: Path, jobs: int, without: tuple[str, ...] = ()) -> Callable[[], str]:
    """The whole build, pipeline loaded beforehand as for the parse."""
    from kgscripts import ScriptGraph
    from kgscripts.pipeline import build_graph
    from kgscripts.text.pipeline import load_pipeline

    load_pipeline()

    def call() -> str:
        build_graph([inputs], output, limit=limit, jobs=jobs, without=without)
        return ScriptGraph.open(output).build_id

    return call


def rows() -> Iterator[Row]:
    """Measure all of it."""
    inputs, limit = _inputs()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parse = measure(parse_alone, inputs, limit)
        whole = measure(build, inputs, limit, folder / "whole", 1, NETWORKS)
        tenth = measure(build, inputs, max(1, limit // 10), folder / "tenth", 1, NETWORKS)
        two = measure(build, inputs, limit, folder / "two", 2, NETWORKS)
        some = min(limit, STORIES_OF_10_000_SENTENCES)
        without = measure(build, inputs, some, folder / "without", 1, NETWORKS)
        scenarios = measure(build, inputs, some, folder / "scenarios", 1, CHANGES)
        changes = measure(build, inputs, some, folder / "changes", 1)
    words = int(parse.value)
    what = f"spaCy's parse alone: {limit:,} sources of {inputs.name}, {words:,} words"
    yield at_least(what, words / parse.seconds, 6000, "words/s")
    yield _ratio("build against the parse alone", whole, parse, 1.6)
    yield _ratio("ten times the input", whole, tenth, 11)
    yield at_most(f"build of {limit:,} sources, 2 jobs", two.seconds, 180, "s")
    yield at_most("build: memory of the process", whole.peak_mib, 2048, "MiB")
    for what, measured, goal in (
        ("without networks", without, 240),
        ("with scenarios", scenarios, 240),
        ("with scenarios and state changes", changes, 960),
    ):
        yield at_most(f"build of {some:,} sources {what}", measured.seconds, goal, "s")
    yield at_most("with scenarios and state changes: memory", changes.peak_mib, 2048, "MiB")
    if two.value != whole.value:
        raise RuntimeError("one job and two jobs built different graphs")


def _ratio(what: str, above: Measurement, below: Measurement, goal: float) -> Row:
    more = f"{above.seconds:.1f} s against {below.seconds:.1f} s"
    return at_most(what, above.seconds / below.seconds, goal, "x", more)
