"""``build-graph`` beside spaCy's parse of the same text, alone; ten times the input; with networks and without."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measure import Row, measure, ratio
from benchmarks.servers import SHARED
from kgscripts.corpora.files import find_files
from kgscripts.corpora.formats import read_file
from schemas.records import Document

STORIES = 2000
STORIES_OF_10_000_SENTENCES = 854
CHANGES = ("state-changes",)
NETWORKS = (*CHANGES, "scenarios")
EXAMPLES = Path(__file__).resolve().parents[1] / "kgscripts" / "examples" / "texts"


def parse_alone(inputs: Path, limit: int) -> Callable[[], int]:
    """What any reader of text has to pay: spaCy over every passage. Returns the number of words."""
    from kgscripts.text.pipeline import load_pipeline

    nlp = load_pipeline()
    read = [item for file in find_files([inputs]) for item in read_file(file) if isinstance(item, Document)]
    texts = [
        document.text[passage.start : passage.end].replace("\n", " ")
        for document in read[:limit]
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
    """Measure all of it on the MCScript stories where they are at hand, else on the shipped examples."""
    inputs, limit = SHARED / "corpora" / "mcscript", STORIES
    if not inputs.is_dir():
        inputs, limit = EXAMPLES, 13
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
    what = f"build of {limit:,} sources of {inputs.name}"
    yield ratio(f"{what} against the parse alone", whole.seconds, parse.seconds, most=1.6)
    yield ratio(f"{what} against a tenth of them", whole.seconds, tenth.seconds, most=11)
    yield ratio(f"{what} with 2 jobs against one", two.seconds, whole.seconds)
    yield ratio(f"{some:,} sources with scenarios against without", scenarios.seconds, without.seconds)
    yield ratio("the same with state changes too", changes.seconds, without.seconds)
    if two.value != whole.value:
        raise RuntimeError("one job and two jobs built different graphs")
