"""Abstract events, the concrete steps that they decompose into, and their tools, from the alignment of a pair.

The events are the `EventMention` records of both sides. A concrete event belongs to the abstract event that
`kgscripts.extractors.decomposition.ownership` finds. A tool of the concrete event that the abstract side does not name
is a tool of that abstract event (KidsCook, section 3), unless it only serves a step before or after it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Protocol

from attrs import define, evolve, field, frozen

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.extractors.decomposition.aligned_events import Side, read_sides
from kgscripts.extractors.decomposition.ownership import Owner, is_taking, owner_of, says_something
from kgscripts.extractors.protocol import PARSE, Extractor, ParsedDocument
from kgscripts.models.alignment.aligner import PairAligner
from kgscripts.models.alignment.lattice import Alignment
from kgscripts.models.alignment.words import is_content_word
from kgscripts.models.registry import describe, load
from kgscripts.settings import device_setting, model_setting
from kgscripts.text.lexicon import is_a, is_tool_after, role_of, verbs, word_list, word_list_digests
from kgscripts.text.verb_objects import verb_objects_digest
from schemas.provenance import Model
from schemas.records import (
    Action,
    AlignedPhrase,
    ConcreteStep,
    Decomposition,
    Discard,
    DiscardReason,
    EventMention,
    Record,
    Role,
    Tool,
)

MOST_LINKS = 400_000
"""Pairs with more possible links (abstract times concrete words) are not aligned; the longest of KidsCook has 8,000."""

_LEAST_PROBABILITY = 1e-4
_COLD = word_list("cold places")
_COOLING = word_list("cooling")


class DescribedAligner(PairAligner, Protocol):
    """An aligner with its provenance, as `kgscripts.models.alignment.aligner.Aligner`."""

    model: Model


_TASK = "alignment"


@frozen(kw_only=True)
class DecompositionSettings:
    """The settings of the extractor of decompositions."""

    model: str = model_setting(_TASK, "aligner")
    """The aligner, or a transducer: the name of one that ships, or the directory of a checkpoint."""
    device: str = device_setting()
    """Where its network runs: cpu, cuda, cuda:N or mps."""


@define
class DecompositionExtractor(Extractor):
    """Gives the decompositions and aligned phrases of documents with an abstract and a concrete side, and no others.

    The aligner of the settings is loaded for the first pair, unless one is given.
    """

    name = "decompositions"
    rules = "3"
    task = "decomposition of abstract events"
    requires = (PARSE, EventMention)
    gives = (Decomposition, AlignedPhrase, Discard)
    cost = "aligner (MiniLM encoder), for pairs only"
    licence = "Apache-2.0"

    aligner: DescribedAligner | None = None
    settings: DecompositionSettings = field(factory=DecompositionSettings, kw_only=True)
    _loaded: PairAligner | None = field(default=None, init=False)

    @property
    def data(self) -> Mapping[str, str]:
        """See `Extractor`."""
        return {**word_list_digests(), "verb_objects.tsv": verb_objects_digest()}

    @property
    def networks(self) -> tuple[Model, ...]:
        """The aligner."""
        return (self.aligner.model if self.aligner is not None else describe(self.settings.model, _TASK),)

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        """See `Extractor`."""
        readings: list[Sequence[Record]] = [[] for _ in documents]
        pairs: list[tuple[int, Side, Side]] = []
        for number, document in enumerate(documents):
            sides = read_sides(document)
            if sides is None:
                continue
            abstract, concrete = sides
            if len(abstract.words) * len(concrete.words) > MOST_LINKS:
                readings[number] = [_too_long(abstract, concrete)]
            else:
                pairs.append((number, abstract, concrete))
        if pairs:
            if self._loaded is None:
                self._loaded = self.aligner or load(_TASK, self.settings.model, self.settings.device)
            words = [Pair(abstract=abstract.texts, concrete=concrete.texts) for _, abstract, concrete in pairs]
            for (number, abstract, concrete), alignment in zip(pairs, self._loaded.align(words), strict=True):
                readings[number] = [
                    *decompositions(abstract, concrete, alignment),
                    *phrases(abstract, concrete, alignment),
                ]
        return readings


def _too_long(abstract: Side, concrete: Side) -> Discard:
    return Discard(
        reason=DiscardReason.TOO_LONG,
        start=abstract.words[0].start,
        end=concrete.words[-1].end,
        detail=f"{len(abstract.words)} abstract and {len(concrete.words)} concrete words are too many to align",
    )


def decompositions(abstract: Side, concrete: Side, alignment: Alignment) -> Iterator[Decomposition]:
    """The abstract events of a pair that have concrete steps, each with its steps in text order."""
    steps: dict[EventMention, list[ConcreteStep]] = {
        mention: [] for event in abstract.events for mention in event.mentions
    }
    following: Owner | None = None
    # Taking a thing belongs to what is done with it, which is told later.
    for event in reversed(concrete.events):
        owners = []
        for mention in event.mentions:
            owner = owner_of(abstract, concrete, mention, concrete.words_of(event, mention), alignment)
            if is_taking(mention.action):
                owner = following
            else:
                owners.append(owner)
            if owner is not None and (_tools(mention) or says_something(mention.action)):
                _add(steps, owner, mention, abstract)
        following = next(iter(owners), following)
    for mention, of_event in steps.items():
        if of_event:
            of_event.sort(key=lambda step: (step.start, step.end, step.action.key))
            if len(of_event) > 1:
                of_event[-1] = _without_goal(of_event[-1], mention.action)
            yield Decomposition(action=mention.action, start=mention.start, end=mention.end, steps=of_event)


def _add(steps: dict[EventMention, list[ConcreteStep]], owner: Owner, mention: EventMention, abstract: Side) -> None:
    unnamed = [tool for tool in _tools(mention) if tool.lemma.rsplit(" ", 1)[-1] not in abstract.nouns]
    step = ConcreteStep(
        action=mention.action,
        start=mention.start,
        end=mention.end,
        log_probability=math.log(max(owner.probability, _LEAST_PROBABILITY)),
    )
    for whole in owner.mentions:
        used = [tool for tool in unnamed if _is_tool_of(whole.action, mention.action, tool.lemma)]
        steps[whole].append(evolve(step, tools=used))


def _tools(step: EventMention) -> list[Tool]:
    """The tools of a concrete step, and the vessel or surface where it puts something: "pour the pasta into a
    colander"."""
    preposition, destination = step.action.preposition, step.action.prepositional_object
    named = [tool for tool in step.tools if not tool.inferred]
    if not is_tool_after(preposition, destination) or destination in {tool.lemma for tool in named}:
        return named
    role = role_of(destination, preposition)
    places = (item for item in step.participants if item.lemma == destination and item.role is Role.PLACE)
    vessels = [Tool(lemma=destination, role=role, start=place.start, end=place.end) for place in places]
    return [*named, *vessels[:1]]


def _is_tool_of(whole: Action, step: Action, tool: str) -> bool:
    """Whether a tool of the step serves the abstract event, and not a step before it.

    Stove and oven are for heating, a fridge is for cooling. Cutting and heating are no part of adding or mixing: they
    are done before.
    """
    if tool in _COLD:
        return whole.predicate in _COOLING
    if is_a(tool, "heat_source"):
        return whole.predicate in verbs("heating")
    if whole.predicate in verbs("placing") | verbs("combining"):
        return step.predicate not in verbs("cutting") | verbs("heating") and not is_a(tool, "cutting_surface")
    return True


def _without_goal(last: ConcreteStep, whole: Action) -> ConcreteStep:
    """The last of several steps without the vessel into which it puts the result: the event was not done with it. A
    strainer stays, since pouring into it is draining.
    """
    if last.action.predicate not in verbs("placing") or whole.predicate in verbs("placing"):
        return last
    kept = [tool for tool in last.tools if is_a(tool.lemma, "filter") or not is_a(tool.lemma, "vessel", "surface")]
    return evolve(last, tools=kept)


def phrases(abstract: Side, concrete: Side, alignment: Alignment) -> Iterator[AlignedPhrase]:
    """The stretches of the concrete side that each abstract word produced, without punctuation around them."""
    for place, run in groupby(range(len(concrete.words)), key=alignment.path.__getitem__):
        spelled = [word for word in run if any(map(str.isalnum, concrete.texts[word]))]
        if not spelled:
            continue
        content = [word for word in spelled if is_content_word(concrete.texts[word])] or spelled
        logs = [math.log(max(alignment.posterior[word], _LEAST_PROBABILITY)) for word in content]
        yield AlignedPhrase(
            word_start=abstract.words[place].start,
            word_end=abstract.words[place].end,
            start=concrete.words[spelled[0]].start,
            end=concrete.words[spelled[-1]].end,
            log_probability=min(0.0, math.fsum(logs) / len(logs)),
        )
