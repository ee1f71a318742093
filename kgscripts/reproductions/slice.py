"""The scores of models on a small sample that ships: they show whether the predictions of a model have changed.

The 16 pairs with their labels, the 8 steps with their state changes and the 4 documents with their scenarios were
written for this project (`data/README.md`). They are too few and too easy to measure the quality of a model. Tools are
those of the events for development. All of it is development data: every change of a model is checked on it.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

from attrs import evolve

from kgscripts.corpora.grouped_steps import read_descriptions
from kgscripts.evaluation.result import Evaluation
from kgscripts.evaluation.steps.gold import grouped_scenarios
from kgscripts.evaluation.steps.merging import score_scenarios
from kgscripts.evaluation.tools.predicted import evaluate_predicted_tools
from kgscripts.models.alignment.aligner import Aligner
from kgscripts.models.changes.protocol import ChangeModel
from kgscripts.models.checkpoint import SLICE
from kgscripts.models.registry import load_with_task
from kgscripts.models.scenarios.protocol import ScenarioModel
from kgscripts.reproductions.kidscook.alignments.files import evaluate_alignment_files
from kgscripts.reproductions.kidscook.cloze.files import evaluate_cloze_files
from kgscripts.reproductions.openpi.answers import predict_changes
from kgscripts.reproductions.openpi.predicted import evaluate_changes
from kgscripts.reproductions.openpi.reading import read_openpi
from kgscripts.reproductions.scenarios.detection import evaluate_scenarios
from kgscripts.reproductions.scenarios.documents import read_scenario_documents
from kgscripts.reproductions.scenarios.predictions import predict
from schemas.provenance import Exposure


def evaluate_on_slice(name_or_directory: str | Path) -> list[Evaluation]:
    """Evaluate a model on the sample of its task: a model that ships, or a checkpoint directory.

    Raises ModelError if there is no such model.
    """
    folder = Path(str(resources.files("kgscripts.evaluation") / "data"))
    task, model = load_with_task(name_or_directory)
    name = str(name_or_directory)
    return [
        evolve(
            item,
            split=SLICE,
            exposure=Exposure.DEVELOPMENT,
            systems=[evolve(system, source=name) for system in item.models],
        )
        for item in _evaluate(name, task, model, folder)
    ]


def _evaluate(name: str, task: str, model: Any, folder: Path) -> list[Evaluation]:
    if task == "state-changes":
        return [_changes(model, folder / "slice.changes.jsonl")]
    if task == "scenarios":
        return [_scenarios(model, folder / "slice.scenarios.jsonl")]
    if task == "steps":
        path = folder / "slice.steps.txt"
        scenarios = grouped_scenarios(read_descriptions(path.read_text(encoding="utf-8")))
        return [score_scenarios(scenarios, lambda _: model, dataset=path.name, split=SLICE)]
    if task == "tools":
        return [evaluate_predicted_tools(model, "development")]
    templates = folder / "slice.template.tsv"
    if isinstance(model, Aligner):
        return [evaluate_alignment_files([name, f"{name}-free"], folder / "slice.gold.jsonl", templates)]
    return [evaluate_cloze_files([name], templates)]


def _changes(model: ChangeModel, path: Path) -> Evaluation:
    steps = read_openpi(path)
    predictions = predict_changes(model, steps, on_steps=lambda _: None)
    gold = {step.id: [answer.sentence for answer in step.answers] for step in steps}
    return evaluate_changes(gold, predictions, dataset=path.name, split=SLICE)


def _scenarios(model: ScenarioModel, path: Path) -> Evaluation:
    documents = read_scenario_documents(path)
    predictions = predict(model, documents, on_documents=lambda _: None)
    return evaluate_scenarios(documents, predictions, dataset=path.name, split=SLICE)
