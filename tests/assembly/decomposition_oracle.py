"""DECOMPOSES_INTO, and USES with the tools of alignments, counted the plain way from the records of a few texts."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction

from attrs import field, frozen

from schemas.records import INFERRED, Decomposition
from tests.assembly.oracle import ByExtractor, Mention, Step, Texts, share

Place = tuple[str, int, int]
"""The source of a passage, its start and its end."""


@frozen
class Link:
    """A concrete mention of an abstract one, as one extractor gives it."""

    whole: Mention
    part: Mention
    position: Fraction
    log_probability: float
    tools: tuple[tuple[str, str], ...]
    """Lemma and role."""
    reader: str


@frozen
class Expected:
    """What a relation must say of two nodes."""

    support: int
    probability: float
    pmi: float
    log_probability: float | None
    evidence: frozenset[Place]
    readers: Mapping[str, float]
    """The highest confidence of each extractor that read it."""
    position: float | None = None
    role: str | None = None


@frozen
class Links:
    """All decompositions, and how many steps refer to no event."""

    links: list[Link] = field(factory=list)
    missing: int = 0


def read_links(texts: Texts, found: Mapping[str, ByExtractor]) -> Links:
    """The decompositions among the records of each source."""
    mentions = {(m.source, m.event.start, m.event.end, m.event.action): m for m in texts.mentions}
    links: list[Link] = []
    missing = 0
    for source, by_extractor in found.items():
        for reader, records in by_extractor.items():
            for record in records:
                if not isinstance(record, Decomposition):
                    continue
                whole = mentions.get((source, record.start, record.end, record.action))
                for number, step in enumerate(record.steps):
                    part = mentions.get((source, step.start, step.end, step.action))
                    if whole is None or part is None:
                        missing += 1
                        continue
                    place = Fraction(number, max(1, len(record.steps) - 1))
                    tools = tuple((tool.lemma, tool.role.value) for tool in step.tools)
                    links.append(Link(whole, part, place, step.log_probability, tools, reader))
    return Links(links, missing)


def decomposes_into(links: Iterable[Link]) -> dict[tuple[Step, Step], Expected]:
    """By abstract and concrete step of the same scenario; a step is no part of itself."""
    cases: dict[tuple[Step, Step], list[Link]] = defaultdict(list)
    for link in links:
        for scenario in set(link.whole.scenarios) & set(link.part.scenarios):
            pair = (link.whole.step(scenario), link.part.step(scenario))
            if pair[0] != pair[1]:
                cases[pair].append(link)
    decomposed: set[Mention] = set()
    by_whole: dict[Step, set[Mention]] = defaultdict(set)
    by_part: dict[Step, set[Mention]] = defaultdict(set)
    for (whole, part), those in cases.items():
        for mentions in (decomposed, by_whole[whole], by_part[part]):
            mentions |= {link.whole for link in those}
    expected = {}
    for (whole, part), those in cases.items():
        both = len({link.whole for link in those})
        # A place counts once for each two mentions, also if several extractors say the same.
        places = [place for _, _, place in {(link.whole, link.part, link.position) for link in those}]
        expected[whole, part] = Expected(
            support=len({link.whole.source for link in those}),
            probability=share(both, len(by_whole[whole])),
            pmi=_pmi(both, len(by_whole[whole]), len(by_part[part]), len(decomposed)),
            log_probability=max(link.log_probability for link in those),
            position=share(sum(places, Fraction(0)), len(places)),
            evidence=frozenset(_place(link.part) for link in those),
            readers=_highest((link.reader, _confidence(link)) for link in those),
        )
    return expected


def uses(texts: Texts, links: Iterable[Link]) -> dict[tuple[Step, str], Expected]:
    """By step and tool: of the mentions themselves, and of the concrete mentions that they are aligned to."""
    aligned: dict[tuple[Mention, str], list[Link]] = defaultdict(list)
    roles: dict[tuple[Mention, str], set[str]] = defaultdict(set)
    for link in links:
        for lemma, role in link.tools:
            aligned[link.whole, lemma].append(link)
            roles[link.whole, lemma].add(role)
    own = {(mention, tool.lemma) for mention in texts.mentions for tool in mention.event.tools}
    for mention in texts.mentions:
        for tool in mention.event.tools:
            roles[mention, tool.lemma].add(tool.role.value)

    expected = {}
    for lemma in {lemma for _, lemma in roles}:
        naming = [mention for mention, of in roles if of == lemma]
        for step in {step for mention in naming for step in mention.steps()}:
            of_step = texts.of_step(step)
            both = [mention for mention in naming if step in mention.steps()]
            alignments = [link for mention in both for link in aligned.get((mention, lemma), [])]
            named = [mention for mention in both if (mention, lemma) in own]
            frequency = {role: sum(role in roles[m, lemma] for m in both) for m in both for role in roles[m, lemma]}
            readers = [(link.reader, _confidence(link)) for link in alignments]
            readers += [
                (reader, round(event.score * (INFERRED if tool.inferred else 1), 4))
                for mention in named
                for reader, event in mention.read_by
                for tool in event.tools
                if tool.lemma == lemma
            ]
            expected[step, lemma] = Expected(
                support=len({mention.source for mention in both}),
                probability=share(sum(_certainty(m, lemma, aligned) for m in both), len(of_step)),
                pmi=_pmi(len(both), len(of_step), len(naming), len(texts.mentions)),
                log_probability=max((link.log_probability for link in alignments), default=None),
                role=min(frequency, key=lambda role: (-frequency[role], role)),
                evidence=frozenset([*map(_place, named), *(_place(link.part) for link in alignments)]),
                readers=_highest(readers),
            )
    return expected


def _certainty(mention: Mention, lemma: str, aligned: Mapping[tuple[Mention, str], list[Link]]) -> Fraction:
    """How much a mention counts: less if the text only implies its tool."""
    names = (mention, lemma) in aligned or any(
        tool.lemma == lemma and not tool.inferred for _, event in mention.read_by for tool in event.tools
    )
    return Fraction(1) if names else Fraction(str(INFERRED))


def _place(mention: Mention) -> Place:
    return (mention.source, mention.event.start, mention.event.end)


def _confidence(link: Link) -> float:
    """The probability of the alignment."""
    return round(math.exp(link.log_probability), 4)


def _highest(readers: Iterable[tuple[str, float]]) -> dict[str, float]:
    highest: dict[str, float] = {}
    for reader, confidence in readers:
        highest[reader] = max(confidence, highest.get(reader, 0.0))
    return highest


def _pmi(both: int, one: int, other: int, of: int) -> float:
    return round(math.log(both * of / (one * other)), 4) + 0.0
