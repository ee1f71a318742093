"""The evaluation tasks of what a graph has, and of what models predict, on lists that ship."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import (
    GraphFolder,
    ListSplit,
    ModelName,
    Split,
)
from kgscripts.evaluation.registry import Benchmark, evaluation_task, of_checkpoint, of_package
from kgscripts.evaluation.result import Evaluation

_LABELS = "labels"
"""The extractor of labels."""


@evaluation_task(
    "--split development",
    place=of_checkpoint("tools"),
    benchmarks=[Benchmark("tools: lists that ship", options={"model": "tools"})],
)
def tools(model: ModelName = "default", split: Split = ListSplit.UNSEEN) -> list[Evaluation]:
    """Evaluate the tools predicted for everyday events, on lists that ship with the package.

    P@1 is the share of the answers whose first tool is right; an answer for an event that needs no tool is wrong.
    Hit@5 is the share of the events that need a tool with a right one among the first five, answered or not.
    """
    from kgscripts.evaluation.tools import evaluate_predicted_tools
    from kgscripts.models.registry import load

    return [evaluate_predicted_tools(load("tools", model), split.value, source=model)]


@evaluation_task("DIR --split development --examples 5")
def search(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A graph of MCScript's texts.", show_default=False)],
    split: Split = ListSplit.UNSEEN,
) -> list[Evaluation]:
    """Evaluate search by words and meaning beside either alone, on questions that ship with the package.

    MRR is the mean reciprocal rank of the first right step, tool or scenario; one after the tenth counts 0.
    """
    from kgscripts.evaluation.search import evaluate_search
    from schemas.script_graph import StoredGraph

    return [evaluate_search(StoredGraph.open(directory), split.value)]


@evaluation_task(
    "--split development --examples 5",
    place=of_checkpoint("changes"),
    benchmarks=[Benchmark("changes: everyday steps")],
)
def step_changes(model: ModelName = "default", split: Split = ListSplit.UNSEEN) -> list[Evaluation]:
    """Evaluate the changes that are read at each level, on everyday steps that ship with the package.

    Recall is the share of the changes that people name, "named" the share of what is read that they name, and
    "non-changes" the share of what does not change that is read. Of 75 steps for development, candidates were judged as
    well: precision is the share of true ones.
    """
    from kgscripts.evaluation.step_changes import evaluate_step_changes

    return [evaluate_step_changes(model, split.value)]


class TitleSplit(StrEnum):
    """The parts of the gold titles."""

    DEVELOPMENT = "development"
    TEST = "test"


@evaluation_task(
    "--split development", place=of_package(_LABELS), benchmarks=[Benchmark("scenario titles: lists that ship")]
)
def scenario_titles(
    split: Annotated[TitleSplit, typer.Option(help="Which of the gold titles.")] = TitleSplit.TEST,
) -> list[Evaluation]:
    """Evaluate which titles of how-tos become one scenario, on titles that ship with the package.

    Precision, recall and F1 are over pairs of titles. A title of a listed scenario is right if it gets its label.
    """
    from kgscripts.evaluation.titles import evaluate_titles

    return [evaluate_titles(split.value, source=_LABELS)]


@evaluation_task("GRAPH --examples 10")
def needs(directory: GraphFolder) -> list[Evaluation]:
    """Evaluate what scenarios need, on lists for everyday activities that ship with the package.

    Recall is the share of the necessary things that the graph has, precision the share of its needs that the lists
    accept. Scenarios that the graph does not have are left out.
    """
    from kgscripts.evaluation.needs import evaluate_needs
    from schemas.script_graph import StoredGraph

    return [evaluate_needs(StoredGraph.open(directory))]
