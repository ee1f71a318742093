"""Tools that a model predicts for abstract steps and that no text names: statements marked as predicted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import evolve, frozen

from kgscripts.assembly.knowledge import Step
from kgscripts.assembly.names import Integers, Nodes
from kgscripts.assembly.relations import Numbers, Relations
from kgscripts.extractors.tool_prediction import predict_tools, words_of
from kgscripts.models.cloze import ClozeModel
from schemas.provenance import Model

MOST_A_STEP = 3
LEAST_PROBABILITY = 0.05


@frozen
class ToolPredictor:
    """A cloze model, and what the graph says of it."""

    cloze_model: ClozeModel
    model: Model


def with_predictions(
    read: Relations,
    abstract: Integers,
    steps: Nodes[Step],
    tools: Sequence[tuple[int, str]],
    predictor: ToolPredictor,
    reader: int,
) -> Relations:
    """The relations step -> tool that were read, and those that the model predicts for the `abstract` steps.

    Candidates are the `tools` (place, name) of the graph that are single words. Of each step at most `MOST_A_STEP` that
    no text names and that have at least `LEAST_PROBABILITY` are predicted; they have no support and no evidence.
    `reader` is the number by which the model goes among the extractors.
    """
    told = set(zip(read.start.tolist(), read.end.tolist(), strict=True))
    place = {name: number for number, name in tools}
    events = [words_of(steps.values[step].smallest) for step in abstract.tolist()]
    found = predict_tools(predictor.cloze_model, events, list(place))
    rows = [
        (step, place[tool.lemma], tool.probability)
        for step, predicted in zip(abstract.tolist(), found, strict=True)
        for tool in [tool for tool in predicted if (step, place[tool.lemma]) not in told][:MOST_A_STEP]
        if tool.probability >= LEAST_PROBABILITY
    ]
    start, end = (np.array([row[side] for row in rows], np.int64) for side in (0, 1))
    return _merged(read, start, end, np.array([row[2] for row in rows], np.float64), reader)


def _merged(read: Relations, start: Integers, end: Integers, probability: Numbers, reader: int) -> Relations:
    """What was read and what is predicted, ascending by both ends."""
    starts, ends = np.concatenate((read.start, start)), np.concatenate((read.end, end))
    order = np.lexsort((ends, starts))
    row = np.empty(len(order), np.int64)
    row[order] = np.arange(len(order))
    none, count = np.full(len(start), np.nan), np.zeros(len(start), np.int64)
    predicted = np.ones(len(start), np.bool_)
    more = {"probability": probability, "pmi": none, "log_probability": none, "predicted": predicted}
    new = row[len(read) :]
    return evolve(
        read,
        start=starts[order],
        end=ends[order],
        support=np.concatenate((read.support, count))[order],
        mentions=np.concatenate((read.mentions, count))[order],
        evidence=(row[read.evidence[0]], read.evidence[1]),
        readers=(
            np.concatenate((row[read.readers[0]], new)),
            np.concatenate((read.readers[1], np.full(len(start), reader, np.int64))),
        ),
        reader_scores=np.concatenate((read.reader_scores, probability)),
        columns={name: np.concatenate((column, more[name]))[order] for name, column in read.columns.items()},
    )
