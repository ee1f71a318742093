"""Accumulating the scores of a model over cloze templates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from attrs import define, field

from kgscripts.corpora.pairs.cloze_items import ClozeItem
from kgscripts.evaluation.cloze.filling import Candidates, Guess
from kgscripts.evaluation.cloze.scores import ClozeScores
from kgscripts.models.cloze.protocol import ClozeModel

_IMPOSSIBLE = float("-inf")


@define
class Tally:
    """The sums over all pairs for one model."""

    candidates: Candidates
    transition_nats: float = 0.0
    _counts: Counter[str] = field(factory=Counter)
    _word_nats: float = 0.0

    def add(self, item: ClozeItem, oracle: Sequence[Guess], choices: Sequence[Guess], greedy: Sequence[Guess]) -> None:
        """Add a pair: predictions given gold words, given own words within each blank, and of the greedy setup."""
        unknown = self.candidates.unknown
        self._counts["pairs"] += 1
        self._counts["words"] += len(item.blanks)
        for guess in oracle:
            self._counts["unknown_words"] += guess.gold == unknown
            if guess.gold_log_probability == _IMPOSSIBLE:
                self._counts["impossible_words"] += 1
            else:
                self._word_nats -= guess.gold_log_probability
        for setup, guesses in (("oracle", oracle), ("greedy", greedy)):
            found = [guess.gold in guess.top and guess.gold_log_probability > _IMPOSSIBLE for guess in guesses]
            known = [guess.gold != unknown for guess in guesses]
            self._counts[f"{setup}_top5"] += sum(found)
            self._counts[f"{setup}_top5_strict"] += sum(map(min, found, known))
        first = {blank.start: number for number, blank in reversed(list(enumerate(item.blanks)))}
        for start, end in item.slots:
            self._counts["blanks"] += 1
            words = slice(first[start], first[start] + end - start)
            for setup, guesses in (("oracle", choices[words]), ("greedy", greedy[words])):
                matches = all(guess.choice == guess.gold for guess in guesses)
                self._counts[f"{setup}_match"] += matches
                self._counts[f"{setup}_match_strict"] += matches and all(guess.gold != unknown for guess in guesses)

    def add_path(self, item: ClozeItem, path: Sequence[int]) -> None:
        """Add the spans of a Viterbi path: the concrete tokens that one abstract token emitted, if any.

        As in the released extraction, the start symbol is emitted by the first abstract token.
        """
        self._counts["aligned"] += len(item.concrete)
        self._counts["starts"] += 1
        self._counts["word_spans"] += len(set(path))
        self._counts["spans"] += len({0, *path})

    def scores(self, model: ClozeModel, seed: int) -> ClozeScores:
        """The scores over all added pairs."""
        counts = self._counts
        words, possible = counts["words"], counts["words"] - counts["impossible_words"]
        shares = {
            f"{setup}_{metric}{strictness}": 100 * counts[f"{setup}_{metric}{strictness}"] / total
            for setup in ("oracle", "greedy")
            for metric, total in (("match", counts["blanks"]), ("top5", words))
            for strictness in ("", "_strict")
        }
        word_surprisal = self._word_nats / possible if possible else None
        return ClozeScores(
            model=model.name,
            context=model.context,
            **shares,
            word_surprisal=word_surprisal,
            surprisal=None if word_surprisal is None else word_surprisal + self.transition_nats / words,
            mean_span_length=_ratio(counts["aligned"] + counts["starts"], counts["spans"]),
            mean_word_span_length=_ratio(counts["aligned"], counts["word_spans"]),
            pairs=counts["pairs"],
            blanks=counts["blanks"],
            words=words,
            candidates=len(self.candidates.words),
            unknown_words=counts["unknown_words"],
            impossible_words=counts["impossible_words"],
            seed=seed,
        )


def _ratio(total: int, parts: int) -> float | None:
    return total / parts if parts else None
