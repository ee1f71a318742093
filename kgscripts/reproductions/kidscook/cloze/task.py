"""The cloze task of KidsCook (Bisk et al., NAACL 2019, sections 2.2 and 4.1, appendix A.4) for any `ClozeModel`.

docs/measurements/cloze.md describes the measures and the decisions behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import frozen

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.evaluation.result import Evaluation
from kgscripts.models.alignment.aligner import PairAligner
from kgscripts.models.cloze import ClozeModel
from kgscripts.reproductions.kidscook.cloze.filling import (
    Candidates,
    ClozeItem,
    Feed,
    Filling,
    Guess,
    blank_words,
    cloze_items,
    fill,
    samples,
)
from kgscripts.reproductions.kidscook.cloze.tally import Tally
from schemas.errors import InputError

PASSES = 7
"""Number of predictions per hidden token: oracle with gold words, oracle with own words, and five samples."""

_TOGETHER = 256
"""Pairs that are filled at the same time: few enough to bound memory, and enough to fill batches."""

_BATCH = 64


@frozen
class FilledItem:
    """A model's predictions for the blanks of one pair."""

    item: ClozeItem
    oracle: Sequence[Guess]
    """Given the gold word of every earlier token."""
    oracle_choices: Sequence[Guess]
    """Given own words within the blank, and gold words before it."""
    greedy: Sequence[Guess]
    """Of the candidate sequence that was chosen."""
    greedy_words: Sequence[str]


def evaluate_cloze(
    model: ClozeModel,
    pairs: Iterable[Pair],
    candidates: Candidates,
    *,
    seed: int = 1931,
    on_words: Callable[[int], None] = lambda _: None,
    on_filled: Sequence[Callable[[FilledItem], None]] = (),
) -> Evaluation:
    """Evaluate a model on cloze templates.

    All pairs are filled at the same time, blank by blank, and equal questions are asked once. `on_words` is called with
    the progress (`PASSES` times the number of hidden tokens in total), each of `on_filled` with every pair in order.
    The seed determines the samples of the greedy setup.

    Raises InputError if there are no blanks or no candidates, ModelError if the model gives no probabilities.
    """
    items = cloze_items(pairs)
    if not blank_words(items) & set(candidates.words):
        remedy = "pass the whitelist from which these templates were made"
        raise InputError("none of the blanked words is on the whitelist", remedy=remedy)
    tally = Tally(candidates)
    for start in range(0, len(items), _TOGETHER):
        together = items[start : start + _TOGETHER]
        for filled in _fill_items(model, together, candidates, seed, on_words):
            tally.add(filled.item, filled.oracle, filled.oracle_choices, filled.greedy)
            for callback in on_filled:
                callback(filled)
        for item, path in _viterbi_paths(model, together):
            tally.add_path(item, path)
    return Evaluation(
        task="cloze", dataset="cloze templates", split="all", items=tally.items(), systems=[tally.system(model)]
    )


def _fill_items(
    model: ClozeModel,
    items: Sequence[ClozeItem],
    candidates: Candidates,
    seed: int,
    on_words: Callable[[int], None],
) -> list[FilledItem]:
    gold = [Filling(item, Feed.GOLD) for item in items]
    own = [Filling(item, Feed.OWN_WITHIN_BLANK) for item in items]
    sampled = [samples(item, seed) for item in items]
    fill(model, [*gold, *own, *(sample for group in sampled for sample in group)], candidates, on_words)
    chosen = _most_probable(model, sampled)
    return [
        FilledItem(
            item=item,
            oracle=with_gold.guesses,
            oracle_choices=with_own.guesses,
            greedy=sample.guesses,
            greedy_words=sample.words,
        )
        for item, with_gold, with_own, sample in zip(items, gold, own, chosen, strict=True)
    ]


def _most_probable(model: ClozeModel, sampled: Sequence[Sequence[Filling]]) -> list[Filling]:
    """The candidate sequence of each pair with the highest overall probability; of equal ones, the first."""
    several = {
        _sequence(filling): filling for group in sampled for filling in group if len(set(map(_sequence, group))) > 1
    }
    values = dict(zip(several, _overall(model, list(several.values())), strict=True))
    return [max(group, key=lambda filling: values.get(_sequence(filling), 0.0)) for group in sampled]


def _sequence(filling: Filling) -> tuple[tuple[str, ...], ...]:
    return filling.item.abstract, tuple(filling.words)


def _overall(model: ClozeModel, fillings: Sequence[Filling]) -> list[float]:
    """Log probability of each filled sequence, or of the words in its blanks if the model does not define it."""
    values: list[float] = []
    for start in range(0, len(fillings), _BATCH):
        batch = fillings[start : start + _BATCH]
        scores = model.score([filling.item.abstract for filling in batch], [filling.words for filling in batch])
        if scores is None:
            values += [sum(guess.choice_log_probability for guess in filling.guesses) for filling in batch]
        else:
            values += scores.tolist()
    return values


def _viterbi_paths(model: ClozeModel, items: Sequence[ClozeItem]) -> Iterator[tuple[ClozeItem, Sequence[int]]]:
    if isinstance(model, PairAligner):
        yield from zip(items, (alignment.path for alignment in model.align(items)), strict=True)
