"""Output of cloze scores, predictions and filled examples."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from typing import IO, Any

from kgscripts.corpora.pairs.cloze_items import ClozeItem
from kgscripts.evaluation.cloze.filling import Candidates, Guess
from kgscripts.evaluation.cloze.scores import HEADINGS, PUBLISHED, ClozeScores, beaten
from kgscripts.evaluation.cloze.task import FilledItem
from schemas.terminal import console, echo, json_text

_COLUMN = 10
"""Width of a column; all columns fit 80 characters, since the names of the models have lines of their own."""


def print_cloze_table(results: Sequence[ClozeScores], *, comparable: bool) -> None:
    """Print the published scores and ours, and where ours are better, given the same context and task."""
    screen = console()
    screen.print("Cloze: percent, nats a word, tokens a span. Published: on valid.template.tsv of KidsCook.")
    split = [heading.rpartition(" ") for heading in HEADINGS.values()]
    echo(_line(first for first, _, _ in split))
    echo(_line(last for _, _, last in split))
    for row in PUBLISHED:
        screen.print(f"published: {row.model} (context: {row.context})")
        echo(_line(_figures(row)))
    for scores in results:
        screen.print(f"{scores.model} (context: {scores.context})")
        echo(_line(_figures(scores)))
    for scores in results:
        for line in _remarks(scores, comparable):
            screen.print(f"{scores.model}: {line}")


def _line(cells: Iterable[str]) -> str:
    return "".join(f"{cell:>{_COLUMN}}" for cell in cells).rstrip()


def _figures(row: object) -> list[str]:
    values: list[float | None] = [getattr(row, name) for name in HEADINGS]
    return [
        "" if value is None else f"{value:.3f}" if "surprisal" in name else f"{value:.2f}"
        for name, value in zip(HEADINGS, values, strict=True)
    ]


def _remarks(scores: ClozeScores, comparable: bool) -> list[str]:
    lines = [
        f"{scores.words:,} hidden tokens in {scores.blanks:,} blanks of {scores.pairs:,} pairs, "
        f"{scores.candidates:,} candidates and the unknown word",
    ]
    if scores.unknown_words:
        lines.append(
            f"{scores.unknown_words:,} hidden tokens are the unknown word to it; if predicting that counts as wrong: "
            f"oracle match {scores.oracle_match_strict:.2f}, top-5 {scores.oracle_top5_strict:.2f}, "
            f"greedy match {scores.greedy_match_strict:.2f}, top-5 {scores.greedy_top5_strict:.2f}"
        )
    if scores.impossible_words:
        lines.append(f"surprisal excludes {scores.impossible_words:,} words to which it gives no probability")
    if scores.context != "left":
        lines.append("sees both sides of a blank, the published models only the left one: not the same task")
    elif not comparable:
        lines.append("not comparable with the published rows: not the released templates or whitelist")
    else:
        lines += [
            f"better than published {row.model!r} in {', '.join(HEADINGS[name] for name in better)}"
            for row in PUBLISHED
            if (better := beaten(scores, row))
        ]
    return lines


class Examples:
    """A sample of the pairs with blanks, printed as in the paper's Table 5."""

    def __init__(self, items: Sequence[ClozeItem], count: int, seed: int) -> None:
        with_blanks = [index for index, item in enumerate(items) if item.blanks]
        self._sample = set(random.Random(seed).sample(with_blanks, min(count, len(with_blanks))))
        self._seen = 0
        self._filled: list[FilledItem] = []

    def offer(self, filled: FilledItem) -> None:
        """Keep a pair if it is in the sample. Pairs are offered in order."""
        if self._seen in self._sample:
            self._filled.append(filled)
        self._seen += 1

    def print(self, model: str) -> None:
        """Print abstract side, greedy prediction and gold; blanks are between underscores."""
        if self._filled:
            echo(f"\nFilled by {model}:")
        for filled in self._filled:
            echo(f"\nAbs   {' '.join(filled.item.abstract)}")
            echo(f"Pred  {_marked(filled.item, filled.greedy_words)}")
            echo(f"Gold  {_marked(filled.item, filled.item.concrete)}")


def _marked(item: ClozeItem, words: Sequence[str]) -> str:
    marked = list(words)
    for start, end in item.slots:
        marked[start] = f"_{marked[start]}"
        marked[end - 1] = f"{marked[end - 1]}_"
    return " ".join(marked)


class Predictions:
    """Writes one line of JSON per blank to a stream; nothing is written if that is None."""

    def __init__(self, stream: IO[str] | None, candidates: Candidates) -> None:
        self._stream = stream
        self._candidates = candidates

    def write(self, model: str, filled: FilledItem) -> None:
        """Write the blanks of a pair."""
        if self._stream is None:
            return
        item = filled.item
        first = 0
        for start, end in item.slots:
            words = slice(first, first + end - start)
            first = words.stop
            record = {
                "model": model,
                "where": item.where,
                "start": start,
                "gold": item.concrete[start:end],
                "oracle": self._setup(filled.oracle_choices[words], filled.oracle[words]),
                "greedy": self._setup(filled.greedy[words], filled.greedy[words]),
            }
            self._stream.write(f"{json_text(record, indent=None)}\n")

    def _setup(self, choices: Sequence[Guess], ranked: Sequence[Guess]) -> dict[str, Any]:
        """Predicted words and their probabilities, those of the gold words, and the five most probable words."""
        return {
            "prediction": [self._candidates.word(guess.choice) for guess in choices],
            "probability": [_probability(guess.choice_log_probability) for guess in choices],
            "gold_probability": [_probability(guess.gold_log_probability) for guess in ranked],
            "top5": [
                {
                    self._candidates.word(column): _probability(value)
                    for column, value in zip(guess.top, guess.top_log_probabilities, strict=True)
                }
                for guess in ranked
            ],
        }


def _probability(log_probability: float) -> float:
    return round(math.exp(log_probability), 6)
