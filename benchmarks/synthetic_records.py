"""The record store of a graph directory filled with synthetic readings, from numpy arrays, any number of sources.

Words are Zipf-distributed. Every scenario has its own order of the vocabulary, and a place of its own for every action:
sources of one scenario mention its frequent actions in an order that partly agrees.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kgscripts.records.database import SOURCE
from kgscripts.records.inputs import Input
from kgscripts.records.kinds import encode, kind_name, record_schema
from kgscripts.records.opening import open_records
from kgscripts.records.shards import ShardWriter, WrittenShard
from schemas.provenance import Model
from schemas.records import (
    Action,
    Discard,
    DiscardReason,
    Document,
    EventMention,
    PassageKind,
    Role,
    Segment,
    Sentence,
    ToolRole,
)

MENTIONS_A_SOURCE = 20
SENTENCES_A_SOURCE = 10
SOURCES_A_SCENARIO = 250
"""A third of these are without scenario."""

_SOURCES_A_SHARD = 20_000
_PREDICATES, _NOUNS, _TOOLS = 2_000, 20_000, 1_000
_SYLLABLES = [consonant + vowel for consonant in "bdfghklmnprstvz" for vowel in "aeiou"]
_PARTICLES = ["", "up", "out", "off"]
_PREPOSITIONS = ["", "in", "on", "into", "with", "from"]
_CHARACTERS = 1_500
_LEFT_OUT = {
    Document: Document(name="", format="jsonl", text="", passages=()),
    EventMention: EventMention(action=Action(predicate="do"), start=0, end=1),
}
"""Records that have the columns which no synthetic record fills."""
_NOISE = 0.25
"""This share of words is drawn without regard to the scenario, and so far are places moved at random."""

Integers = npt.NDArray[np.int64]


def fill(directory: Path, mentions: int) -> str:
    """Put sources with `mentions` mentions into the records of `directory`; return the version of their extractor."""
    sources = mentions // MENTIONS_A_SOURCE
    version = hashlib.sha256(b"synthetic").hexdigest()
    random = np.random.default_rng(0)
    synthesizer = _Synthesizer(random, max(1, sources // SOURCES_A_SCENARIO), version)
    with open_records(directory) as store:
        model = Model(name="synthetic", version="1", digest=version, task="event extraction", licence="")
        store.extractors.add(version, "synthetic", "extractor", (model,))
        for number, start in enumerate(range(0, sources, _SOURCES_A_SHARD)):
            shard, digests = synthesizer.shard(store.folder, start, min(_SOURCES_A_SHARD, sources - start))
            named = [(digest, f"stories.jsonl#{start + place}") for place, digest in enumerate(digests)]
            store.commit([shard], [Input(f"stories-{number}.jsonl", "0", complete=True, sources=named)])
    return version


class _Synthesizer:
    """Draws the records of sources, a shard at a time."""

    def __init__(self, random: np.random.Generator, scenarios: int, version: str) -> None:
        self._random = random
        self._version = version
        self._scenarios = scenarios
        self._predicates = _words(_PREDICATES, 2)
        self._nouns = _words(_NOUNS, 3)
        self._labels = pa.array([f"doing {self._nouns[number * 7 % _NOUNS]} {number}" for number in range(scenarios)])
        drawn = self._nouns.take(pa.array(_zipf(random, _NOUNS, 4_000_000))).to_pylist()
        self._text = " ".join(drawn)

    def shard(self, folder: Path, first: int, count: int) -> tuple[WrittenShard, list[str]]:
        """Write the readings of `count` sources; the shard, and the digests of the sources."""
        digests = sorted(hashlib.sha256(f"source {first + place}".encode()).hexdigest() for place in range(count))
        lengths = self._random.integers(_CHARACTERS * 4 // 5, _CHARACTERS * 6 // 5, count)
        # Two scenarios, one for each half of the text; -1 without scenario. Most texts have one alone.
        of_first_half = np.where(
            self._random.random(count) < 1 / 3, -1, self._random.integers(0, self._scenarios, count)
        )
        with_two = (self._random.random(count) < 0.1) & (of_first_half >= 0)
        of_second_half = np.where(with_two, self._random.integers(0, self._scenarios, count), of_first_half)
        halves = np.stack([of_first_half, of_second_half], axis=1)
        tables = {
            Document: self._documents(digests, lengths),
            Sentence: self._sentences(digests, lengths),
            Segment: self._segments(digests, lengths, halves),
            EventMention: self._mentions(digests, lengths, halves),
            Discard: self._discards(digests),
        }
        with ShardWriter(folder) as writer:
            for kind, table in tables.items():
                parts = (table.slice(start, 50_000) for start in range(0, table.num_rows, 50_000))
                writer.write(kind_name(kind), parts)
            readings = sorted((digest, reader) for digest in digests for reader in (SOURCE, self._version))
            return writer.finish(readings), digests

    def _table(self, kind: type, digests: Sequence[str], sources: Integers, columns: dict[str, Any]) -> pa.Table:
        """Records of the sources at these places, ascending, as a table of their kind."""
        beginnings = np.searchsorted(sources, sources)
        key = {
            "subject": pa.array(digests).take(pa.array(sources)),
            "extractor": pa.array([SOURCE if kind is Document else self._version]).take(pa.array(sources * 0)),
            "ordinal": pa.array(np.arange(len(sources)) - beginnings),
        }
        schema = record_schema(kind)
        if kind in _LEFT_OUT:
            empty = encode(kind, [("", "", 0, _LEFT_OUT[kind])])
            key |= {name: empty[name].combine_chunks().take(pa.array(sources * 0)) for name in schema.names[len(key) :]}
        arrays = [_array((key | columns)[item.name], item.type) for item in schema]
        return pa.table(arrays, schema)

    def _documents(self, digests: Sequence[str], lengths: Integers) -> pa.Table:
        starts = self._random.integers(0, len(self._text) - 2 * _CHARACTERS, len(digests))
        texts = [self._text[start : start + length] for start, length in zip(starts, lengths, strict=True)]
        passages = _lists(
            np.ones(len(digests), np.int64),
            {"kind": [PassageKind.PARAGRAPH.value] * len(digests), "start": 0 * lengths, "end": lengths},
        )
        names = [f"story {digest[:8]}" for digest in digests]
        columns = {"text": texts, "passages": passages, "name": names}
        return self._table(Document, digests, np.arange(len(digests)), columns)

    def _sentences(self, digests: Sequence[str], lengths: Integers) -> pa.Table:
        sources = np.repeat(np.arange(len(digests)), SENTENCES_A_SOURCE)
        number = np.tile(np.arange(SENTENCES_A_SOURCE), len(digests))
        bounds = [(number + end) * lengths[sources] // SENTENCES_A_SOURCE for end in (0, 1)]
        return self._table(Sentence, digests, sources, {"start": bounds[0], "end": bounds[1]})

    def _segments(self, digests: Sequence[str], lengths: Integers, halves: Integers) -> pa.Table:
        two = halves[:, 0] != halves[:, 1]
        rows = np.where(halves[:, 0] < 0, 0, np.where(two, 2, 1))
        sources = np.repeat(np.arange(len(digests)), rows)
        second = np.arange(len(sources)) - np.searchsorted(sources, sources)
        middle = lengths[sources] // 2
        columns = {
            "scenario": self._labels.take(pa.array(halves[sources, second])),
            "start": second * middle,
            "end": np.where(two[sources] & (second == 0), middle, lengths[sources]),
            "confidence": np.where(two[sources], 0.75, 1.0),
        }
        return self._table(Segment, digests, sources, columns)

    def _mentions(self, digests: Sequence[str], lengths: Integers, halves: Integers) -> pa.Table:
        random, count = self._random, len(digests) * MENTIONS_A_SOURCE
        sources = np.repeat(np.arange(len(digests)), MENTIONS_A_SOURCE)
        number = np.tile(np.arange(MENTIONS_A_SOURCE), len(digests))
        half = number * 2 // MENTIONS_A_SOURCE
        scenario = halves[sources, half]
        rank = _zipf(random, _PREDICATES, count)
        noisy = (random.random(count) < _NOISE) | (scenario < 0)
        place = _scattered(scenario * _PREDICATES + rank) % 1000 / 1000 + random.normal(0, _NOISE, count)
        order = np.lexsort((np.where(noisy, random.random(count), place), half, sources))
        rank, noisy = rank[order], noisy[order]
        start = number * lengths[sources] // MENTIONS_A_SOURCE + random.integers(0, 15, count)
        noun = _zipf(random, _NOUNS, count)
        kind = _scattered(rank * 3 + scenario)
        own = np.where(noisy, noun, _own(kind, kind % _NOUNS, _NOUNS))
        other = _own(scenario, _zipf(random, _NOUNS, count), _NOUNS)
        preposition = np.where(noisy, 0, kind // 7 % len(_PREPOSITIONS))
        action = _struct(
            {
                "predicate": self._predicates.take(pa.array(np.where(noisy, rank, _own(scenario, rank, _PREDICATES)))),
                "particle": pa.array(_PARTICLES).take(pa.array(np.where(kind % 10 < 9, 0, kind % len(_PARTICLES)))),
                "object": self._nouns.take(pa.array(own)),
                "preposition": pa.array(_PREPOSITIONS).take(pa.array(preposition)),
                "prepositional_object": pa.array(["", *self._nouns.to_pylist()]).take(
                    pa.array(np.where(preposition, 1 + _own(scenario, kind // 11 % 50, _NOUNS), 0))
                ),
            }
        )
        predicate, _, thing, *phrase = action.flatten()
        columns = {
            "action": action,
            "words": pc.binary_join_element_wise(predicate, thing, " the "),
            "phrase": pc.if_else(pc.equal(phrase[0], ""), "", pc.binary_join_element_wise(*phrase, " the ")),
            "start": start,
            "end": start + 45,
            "participants": self._participants(start, own, other),
            "tools": self._tools(start, kind, scenario),
        }
        return self._table(EventMention, digests, sources, columns)

    def _participants(self, start: Integers, own: Integers, other: Integers) -> pa.ListArray:
        """The object, and a noun more or two for most."""
        rows = self._random.choice([1, 2, 3], len(start), p=[0.25, 0.5, 0.25])
        mention = np.repeat(np.arange(len(start)), rows)
        number = np.arange(len(mention)) - np.searchsorted(mention, mention)
        noun = np.where(number == 0, own[mention], (other[mention] + number - 1) % _NOUNS)
        roles = np.array([Role.PATIENT.value, Role.AGENT.value, Role.PLACE.value])
        spans = start[mention] + 10 * number + 8
        columns = {"lemma": self._nouns.take(pa.array(noun)), "role": roles[number], "start": spans, "end": spans + 7}
        return _lists(rows, columns)

    def _tools(self, start: Integers, kind: Integers, scenario: Integers) -> pa.ListArray:
        rows = (self._random.random(len(start)) < 0.3).astype(np.int64)
        mention = np.flatnonzero(rows)
        drawn = _zipf(self._random, _TOOLS, len(mention))
        usual = self._random.random(len(mention)) < 0.5
        noun = np.where(usual, kind[mention] % _TOOLS, _own(scenario[mention], drawn, _TOOLS))
        spans = start[mention] + 38
        roles = np.array(list(ToolRole))[noun % len(ToolRole)]
        columns = {"lemma": self._nouns.take(pa.array(noun)), "role": roles, "start": spans, "end": spans + 6}
        columns["inferred"] = ~usual
        return _lists(rows, columns)

    def _discards(self, digests: Sequence[str]) -> pa.Table:
        sources = np.flatnonzero(self._random.random(len(digests)) < 0.2)
        start = self._random.integers(0, _CHARACTERS // 2, len(sources))
        columns = {
            "reason": [DiscardReason.STATIVE.value] * len(sources),
            "where": [""] * len(sources),
            "start": start,
            "end": start + 5,
            "detail": ["be"] * len(sources),
        }
        return self._table(Discard, digests, sources, columns)


def _words(count: int, syllables: int) -> pa.Array:
    """Words that can be pronounced; every tenth is a compound of two."""

    def word(number: int) -> str:
        parts = []
        for _ in range(syllables):
            number, part = divmod(number, len(_SYLLABLES))
            parts.append(_SYLLABLES[part])
        return "".join(parts)

    words = [word(number * 7) for number in range(count)]
    return pa.array([f"{item} {words[place // 2]}" if place % 10 == 9 else item for place, item in enumerate(words)])


def _zipf(random: np.random.Generator, words: int, count: int) -> Integers:
    """Ranks, from 0, with probabilities in proportion to 1 / (rank + 1)."""
    weights = np.cumsum(1 / np.arange(1, words + 1))
    ranks: Integers = np.searchsorted(weights, random.random(count) * weights[-1]).astype(np.int64)
    return ranks


def _own(scenario: Integers, rank: Integers, words: int) -> Integers:
    """The word of this rank in a scenario's own order; `words` is a product of twos and fives."""
    step = scenario * 20 % words + 11
    return (rank * step + scenario * 137) % words


def _scattered(number: Integers) -> Integers:
    """A number without apparent order for each (the multiplicative hash of Knuth)."""
    scattered: Integers = (number + 1) * 2_654_435_761 % (1 << 32) >> 4
    return scattered


def _struct(columns: dict[str, Any]) -> pa.StructArray:
    arrays = [column if isinstance(column, pa.Array) else pa.array(column) for column in columns.values()]
    return pa.StructArray.from_arrays(arrays, list(columns))


def _lists(lengths: Integers, columns: dict[str, Any]) -> pa.ListArray:
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int32())
    return pa.ListArray.from_arrays(offsets, _struct(columns))


def _array(values: Any, kind: pa.DataType) -> pa.Array:
    return (values if isinstance(values, pa.Array) else pa.array(values)).cast(kind)
