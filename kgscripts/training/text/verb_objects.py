"""Counts verbs, and how often they have an object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

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


def count_verbs(parses: Iterable[Doc]) -> tuple[Counter[str], Counter[str]]:
    """The uses of verbs, by themselves and with their particles, and those with an object of their own clause."""
    uses, with_object = Counter[str](), Counter[str]()
    for token in (token for doc in parses for token in doc if is_predicate(token)):
        objects = _own_objects(token)
        word, particle = lemma(token), particle_or_adverb(token)
        for verb in (word, f"{word} {particle.lower_}") if particle is not None else (word,):
            uses[verb] += 1
            with_object[verb] += bool(objects)
    return uses, with_object


def _own_objects(verb: Token) -> list[Token]:
    return passive_subject_of(verb) if is_passive(verb) else objects_of(verb, shared=False)


def rows(uses: Mapping[str, int], with_object: Mapping[str, int]) -> Iterator[str]:
    """The lines of the file, sorted; rare verbs are left out."""
    for verb, count in sorted(uses.items()):
        if count >= _LEAST_USES and all(word.isalpha() for word in verb.split(" ")):
            yield f"{verb}\t{count}\t{with_object[verb]}"


def train_verb_objects(corpora: Sequence[Path], out: Path, limit: int | None = None) -> int:
    """Write the counts of corpora, at most `limit` documents of them; returns the number of verbs."""
    lines = list(rows(*count_verbs(_parses(corpora, limit))))
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
