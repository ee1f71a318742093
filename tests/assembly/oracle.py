"""The knowledge of a few texts counted the plain way, one mention at a time: what assembly must find."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from attrs import evolve, field, frozen

from kgscripts.extractors.protocol import Extractor, ParsedDocument
from schemas.records import Document, EventMention, Record, Segment

Row = tuple[object, ...]
PRONOUNS = {"it", "them"}


class Step(NamedTuple):
    """A sub-event by scenario ("" for none) and what its actions share."""

    scenario: str
    shared: tuple[str, ...]


@frozen(eq=False)
class Mention:
    """An event of a text, merged from all that found it."""

    source: str
    event: EventMention
    scenarios: tuple[str, ...]
    """Those of the segments that it starts in; "" where there is none."""
    read_by: tuple[tuple[str, EventMention], ...] = ()
    """What each extractor gave for it."""
    joined: dict[str, Step] = field(factory=dict)
    """By scenario, the sub-event that names what its pronoun is."""

    def step(self, scenario: str) -> Step:
        """The sub-event of a scenario that it is a mention of: of its own words, or one that names its thing."""
        return self.joined.get(scenario) or step_of(scenario, self.event)

    def steps(self) -> list[Step]:
        """The sub-events that it is a mention of."""
        return [self.step(scenario) for scenario in self.scenarios]


@frozen
class Texts:
    """What extractors found: mentions by source and in text order, and the scenarios of each source."""

    mentions: list[Mention]
    about: dict[str, set[str]]

    @cached_property
    def by_step(self) -> dict[Step, list[Mention]]:
        """The mentions of each sub-event."""
        found: dict[Step, list[Mention]] = defaultdict(list)
        for mention in self.mentions:
            for step in mention.steps():
                found[step].append(mention)
        return dict(found)

    def of_step(self, step: Step) -> list[Mention]:
        """The mentions of a sub-event."""
        return self.by_step[step]

    def steps(self) -> set[Step]:
        """All sub-events."""
        return set(self.by_step)


def step_of(scenario: str, event: EventMention) -> Step:
    """Actions with an object are distinguished by it, others by all their parts."""
    key = event.action.key
    return Step(scenario, key[:3] if event.action.object else key)


ByExtractor = Mapping[str, Sequence[Record]]
"""The records of one source by the name of the extractor that gave them."""


def read(documents: Sequence[Document], extractors: Sequence[Extractor]) -> Texts:
    """Read different documents, without any of the machinery of a build."""
    return texts_of(read_records(documents, extractors))


def read_records(documents: Sequence[Document], extractors: Sequence[Extractor]) -> dict[str, ByExtractor]:
    """The records of different documents by digest; extractors come after those that they require."""
    found: dict[str, ByExtractor] = {}
    for digest, document in sorted({document.digest: document for document in documents}.items()):
        by_kind: dict[type[Record], list[Record]] = defaultdict(list)
        read_by: dict[str, Sequence[Record]] = {}
        for extractor in extractors:
            records = extractor.read([ParsedDocument(document, records=by_kind)])[0]
            read_by[extractor.name] = records
            for record in records:
                by_kind[type(record)].append(record)
        found[digest] = read_by
    return found


def texts_of(found: Mapping[str, ByExtractor]) -> Texts:
    """The mentions and scenarios of what extractors found in each source."""
    mentions: list[Mention] = []
    about: dict[str, set[str]] = {}
    for source, read_by in found.items():
        segments = [record for records in read_by.values() for record in records if isinstance(record, Segment)]
        about[source] = {segment.scenario for segment in segments}
        given = [
            (name, record)
            for name, records in read_by.items()
            for record in records
            if isinstance(record, EventMention)
        ]
        for event in merged([*read_by.values()]):
            inside = {item.scenario for item in segments if item.start <= event.start < item.end}
            same = [(name, item) for name, item in given if _place(item) == _place(event)]
            mentions.append(Mention(source, event, tuple(sorted(inside)) or ("",), tuple(same)))
    for scenario in {scenario for mention in mentions for scenario in mention.scenarios} - {""}:
        _join(scenario, [mention for mention in mentions if scenario in mention.scenarios])
    return Texts(mentions, about)


def _join(scenario: str, mentions: Sequence[Mention]) -> None:
    """Find the step that names the thing of each mention with a pronoun, if two sources and two thirds say so."""
    sources: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for mention in mentions:
        sources[mention.event.action.key].add(mention.source)
    for mention in mentions:
        *verb, thing, preposition, place = mention.event.action.key
        if thing not in PRONOUNS:
            continue
        named = [key for key in sources if [*key[:2]] == verb and key[2] and key[2] not in PRONOUNS]
        same_phrase = [key for key in named if key[3:] == (preposition, place)]
        votes: Counter[tuple[str, ...]] = Counter()
        for key in same_phrase or [key for key in named if not key[3] or not preposition]:
            votes[key[:3]] += len(sources[key])
        for step, number in votes.items():
            if number >= 2 and 3 * number >= 2 * votes.total():
                mention.joined[scenario] = Step(scenario, step)


def _place(event: EventMention) -> Row:
    """What distinguishes the mentions of a text."""
    return (event.start, event.end, event.action)


def merged(read_by: Sequence[Sequence[Record]]) -> list[EventMention]:
    """The mentions in text order; equal ones (action and span) are one, with all arguments and tools."""
    found: dict[Row, EventMention] = {}
    order: dict[Row, tuple[int, int, int, Row]] = {}
    for records in read_by:
        events = [record for record in records if isinstance(record, EventMention)]
        for ordinal, event in enumerate(events):
            key = (event.start, event.end, event.action.key)
            known = found.get(key, evolve(event, participants=[], tools=[]))
            participants = dict.fromkeys((*known.participants, *event.participants))
            tools = dict.fromkeys((*known.tools, *event.tools))
            found[key] = evolve(known, participants=participants, tools=tools)
            place = (event.start, event.end, ordinal, event.action.key)
            order[key] = min(order.get(key, place), place)
    return [found[key] for key in sorted(found, key=order.__getitem__)]


def share(part: Fraction | int, whole: int) -> float:
    """Part of the whole, rounded half up to four decimals."""
    return math.floor(Fraction(part) / whole * 10_000 + Fraction(1, 2)) / 10_000


def support(mentions: Iterable[Mention]) -> int:
    """How many sources."""
    return len({mention.source for mention in mentions})


def positions(texts: Texts, scenario: str) -> dict[Mention, Fraction]:
    """Relative positions of mentions among those of the scenario in their source, in billionths."""
    of_source: dict[str, list[Mention]] = defaultdict(list)
    for mention in texts.mentions:
        if scenario in mention.scenarios:
            of_source[mention.source].append(mention)
    return {
        mention: Fraction(math.floor(Fraction(place, max(1, len(those) - 1)) * 10**9 + Fraction(1, 2)), 10**9)
        for those in of_source.values()
        for place, mention in enumerate(those)
    }


def has_sub_event(texts: Texts) -> set[Row]:
    """Scenario, step, support, probability, mean position."""
    rows: set[Row] = set()
    for step in texts.steps():
        if step.scenario:
            place = positions(texts, step.scenario)
            first: dict[str, Fraction] = {}
            for mention in texts.of_step(step):
                first.setdefault(mention.source, place[mention])
            probability = share(len(first), sum(step.scenario in about for about in texts.about.values()))
            mean = share(sum(first.values(), Fraction(0)), len(first))
            rows.add((step.scenario, step, len(first), probability, mean))
    return rows


def named_by(texts: Texts, kind: str) -> set[Row]:
    """Step, tool or entity, support, probability, pointwise mutual information, role.

    The role is that of most arguments of an entity, and of most mentions with a tool.
    """
    things = {thing.lemma for mention in texts.mentions for thing in getattr(mention.event, kind)}
    rows: set[Row] = set()
    for thing in things:
        naming = [m for m in texts.mentions if any(found.lemma == thing for found in getattr(m.event, kind))]
        for step in {step for mention in naming for step in mention.steps()}:
            of_step = texts.of_step(step)
            both = [mention for mention in naming if mention in of_step]
            odds = len(both) * len(texts.mentions) / (len(of_step) * len(naming))
            counts = (support(both), share(len(both), len(of_step)), round(math.log(odds), 4) + 0.0)
            if kind == "participants":
                roles = Counter(a.role.value for m in both for a in m.event.participants if a.lemma == thing)
            else:
                roles = Counter(
                    role for m in both for role in {tool.role.value for tool in m.event.tools if tool.lemma == thing}
                )
            rows.add((step, thing, *counts, min(roles, key=lambda role: (-roles[role], role))))
    return rows


def expressed_as(texts: Texts) -> set[Row]:
    """Step, action, support, probability."""
    rows: set[Row] = set()
    for step in texts.steps():
        of_step = texts.of_step(step)
        for action in {mention.event.action for mention in of_step}:
            both = [mention for mention in of_step if mention.event.action == action]
            rows.add((step, action.key, support(both), share(len(both), len(of_step))))
    return rows


def leading_actions(texts: Texts) -> dict[Step, tuple[tuple[str, ...], set[tuple[str, ...]]]]:
    """For each step the action that names it, and its other actions."""
    found = {}
    for step in texts.steps():
        told: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for mention in texts.of_step(step):
            told[mention.event.action.key].add(mention.source)
        named = [action for action in told if action[2] not in PRONOUNS] or [*told]
        smallest = min(named)
        strongest = min(named, key=lambda action: (-len(told[action]), action))
        leader = strongest if len(told[strongest]) >= 2 * len(told[smallest]) else smallest
        found[step] = (leader, set(told) - {leader})
    return found


def label_texts(texts: Texts, scenario: str | None = None) -> dict[tuple[str, ...], tuple[str, str]]:
    """For each action what most sources say without its phrase, and the phrase; words with an article count thrice.

    In a scenario ("" for none), or, by default, in all of them: sources count once for each.
    """
    said: dict[tuple[str, ...], tuple[dict[str, set[tuple[str, str]]], ...]] = {}
    for mention in texts.mentions:
        event = mention.event
        for about in mention.scenarios or [""]:
            if scenario in (None, about):
                parts = said.setdefault(event.action.key, (defaultdict(set), defaultdict(set)))
                for sources, words in zip(parts, (event.words, event.phrase), strict=True):
                    sources[words].add((about, mention.source))

    def most(sources: dict[str, set[tuple[str, str]]]) -> str:
        weight = {words: len(told) * (3 if {"the", "a"} & set(words.split()) else 1) for words, told in sources.items()}
        return min(weight, key=lambda words: (-weight[words], words))

    return {action: (most(words), most(phrases)) for action, (words, phrases) in said.items()}


def told(texts: Texts) -> list[list[Step]]:
    """The steps of each source of each scenario, by their first mentions."""
    found: list[list[Step]] = []
    for source, about in texts.about.items():
        for scenario in about:
            of_scenario = [m for m in texts.mentions if m.source == source and scenario in m.scenarios]
            found.append(list(dict.fromkeys(m.step(scenario) for m in of_scenario)))
    return found


def orders(texts: Texts) -> Counter[tuple[Step, Step]]:
    """In how many sources the first mention of one step comes before that of another of the same scenario."""
    counts: Counter[tuple[Step, Step]] = Counter()
    for steps in told(texts):
        counts.update(combinations(steps, 2))
    return counts


def likelihoods(counts: Counter[tuple[Step, Step]]) -> dict[tuple[Step, Step], int]:
    """How likely each pair's order is, in thousandths, of the pairs that more sources have so than the other way round.

    Each step has a place on a line, which makes the orders of all pairs as likely as can be.
    """
    pairs = {tuple(sorted(pair, key=str)) for pair in counts}
    places = dict.fromkeys((step for pair in pairs for step in pair), 0.0)
    for _ in range(60):
        slope = {step: -0.3 * place for step, place in places.items()}
        curvature = dict.fromkeys(places, 0.3)
        for first, second in pairs:
            number = counts[first, second] + counts[second, first]
            likely = 1 / (1 + math.exp(places[first] - places[second]))
            for step, sign in ((second, 1), (first, -1)):
                slope[step] += sign * (counts[first, second] - number * likely)
                curvature[step] += number * likely * (1 - likely)
        places = {step: place + 0.7 * slope[step] / curvature[step] for step, place in places.items()}
    found = {}
    for (first, second), number in counts.items():
        if number > counts[second, first]:
            likely = 1 / (1 + math.exp(places[first] - places[second]))
            found[first, second] = round(1000 * (number + 3 * likely) / (number + counts[second, first] + 3))
    return found
