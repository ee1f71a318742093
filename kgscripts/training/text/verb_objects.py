"""Counts verbs, and how often they have an object."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import define

from kgscripts.corpora.files import find_files
from kgscripts.corpora.formats import read_file
from kgscripts.extractors.events.frames import particle_or_adverb
from kgscripts.extractors.events.nouns import is_predicate
from kgscripts.text.passages import innermost, parse_passages
from kgscripts.text.pipeline import load_pipeline
from kgscripts.text.syntax import is_passive, lemma, objects_of, passive_subject_of
from schemas.output_files import write_lines
from schemas.records import Document

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_LEAST_USES = 3
"""Verbs that were read less often are mostly errors of the parser."""


@define
class Counts:
    """The uses of a verb, those with an object, and the heads of its objects."""

    total: int = 0
    transitive: int = 0


def count_verbs(parses: Iterable[Doc]) -> dict[str, Counts]:
    """Count verbs, by themselves and with their particles, and how often they have an object of their own clause."""
    found: dict[str, Counts] = defaultdict(Counts)
    for token in (token for doc in parses for token in doc if is_predicate(token)):
        objects = _own_objects(token)
        word, particle = lemma(token), particle_or_adverb(token)
        for verb in (word, f"{word} {particle.lower_}") if particle is not None else (word,):
            counts = found[verb]
            counts.total += 1
            counts.transitive += bool(objects)
    return found


def _own_objects(verb: Token) -> list[Token]:
    return passive_subject_of(verb) if is_passive(verb) else objects_of(verb, shared=False)


def rows(counts: dict[str, Counts]) -> Iterator[str]:
    """The lines of the file, sorted; rare verbs are left out."""
    for verb, found in sorted(counts.items()):
        if found.total >= _LEAST_USES and all(word.isalpha() for word in verb.split(" ")):
            yield f"{verb}\t{found.total}\t{found.transitive}"


def train_verb_objects(corpora: Sequence[Path], out: Path, limit: int | None = None) -> int:
    """Write the counts of corpora, at most `limit` documents of them; returns the number of verbs."""
    lines = list(rows(count_verbs(_parses(corpora, limit))))
    write_lines(out, lines)
    return len(lines)


def _parses(corpora: Sequence[Path], limit: int | None) -> Iterator[Doc]:
    documents = (item for file in find_files(corpora) for item in read_file(file) if isinstance(item, Document))
    texts = (
        (item.text[passage.start : passage.end], None)
        for item in islice(documents, limit)
        for passage in innermost(item.passages)
    )
    for piece in parse_passages(load_pipeline(), texts):
        yield piece.doc
