"""Reading pair corpora as tokens, in any of their formats.

The format is detected from the content: cloze templates (TSV of abstract, concrete and a 0 or 1 for each concrete
token), plain TSV of two columns, JSON lines with steps, and the released id sequences of KidsCook.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from attrs import frozen

from kgscripts.corpora.files import InputFile
from kgscripts.corpora.json_records import json_object
from kgscripts.corpora.pairs.formats import is_header, pair_record, pair_row
from kgscripts.corpora.pairs.kidscook_ids import VOCABULARY_FILE, is_pickle, read_id_sequences, read_released_vocabulary
from kgscripts.corpora.pairs.pair import Pair, tokens
from kgscripts.corpora.source import DamagedSourceError, Source, is_binary, numbered_lines, open_source, text_lines
from schemas.errors import InputError, RecordError
from schemas.records import Discard, DiscardReason

_SPLITS = ("train", "dev", "valid", "test")
_SUFFIXES = (".tsv", ".jsonl", ".pkl")


@frozen
class PairCorpus:
    """The pairs of pair corpora, in order, and the discarded records."""

    pairs: list[Pair]
    discards: list[Discard]


def load_pairs(paths: Iterable[str | Path], *, strict: bool = True) -> PairCorpus:
    """Read all pairs of some files.

    Raises InputError for a file that is missing or cannot be read; if `strict`, also for the first malformed record and
    where there is no pair at all. Otherwise malformed records are among the discards.
    """
    pairs: list[Pair] = []
    discards: list[Discard] = []
    for path in paths:
        for item in read_pair_corpus(path):
            if isinstance(item, Pair):
                pairs.append(item)
            elif strict:
                raise InputError(item.detail, where=item.where, remedy="correct the record or remove it from the file")
            else:
                discards.append(item)
    if strict and not pairs:
        raise InputError("no pairs", remedy="pass files of abstract and concrete instructions, one pair per line")
    return PairCorpus(pairs, discards)


def read_pair_corpus(path: str | Path) -> Iterator[Pair | Discard]:
    """Yield the pairs of a file, and a discard for each malformed record. gzip is unpacked.

    Raises InputError for a file that is missing or cannot be opened, and for released id sequences that are malformed
    or have no vocabulary beside them.
    """
    path = Path(path)
    with open_source(InputFile(path, path.name), strict=True) as source:
        try:
            if is_pickle(source.sample()) or path.name.removesuffix(".gz").endswith(".pkl"):
                vocabulary = read_released_vocabulary(path.with_name(VOCABULARY_FILE))
                yield from read_id_sequences(source, vocabulary)
            elif is_binary(source.sample()):
                raise InputError(
                    "binary data instead of text", where=path.name, remedy="give TSV, JSON lines or released ids"
                )
            else:
                yield from _read_lines(source)
        except DamagedSourceError as error:
            detail = f"cannot be read beyond this line: {error.detail}"
            yield source.discard(DiscardReason.UNDECODABLE, error.line, detail)


def split_files(arguments: Iterable[Path], *, fetched: Path) -> list[Path]:
    """The given files, and for each folder the files of its splits, train first.

    Paths that do not exist are looked up in `fetched`. Raises InputError for a path that does not exist there either,
    and for a folder without splits.
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
    """Read the words of a file, one per line, in order.

    Raises InputError for a file that is missing, empty or not UTF-8, for a line of several words, and for a repeated
    word.
    """
    path = Path(path)
    locations: dict[str, str] = {}
    for where, line in numbered_lines(path):
        word, *others = line.split()
        if others:
            raise InputError("several words", where=where, remedy="write one word per line")
        if word in locations:
            raise InputError(
                f"{word!r} is already listed at {locations[word]}", where=where, remedy="remove one of them"
            )
        locations[word] = where
    if not locations:
        raise InputError("no words", where=path.name, remedy="write one word per line")
    return list(locations)


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
    # A column may begin with a brace too, but a template ends with a mark.
    if line.lstrip().startswith("{") and ("\t" not in line or line.rstrip().endswith("}")):
        record = pair_record(json_object(line))
        return Pair.of_steps(tokens(record.abstract), map(tokens, record.steps), where)
    row = pair_row(line)
    if row.marks is None:
        return Pair(abstract=tokens(row.abstract), concrete=tokens(row.concrete), where=where)
    blanks = [mark == "0" for mark in row.marks]
    return Pair(abstract=row.abstract.split(), concrete=row.concrete.split(), blanks=blanks, where=where)
