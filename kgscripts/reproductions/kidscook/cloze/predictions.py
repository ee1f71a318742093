"""Predictions of the cloze task as JSON lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import IO, Any

from kgscripts.reproductions.kidscook.cloze.filling import Candidates, Guess
from kgscripts.reproductions.kidscook.cloze.task import FilledItem
from schemas.terminal import json_text


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
