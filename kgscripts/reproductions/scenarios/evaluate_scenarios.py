"""`kgscripts evaluate scenarios`: the scores of detected scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscripts.commands.options import AsJson, AttachAs, Examples, PredictionsOut, ScoresFile, SplitName
from schemas.output_files import check_outputs, write_lines
from schemas.terminal import json_text, progress_bar

if TYPE_CHECKING:
    from kgscripts.models.scenarios.protocol import ScenarioModel
    from schemas.scenario_documents import LabelledSegment, ScenarioDocument


class Features(StrEnum):
    """What the classifier of the published model reads (section 4)."""

    TFIDF = "tfidf"
    LDA = "lda"
    EMBEDDING = "embedding"


def scenarios(
    gold: Annotated[
        Path, typer.Option(metavar="FILE|DIR", help="Documents with gold segments: JSON lines or WebAnno TSV 3.")
    ],
    predictions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Predictions: JSON lines with id and segments.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|DIR",
            help="Or a model that ships (default, topic-tiling, sentence, random, majority), or a checkpoint "
            "directory.",
        ),
    ] = None,
    features: Annotated[
        Features | None,
        typer.Option(help="What the classifier of the published model and its baselines reads.", show_default=False),
    ] = None,
    scenario_list: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Further scenarios for the model and in the gold documents (see `segment`)."),
    ] = None,
    split: SplitName = None,
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    predictions_out: PredictionsOut = None,
    attach_as: AttachAs = None,
) -> None:
    """Evaluate detected scenarios: labels of sentences, boundaries, and which scenarios are confused.

    A sentence with n gold labels is compared with the first n predicted ones (Wanzare, Roth and Pinkal 2019, section
    5.1). P_k and WindowDiff are probabilities of an error at a boundary. The published scores are printed beside ours.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.models.registry import find_checkpoint
    from kgscripts.models.scenarios.list import read_scenario_list, with_added
    from kgscripts.reproductions.scenarios.detection import evaluate_scenarios
    from kgscripts.reproductions.scenarios.documents import read_scenario_documents
    from kgscripts.reproductions.scenarios.predictions import prediction_line, read_predictions

    if (predictions is None) == (model is None):
        raise typer.BadParameter("give either --predictions or --model", param_hint="--predictions")
    if model is None and (attach_as or features):
        raise typer.BadParameter("needs --model", param_hint="--attach-as" if attach_as else "--features")
    if attach_as and scenario_list:
        raise typer.BadParameter("not with --scenario-list: cards have scores without", param_hint="--attach-as")
    if attach_as and features:
        raise typer.BadParameter("not with --features: cards have default scores", param_hint="--attach-as")
    checkpoint = model and (model.partition(":")[2] or model)
    check_outputs(output, predictions_out, inputs=[gold, predictions, scenario_list, checkpoint])
    places = {model: find_checkpoint(model, "scenarios")} if model and attach_as else {}
    added = [] if scenario_list is None else read_scenario_list(scenario_list)
    documents = read_scenario_documents(gold, others=[scenario.name for scenario in added])
    on_gold = None
    if model is not None:
        loaded = _load(model, features)
        name = loaded.model.name
        predicted, on_gold = _predict(with_added(loaded, added), documents)
    else:
        assert predictions is not None
        name = predictions.name
        predicted = read_predictions(predictions)
    found = evaluate_scenarios(
        documents,
        predicted,
        on_gold,
        dataset=gold.absolute().name,
        split=split or gold.absolute().name.split(".")[0],
        system=name,
        setting=features or "",
        source=model or "",
    )
    if predictions_out is not None:
        lines = (prediction_line(document.id, predicted[document.id]) for document in documents)
        write_lines(predictions_out, (json_text(line, indent=None) for line in lines))
    finish(
        [found],
        places=places,
        attach_as=attach_as,
        output=output,
        as_json=as_json,
        examples=examples,
    )


def _load(name: str, features: Features | None) -> ScenarioModel:
    from kgscripts.models.registry import load
    from kgscripts.models.scenarios.protocol import FeatureChoice
    from schemas.errors import ConfigurationError

    model: ScenarioModel = load("scenarios", name)
    if features is None:
        return model
    if not isinstance(model, FeatureChoice):
        remedy = "leave out --features, or name topic-tiling, sentence or random with --model"
        raise ConfigurationError("this model has no choice of features", where=name, remedy=remedy)
    return model.with_features(features)


def _predict(
    model: ScenarioModel, documents: Sequence[ScenarioDocument]
) -> tuple[dict[str, list[LabelledSegment]], dict[str, list[LabelledSegment]] | None]:
    """The predictions of a model, and its labels of the gold segments if it can label given segments."""
    from kgscripts.models.scenarios.protocol import SegmentLabeller
    from kgscripts.reproductions.scenarios.predictions import predict, predict_on_gold

    with progress_bar() as progress:
        task = progress.add_task("detecting", total=len(documents))
        predicted = predict(model, documents, on_documents=partial(progress.advance, task))
        return predicted, predict_on_gold(model, documents) if isinstance(model, SegmentLabeller) else None
