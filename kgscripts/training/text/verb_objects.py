"""Counts verbs and the heads of their objects: `python -m kgscripts.training.text.verb_objects CORPUS...`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import Factory, define

from kgscripts.corpora.files import find_files
from kgscripts.corpora.formats import read_file
from kgscripts.extractors.events.frames import particle_or_adverb
from kgscripts.extractors.events.nouns import content_head, is_noun, is_predicate, noun_lemma
from kgscripts.text.passages import innermost, parse_passages
from kgscripts.text.pipeline import load_pipeline
from kgscripts.text.syntax import is_passive, lemma, objects_of, passive_subject_of
from schemas.output_files import write_lines
from schemas.records import Document

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_LEAST_USES = 3
"""Verbs that were read less often are mostly errors of the parser."""
_LEAST_COUNT = 2


@define
class Counts:
    """The uses of a verb, those with an object, and the heads of its objects."""

    total: int = 0
    transitive: int = 0
    nouns: Counter[str] = Factory(Counter)


def count_verbs(parses: Iterable[Doc]) -> dict[str, Counts]:
    """Count verbs, by themselves and with their particles, and the nouns that are objects of their own clause."""
    found: dict[str, Counts] = defaultdict(Counts)
    for token in (token for doc in parses for token in doc if is_predicate(token)):
        objects = _own_objects(token)
        heads = [noun_lemma(content_head(noun)).rsplit(" ", 1)[-1] for noun in objects if is_noun(noun)]
        word, particle = lemma(token), particle_or_adverb(token)
        for verb in (word, f"{word} {particle.lower_}") if particle is not None else (word,):
            counts = found[verb]
            counts.total += 1
            counts.transitive += bool(objects)
            counts.nouns.update(heads)
    return found


def _own_objects(verb: Token) -> list[Token]:
    return passive_subject_of(verb) if is_passive(verb) else objects_of(verb, shared=False)


def rows(counts: dict[str, Counts]) -> Iterator[str]:
    """The lines of the file, sorted; rare verbs and nouns that a verb had once are left out."""
    for verb, found in sorted(counts.items()):
        if found.total < _LEAST_USES or not all(word.isalpha() for word in verb.split(" ")):
            continue
        pairs = sorted(found.nouns.items(), key=lambda pair: (-pair[1], pair[0]))
        kept = [f"{noun}:{count}" for noun, count in pairs if count >= _LEAST_COUNT and noun.isalpha()]
        yield f"{verb}\t{found.total}\t{found.transitive}\t{' '.join(kept)}"


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
