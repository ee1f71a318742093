"""Pair corpora as tokens, whatever they are stored as.

The format is told by the content: cloze templates (TSV of abstract, concrete and a 0 or 1 for each concrete token),
plain TSV of two columns, JSON lines with steps, and the id sequences that KidsCook was released as.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from attrs import frozen

from kgscripts.corpora.files import InputFile
from kgscripts.corpora.json_records import json_object
from kgscripts.corpora.kidscook_ids import VOCABULARY_FILE, is_pickle, read_id_sequences, read_released_vocabulary
from kgscripts.corpora.pair import Pair, tokens
from kgscripts.corpora.pair_formats import is_header, pair_record, pair_row
from kgscripts.corpora.source import DamagedSourceError, Source, is_binary, numbered_lines, open_source, text_lines
from schemas.errors import InputError, RecordError
from schemas.records import Discard, DiscardReason

_SPLITS = ("train", "dev", "valid", "test")
_SUFFIXES = (".tsv", ".jsonl", ".pkl")


@frozen
class PairCorpus:
    """What was read of pair corpora, in their order, and what was not."""

    pairs: list[Pair]
    discards: list[Discard]


def load_pairs(paths: Iterable[str | Path], *, strict: bool = True) -> PairCorpus:
    """All pairs of some files.

    Raises InputError for a file that is missing or cannot be read; if `strict` also for the first bad record, and where
    there is no pair at all. Otherwise bad records are among the discards.
    """
    pairs: list[Pair] = []
    discards: list[Discard] = []
    for path in paths:
        for item in read_pair_corpus(path):
            if isinstance(item, Pair):
                pairs.append(item)
            elif strict:
                raise InputError(item.detail, where=item.where, remedy="mend the record or take it out of the file")
            else:
                discards.append(item)
    if strict and not pairs:
        raise InputError("no pairs", remedy="name files of abstract and concrete instructions, one pair a line")
    return PairCorpus(pairs, discards)


def read_pair_corpus(path: str | Path) -> Iterator[Pair | Discard]:
    """The pairs of a file, one at a time, and why any record in it is none. gzip is unpacked.

    Raises InputError for a file that is missing or cannot be opened, and for released id sequences that are not what
    they should be or have no vocabulary beside them.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError("no such file", where=str(path), remedy="check the path")
    with open_source(InputFile(path, path.name)) as source:
        try:
            if is_pickle(source.sample()) or path.name.removesuffix(".gz").endswith(".pkl"):
                vocabulary = read_released_vocabulary(path.with_name(VOCABULARY_FILE))
                yield from read_id_sequences(source, vocabulary)
            elif is_binary(source.sample()):
                raise InputError("binary data, no text", where=path.name, remedy="give TSV, JSON lines or released ids")
            else:
                yield from _read_lines(source)
        except DamagedSourceError as error:
            detail = f"cannot be read beyond here: {error.detail}"
            yield source.discard(DiscardReason.UNDECODABLE, error.line, detail)


def split_files(arguments: Iterable[Path], *, fetched: Path) -> list[Path]:
    """The files that are meant: those named, and of a folder those of its splits, train first.

    What does not exist is looked for in `fetched`. Raises InputError for what is not there either, and for a folder
    without splits.
    """
    files: list[Path] = []
    for argument in arguments:
        path = argument if argument.exists() or not (fetched / argument).is_dir() else fetched / argument
        if not path.is_dir():
            files.append(path)
            continue
        found = [
            (_SPLITS.index(inner.name.split(".")[0]), inner.name, inner)
            for inner in path.iterdir()
            if inner.name.split(".")[0] in _SPLITS and inner.name.removesuffix(".gz").endswith(_SUFFIXES)
        ]
        if not found:
            remedy = f"its files should be called {', '.join(_SPLITS)} and end with {', '.join(_SUFFIXES)}"
            raise InputError("no splits of a pair corpus in this folder", where=str(path), remedy=remedy)
        files += [inner for _, _, inner in sorted(found)]
    return files


def read_whitelist(path: str | Path) -> list[str]:
    """The words of a file that has one a line, in its order.

    Raises InputError for a file that is missing, empty or not UTF-8, for a line of several words, and for a word that
    came before.
    """
    path = Path(path)
    places: dict[str, str] = {}
    for where, line in numbered_lines(path):
        word, *others = line.split()
        if others:
            raise InputError("several words", where=where, remedy="write one word a line")
        if word in places:
            raise InputError(f"{word!r} stands at {places[word]} already", where=where, remedy="remove one of them")
        places[word] = where
    if not places:
        raise InputError("no words", where=path.name, remedy="write one word a line")
    return list(places)


def _read_lines(source: Source) -> Iterator[Pair | Discard]:
    for number, line in text_lines(source):
        if isinstance(line, Discard):
            yield line
        elif line.strip() and not (number == 1 and is_header(line)):
            try:
                yield _pair(line, f"{source.name}:{number}")
            except (InputError, RecordError) as error:
                yield source.discard(DiscardReason.MALFORMED, number, error.message)


def _pair(line: str, where: str) -> Pair:
    # A column may begin with a brace, too; templates end with a mark.
    if line.lstrip().startswith("{") and ("\t" not in line or line.rstrip().endswith("}")):
        record = pair_record(json_object(line))
        return Pair.of_steps(tokens(record.abstract), map(tokens, record.steps), where)
    row = pair_row(line)
    if row.marks is None:
        return Pair(abstract=tokens(row.abstract), concrete=tokens(row.concrete), where=where)
    blanks = [mark == "0" for mark in row.marks]
    return Pair(abstract=row.abstract.split(), concrete=row.concrete.split(), blanks=blanks, where=where)
