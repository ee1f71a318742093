"""Ranking the tools of an event by known events with their tools: "change a bicycle tyre" needs a tyre lever.

A bilinear score compares the event with each tool, and the most similar known events vote for theirs. A logistic
function of both is the probability that a person accepts the tool. "No tool" is ranked as one of the tools, so that
events without any are recognised.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from kgscripts.models.checkpoint import Checkpoint, ModelCard, from_checkpoint
from kgscripts.models.encoder import Encoder, shared_minilm
from kgscripts.models.sentence_vectors import quantised_vectors
from kgscripts.models.stored_vectors import SCALE
from schemas.arguments import items_of
from schemas.provenance import Model
from schemas.records import PredictedTool

KIND = "tool-ranker"
STRINGS = "strings.json"
LEAST_PROBABILITY = 0.5
"""The least probability of the first tool to be an answer."""

NEIGHBOURS = 20
TEMPERATURE = 0.1
"""Known events vote with the weight exp(cosine / `TEMPERATURE`)."""
_DECAY = 0.15
"""Tools of a known event are listed by how usual they are; the k-th, from 0, counts 1 / (1 + `_DECAY` k)."""
_INTEGERS = 127
_FEATURES = 5

Array = NDArray[np.float64]
Integers = NDArray[np.int8]


@frozen(eq=False)
class KnownEvents:
    """Events with their tools. D: size of the vectors; the tool after the last one is "no tool"."""

    tools: tuple[str, ...]
    """The names of the T tools."""
    groups: tuple[tuple[int, ...], ...]
    """The tools of each group of events that are worded differently, most usual first; () for no tool."""
    group_of: NDArray[np.int64]
    """(E,): the group of each event."""
    vectors: Array
    """(E, D): unit vectors of the events."""

    @cached_property
    def votes(self) -> Array:
        """(groups, T + 1): the vote of an event of each group for each tool."""
        votes = np.zeros((len(self.groups), len(self.tools) + 1))
        for row, group in enumerate(self.groups):
            votes[row, list(group)] = 1 / (1 + _DECAY * np.arange(len(group)))
            votes[row, -1] = not group
        return votes


@frozen(eq=False)
class Bilinear:
    """The learnt similarity of events and tools: ``scale * cosine(event_map x + offset, tool) + bias``."""

    event_map: Array
    """(D, D)."""
    offset: Array
    """(D,)."""
    tools: Array
    """(T + 1, D): unit vectors."""
    biases: Array
    """(T + 1,)."""
    scale: float

    def log_probabilities(self, vector: Array) -> Array:
        """The score of each tool and of none, (T + 1,), for one event (D,)."""
        mapped = self.event_map @ vector + self.offset
        scores = self.scale * (self.tools @ (mapped / np.linalg.norm(mapped))) + self.biases
        shifted = scores - scores.max()
        return np.asarray(shifted - np.log(np.exp(shifted).sum()))


def features(known: KnownEvents, bilinear: Bilinear, vector: Array, kept: NDArray[np.bool_] | None = None) -> Array:
    """The features of each tool, (T, `_FEATURES`), for one event (D,).

    `kept` (E,) says which of the known events may vote; all by default.
    """
    scores = bilinear.log_probabilities(vector)
    cosines = known.vectors @ vector
    if kept is not None:
        cosines = np.where(kept, cosines, -1.0)
    # Of equal cosines the first event, whichever way numpy sorts.
    nearest = np.lexsort((np.arange(len(cosines)), -cosines))[:NEIGHBOURS]
    weights = np.exp((cosines[nearest] - cosines[nearest[0]]) / TEMPERATURE)
    ballots = known.votes[known.group_of[nearest]]
    shares = weights @ ballots / weights.sum()
    closeness = (cosines[nearest, None] * (ballots > 0)).max(axis=0)
    columns = (
        scores[:-1],
        # Most tools get no vote, of which there is no logarithm.
        np.log(shares[:-1] + 0.01),
        closeness[:-1],
        np.full(len(scores) - 1, scores[-1]),
        np.full(len(scores) - 1, shares[-1]),
    )
    return np.stack(columns, axis=1)


@frozen(eq=False)
class ToolRanker:
    """Ranks tools of events, with the probability that a person accepts them."""

    known: KnownEvents
    bilinear: Bilinear
    projection: Array
    """(D, 384): of MiniLM's vectors."""
    weights: Array
    """(`_FEATURES` + 1,) of the logistic function, the constant last."""
    model: Model | None = field(default=None)
    encoder: Encoder | None = field(default=None)
    """MiniLM on another device than the CPU."""

    def to(self, device: str) -> ToolRanker:
        """The same ranker with MiniLM on another device."""
        return evolve(self, encoder=shared_minilm(device))

    def rank(self, events: Sequence[str], least: float = 0.0) -> list[list[PredictedTool]]:
        """The known tools of each event, best first, without those that its words name: ``rank(["fix a flat tyre"])``.

        Those below the `least` probability are left out. Probabilities are rounded to four decimals; of equal ones the
        first by alphabet comes first. Raises ModelError if MiniLM cannot be found.
        """
        texts = items_of("events", events)
        return [self._rank(event, vector, least) for event, vector in zip(texts, self.vectors(texts), strict=True)]

    def vectors(self, texts: Sequence[str]) -> Array:
        """Unit vectors of texts, (texts, D)."""
        return projected(quantised_vectors(texts, self.encoder), self.projection)

    def _rank(self, event: str, vector: Array, least: float) -> list[PredictedTool]:
        probabilities = self.probabilities(features(self.known, self.bilinear, vector)).round(4)
        words = f" {' '.join(event.lower().split())} "
        likely = [
            (self.known.tools[place], float(probabilities[place]))
            for place in np.flatnonzero(probabilities >= least).tolist()
        ]
        tools = [
            PredictedTool(lemma=name, probability=value)
            for name, value in likely
            if f" {name} " not in words and f" {name}s " not in words
        ]
        return sorted(tools, key=lambda tool: (-tool.probability, tool.lemma))

    def probabilities(self, values: Array) -> Array:
        """The logistic function of features (T, `_FEATURES`)."""
        return np.asarray(1 / (1 + np.exp(-(values @ self.weights[:-1] + self.weights[-1]))))


def projected(vectors: Integers, projection: Array) -> Array:
    """Unit vectors (texts, D) of MiniLM's integer vectors (texts, 384)."""
    return units(vectors.astype(np.float64) @ projection.T / SCALE)


def units(vectors: Array) -> Array:
    """The rows divided by their lengths."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9))


def ranker_checkpoint(ranker: ToolRanker, card: ModelCard) -> Checkpoint:
    """The checkpoint of a ranker; unit vectors are stored as int8 times 127, maps in half precision."""

    def integers(vectors: Array) -> Integers:
        # Components of unit vectors in some 200 dimensions are small.
        largest = np.abs(vectors).max(axis=1, keepdims=True)
        return np.asarray((vectors / largest * _INTEGERS).round(), dtype=np.int8)

    known, bilinear = ranker.known, ranker.bilinear
    sizes = [len(group) for group in known.groups]
    return Checkpoint(
        kind=KIND,
        settings={"scale": bilinear.scale},
        tensors={
            "events": integers(known.vectors),
            "group_of": known.group_of.astype(np.int32),
            "group_sizes": np.array(sizes, dtype=np.int32),
            "group_tools": np.array([tool for group in known.groups for tool in group], dtype=np.int32),
            "tools": integers(bilinear.tools),
            "biases": bilinear.biases.astype(np.float32),
            "event_map": bilinear.event_map.astype(np.float16),
            "offset": bilinear.offset.astype(np.float32),
            "projection": ranker.projection.astype(np.float16),
            "weights": ranker.weights.astype(np.float64),
        },
        card=card,
        files={STRINGS: (json.dumps({"tools": known.tools}, indent=0) + "\n").encode()},
    )


@from_checkpoint
def tool_ranker(checkpoint: Checkpoint) -> ToolRanker:
    """The ranker of a checkpoint. Raises ModelError if its parts do not fit together."""
    tensors = checkpoint.tensors
    names = tuple(checkpoint.json(STRINGS)["tools"])
    numbers = {name: tensors[name].astype(np.float64) for name in tensors}
    sizes, group_of = tensors["group_sizes"].tolist(), tensors["group_of"].astype(np.int64)
    ends = np.cumsum([0, *sizes])
    flat = tensors["group_tools"].tolist()
    events, tools, event_map = units(numbers["events"]), units(numbers["tools"]), numbers["event_map"]
    size = event_map.shape[0]
    fits = (
        all(isinstance(name, str) for name in names)
        and len(set(names)) == len(names)
        and min(sizes, default=0) >= 0
        and ends[-1] == len(flat)
        and all(0 <= tool < len(names) for tool in flat)
        and group_of.shape == (len(events),)
        and all(0 <= group < len(sizes) for group in group_of.tolist())
        and len(events) >= NEIGHBOURS
        and tools.shape == (len(names) + 1, size)
        and events.shape[1] == size
        and event_map.shape == (size, size)
        and numbers["projection"].shape[0] == size
        and numbers["offset"].shape == (size,)
        and numbers["biases"].shape == (len(names) + 1,)
        and numbers["weights"].shape == (_FEATURES + 1,)
    )
    if not fits:
        raise ValueError("tensors or names of sizes that differ")
    groups = tuple(tuple(flat[start:end]) for start, end in pairwise(ends.tolist()))
    return ToolRanker(
        KnownEvents(names, groups, group_of, events),
        Bilinear(event_map, numbers["offset"], tools, numbers["biases"], float(checkpoint.settings["scale"])),
        numbers["projection"],
        numbers["weights"],
        checkpoint.model,
    )
