"""Reading pair corpora as tokens, in any of their formats.

The format is detected from the content: cloze templates (TSV of abstract, concrete and a 0 or 1 for each concrete
token), plain TSV of two columns, JSON lines with steps, and the released id sequences of KidsCook.

Id sequences are gzipped pickles of lists, tuples, strings and integers; no other object is unpickled.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from kgscripts.corpora.files import InputFile
from kgscripts.corpora.json_records import json_object
from kgscripts.corpora.pairs.formats import is_header, pair_record, pair_row
from kgscripts.corpora.pairs.pair import Pair, tokens
from kgscripts.corpora.source import DamagedSourceError, Source, is_binary, numbered_lines, open_source, text_lines
from schemas.errors import InputError, RecordError
from schemas.records import Discard, DiscardReason

VOCABULARY_FILE = "i2v.freq.pkl.gz"
"""The file beside the id sequences that maps ids to words."""

MAX_PICKLE_BYTES = 32 * 1024 * 1024
"""The largest pickle that is read, uncompressed: 25 times the released training set."""

SPECIAL_WORDS = ("#UNK#", "<PAD>", "<SEP>", "<S>", "</S>")
"""The words of the ids 0 to 4."""

MAX_IDS = 32 * 1024 * 1024
"""The most ids that are read: a pickle can repeat a list, so that its size does not limit them."""

MAX_PAIRS = 1024 * 1024
"""The most pairs that are read: ten times the released training set."""

# No tuples in a mapping: hashing tuples that share parts can take exponential time.
_COMMON = r"PROTO|FRAME|STOP|MARK|MEMOIZE|(LONG_)?BIN(PUT|GET)|BININT[12]?"
_SEQUENCES = re.compile(rf"{_COMMON}|EMPTY_(LIST|TUPLE)|APPENDS?|TUPLE[123]?")
_MAPPING = re.compile(rf"{_COMMON}|EMPTY_DICT|SETITEMS?|(SHORT_)?BINUNICODE")
_EMPTY_STEP = ["."]
_REMEDY = "use the files as released, or give the pairs as JSON lines or TSV"


def is_pickle(sample: bytes) -> bool:
    """Whether the bytes begin like a pickle of protocol 2 or later, which UTF-8 text never does."""
    return len(sample) > 1 and sample[0] == 0x80 and 2 <= sample[1] <= 5


def read_id_sequences(source: Source, vocabulary: list[str]) -> Iterator[Pair | Discard]:
    """Yield the pairs of ``train.freq.pkl.gz`` or ``valid.freq.pkl.gz``, with their steps.

    Raises InputError for a pickle that is damaged, too large, contains other than plain data, or is not a list.
    """
    items = _plain_data(source, _SEQUENCES)
    if not isinstance(items, list):
        raise InputError(
            f"a pickled {type(items).__name__} instead of a list of pairs", where=source.name, remedy=_REMEDY
        )
    if len(items) > MAX_PAIRS:
        raise InputError(f"more than {MAX_PAIRS:,} pairs", where=source.name, remedy=_REMEDY)
    ids = 0
    for number, item in enumerate(items, 1):
        where = source.label(number)
        try:
            sides = _sides(item)
            ids += sum(map(len, sides))
            if ids <= MAX_IDS:
                abstract, *steps = (_words(side, vocabulary) for side in sides)
                yield Pair.of_steps(abstract, ([] if step == _EMPTY_STEP else step for step in steps), where)
        except (InputError, RecordError) as error:
            yield Discard(reason=DiscardReason.MALFORMED, where=where, detail=error.message)
        if ids > MAX_IDS:
            raise InputError(f"more than {MAX_IDS:,} ids", where=where, remedy=_REMEDY)


def read_released_vocabulary(path: Path) -> list[str]:
    """The words of ``i2v.freq.pkl.gz`` by id.

    Raises InputError for a file that is missing, damaged, or not a mapping from the ids 0 to n - 1 to words.
    """
    if not path.is_file():
        remedy = f"put the released {VOCABULARY_FILE} beside the id sequences"
        raise InputError("no vocabulary for the id sequences", where=str(path), remedy=remedy)
    with open_source(InputFile(path, path.name), strict=True) as source:
        try:
            words = _plain_data(source, _MAPPING)
        except DamagedSourceError as error:
            raise InputError(f"cannot be unpacked: {error.detail}", where=path.name, remedy="fetch it again") from error
    if not isinstance(words, dict):
        raise InputError(f"a pickled {type(words).__name__} instead of a vocabulary", where=path.name, remedy=_REMEDY)
    if not all(type(key) is int for key in words) or sorted(words) != list(range(len(words))):
        raise InputError("the ids do not run from 0 without a gap", where=path.name, remedy=_REMEDY)
    vocabulary = [words[id] for id in range(len(words))]
    if not all(isinstance(word, str) and (word.isspace() or [word] == word.split()) for word in vocabulary):
        raise InputError("a word that is not a string, or several words", where=path.name, remedy=_REMEDY)
    if tuple(vocabulary[: len(SPECIAL_WORDS)]) != SPECIAL_WORDS:
        message = f"the first ids are not {', '.join(SPECIAL_WORDS)}"
        raise InputError(message, where=path.name, remedy=_REMEDY)
    return vocabulary


def _sides(item: object) -> list[list[object]]:
    if not isinstance(item, tuple) or not 2 <= len(item) <= 6 or not all(isinstance(side, list) for side in item):
        raise InputError("not a tuple of an abstract side and one to five steps, each a list")
    return list(item)


def _words(side: list[object], vocabulary: list[str]) -> list[str]:
    words = []
    for id in side:
        if type(id) is not int or not 0 <= id < len(vocabulary):
            # Not its text: that of a nested or shared list can be endless.
            shown = id if type(id) is int else f"a {type(id).__name__}"
            raise InputError(f"{shown} is not an id in the vocabulary of {len(vocabulary)} words")
        if not vocabulary[id].isspace():
            words.append(vocabulary[id])
    return words


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        raise pickle.UnpicklingError(f"it imports {module}.{name}")


def _plain_data(source: Source, opcodes: re.Pattern[str]) -> object:
    """The data of a pickle that uses only these opcodes."""
    data = source.stream.read(MAX_PICKLE_BYTES + 1)
    if len(data) > MAX_PICKLE_BYTES:
        message = f"a pickle of more than {MAX_PICKLE_BYTES:,} bytes"
        raise InputError(message, where=source.name, remedy=_REMEDY)
    try:
        _check_opcodes(data, opcodes)
        return _PlainUnpickler(io.BytesIO(data)).load()
    # An empty stack, a missing memo entry, an unhashable item, an endless frame: each means a damaged pickle.
    except (
        pickle.UnpicklingError,
        ValueError,
        EOFError,
        LookupError,
        TypeError,
        AttributeError,
        OverflowError,
    ) as error:
        raise InputError(f"not a pickle of plain data: {error}", where=source.name, remedy=_REMEDY) from error


def _check_opcodes(data: bytes, opcodes: re.Pattern[str]) -> None:
    for opcode, argument, _ in pickletools.genops(data):
        if not opcodes.fullmatch(opcode.name):
            raise pickle.UnpicklingError(f"it uses {opcode.name}, which the released files do not")
        # The unpickler allocates room for every memo index below the largest.
        if opcode.name.endswith("BINPUT") and isinstance(argument, int) and argument > len(data):
            raise pickle.UnpicklingError(f"a memo index of {argument}")


_SPLITS = ("train", "dev", "valid", "test")
_SUFFIXES = (".tsv", ".jsonl", ".pkl")


def load_pairs(paths: Iterable[str | Path]) -> list[Pair]:
    """Read all pairs of some files, in order.

    Raises InputError for a file that is missing or cannot be read, for the first malformed record, and where there is
    no pair at all.
    """
    pairs: list[Pair] = []
    for item in chain.from_iterable(map(read_pair_corpus, paths)):
        if isinstance(item, Discard):
            raise InputError(item.detail, where=item.where, remedy="correct the record or remove it from the file")
        pairs.append(item)
    if not pairs:
        raise InputError("no pairs", remedy="pass files of abstract and concrete instructions, one pair per line")
    return pairs


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
            yield source.damaged(error)


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
        splits = [
            (_SPLITS.index(inner.name.split(".")[0]), inner.name, inner)
            for inner in path.iterdir()
            if inner.name.split(".")[0] in _SPLITS and inner.name.removesuffix(".gz").endswith(_SUFFIXES)
        ]
        if not splits:
            remedy = f"its files should be called {', '.join(_SPLITS)} and end with {', '.join(_SUFFIXES)}"
            raise InputError("no splits of a pair corpus in this folder", where=str(path), remedy=remedy)
        files += [inner for _, _, inner in sorted(splits)]
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
    [concrete] = row.steps
    if row.marks is None:
        return Pair(abstract=tokens(row.abstract), concrete=tokens(concrete), where=where)
    blanks = [mark == "0" for mark in row.marks]
    return Pair(abstract=row.abstract.split(), concrete=concrete.split(), blanks=blanks, where=where)
