"""State changes of a few texts counted the plain way: what assembly must find."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

from attrs import field, frozen

from kgscripts.changes.attributes import agree, leading_attribute
from kgscripts.extractors.protocol import Extractor, ParsedDocument
from schemas.changes import Level
from schemas.records import Document, PassageKind, Record, Sentence, StateChange
from tests.assembly.oracle import Row, Texts, merged, share, support

Change = tuple[str, str, str, str]
"""Attribute, entity, before, after."""
Spot = tuple[str, int, int, str, Change]
"""Document, span and kind of the passage, and what changes there."""


@frozen
class Changes:
    """Instances with number of the step, whether presupposed, probability and level; and what refers to nothing."""

    instances: dict[Spot, tuple[int, bool, float, Level]]
    unplaced: int
    of_mention: dict[tuple[str, int, int, Row], dict[Change, Level]] = field(factory=lambda: defaultdict(dict))


def surest(levels: Iterable[Level]) -> Level:
    """The surest of some levels."""
    return min(levels, key=list(Level).index)


def read_changes(documents: Sequence[Document], extractors: Sequence[Extractor]) -> Changes:
    """Read different documents; extractors come after those that they require."""
    found = Changes({}, 0)
    unplaced = 0
    for digest, document in {document.digest: document for document in documents}.items():
        by_kind: dict[type[Record], list[Record]] = defaultdict(list)
        read_by = []
        for extractor in extractors:
            parsed = ParsedDocument(document, records=by_kind)
            read_by.append(extractor.read([parsed])[0])
            for record in read_by[-1]:
                by_kind[type(record)].append(record)
        events = {(event.start, event.end, event.action) for event in merged(read_by)}
        places = {(p.start, p.end): p.kind.value for p in document.passages}
        for sentence in by_kind[Sentence]:
            assert isinstance(sentence, Sentence)
            if places.get((sentence.start, sentence.end)) != "step":
                places[sentence.start, sentence.end] = "sentence"
        steps = sorted({start for (start, _), kind in places.items() if kind == PassageKind.STEP})
        steps = steps or sorted({start for (start, _), kind in places.items() if kind == PassageKind.SENTENCE})
        for item in by_kind[StateChange]:
            assert isinstance(item, StateChange)
            change = (leading_attribute(item.attribute), item.entity, item.before, item.after)
            if item.action is None:
                kind = places.get((item.start, item.end))
            else:
                kind = "mention" if (item.start, item.end, item.action) in events else None
                if kind:
                    of_mention = found.of_mention[digest, item.start, item.end, item.action.key]
                    of_mention[change] = surest([item.level, of_mention.get(change, item.level)])
            if kind is None:
                unplaced += 1
                continue
            spot = (digest, item.start, item.end, kind, change)
            number = sum(start <= item.start for start in steps)
            _, presupposed, highest, level = found.instances.get(spot, (0, True, 0.0, item.level))
            found.instances[spot] = (
                number,
                presupposed and item.mentioned is None,
                max(highest, item.probability),
                surest([level, item.level]),
            )
    return Changes(found.instances, unplaced, found.of_mention)


def changes(texts: Texts, found: Changes) -> set[Row]:
    """Step, change, support, probability, pointwise mutual information and level."""
    rows: set[Row] = set()
    of = {
        m: found.of_mention.get((m.source, m.event.start, m.event.end, m.event.action.key), {}) for m in texts.mentions
    }
    for change in set().union(*of.values()):
        showing = [mention for mention in texts.mentions if change in of[mention]]
        for step in {step for mention in showing for step in mention.steps()}:
            of_step = texts.of_step(step)
            both = [mention for mention in showing if mention in of_step]
            odds = len(both) * len(texts.mentions) / (len(of_step) * len(showing))
            pmi = round(math.log(odds), 4) + 0.0
            level = surest(of[mention][change] for mention in both)
            rows.add((step, change, support(both), share(len(both), len(of_step)), pmi, level))
    return rows


def successions(found: Changes) -> tuple[set[tuple[Spot, Spot]], set[tuple[Spot, Spot]]]:
    """The pairs of instances of which the one persists to the other, and those that contradict each other."""
    persisting, contradicting = set(), set()
    for later, (number, *_) in found.instances.items():
        (attribute, entity, before, _) = later[-1]
        same = [
            (step, spot)
            for spot, (step, *_) in found.instances.items()
            if spot[0] == later[0] and spot[-1][:2] == (attribute, entity) and step < number
        ]
        if before and same:
            last = max(step for step, _ in same)
            earlier = [spot for step, spot in same if step == last]
            agreeing = [spot for spot in earlier if agree(spot[-1][3], before)]
            persisting |= {(spot, later) for spot in agreeing}
            contradicting |= set() if agreeing else {(spot, later) for spot in earlier}
    return persisting, contradicting
