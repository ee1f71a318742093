"""Words and their ids, for word-level models."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence

from attrs import field, frozen

from kgscripts.models.cloze import UNKNOWN_WORD
from schemas.errors import ModelError

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
