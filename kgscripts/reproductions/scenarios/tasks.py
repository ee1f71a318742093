"""The evaluation tasks of detected scenarios: labels and boundaries, their confidence, and the events of a graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscripts.commands.options import PredictionsOut, SplitName
from kgscripts.evaluation.registry import Benchmark, Report, evaluation_task, named, of_checkpoint, quiet
from kgscripts.evaluation.result import Evaluation
from schemas.output_files import write_lines
from schemas.provenance import Exposure
from schemas.terminal import json_text

if TYPE_CHECKING:
    from kgscripts.models.scenarios.protocol import ScenarioModel
    from kgscripts.reproductions.scenarios.predictions import Predictions
    from schemas.scenario_documents import ScenarioDocument

_SEED, _DOCUMENTS = 1, 12
"""Seed and number of the documents that are merged of labelled stories, those that the shipped models were tuned on."""

Gold = Annotated[
    Path, typer.Option(metavar="FILE|DIR", help="Documents with gold segments: JSON lines or WebAnno TSV 3.")
]


def _called(gold: Path, split: str | None) -> dict[str, str]:
    """What the documents of a file or folder are called."""
    dataset = gold.absolute().name
    return {"dataset": dataset, "split": split or dataset.split(".")[0]}


def _predicted(
    model: ScenarioModel, documents: Sequence[ScenarioDocument], report: Report
) -> tuple[Predictions, Predictions | None]:
    """The predictions of a model, and its labels of the gold segments if it can label given segments."""
    from kgscripts.models.scenarios.protocol import SegmentLabeller
    from kgscripts.reproductions.scenarios.predictions import predict, predict_on_gold

    report(description="detecting", total=len(documents))
    predicted = predict(model, documents, on_documents=lambda count: report(advance=count))
    return predicted, predict_on_gold(model, documents) if isinstance(model, SegmentLabeller) else None


def _read(model: str | None, **options: object) -> Iterator[str | Path]:
    """Behind the name of a baseline there may be a checkpoint."""
    return named(model=model and (model.partition(":")[2] or model), **options)


def _place(source: str, scenario_list: Path | None = None, **_: object) -> Path:
    if scenario_list:
        raise typer.BadParameter("not with --scenario-list: cards have scores without", param_hint="--attach-as")
    return of_checkpoint("scenarios")(source)


def merged_stories(stories: Path, filler: Path) -> list[ScenarioDocument]:
    """The documents of labelled stories of MCScript on which the models of scenarios that ship were tuned."""
    from kgscripts.reproductions.scenarios.documents import labelled_stories
    from kgscripts.reproductions.scenarios.merging import merge_documents, read_filler, story_parts
    from schemas.scenario_documents import concept_scheme, linked_scenarios

    parts = story_parts(
        labelled_stories(stories), seed=_SEED, withheld=0, linked=linked_scenarios(), filler=read_filler(filler)
    )
    used, withheld = parts.part("all")
    return merge_documents(
        used,
        seed=_SEED,
        documents=_DOCUMENTS,
        filler=withheld,
        broader={concept.label: concept.broader for concept in concept_scheme()},
    )


def _on_merged_stories(stories: Path, filler: Path, *, model: str) -> list[Evaluation]:
    from kgscripts.models.registry import load
    from kgscripts.reproductions.scenarios.detection import evaluate_scenarios

    documents = merged_stories(stories, filler)
    both = _predicted(load("scenarios", model), documents, quiet)
    dataset, split = "MCScript, merged", "development"
    return [evaluate_scenarios(documents, *both, dataset=dataset, split=split, system=model, source=model)]


@evaluation_task(
    "--gold documents.jsonl --model default",
    inputs=_read,
    place=_place,
    benchmarks=[
        Benchmark(
            f"scenarios: {name}",
            {"stories": "mcscript/labelled-data.xml", "filler": "inscript/val"},
            {"model": name},
            _on_merged_stories,
            Exposure.DEVELOPMENT,
        )
        for name in ("scenarios", "scenarios-topic-tiling")
    ],
)
def scenarios(
    gold: Gold,
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
    scenario_list: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Further scenarios for the model and in the gold documents (see `segment`)."),
    ] = None,
    split: SplitName = None,
    predictions_out: PredictionsOut = None,
    report: Report = quiet,
) -> list[Evaluation]:
    """Evaluate detected scenarios: labels of sentences, boundaries, and which scenarios are confused.

    A sentence with n gold labels is compared with the first n predicted ones (Wanzare, Roth and Pinkal 2019, section
    5.1). P_k and WindowDiff are probabilities of an error at a boundary. The published scores are printed beside ours.
    """
    from kgscripts.models.registry import load
    from kgscripts.models.scenarios.list import read_scenario_list, with_added
    from kgscripts.reproductions.scenarios.detection import evaluate_scenarios
    from kgscripts.reproductions.scenarios.documents import read_scenario_documents, segments_record
    from kgscripts.reproductions.scenarios.predictions import read_predictions

    if (predictions is None) == (model is None):
        raise typer.BadParameter("give either --predictions or --model", param_hint="--predictions")
    added = [] if scenario_list is None else read_scenario_list(scenario_list)
    documents = read_scenario_documents(gold, others=[scenario.name for scenario in added])
    on_gold: Predictions | None = None
    if model is not None:
        loaded = load("scenarios", model)
        name = loaded.model.name
        predicted, on_gold = _predicted(with_added(loaded, added), documents, report)
    else:
        assert predictions is not None
        name, predicted = predictions.name, read_predictions(predictions)
    evaluation = evaluate_scenarios(
        documents, predicted, on_gold, **_called(gold, split), system=name, source=model or ""
    )
    if predictions_out is not None:
        records = (segments_record(document.id, predicted[document.id]) for document in documents)
        write_lines(predictions_out, (json_text(record, indent=None) for record in records))
    return [evaluation]


@evaluation_task("--gold documents.jsonl --model default", place=of_checkpoint("scenarios"))
def scenario_confidence(
    gold: Gold,
    model: Annotated[
        str, typer.Option(metavar="NAME|DIR", help="A detector: the one that ships (default), or a checkpoint.")
    ] = "default",
    split: SplitName = None,
) -> list[Evaluation]:
    """Evaluate the confidence of detected scenarios, and the floor below which a segment has none.

    Each document is taken as it is, and as if its scenarios were not listed: then all that is found in it is wrong.
    `kgscripts train scenario-calibration` chooses the floor of a detector.
    """
    from kgscripts.models.scenarios.detector import load_detector
    from kgscripts.reproductions.scenarios.confidence import evaluate_confidence
    from kgscripts.reproductions.scenarios.documents import read_scenario_documents

    documents = read_scenario_documents(gold)
    return [evaluate_confidence(documents, load_detector(model), **_called(gold, split), source=model)]


@evaluation_task("--gold documents.jsonl --model default", place=of_checkpoint("scenarios"))
def scenario_mentions(
    gold: Gold,
    model: Annotated[
        str, typer.Option(metavar="NAME|DIR", help="A model that ships (default, topic-tiling), or a checkpoint.")
    ] = "default",
    beside: Annotated[
        Path | None,
        typer.Option(metavar="FILE|DIR", help="How-tos whose titles are offered to the documents in another graph."),
    ] = None,
    split: SplitName = None,
) -> list[Evaluation]:
    """Evaluate the scenarios of event mentions: with detection, and with one label for the whole of each text.

    Graphs are built of the documents in a temporary folder. A mention is right if it has a scenario that its sentence
    is labelled with: precision is over the mentions with a scenario, recall over those in labelled sentences. The one
    label is the gold one of most sentences.
    """
    from kgscripts.corpora.scenarios.labels import scenario_of
    from kgscripts.models.registry import load
    from kgscripts.reproductions.scenarios.documents import read_scenario_documents, story_documents
    from kgscripts.reproductions.scenarios.mentions import evaluate_mentions

    labels = [] if beside is None else [scenario_of(document) for document in story_documents(beside)]
    documents = read_scenario_documents(gold, others=list(filter(None, labels)))
    evaluation = evaluate_mentions(
        documents, load("scenarios", model), **_called(gold, split), source=model, beside=beside
    )
    return [evaluation]
