"""Evaluation of sub-events as sets of paraphrases, on the gold sets of DeScript (Wanzare et al. 2016).

A graph is built of the event sequence descriptions whose steps the sets hold. A step belongs to the sub-event of its
first event; a step without an event is a sub-event of its own. Sets of unrelated and of other events are left out.
"""

from __future__ import annotations

import re
import tempfile
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from attrs import frozen

from kgscripts.corpora.descript_gold import ParaphraseSet, read_paraphrase_sets
from kgscripts.corpora.files import find_files
from kgscripts.corpora.plain_text import joined_lines
from kgscripts.evaluation.partitions import PartitionScores, score_partition
from kgscripts.pipeline import build_graph
from schemas.records import Document, Passage, PassageKind
from schemas.script_graph import ScriptGraph

_LEFT_OUT = ("UnrelEv", "other_")
_WORD = re.compile(r"\w+")


@frozen
class StepReport:
    """B-cubed of the partitions of each gold file, by the graph and by plain rules to compare it with."""

    files: tuple[str, ...]
    """Name of each file, with its folder."""
    steps: int
    sets: int
    scores: tuple[tuple[PartitionScores, ...], ...]
    """Of each file, by rule."""

    def mean(self, rule: int) -> tuple[float, float, float]:
        """Mean B-cubed precision, recall and F1 over the files, by the number of a rule."""
        own = [scores[rule] for scores in self.scores]
        return (
            fmean(item.b_cubed_precision for item in own),
            fmean(item.b_cubed_recall for item in own),
            fmean(item.b_cubed_f1 for item in own),
        )


@frozen
class _Step:
    gold: int
    document: str
    start: int
    text: str


def evaluate_steps(path: str | Path) -> StepReport:
    """Evaluate on the gold paraphrase sets in a file or folder.

    Raises
    ------
    InputError
        As `read_paraphrase_sets` does.
    """
    files = find_files([path])
    sets = [read_paraphrase_sets(file.path) for file in files]
    names = [f"{file.path.parent.name}/{file.path.name}" for file in files]
    read = [_documents(name, own) for name, own in zip(names, sets, strict=True)]
    found = _sub_events([document for documents, _ in read for document in documents])
    scores = []
    for _, steps in read:
        gold = [step.gold for step in steps]
        rules: dict[str, Sequence[object]] = {
            "each step by itself": range(len(steps)),
            "same words": [tuple(sorted(_WORD.findall(step.text.lower()))) for step in steps],
            "sub-events of the graph": [
                found.get((step.document, step.start), (step.document, step.start)) for step in steps
            ],
        }
        scores.append(tuple(score_partition(rule, gold, parts) for rule, parts in rules.items()))
    return StepReport(
        tuple(names),
        sum(len(steps) for _, steps in read),
        sum(len({s.gold for s in steps}) for _, steps in read),
        tuple(scores),
    )


def _documents(name: str, sets: Sequence[ParaphraseSet]) -> tuple[list[Document], list[_Step]]:
    """The descriptions whose steps are in the sets of a file, and the steps of the sets that count."""
    scripts: dict[str, dict[int, tuple[int, str]]] = defaultdict(dict)
    for number, one in enumerate(sets):
        for item in one.descriptions:
            scripts[item.script][item.slot] = (number, item.text)
    documents, steps = [], []
    for script, slots in sorted(scripts.items()):
        ordered = [slots[slot] for slot in sorted(slots)]
        text, spans = joined_lines([step for _, step in ordered])
        document = Document(
            name=f"{name}#{script}",
            format="descript",
            text=text,
            scenario=sets[0].scenario,
            passages=[Passage(kind=PassageKind.STEP, start=start, end=end) for start, end in spans],
        )
        documents.append(document)
        for (number, step), (start, _) in zip(ordered, spans, strict=True):
            if not sets[number].event.startswith(_LEFT_OUT):
                steps.append(_Step(number, document.name, start, step))
    return documents, steps


def _sub_events(documents: Sequence[Document]) -> dict[tuple[str, int], str]:
    """The sub-event of the first event in each step, by the name of the document and the start of the step."""
    with tempfile.TemporaryDirectory() as directory:
        build_graph(output=directory, texts=documents, extractors=["labels", "sentences", "events"])
        graph = ScriptGraph.open(directory)
        names = {row["id"]: row["name"] for row in graph.rows("Source")}
        mentions = {row["id"]: row for row in graph.rows("Passage")}
        starts = {item.name: [passage.start for passage in item.passages] for item in documents}
        first: dict[tuple[str, int], tuple[int, str]] = {}
        for row in graph.rows("REALIZES"):
            mention = mentions[row["from_id"]]
            name = names[mention["source"]]
            step = starts[name][bisect_right(starts[name], mention["start"]) - 1]
            candidate = (mention["start"], row["to_id"])
            first[name, step] = min(candidate, first.get((name, step), candidate))
    return {place: sub_event for place, (_, sub_event) in first.items()}
