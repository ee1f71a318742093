"""Pretrained word vectors: GloVe's text format, and the rows that KidsCook was released with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from attrs import frozen
from torch import Tensor

from kgscripts.corpora.files import InputFile
from kgscripts.corpora.pairs.loading import VOCABULARY_FILE, read_released_vocabulary
from kgscripts.corpora.source import open_source, text_lines
from kgscripts.reproductions.kidscook.networks.vocabulary import Vocabulary
from schemas.errors import InputError
from schemas.input_files import open_input
from schemas.records import Discard

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
            word, *numbers = line.rstrip().split(" ")
            size = size or len(numbers)
            if not numbers or len(numbers) != size:
                message = f"{len(numbers)} numbers where {size or 'some'} are wanted"
                raise InputError(message, where=f"{path.name}:{number}", remedy=_REMEDY)
            if word in wanted:
                rows[word] = _numbers(numbers, f"{path.name}:{number}")
    if not rows:
        raise InputError("a vector for none of the words", where=str(path), remedy=_REMEDY)
    found = torch.tensor(list(rows.values()))
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(len(vocabulary), size, generator=generator) * found.std(correction=0)
    vectors[vocabulary.ids(rows)] = found
    return WordVectors(vocabulary, vectors, len(rows))


def _numbers(fields: list[str], where: str) -> list[float]:
    try:
        numbers = [float(text) for text in fields]
    except ValueError as error:
        raise InputError(f"no vector: {error}", where=where, remedy=_REMEDY) from error
    if not np.isfinite(numbers).all():
        raise InputError("a vector that is not finite", where=where, remedy=_REMEDY)
    return numbers
