"""The id sequences that KidsCook was released as: gzipped pickles of lists, tuples, strings and whole numbers.

Nothing else about them is known outside this file. A pair is a tuple of its abstract side and five steps, each a
list of ids; a spacer (the word of white space) stands for nothing, and a spacer with a full stop is a step that was
left empty. Pickles can run any code when they are read, so these are first checked to hold plain data alone.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import re
from collections.abc import Iterator
from pathlib import Path

from kgscripts.corpora.files import InputFile
from kgscripts.corpora.pair import Pair
from kgscripts.corpora.source import DamagedSourceError, Source, open_source
from schemas.errors import InputError, RecordError
from schemas.records import Discard, DiscardReason

VOCABULARY_FILE = "i2v.freq.pkl.gz"
"""The file beside the id sequences that says which word an id stands for."""

MAX_PICKLE_BYTES = 32 * 1024 * 1024
"""The largest pickle that is read, unpacked: 25 times the released training set."""

SPECIAL_WORDS = ("#UNK#", "<PAD>", "<SEP>", "<S>", "</S>")
"""The words of the ids 0 to 4."""

MAX_IDS = 32 * 1024 * 1024
"""How many ids are read: one list can stand for many, so that the size of the pickle does not bound them."""

# No tuples in a mapping: hashing those that share their parts can take for ever.
_COMMON = r"PROTO|FRAME|STOP|MARK|MEMOIZE|(LONG_)?BIN(PUT|GET)|BININT[12]?"
_SEQUENCES = re.compile(rf"{_COMMON}|EMPTY_(LIST|TUPLE)|APPENDS?|TUPLE[123]?")
_MAPPING = re.compile(rf"{_COMMON}|EMPTY_DICT|SETITEMS?|(SHORT_)?BINUNICODE")
_EMPTY_STEP = ["."]
_REMEDY = "use the files as released, or give the pairs as JSON lines or TSV"


def is_pickle(sample: bytes) -> bool:
    """Whether the bytes begin as pickles do since protocol 2; UTF-8 never does."""
    return len(sample) > 1 and sample[0] == 0x80 and 2 <= sample[1] <= 5


def read_id_sequences(source: Source, vocabulary: list[str]) -> Iterator[Pair | Discard]:
    """The pairs of ``train.freq.pkl.gz`` or ``valid.freq.pkl.gz``, whose steps keep their bounds.

    Raises InputError for a pickle that is damaged, too large, holds other than plain data, or is no list.
    """
    items = _plain_data(source, _SEQUENCES)
    if not isinstance(items, list):
        raise InputError(f"a pickled {type(items).__name__}, no list of pairs", where=source.name, remedy=_REMEDY)
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

    Raises InputError for a file that is missing, damaged, or no mapping from the ids 0 to n - 1 to words.
    """
    if not path.is_file():
        remedy = f"put the released {VOCABULARY_FILE} beside the id sequences"
        raise InputError("no vocabulary for the id sequences", where=str(path), remedy=remedy)
    with open_source(InputFile(path, path.name)) as source:
        try:
            words = _plain_data(source, _MAPPING)
        except DamagedSourceError as error:
            raise InputError(f"cannot be unpacked: {error.detail}", where=path.name, remedy="fetch it again") from error
    if not isinstance(words, dict):
        raise InputError(f"a pickled {type(words).__name__}, no vocabulary", where=path.name, remedy=_REMEDY)
    if not all(type(key) is int for key in words) or sorted(words) != list(range(len(words))):
        raise InputError("the ids do not run from 0 without a gap", where=path.name, remedy=_REMEDY)
    vocabulary = [words[id] for id in range(len(words))]
    if not all(isinstance(word, str) and (word.isspace() or [word] == word.split()) for word in vocabulary):
        raise InputError("a word that is no string, or several words", where=path.name, remedy=_REMEDY)
    if tuple(vocabulary[: len(SPECIAL_WORDS)]) != SPECIAL_WORDS:
        message = f"the first ids are not {', '.join(SPECIAL_WORDS)}"
        raise InputError(message, where=path.name, remedy=_REMEDY)
    return vocabulary


def _sides(item: object) -> list[list[object]]:
    if not isinstance(item, tuple) or not 2 <= len(item) <= 6 or not all(isinstance(side, list) for side in item):
        raise InputError("no tuple of an abstract side and one to five steps, each a list")
    return list(item)


def _words(side: list[object], vocabulary: list[str]) -> list[str]:
    words = []
    for id in side:
        if type(id) is not int or not 0 <= id < len(vocabulary):
            raise InputError(f"{id!r:.20} is no id in the vocabulary of {len(vocabulary)} words")
        if not vocabulary[id].isspace():
            words.append(vocabulary[id])
    return words


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        raise pickle.UnpicklingError(f"it names {module}.{name}")


def _plain_data(source: Source, opcodes: re.Pattern[str]) -> object:
    """The data of a pickle that does nothing but what these opcodes do."""
    data = source.stream.read(MAX_PICKLE_BYTES + 1)
    if len(data) > MAX_PICKLE_BYTES:
        message = f"a pickle of more than {MAX_PICKLE_BYTES:,} bytes"
        raise InputError(message, where=source.name, remedy=_REMEDY)
    try:
        _check_opcodes(data, opcodes)
        return _PlainUnpickler(io.BytesIO(data)).load()
    # A stack that runs empty, a memo that is not there, an item that has no hash: any of these is a damaged pickle.
    except (pickle.UnpicklingError, ValueError, EOFError, IndexError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"no pickle of plain data: {error}", where=source.name, remedy=_REMEDY) from error


def _check_opcodes(data: bytes, opcodes: re.Pattern[str]) -> None:
    for opcode, argument, _ in pickletools.genops(data):
        if not opcodes.fullmatch(opcode.name):
            raise pickle.UnpicklingError(f"it uses {opcode.name}, which released files do not")
        # The unpickler makes room for every memo index below the largest.
        if opcode.name.endswith("BINPUT") and isinstance(argument, int) and argument > len(data):
            raise pickle.UnpicklingError(f"a memo index of {argument}")
