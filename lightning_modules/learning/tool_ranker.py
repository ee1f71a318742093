"""Training of the tool ranker: the bilinear score on all events, its probabilities on events that it had not seen.

The events with their tools are ``data/events.tsv``.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path

import numpy as np
import torch
from attrs import field, frozen, validators
from numpy.typing import NDArray
from torch import Tensor, nn

from kgscripts.models.sentence_vectors import quantised_vectors
from kgscripts.models.tools.ranker import (
    LEAST_PROBABILITY,
    Array,
    Bilinear,
    KnownEvents,
    ToolRanker,
    features,
    projected,
    units,
)
from kgscripts.titles.plain import singular
from kgscripts.typicality.weights import newton
from schemas.errors import InputError
from schemas.input_files import open_input

EVENTS = "events.tsv"
_COLUMNS = ["domain", "events", "tools"]
_SEPARATOR = "; "


@frozen
class EventGroup:
    """Events that are done with the same tools; tools by how usual they are, none for events that need none."""

    domain: str
    events: tuple[str, ...]
    tools: tuple[str, ...]


def shipped_events() -> Path:
    """The file of events that were written for this project."""
    return Path(str(resources.files("lightning_modules.learning") / "data" / EVENTS))


def read_events(path: Path) -> list[EventGroup]:
    """The groups of a file: TSV with the columns domain, events and tools; lists separated by ``; ``, ``-`` for none.

    Raises
    ------
    InputError
        For a file that cannot be read, a row that lacks something, and an event that is listed twice.
    """
    try:
        with open_input(path) as file:
            lines = file.read().decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", where=str(path), remedy="name a TSV file in UTF-8") from error
    rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    if rows[:1] != [_COLUMNS]:
        raise InputError("not the expected columns", where=str(path), remedy=f"begin with {', '.join(_COLUMNS)}")
    known = set[str]()
    return [_group(row, f"{path}:{number}", known) for number, row in enumerate(rows[1:], 2)]


def _group(row: Sequence[str], where: str, known: set[str]) -> EventGroup:
    if len(row) != len(_COLUMNS) or not all(row):
        raise InputError("a row needs a domain, events and tools", where=where, remedy="write - for no tools")
    events = tuple(row[1].split(_SEPARATOR))
    tools = tuple(row[2].split(_SEPARATOR)) if row[2] != "-" else ()
    if twice := sorted({event for event in events if event in known or events.count(event) > 1}):
        raise InputError(f"{twice[0]!r} is listed twice", where=where, remedy="leave one of them out")
    if not all((*events, *tools)) or len(set(tools)) < len(tools):
        raise InputError("an empty entry, or a tool twice", where=where, remedy="separate the entries by '; '")
    known.update(events)
    return EventGroup(row[0], events, tools)


_count = [validators.instance_of(int), validators.ge(1)]


@frozen(kw_only=True)
class RankerSettings:
    """Chosen by cross-validation."""

    size: int = field(default=192, validator=_count)
    """The size of the vectors: the first principal components of MiniLM's."""
    epochs: int = field(default=20, validator=_count)
    batch_size: int = field(default=256, validator=_count)
    learning_rate: float = field(default=2e-3, validator=validators.gt(0.0))
    dropout: float = field(default=0.2, validator=[validators.ge(0.0), validators.lt(1.0)])
    near_start: float = field(default=1e-3, validator=validators.ge(0.0))
    """Weight of the squared distance of the maps, and of the tools, to their initial values."""
    folds: int = field(default=5, validator=[validators.instance_of(int), validators.ge(2)])
    seed: int = 0


@frozen
class HeldOut:
    """Scores on events that were held out: a share of new groups, and of new wordings of known ones."""

    events: int
    answered: float
    precision: float
    hit_at_5: float


@frozen(eq=False)
class Examples:
    """Events and tools as vectors. E events, T tools; the target after the last tool is "no tool"."""

    known: KnownEvents
    tools: Array
    """(T + 1, D): zero for no tool."""
    targets: Array
    """(E, T + 1): the shares of the tools; rows sum to 1."""


def train_ranker(
    groups: Sequence[EventGroup], settings: RankerSettings, report: Callable[[str], None]
) -> tuple[ToolRanker, dict[str, HeldOut]]:
    """Train on all events; the logistic function of the probabilities is fitted to predictions for held-out ones.

    Each fold leaves out whole groups, and single wordings of others. Raises ModelError if MiniLM cannot be found.
    """
    report("vectors")
    examples, projection = _examples(groups, settings.size)
    draw = np.random.default_rng(settings.seed)
    whole = draw.random(len(groups)) < 0.5
    fold_of_group = draw.integers(settings.folds, size=len(groups))
    fold_of_event = draw.integers(settings.folds, size=len(examples.known.group_of))
    group_of = examples.known.group_of
    folds = np.where(whole[group_of], fold_of_group[group_of], fold_of_event)
    values: list[Array] = [np.zeros((0, 0))] * len(group_of)
    for fold in range(settings.folds):
        report(f"fold {fold + 1} of {settings.folds}")
        kept = folds != fold
        bilinear = _fit_bilinear(examples, kept, settings)
        for event in np.flatnonzero(~kept).tolist():
            values[event] = features(examples.known, bilinear, examples.known.vectors[event], kept)
    texts = [event for group in groups for event in group.events]
    judged = [_judged(texts[event], groups[group_of[event]], examples.known.tools) for event in range(len(texts))]
    weights = _fit_logistic(values, judged)
    scores = {
        name: _scores(values, judged, [groups[group].tools != () for group in group_of], weights, part)
        for name, part in (("new events", whole[group_of]), ("new wordings", ~whole[group_of]))
    }
    report("all events")
    bilinear = _fit_bilinear(examples, np.ones(len(group_of), dtype=bool), settings)
    return ToolRanker(examples.known, bilinear, projection, weights), scores


def _examples(groups: Sequence[EventGroup], size: int) -> tuple[Examples, Array]:
    names = tuple(sorted({tool for group in groups for tool in group.tools}))
    place = {name: number for number, name in enumerate(names)}
    texts = [event for group in groups for event in group.events]
    integers, named = quantised_vectors(texts), quantised_vectors(names)
    both = np.concatenate([integers, named]).astype(np.float64)
    _, directions = np.linalg.eigh(both.T @ both)
    # The largest eigenvalues come last.
    projection = np.ascontiguousarray(directions[:, ::-1][:, :size].T)
    known = KnownEvents(
        names,
        tuple(tuple(place[tool] for tool in group.tools) for group in groups),
        np.repeat(np.arange(len(groups)), [len(group.events) for group in groups]),
        projected(integers, projection),
    )
    targets = known.votes[known.group_of]
    tools = np.concatenate([projected(named, projection), np.zeros((1, size))])
    return Examples(known, tools, targets / targets.sum(axis=1, keepdims=True)), projection


def _fit_bilinear(examples: Examples, kept: NDArray[np.bool_], settings: RankerSettings) -> Bilinear:
    """The bilinear score, by the cross-entropy of the tools of the kept events."""
    draw = torch.Generator().manual_seed(settings.seed)
    events = torch.tensor(examples.known.vectors[kept], dtype=torch.float32)
    targets = torch.tensor(examples.targets[kept], dtype=torch.float32)
    tools = torch.tensor(examples.tools, dtype=torch.float32)
    start = torch.eye(settings.size)
    event_map, tool_map = nn.Parameter(start.clone()), nn.Parameter(start.clone())
    tool_offsets, offset = nn.Parameter(torch.zeros_like(tools)), nn.Parameter(torch.zeros(settings.size))
    biases, scale = nn.Parameter(torch.zeros(len(tools))), nn.Parameter(torch.tensor(12.0))
    optimiser = torch.optim.Adam([event_map, tool_map, tool_offsets, offset, biases, scale], lr=settings.learning_rate)
    batches = -(-len(events) // settings.batch_size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, settings.learning_rate, total_steps=settings.epochs * batches
    )

    def dropped(vectors: Tensor) -> Tensor:
        mask = torch.rand(vectors.shape, generator=draw) >= settings.dropout
        return vectors * mask / (1 - settings.dropout)

    for _ in range(settings.epochs):
        for rows in torch.randperm(len(events), generator=draw).split(settings.batch_size):  # type: ignore[no-untyped-call]
            mapped = nn.functional.normalize(dropped(events[rows]) @ event_map.T + offset, dim=1)
            named = nn.functional.normalize(dropped(tools) @ tool_map.T + tool_offsets, dim=1)
            scores = (scale * mapped @ named.T + biases).log_softmax(dim=1)
            distance = ((event_map - start) ** 2).sum() + ((tool_map - start) ** 2).sum() + (tool_offsets**2).sum()
            loss = -(targets[rows] * scores).sum(dim=1).mean()
            loss = loss + settings.near_start * distance + 1e-4 * (biases**2).sum()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule.step()
    with torch.no_grad():
        named = tools @ tool_map.T + tool_offsets
    return Bilinear(
        event_map.detach().double().numpy(),
        offset.detach().double().numpy(),
        units(named.double().numpy()),
        biases.detach().double().numpy(),
        scale.item(),
    )


def _judged(event: str, group: EventGroup, names: Sequence[str]) -> NDArray[np.int8]:
    """For each tool (T,): 1 if the event's list has it, 0 if not, -1 if the event itself names it."""
    right = set(map(singular, group.tools))
    words = f" {event} "
    return np.array(
        [-1 if f" {name} " in words or f" {name}s " in words else singular(name) in right for name in names],
        dtype=np.int8,
    )


def _best(values: Array, judged: NDArray[np.int8], number: int) -> NDArray[np.int64]:
    """The tools with the best sums of both scores, before there is a logistic function."""
    ranked = np.argsort(-(values[:, 0] + values[:, 1]), kind="stable")
    return ranked[judged[ranked] >= 0][:number]


def _fit_logistic(values: Sequence[Array], judged: Sequence[NDArray[np.int8]]) -> Array:
    """Weights and constant of the logistic function, by maximum likelihood on the 30 best tools of each event."""
    chosen = [_best(value, truth, 30) for value, truth in zip(values, judged, strict=True)]
    x = np.concatenate([value[rows] for value, rows in zip(values, chosen, strict=True)])
    y = np.concatenate([truth[rows] for truth, rows in zip(judged, chosen, strict=True)]).astype(np.float64)
    return newton(np.concatenate([x, np.ones((len(x), 1))], axis=1), y, 1e-3)


def _scores(
    values: Sequence[Array],
    judged: Sequence[NDArray[np.int8]],
    needed: Sequence[bool],
    weights: Array,
    part: NDArray[np.bool_],
) -> HeldOut:
    answered = right = hits = 0
    rows = np.flatnonzero(part).tolist()
    for row in rows:
        scores = values[row] @ weights[:-1] + weights[-1]
        ranked = np.argsort(-scores, kind="stable")
        ranked = ranked[judged[row][ranked] >= 0]
        # These are log odds.
        answers = scores[ranked[0]] >= np.log(LEAST_PROBABILITY / (1 - LEAST_PROBABILITY))
        answered += bool(answers)
        right += bool(answers and judged[row][ranked[0]] == 1)
        hits += bool((judged[row][ranked[:5]] == 1).any())
    with_tools = sum(needed[row] for row in rows)
    return HeldOut(len(rows), answered / len(rows), right / max(answered, 1), hits / max(with_tools, 1))
