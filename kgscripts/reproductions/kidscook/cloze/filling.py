"""Filling the blanks of many pairs from left to right, all at the same time.

A `Filling` is one pass over one pair. It asks for one hidden token at a time; its `Feed` determines the word that
later predictions are conditioned on: gold, predicted, or sampled. `fill` advances all fillings together, so that equal
questions are asked once and models see full batches."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from attrs import define, field, frozen

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.cloze import HIDDEN_WORD, UNKNOWN_WORD, Cloze, ClozeModel
from schemas.errors import InputError, ModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_ABSTRACT_TOKENS = 50
MAX_CONCRETE_TOKENS = 49
"""Fifty with the start symbol, which counts towards the concrete side."""


@frozen
class Blank:
    """A hidden token of the concrete side, and the whole blank (`start` to `end`, exclusive) that it belongs to."""

    position: int
    start: int
    end: int


@frozen
class ClozeItem:
    """A pair as models see it: both sides truncated, and its hidden tokens from left to right."""

    abstract: tuple[str, ...]
    concrete: tuple[str, ...]
    blanks: tuple[Blank, ...]
    where: str

    @property
    def slots(self) -> list[tuple[int, int]]:
        """The whole blanks as spans of concrete tokens, end exclusive."""
        return list(dict.fromkeys((blank.start, blank.end) for blank in self.blanks))


def cloze_item(pair: Pair) -> ClozeItem:
    """The item of a pair. Blanks beyond the truncation are dropped; a blank that crosses it ends there."""
    spans = [(start, min(end, MAX_CONCRETE_TOKENS)) for start, end in pair.slots if start < MAX_CONCRETE_TOKENS]
    return ClozeItem(
        abstract=pair.abstract[:MAX_ABSTRACT_TOKENS],
        concrete=pair.concrete[:MAX_CONCRETE_TOKENS],
        blanks=tuple(Blank(position, start, end) for start, end in spans for position in range(start, end)),
        where=pair.where,
    )


def cloze_items(pairs: Iterable[Pair]) -> list[ClozeItem]:
    """The items of cloze templates, in order. Pairs without a blank are kept, since their alignments are measured.

    Raises InputError if there are no blanks at all.
    """
    items = [cloze_item(pair) for pair in pairs]
    if not any(item.blanks for item in items):
        remedy = f"pass cloze templates: a third column with a 0 for each token to guess, within {MAX_CONCRETE_TOKENS}"
        raise InputError("there are no blanks", where=items[0].where if items else None, remedy=remedy)
    return items


def blank_words(items: Iterable[ClozeItem]) -> set[str]:
    """The words that were blanked."""
    return {item.concrete[blank.position] for item in items for blank in item.blanks}


SAMPLES = 5
TEMPERATURE = 0.1
"""Slot filling of appendix A.4."""

TOP = 5
_BATCH = 64


class Feed(Enum):
    """What later predictions are conditioned on."""

    GOLD = "gold"
    """The gold word of every earlier token, also inside the blank: top-5 and surprisal of the oracle setup."""
    OWN_WITHIN_BLANK = "own within blank"
    """The most probable words inside the blank, gold words after it: match of the oracle setup."""
    SAMPLES = "samples"
    """Words sampled with temperature 0.1, in every blank: the greedy setup."""


def _alphabetical(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(words)))


@frozen
class Candidates:
    """The words that every model ranks, in alphabetical order; the column after the last is the unknown word."""

    words: tuple[str, ...] = field(converter=_alphabetical)

    @cached_property
    def columns(self) -> dict[str, int]:
        """Column of each word."""
        return {word: column for column, word in enumerate(self.words)}

    @property
    def unknown(self) -> int:
        """Column of the unknown word."""
        return len(self.words)

    def word(self, column: int) -> str:
        """The word of a column."""
        return UNKNOWN_WORD if column == self.unknown else self.words[column]


@frozen
class Guess:
    """A model's prediction for one hidden token. Columns are those of the candidates, log probabilities are in nats.

    `gold` is the column of the unknown word if the gold word is not a candidate or is unknown to the model.
    """

    gold: int
    gold_log_probability: float
    choice: int
    choice_log_probability: float
    top: tuple[int, ...]


@frozen
class _Answer:
    """A model's row for one question."""

    log_probabilities: NDArray[np.float64]
    top: NDArray[np.int64]

    @cached_property
    def cumulated(self) -> NDArray[np.float64]:
        """Cumulative distribution of the row at the sampling temperature, not normalised."""
        scaled = self.log_probabilities / TEMPERATURE
        cumulated: NDArray[np.float64] = np.cumsum(np.exp(scaled - scaled.max()))
        return cumulated


@define(eq=False)
class Filling:
    """One pass over the blanks of a pair. `noise` draws the samples of `Feed.SAMPLES`."""

    item: ClozeItem
    feed: Feed
    noise: random.Random | None = None
    guesses: list[Guess] = field(factory=list)
    words: list[str] = field(init=False)
    """The concrete side as filled so far; `HIDDEN_WORD` in the remaining blanks."""

    def __attrs_post_init__(self) -> None:
        self.words = list(self.item.concrete)
        for blank in self.item.blanks:
            self.words[blank.position] = HIDDEN_WORD

    @property
    def finished(self) -> bool:
        """Whether every blank is full."""
        return len(self.guesses) == len(self.item.blanks)

    def ask(self, context: str) -> Cloze:
        """The question about the next hidden token.

        A model of left context does not see the text after the blank, only the number of words in the blank
        (which section 4.1 gives to all models).
        """
        blank = self.item.blanks[len(self.guesses)]
        end = blank.end if context == "left" else len(self.words)
        hidden = [False] * end
        for later in self.item.blanks[len(self.guesses) :]:
            if later.position < end:
                hidden[later.position] = True
        return Cloze(self.item.abstract, tuple(self.words[:end]), tuple(hidden), blank.position)

    def take(self, answer: _Answer, candidates: Candidates) -> None:
        """Record the model's answer for the next hidden token, and fill in the word that `feed` requires."""
        blank = self.item.blanks[len(self.guesses)]
        gold_word = self.item.concrete[blank.position]
        gold = candidates.columns.get(gold_word, candidates.unknown)
        if answer.log_probabilities[gold] == -np.inf:
            gold = candidates.unknown
        choice = int(answer.top[0])
        if self.noise is not None:
            cumulated = answer.cumulated
            drawn = np.searchsorted(cumulated, self.noise.random() * cumulated[-1], side="right")
            # A product that is rounded up may lie behind the last column.
            choice = min(int(drawn), candidates.unknown)
        self.guesses.append(
            Guess(
                gold=gold,
                gold_log_probability=float(answer.log_probabilities[gold]),
                choice=choice,
                choice_log_probability=float(answer.log_probabilities[choice]),
                top=tuple(answer.top.tolist()),
            )
        )
        self.words[blank.position] = gold_word if self.feed is Feed.GOLD else candidates.word(choice)
        if self.feed is Feed.OWN_WITHIN_BLANK and blank.position == blank.end - 1:
            self.words[blank.start : blank.end] = self.item.concrete[blank.start : blank.end]


def samples(item: ClozeItem, seed: int) -> list[Filling]:
    """The candidate sequences of a pair, with random numbers that depend on the seed and the question alone.

    So a sample depends neither on the order of the pairs nor on which others are scored.
    """
    shown = Filling(item, Feed.GOLD).words
    keys = [f"{seed}\t{number}\t{' '.join(item.abstract)}\t{' '.join(shown)}" for number in range(SAMPLES)]
    return [Filling(item, Feed.SAMPLES, random.Random(key)) for key in keys]


def fill(
    model: ClozeModel, fillings: Sequence[Filling], candidates: Candidates, on_words: Callable[[int], None]
) -> None:
    """Complete all fillings. `on_words` is called with the number of hidden tokens filled since its last call.

    Raises ModelError if the model's answers are not log probabilities.
    """
    while waiting := [filling for filling in fillings if not filling.finished]:
        askers: dict[Cloze, list[Filling]] = {}
        for filling in waiting:
            askers.setdefault(filling.ask(model.context), []).append(filling)
        # Batches of questions of similar length have little padding.
        questions = sorted(askers, key=lambda cloze: (len(cloze.concrete), len(cloze.abstract)))
        for start in range(0, len(questions), _BATCH):
            batch = questions[start : start + _BATCH]
            for question, answer in zip(batch, _answers(model, batch, candidates), strict=True):
                for filling in askers[question]:
                    filling.take(answer, candidates)
            on_words(sum(len(askers[question]) for question in batch))


def _answers(model: ClozeModel, questions: Sequence[Cloze], candidates: Candidates) -> list[_Answer]:
    rows = model.predict(questions, candidates.words).double().cpu().numpy()
    if rows.shape != (len(questions), len(candidates.words) + 1):
        message = f"answered {rows.shape} to {len(questions)} blanks and {len(candidates.words)} candidates"
        raise ModelError(message, where=model.name, remedy="use a model made for this version")
    if np.isnan(rows).any() or (rows.max(axis=1) == -np.inf).any():
        raise ModelError("gives no probabilities (NaN, or zero for all)", where=model.name, remedy="train it again")
    # Equal probabilities rank in the order of the candidates.
    top = np.argsort(-rows, axis=1, kind="stable")[:, :TOP]
    return [_Answer(row, best) for row, best in zip(rows, top, strict=True)]
