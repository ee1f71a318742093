"""The scores of models on a small sample that ships: they show whether the predictions of a model have changed.

The 16 pairs with their labels, the 8 steps with their state changes and the 4 documents with their scenarios were
written for this project (`data/README.md`). They are too few and too easy to measure the quality of a model. Tools are
those of the events for development.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from kgscripts.corpora.grouped_steps import read_descriptions
from kgscripts.corpora.openpi.reading import read_openpi
from kgscripts.corpora.pairs.cloze_items import blank_words, cloze_items
from kgscripts.corpora.pairs.gold_alignments import read_gold_alignments
from kgscripts.corpora.pairs.loading import load_pairs
from kgscripts.corpora.scenarios.documents import read_scenario_documents
from kgscripts.evaluation.alignment.accuracy import evaluate_alignments, sample_of_anchors
from kgscripts.evaluation.alignment.models import open_alignment_model
from kgscripts.evaluation.changes.answers import predict_changes
from kgscripts.evaluation.changes.report import evaluate_changes
from kgscripts.evaluation.cloze.filling import Candidates
from kgscripts.evaluation.cloze.task import evaluate_cloze
from kgscripts.evaluation.scenarios.detection import evaluate_scenarios
from kgscripts.evaluation.scenarios.predictions import predict
from kgscripts.evaluation.steps.gold import grouped_scenarios
from kgscripts.evaluation.steps.merging import score_scenarios
from kgscripts.evaluation.tools.predicted import benchmark_scores, evaluate_ranker, tool_events
from kgscripts.models.alignment.aligner import Aligner
from kgscripts.models.changes.protocol import ChangeModel
from kgscripts.models.registry import load_with_task
from kgscripts.models.scenarios.protocol import ScenarioModel
from schemas.provenance import BenchmarkScore, Exposure

_SPLIT = "slice"
_EXPOSURE = Exposure.DEVELOPMENT
"""Every change of a model is checked on it."""


def slice_scores(name_or_directory: str | Path) -> list[BenchmarkScore]:
    """The scores of a model on the sample of its task: a model that ships, or a checkpoint directory.

    Raises ModelError if there is no such model.
    """
    folder = Path(str(resources.files("kgscripts.evaluation") / "data"))
    task, model = load_with_task(name_or_directory)
    if task == "state-changes":
        return _change_scores(model, folder / "slice.changes.jsonl")
    if task == "scenarios":
        return _scenario_scores(model, folder / "slice.scenarios.jsonl")
    if task == "steps":
        scenarios = grouped_scenarios(read_descriptions((folder / "slice.steps.txt").read_text(encoding="utf-8")))
        return score_scenarios(scenarios, lambda _: model).benchmark_scores("slice.steps.txt", _SPLIT, _EXPOSURE)
    if task == "tools":
        events = tool_events("development")
        return benchmark_scores(evaluate_ranker(model, events), _SPLIT, _EXPOSURE)
    templates = folder / "slice.template.tsv"
    pairs = load_pairs([templates]).pairs
    if not isinstance(model, Aligner):
        candidates = Candidates(blank_words(cloze_items(pairs)))
        return list(evaluate_cloze(model, pairs, candidates).benchmark_scores(templates.name, _SPLIT, _EXPOSURE))
    gold = read_gold_alignments(folder / "slice.gold.jsonl", pairs)
    scores = []
    for name in (name_or_directory, f"{name_or_directory}-free"):
        align = open_alignment_model(str(name), [])
        result = evaluate_alignments(model.model.name, align, gold, pairs, sample_of_anchors(pairs))
        scores += result.benchmark_scores(templates.name, _SPLIT, _EXPOSURE)
    return scores


def _change_scores(model: ChangeModel, path: Path) -> list[BenchmarkScore]:
    steps = read_openpi(path)
    predictions = predict_changes(model, steps, on_steps=lambda _: None)
    gold = {step.id: [answer.sentence for answer in step.answers] for step in steps}
    return list(evaluate_changes(gold, predictions).benchmark_scores(path.name, _SPLIT, _EXPOSURE))


def _scenario_scores(model: ScenarioModel, path: Path) -> list[BenchmarkScore]:
    documents = read_scenario_documents(path)
    predictions = predict(model, documents, on_documents=lambda _: None)
    return list(evaluate_scenarios(documents, predictions).benchmark_scores(path.name, _SPLIT, _EXPOSURE))
