"""What abstract words are spelled out as: the alignments in a graph's records, counted (KidsCook, Table 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path

import numpy as np
from attrs import define, field, frozen

from kgscripts.assembly.columns import lists
from kgscripts.assembly.relations import pointwise_mutual_information
from kgscripts.assembly.store import RecordStore
from kgscripts.models.aligner_words import is_content_word
from schemas.errors import GraphDirectoryError, QueryError
from schemas.graph_directory import locked
from schemas.records import PassageKind
from schemas.script_graph import ScriptGraph

_STRIPPED = ".,;:!?\"'()"


@frozen
class Association:
    """What a word goes with, how often, and by how much more than by chance (nats)."""

    text: str
    pmi: float
    count: int


@define
class PhraseTable:
    """How often each abstract word produced each concrete phrase.

    A phrase is a longest run of words that count within a stretch that one abstract word produced: "use a sharp knife
    to cut" has the phrases "sharp knife" and "cut".
    """

    counts: Counter[tuple[str, str]] = field(factory=Counter)

    @classmethod
    def read(cls, directory: Path, whitelist: Collection[str] | None = None) -> PhraseTable:
        """The table of all pairs in a graph directory.

        The words of the `whitelist` count; without one, content words without digits that the abstract side of their
        pair does not say.

        Raises
        ------
        GraphDirectoryError
            If `directory` is no graph directory, or one without pairs.
        """
        table = cls()
        ScriptGraph.open(directory)
        with locked(directory, create=False):
            for abstract, word, stretch in _stretches(RecordStore(directory / "records")):
                counts = whitelist.__contains__ if whitelist is not None else partial(_is_new, abstract)
                table.counts.update((word, run) for run in _runs(stretch, counts))
        if not table.counts:
            raise GraphDirectoryError(
                "no aligned pairs were read",
                where=str(directory),
                remedy="build a graph of pairs first: kgscripts build-graph pairs.tsv -o DIR",
            )
        return table

    def concrete_of(self, word: str, least: int = 1) -> list[Association]:
        """The phrases that an abstract word produced at least `least` times, by PMI."""
        return self._ranked(Counter({run: n for (owner, run), n in self.counts.items() if owner == word}), 1, least)

    def abstract_of(self, term: str, least: int = 1) -> list[Association]:
        """The abstract words that produced a phrase with `term`, a word or several, at least `least` times, by PMI."""
        found: Counter[str] = Counter()
        for (word, run), count in self.counts.items():
            if f" {term} " in f" {run} ":
                found[word] += count
        return self._ranked(found, 0, least)

    def check_known(self, word: str) -> None:
        """Raise QueryError if the word is on neither side of the table."""
        if not self.concrete_of(word) and not self.abstract_of(word):
            from difflib import get_close_matches

            known = {known for word, run in self.counts for known in (word, *run.split(" "))}
            close = get_close_matches(word, sorted(known), 3)
            raise QueryError(
                f"no alignment has {word!r}", remedy=f"did you mean {' or '.join(close)}?" if close else None
            )

    def _ranked(self, found: Counter[str], side: int, least: int) -> list[Association]:
        """What was `found` on one side (0 abstract, 1 concrete) of the tuples that hold what was asked for."""
        totals: Counter[str] = Counter()
        for ends, count in self.counts.items():
            totals[ends[side]] += count
        kept = [(text, count) for text, count in found.items() if count >= least]
        both = np.array([count for _, count in kept], np.int64)
        asked = np.full(len(kept), found.total(), np.int64)
        others = np.array([totals[text] for text, _ in kept], np.int64)
        pmi = pointwise_mutual_information(both, asked, others, self.counts.total()).tolist()
        associations = [Association(text, value, count) for (text, count), value in zip(kept, pmi, strict=True)]
        return sorted(associations, key=lambda item: (-item.pmi, -item.count, item.text))


def _stretches(store: RecordStore) -> Iterator[tuple[frozenset[str], str, list[str]]]:
    """The words of the abstract side, one of them, and the words that it produced."""
    for batch in store.batches():
        texts: list[str] = batch["text"].to_pylist()
        passages, phrases = lists(batch["passages"]), lists(batch["phrases"])
        for row, text in enumerate(texts):
            if not (rows := phrases.rows(row)):
                continue
            abstract = [
                text[passages.fields["start"][i] : passages.fields["end"][i]]
                for i in passages.rows(row)
                if passages.fields["kind"][i] == PassageKind.ABSTRACT.value
            ]
            said = frozenset(word for side in abstract for word in _words(side))
            starts, ends, word_starts, word_ends = (
                phrases.fields[name] for name in ("start", "end", "word_start", "word_end")
            )
            for i in rows:
                yield said, text[word_starts[i] : word_ends[i]].lower(), _words(text[starts[i] : ends[i]])


def _words(text: str) -> list[str]:
    """The words in lower case; punctuation that stands by itself, or between words, remains as an empty word."""
    found: list[str] = []
    for token in text.lower().split():
        found.append(token.strip(_STRIPPED))
        if found[-1] and token[-1] in _STRIPPED:
            found.append("")
    return found


def _is_new(abstract: Collection[str], word: str) -> bool:
    return is_content_word(word) and word.isalpha() and word not in abstract


def _runs(words: Iterable[str], counts: Callable[[str], bool]) -> list[str]:
    return [" ".join(run) for holds, run in groupby(words, key=counts) if holds]
