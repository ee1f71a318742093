"""The evaluation task of the slice: whether the predictions of models have changed.

The 16 pairs with their labels, the 8 steps with their state changes, the 8 passages with their events and the 4
documents with their scenarios were written for this project (`kgscripts/evaluation/data/README.md`). They are too few
and too easy to measure the quality of a model. Tools and changes are those of the lists for development. All of it is
development data: every change of a model is checked on it.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated, Any

import typer
from attrs import evolve

from kgscripts.evaluation.registry import evaluation_task, of_checkpoint
from kgscripts.evaluation.result import Evaluation
from kgscripts.models.checkpoint import SLICE
from schemas.provenance import Exposure


@evaluation_task("--model masked", name="slice", place=of_checkpoint())
def small_slice(
    model: Annotated[list[str], typer.Option(metavar="NAME|DIR", help="A model that ships or a checkpoint directory.")],
) -> list[Evaluation]:
    """Scores of models on a small sample that ships, to compare with those on the model card."""
    return [evaluation for name in model for evaluation in evaluate_on_slice(name)]


def evaluate_on_slice(name_or_directory: str | Path) -> list[Evaluation]:
    """Evaluate a model on the sample of its task: a model that ships, or a checkpoint directory.

    Raises ModelError if there is no such model.
    """
    from kgscripts.models.registry import load_with_task

    task, model = load_with_task(name_or_directory)
    name = str(name_or_directory)
    evaluation = _evaluate(name, task, model, Path(str(resources.files("kgscripts.evaluation") / "data")))
    systems = [evolve(system, source=name) for system in evaluation.models]
    return [evolve(evaluation, split=SLICE, exposure=Exposure.DEVELOPMENT, systems=systems)]


def _evaluate(name: str, task: str, model: Any, folder: Path) -> Evaluation:
    if task == "state-changes":
        from kgscripts.reproductions.openpi.answers import predict_changes
        from kgscripts.reproductions.openpi.predicted import evaluate_changes
        from kgscripts.reproductions.openpi.reading import read_openpi

        path = folder / "slice.changes.jsonl"
        steps = read_openpi(path)
        gold = {step.id: [answer.sentence for answer in step.answers] for step in steps}
        predicted = predict_changes(model, steps, on_steps=lambda _: None)
        return evaluate_changes(gold, predicted, dataset=path.name, split=SLICE)
    if task == "scenarios":
        from kgscripts.reproductions.scenarios.detection import evaluate_scenarios
        from kgscripts.reproductions.scenarios.documents import read_scenario_documents
        from kgscripts.reproductions.scenarios.predictions import predict

        path = folder / "slice.scenarios.jsonl"
        documents = read_scenario_documents(path)
        segments = predict(model, documents, on_documents=lambda _: None)
        return evaluate_scenarios(documents, segments, dataset=path.name, split=SLICE)
    if task == "steps":
        from kgscripts.reproductions.corpora.grouped_steps import read_descriptions
        from kgscripts.reproductions.steps.gold import grouped_scenarios
        from kgscripts.reproductions.steps.merging import score_scenarios

        path = folder / "slice.steps.txt"
        scenarios = grouped_scenarios(read_descriptions(path.read_text(encoding="utf-8")))
        return score_scenarios(scenarios, lambda _: model, dataset=path.name, split=SLICE)
    if task == "reader":
        from kgscripts.reproductions.events.labelled_passages import evaluate_reader

        return evaluate_reader(model, name, folder / "slice.passages.txt")
    if task == "changes":
        from kgscripts.evaluation.step_changes import evaluate_step_changes

        return evaluate_step_changes(name, "development")
    if task == "tools":
        from kgscripts.evaluation.tools import evaluate_predicted_tools

        return evaluate_predicted_tools(model, "development")
    templates = folder / "slice.template.tsv"
    if task == "alignment":
        from kgscripts.reproductions.kidscook.alignments.files import evaluate_alignment_files

        return evaluate_alignment_files([name, f"{name}-free"], folder / "slice.gold.jsonl", templates)
    from kgscripts.reproductions.kidscook.cloze.files import evaluate_cloze_files

    return evaluate_cloze_files([name], templates)
