"""Words for word-level models: their ids, their vectors, and pairs as padded tensors of ids."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from attrs import field, frozen
from torch import Tensor

from kgscripts.corpora.files import InputFile
from kgscripts.corpora.pairs.loading import VOCABULARY_FILE, read_released_vocabulary
from kgscripts.corpora.source import open_source, text_lines
from kgscripts.models.cloze import UNKNOWN_WORD
from kgscripts.reproductions.torch_networks.inference import TensorFields, padded
from schemas.errors import InputError, ModelError
from schemas.input_files import open_input
from schemas.records import Discard

UNKNOWN = UNKNOWN_WORD
PADDING = "<PAD>"
START = "<S>"
"""The special words of the released KidsCook data (`i2v.freq.pkl.gz`)."""


@frozen
class Vocabulary:
    """Words by id. Any word that is not in it has the id of the unknown word.

    Raises ModelError for a word that comes twice, is no string or holds half a surrogate pair, and where the unknown
    word, padding or the start symbol is missing.
    """

    words: tuple[str, ...] = field(converter=tuple[str, ...])
    _ids: dict[str, int] = field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        if not all(isinstance(word, str) for word in self.words):
            raise ModelError("a vocabulary holds something else than words")
        try:
            "".join(self.words).encode()
        except UnicodeEncodeError as error:
            raise ModelError(
                f"a word of the vocabulary is not text ({error})",
                remedy="take that word out, or get the checkpoint again",
            ) from error
        ids = {word: id for id, word in enumerate(self.words)}
        if len(ids) < len(self.words):
            twice = next(word for word, count in Counter(self.words).items() if count > 1)
            raise ModelError(f"the vocabulary has {twice!r} twice")
        if missing := [word for word in (UNKNOWN, PADDING, START) if word not in ids]:
            raise ModelError(f"the vocabulary lacks {', '.join(missing)}")
        object.__setattr__(self, "_ids", ids)

    @classmethod
    def of_texts(cls, texts: Iterable[Sequence[str]], minimum_count: int) -> Vocabulary:
        """The words that occur at least `minimum_count` times, the most frequent ones first."""
        counts = Counter(word for text in texts for word in text)
        frequent = [word for word, count in counts.items() if count >= minimum_count]
        special = (UNKNOWN, PADDING, START)
        ranked = sorted((word for word in frequent if word not in special), key=lambda word: (-counts[word], word))
        return cls((*special, *ranked))

    @classmethod
    def from_json(cls, text: str | bytes) -> Vocabulary:
        """What `to_json` wrote. Raises ModelError for anything else."""
        try:
            words = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ModelError(f"the vocabulary is no JSON: {error}") from error
        if not isinstance(words, list):
            raise ModelError("the vocabulary is no list of words")
        return cls(words)

    def to_json(self) -> str:
        """One word a line, so that it can be read and compared."""
        return json.dumps(self.words, ensure_ascii=False, indent=0) + "\n"

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self._ids

    @property
    def unknown(self) -> int:
        """The id of every word that is not in the vocabulary."""
        return self._ids[UNKNOWN]

    @property
    def padding(self) -> int:
        """The id that fills up the shorter sequences of a batch."""
        return self._ids[PADDING]

    @property
    def start(self) -> int:
        """The id before the first word of the concrete side."""
        return self._ids[START]

    def ids(self, words: Iterable[str]) -> list[int]:
        """The ids of words."""
        return [self._ids.get(word, self.unknown) for word in words]


_REMEDY = "name a file in GloVe's text format, or infer_glove.npy with its vocabulary beside it"


@frozen(eq=False)
class WordVectors:
    """Vectors (words, size) float32 of the words of a vocabulary; `found` of them were in the file."""

    vocabulary: Vocabulary
    vectors: Tensor
    found: int


def read_released_vectors(path: Path) -> WordVectors:
    """`infer_glove.npy`, whose rows are the words of the ``i2v.freq.pkl.gz`` beside it.

    Raises InputError for a file that is missing, no plain array of numbers, or of another length than the vocabulary.
    """
    vocabulary = Vocabulary(read_released_vocabulary(path.with_name(VOCABULARY_FILE)))
    try:
        with open_input(path) as file:
            # A pickle could run code.
            vectors = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(f"no array of word vectors: {error}", where=str(path), remedy=_REMEDY) from error
    if not isinstance(vectors, np.ndarray) or vectors.ndim != 2 or not np.issubdtype(vectors.dtype, np.floating):
        raise InputError("no table of numbers", where=str(path), remedy=_REMEDY)
    if len(vectors) != len(vocabulary):
        message = f"{len(vectors)} vectors for the {len(vocabulary)} words of {VOCABULARY_FILE}"
        raise InputError(message, where=str(path), remedy=_REMEDY)
    if not np.isfinite(vectors).all():
        raise InputError("a vector that is not finite", where=str(path), remedy=_REMEDY)
    return WordVectors(vocabulary, torch.from_numpy(vectors.astype(np.float32)), len(vocabulary))


def read_glove(path: Path, vocabulary: Vocabulary, seed: int) -> WordVectors:
    """The vectors of a vocabulary's words from a text file of a word and its numbers on each line. gzip is unpacked.

    Words that the file lacks get normally distributed vectors of the others' deviation, the same ones for a seed.

    Raises InputError for a file that is missing or not in that format, and where it has none of the words.
    """
    wanted = set(vocabulary.words)
    rows: dict[str, list[float]] = {}
    size = 0
    with open_source(InputFile(path, path.name), strict=True) as source:
        for number, line in text_lines(source):
            if isinstance(line, Discard):
                raise InputError(line.detail, where=f"{path.name}:{number}", remedy=_REMEDY)
            # By blanks alone, since words of GloVe have other white space in them, such as no-break spaces.
            word, *numbers = line.rstrip().split(" ")
            size = size or len(numbers)
            if not numbers or len(numbers) != size:
                message = f"{len(numbers)} numbers where {size or 'some'} are wanted"
                raise InputError(message, where=f"{path.name}:{number}", remedy=_REMEDY)
            if word in wanted:
                rows[word] = _numbers(numbers, f"{path.name}:{number}")
    if not rows:
        raise InputError("a vector for none of the words", where=str(path), remedy=_REMEDY)
    known = torch.tensor(list(rows.values()))
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(len(vocabulary), size, generator=generator) * known.std(correction=0)
    vectors[vocabulary.ids(rows)] = known
    return WordVectors(vocabulary, vectors, len(rows))


def _numbers(fields: list[str], where: str) -> list[float]:
    try:
        numbers = [float(text) for text in fields]
    except ValueError as error:
        raise InputError(f"no vector: {error}", where=where, remedy=_REMEDY) from error
    if not np.isfinite(numbers).all():
        raise InputError("a vector that is not finite", where=where, remedy=_REMEDY)
    return numbers


@frozen(eq=False)
class PairBatch(TensorFields):
    """Word ids of pairs, int64.

    `abstract` (batch, abstract) and `concrete` (batch, concrete), without the start symbol, are padded;
    `abstract_lengths` and `concrete_lengths` (batch,) are the lengths without padding. An empty concrete side is
    allowed (the prefix before the first word); an abstract side has at least one token.
    """

    abstract: Tensor
    concrete: Tensor
    abstract_lengths: Tensor
    concrete_lengths: Tensor

    @classmethod
    def of_ids(cls, abstracts: Sequence[Sequence[int]], concretes: Sequence[Sequence[int]], padding: int) -> PairBatch:
        """Pads the ids of pairs."""
        return cls(
            abstract=padded(abstracts, value=padding)[0],
            concrete=padded(concretes, value=padding)[0],
            abstract_lengths=torch.tensor([len(ids) for ids in abstracts], dtype=torch.int64),
            concrete_lengths=torch.tensor([len(ids) for ids in concretes], dtype=torch.int64),
        )

    @classmethod
    def of_words(
        cls, abstracts: Sequence[Sequence[str]], concretes: Sequence[Sequence[str]], vocabulary: Vocabulary
    ) -> PairBatch:
        """Looks up the words of pairs and pads them."""
        abstract, concrete = ([vocabulary.ids(words) for words in side] for side in (abstracts, concretes))
        return cls.of_ids(abstract, concrete, vocabulary.padding)

    def __len__(self) -> int:
        return len(self.abstract)

    @property
    def abstract_mask(self) -> Tensor:
        """True where a pair has an abstract token, (batch, abstract)."""
        return _mask(self.abstract_lengths, self.abstract.shape[1])

    @property
    def concrete_mask(self) -> Tensor:
        """True where a pair has a concrete token, (batch, concrete)."""
        return _mask(self.concrete_lengths, self.concrete.shape[1])


def _mask(lengths: Tensor, size: int) -> Tensor:
    return torch.arange(size, device=lengths.device) < lengths[:, None]
