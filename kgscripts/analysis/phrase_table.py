"""The concrete phrases of abstract words: counts of the alignments in a graph's records (KidsCook, Table 3)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path

from attrs import define, field, frozen

from kgscripts.models.alignment.words import is_content_word
from kgscripts.records.opening import open_records
from kgscripts.records.store import RecordStore
from schemas.errors import GraphDirectoryError, QueryError
from schemas.records import AlignedPhrase, Document, PassageKind
from schemas.script_graph import StoredGraph

_DOCUMENTS_A_BLOCK = 2_000
_STRIPPED = ".,;:!?\"'()"


@frozen
class Association:
    """A word or phrase aligned to a word, with the number of alignments and their PMI (nats)."""

    text: str
    pmi: float
    count: int


@define
class PhraseTable:
    """The counts of the concrete phrases that each abstract word produced.

    A phrase is a maximal run of counted words within a stretch that one abstract word produced: "use a sharp knife to
    cut" has the phrases "sharp knife" and "cut".
    """

    counts: Counter[tuple[str, str]] = field(factory=Counter)

    @classmethod
    def read(cls, directory: Path, whitelist: Collection[str] | None = None) -> PhraseTable:
        """The table of all pairs in a graph directory.

        Words of the `whitelist` are counted; without one, content words without digits that the abstract side of their
        pair does not have.

        Raises
        ------
        GraphDirectoryError
            If `directory` is no graph directory, or one without pairs.
        """
        table = cls()
        StoredGraph.open(directory)
        with open_records(directory, create=False) as store:
            for abstract, word, stretch in _stretches(store):
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
        """The entries on one side (0 abstract, 1 concrete) of the tuples that were `found`."""
        totals: Counter[str] = Counter()
        for ends, count in self.counts.items():
            totals[ends[side]] += count
        kept = [(text, count) for text, count in found.items() if count >= least]
        whole, asked = self.counts.total(), found.total()
        associations = [
            # Church and Hanks (1990); adding zero turns -0.0 into 0.0.
            Association(text, round(math.log(count * whole / (asked * totals[text])), 4) + 0.0, count)
            for text, count in kept
        ]
        return sorted(associations, key=lambda item: (-item.pmi, -item.count, item.text))


def _stretches(store: RecordStore) -> Iterator[tuple[frozenset[str], str, list[str]]]:
    """The words of the abstract side, one of them, and the words that it produced."""
    digests: list[str] = store.inputs.documents()["digest"].to_pylist()
    for start in range(0, len(digests), _DOCUMENTS_A_BLOCK):
        phrases = store.read(AlignedPhrase, digests[start : start + _DOCUMENTS_A_BLOCK])
        for digest, (document,) in store.read(Document, list(phrases)).items():
            sides = [passage for passage in document.passages if passage.kind is PassageKind.ABSTRACT]
            words = {word for side in sides for word in _words(document.text[side.start : side.end])}
            for phrase in phrases[digest]:
                word = document.text[phrase.word_start : phrase.word_end].lower()
                yield frozenset(words), word, _words(document.text[phrase.start : phrase.end])


def _words(text: str) -> list[str]:
    """The words in lower case; punctuation on its own, or between words, remains as an empty word."""
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
