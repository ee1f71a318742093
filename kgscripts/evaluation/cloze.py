"""The cloze task of KidsCook (Bisk et al., NAACL 2019, sections 2.2 and 4.1, appendix A.4) for any `ClozeModel`.

docs/cloze.md says what is measured and which decisions stand behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import frozen

from kgscripts.corpora.pair import Pair
from kgscripts.evaluation.cloze_filling import Candidates, Feed, Filling, Guess, fill, samples
from kgscripts.evaluation.cloze_items import ClozeItem, blank_words, cloze_items
from kgscripts.evaluation.cloze_scores import ClozeScores
from kgscripts.evaluation.cloze_tally import Tally
from kgscripts.models.cloze import ClozeModel, TransitionModel, ViterbiModel
from schemas.errors import InputError

PASSES = 7
"""How often each hidden token is asked about: oracle with gold words, oracle with own words, and five samples."""

_TOGETHER = 256
"""Pairs that advance together: bounds memory, and is many enough to fill batches."""

_BATCH = 64


@frozen
class FilledItem:
    """What a model put into the blanks of one pair."""

    item: ClozeItem
    oracle: Sequence[Guess]
    """Given the gold word of every earlier token."""
    oracle_words: Sequence[str]
    """The concrete tokens predicted blank by blank, given gold words before each blank."""
    oracle_choices: Sequence[Guess]
    greedy: Sequence[Guess]
    """Of the candidate sequence that was chosen."""
    greedy_words: Sequence[str]


def _ignore(_: object) -> None:
    """Nobody listens."""


def evaluate_cloze(
    model: ClozeModel,
    pairs: Iterable[Pair],
    candidates: Candidates,
    *,
    seed: int = 1931,
    on_words: Callable[[int], None] = _ignore,
    on_filled: Sequence[Callable[[FilledItem], None]] = (),
) -> ClozeScores:
    """Score a model on cloze templates.

    All pairs advance together, blank by blank, and equal questions are asked once. `on_words` hears of progress
    (`PASSES` times the hidden tokens in all), all of `on_filled` hear of every pair, in order. The seed decides the
    samples of the greedy setup.

    Raises InputError where there are no blanks or no candidates, ModelError where the model gives no probabilities.
    """
    items = cloze_items(pairs)
    if not blank_words(items) & set(candidates.words):
        remedy = "give the whitelist of words that were dropped to make these templates"
        raise InputError("none of the blanked words is on the whitelist", remedy=remedy)
    tally = Tally(candidates)
    for start in range(0, len(items), _TOGETHER):
        together = items[start : start + _TOGETHER]
        gold = [Filling(item, Feed.GOLD) for item in together]
        for filled in _fill_items(model, together, gold, candidates, seed, on_words):
            tally.add(filled.item, filled.oracle, filled.oracle_choices, filled.greedy)
            for listener in on_filled:
                listener(filled)
        tally.transition_nats += _transition_nats(model, gold)
        for item, path in _viterbi_paths(model, together):
            tally.add_path(item, path)
    return tally.scores(model, seed)


def _fill_items(
    model: ClozeModel,
    items: Sequence[ClozeItem],
    gold: Sequence[Filling],
    candidates: Candidates,
    seed: int,
    on_words: Callable[[int], None],
) -> list[FilledItem]:
    own = [Filling(item, Feed.OWN_WITHIN_BLANK) for item in items]
    sampled = [samples(item, seed) for item in items]
    fill(model, [*gold, *own, *(sample for group in sampled for sample in group)], candidates, on_words)
    chosen = _most_probable(model, sampled)
    return [
        FilledItem(
            item=item,
            oracle=with_gold.guesses,
            oracle_words=_filled_in(item, with_own.guesses, candidates),
            oracle_choices=with_own.guesses,
            greedy=sample.guesses,
            greedy_words=sample.words,
        )
        for item, with_gold, with_own, sample in zip(items, gold, own, chosen, strict=True)
    ]


def _filled_in(item: ClozeItem, guesses: Sequence[Guess], candidates: Candidates) -> list[str]:
    words = list(item.concrete)
    for blank, guess in zip(item.blanks, guesses, strict=True):
        words[blank.position] = candidates.word(guess.choice)
    return words


def _most_probable(model: ClozeModel, sampled: Sequence[Sequence[Filling]]) -> list[Filling]:
    """Of each pair's candidate sequences the one with the highest overall probability; the first among equals."""
    several = {
        _sequence(filling): filling for group in sampled for filling in group if len(set(map(_sequence, group))) > 1
    }
    values = dict(zip(several, _overall(model, list(several.values())), strict=True))
    return [max(group, key=lambda filling: values.get(_sequence(filling), 0.0)) for group in sampled]


def _sequence(filling: Filling) -> tuple[tuple[str, ...], ...]:
    return filling.item.abstract, tuple(filling.words)


def _overall(model: ClozeModel, fillings: Sequence[Filling]) -> list[float]:
    """Log probability of each filled sequence; of the words in its blanks where the model defines no other."""
    values: list[float] = []
    for start in range(0, len(fillings), _BATCH):
        batch = fillings[start : start + _BATCH]
        scores = model.score([filling.item.abstract for filling in batch], [filling.words for filling in batch])
        if scores is None:
            values += [sum(guess.choice_log_probability for guess in filling.guesses) for filling in batch]
        else:
            values += scores.tolist()
    return values


def _transition_nats(model: ClozeModel, gold: Sequence[Filling]) -> float:
    """Nats of the alignment decisions of all hidden tokens, given gold words; 0 for a model that has none to count."""
    if not isinstance(model, TransitionModel):
        return 0.0
    questions = [question for filling in gold for question in filling.questions]
    batches = [questions[start : start + _BATCH] for start in range(0, len(questions), _BATCH)]
    return sum(float(model.transition_surprisal(batch).double().sum()) for batch in batches)


def _viterbi_paths(model: ClozeModel, items: Sequence[ClozeItem]) -> Iterator[tuple[ClozeItem, Sequence[int]]]:
    if not isinstance(model, ViterbiModel):
        return
    for start in range(0, len(items), _BATCH):
        batch = items[start : start + _BATCH]
        yield from zip(
            batch, model.align([item.abstract for item in batch], [item.concrete for item in batch]), strict=True
        )
