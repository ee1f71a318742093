"""The released id sequences of KidsCook: gzipped pickles of lists, tuples, strings and integers.

Only this module knows the format. A pair is a tuple of its abstract side and five steps, each a list of ids; a spacer
(a word of white space) is ignored, and a spacer with a full stop is an empty step. Since loading a pickle can run any
code, the files are first checked to contain only plain data.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import re
from collections.abc import Iterator
from pathlib import Path

from kgscripts.corpora.files import InputFile
from kgscripts.corpora.pairs.pair import Pair
from kgscripts.corpora.source import DamagedSourceError, Source, open_source
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
            found = id if type(id) is int else f"a {type(id).__name__}"
            raise InputError(f"{found} is not an id in the vocabulary of {len(vocabulary)} words")
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
