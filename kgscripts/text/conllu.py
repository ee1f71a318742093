"""Reading CoNLL-U treebanks (https://universaldependencies.org/format.html) into spaCy documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import TextIOWrapper
from itertools import chain
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from schemas.errors import InputError
from schemas.input_files import open_input

_COLUMNS = 10
_RANGE = re.compile(r"\d+-\d+")
_EMPTY_NODE = re.compile(r"\d+\.\d+")


@dataclass(frozen=True, slots=True)
class Word:
    """One syntactic word; `head` is the index of its head in the sentence, its own index for the root."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    deprel: str
    space_after: bool


@dataclass(slots=True)
class Sentence:
    """The words of a sentence, and whether it begins a document or a paragraph."""

    words: list[Word] = field(default_factory=list)
    starts_document: bool = False
    starts_paragraph: bool = False


def read_conllu(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a CoNLL-U file in order.

    A multiword token ("don't") is replaced by its syntactic words ("do", "n't"), without a space between them; empty
    nodes of the enhanced graph are skipped.

    Raises
    ------
    InputError
        at the first line that is not CoNLL-U, and for a file that is not UTF-8 or cannot be opened.
    """
    try:
        with TextIOWrapper(open_input(path), encoding="utf-8") as lines:
            yield from sentences_of(lines, path)
    except (UnicodeDecodeError, OSError) as error:
        raise InputError(
            f"it cannot be read: {error}", where=str(path), remedy="use a CoNLL-U file in UTF-8"
        ) from error


def sentences_of(lines: Iterable[str], path: Path) -> Iterator[Sentence]:
    """The sentences of the lines of a CoNLL-U file; raises InputError at the first that is none."""
    block: list[tuple[int, str]] = []
    for number, line in enumerate(chain(lines, [""]), start=1):
        if line.strip():
            block.append((number, line.rstrip("\n")))
        else:
            yield from _sentence(path, block)
            block = []


def _sentence(path: Path, block: list[tuple[int, str]]) -> Iterator[Sentence]:
    """The sentence of a block of lines; none for a block of comments."""
    sentence = Sentence()
    contraction_end = 0
    space_after_contraction = True
    rows: list[tuple[list[str], bool]] = []
    for number, line in block:
        if line.startswith("#"):
            kind = line[1:].split("=")[0].split()
            sentence.starts_document |= kind[:1] == ["newdoc"]
            sentence.starts_paragraph |= kind[:1] in (["newdoc"], ["newpar"])
            continue
        columns = line.split("\t")
        if len(columns) != _COLUMNS:
            raise _broken(path, number, f"{len(columns)} columns")
        spaced = "SpaceAfter=No" not in columns[9].split("|")
        if _EMPTY_NODE.fullmatch(columns[0]):
            continue
        if _RANGE.fullmatch(columns[0]):
            contraction_end = int(columns[0].split("-")[1])
            space_after_contraction = spaced
            continue
        position = len(rows) + 1
        if columns[0] != str(position):
            raise _broken(path, number, f"word {columns[0]!r} instead of word {position}")
        if position < contraction_end:
            spaced = False
        elif position == contraction_end:
            spaced = space_after_contraction
        if not columns[6].isdecimal() or not columns[1]:
            raise _broken(path, number, f"the word {columns[1]!r} with the head {columns[6]!r}")
        rows.append((columns, spaced))
    for index, (columns, spaced) in enumerate(rows):
        head = int(columns[6])
        if head > len(rows):
            raise _broken(path, block[-1][0], f"head {head} in a sentence of {len(rows)} words")
        sentence.words.append(
            Word(
                form=columns[1],
                lemma="" if columns[2] == "_" and columns[1] != "_" else columns[2],
                upos=columns[3],
                xpos=columns[4],
                feats="" if columns[5] == "_" else columns[5],
                head=head - 1 if head else index,
                deprel="ROOT" if head == 0 else columns[7],
                space_after=spaced,
            )
        )
    if sentence.words:
        yield sentence


def _broken(path: Path, line: int, problem: str) -> InputError:
    return InputError(
        f"{problem}: not CoNLL-U",
        where=f"{path}:{line}",
        remedy="a line has ten tab-separated columns, words are numbered from 1, heads are numbers of words",
    )


def to_doc(vocab: Vocab, sentences: Iterable[Sentence]) -> Doc:
    """An annotated document that consists of consecutive sentences."""
    words: list[Word] = []
    heads: list[int] = []
    starts: list[bool | int | None] = []
    for sentence in sentences:
        offset = len(words)
        words.extend(sentence.words)
        heads.extend(offset + word.head for word in sentence.words)
        starts.extend(index == 0 for index in range(len(sentence.words)))
    return Doc(
        vocab,
        words=[word.form for word in words],
        spaces=[word.space_after for word in words],
        lemmas=[word.lemma for word in words],
        pos=[word.upos for word in words],
        tags=[word.xpos for word in words],
        morphs=[word.feats for word in words],
        heads=heads,
        deps=[word.deprel for word in words],
        sent_starts=starts,
    )


def documents(sentences: Iterable[Sentence], *, by_paragraph: bool = False) -> Iterator[list[Sentence]]:
    """Yield the groups of consecutive sentences that form a document (or a paragraph)."""
    group: list[Sentence] = []
    for sentence in sentences:
        starts = sentence.starts_paragraph if by_paragraph else sentence.starts_document
        if starts and group:
            yield group
            group = []
        group.append(sentence)
    if group:
        yield group
