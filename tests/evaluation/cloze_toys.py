"""Cloze models over tables of random numbers, and a reference implementation of the protocol for single pairs."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any, Literal

import torch
from attrs import define, field

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.alignment.lattice import Alignment
from kgscripts.models.cloze import Cloze

UNKNOWN = "#UNK#"


@define
class Table:
    """Each question has its own row of random numbers, drawn from the seed and the question."""

    context: Literal["left", "both"] = "left"
    seed: int = 0
    unknown_to_it: frozenset[str] = frozenset()
    scores_texts: bool = False
    name: str = "table"
    asked: list[Cloze] = field(factory=list)

    def predict(self, clozes: Sequence[Cloze], candidates: Sequence[str]) -> torch.Tensor:
        assert list(candidates) == sorted(set(candidates))
        self.asked += clozes
        return torch.stack([self.row(cloze, candidates) for cloze in clozes])

    def row(self, cloze: Cloze, candidates: Sequence[str]) -> torch.Tensor:
        draw = random.Random(repr((self.seed, cloze)))
        values = torch.tensor([draw.gauss(0, 1.5) for _ in (*candidates, UNKNOWN)])
        gone = torch.tensor([word in self.unknown_to_it for word in (*candidates, UNKNOWN)])
        return values.masked_fill(gone, -math.inf).log_softmax(0)

    def score(self, abstract: Sequence[Sequence[str]], concrete: Sequence[Sequence[str]]) -> torch.Tensor | None:
        if not self.scores_texts:
            return None
        texts = zip(abstract, concrete, strict=True)
        return torch.tensor([random.Random(repr((self.seed, tuple(a), tuple(c)))).gauss(0, 9) for a, c in texts])


@define
class Aligned(Table):
    """A table with alignments: each concrete token belongs to the abstract one at half its index, if there is one."""

    def align(self, pairs: Sequence[Any]) -> list[Alignment]:
        paths = [[min(place // 2, len(pair.abstract) - 1) for place in range(len(pair.concrete))] for pair in pairs]
        return [Alignment(tuple(path), 0.0, (1.0,) * len(path)) for path in paths]


@define
class Knows:
    """Gives all probability to the gold word of pairs that differ in their abstract side."""

    pairs: Sequence[Pair]
    context: Literal["left", "both"] = "left"
    name: str = "perfect"

    def predict(self, clozes: Sequence[Cloze], candidates: Sequence[str]) -> torch.Tensor:
        gold = {pair.abstract[:50]: pair.concrete for pair in self.pairs}
        words = [gold[cloze.abstract][cloze.position] for cloze in clozes]
        rows = [[0.0 if candidate == word else -math.inf for candidate in (*candidates, UNKNOWN)] for word in words]
        return torch.tensor(rows)

    def score(self, abstract: Sequence[Sequence[str]], concrete: Sequence[Sequence[str]]) -> None:
        """None defined."""


@define
class Uniform:
    """A uniform distribution."""

    context: Literal["left", "both"] = "both"
    name: str = "uniform"

    def predict(self, clozes: Sequence[Cloze], candidates: Sequence[str]) -> torch.Tensor:
        return torch.zeros(len(clozes), len(candidates) + 1).log_softmax(1)

    def score(self, abstract: Sequence[Sequence[str]], concrete: Sequence[Sequence[str]]) -> None:
        """None defined."""


def by_hand(model: Table, pair: Pair, whitelist: Sequence[str], seed: int) -> dict[str, list[float]]:
    """The contribution of one pair to each score, one question at a time and without sharing.

    Match has an entry a blank, everything else one a hidden token.
    """
    words = sorted(set(whitelist))
    abstract, concrete, marks = pair.abstract[:50], pair.concrete[:49], pair.blanks[:49]
    blanks = [place for place, blank in enumerate(marks) if blank]
    slots: list[list[int]] = []
    for place in blanks:
        if slots and slots[-1][-1] == place - 1:
            slots[-1].append(place)
        else:
            slots.append([place])

    def ask(filled: dict[int, str], slot: list[int], place: int) -> list[float]:
        text = ["_" if p in blanks and p not in filled else filled.get(p, concrete[p]) for p in range(len(concrete))]
        hidden = [p in blanks and p not in filled for p in range(len(concrete))]
        end = slot[-1] + 1 if model.context == "left" else len(text)
        cloze = Cloze(abstract, tuple(text[:end]), tuple(hidden[:end]), place)
        return [float(value) for value in model.row(cloze, words).double()]

    def gold(place: int, row: list[float]) -> int:
        word = concrete[place]
        return words.index(word) if word in words and row[words.index(word)] > -math.inf else len(words)

    def name(column: int) -> str:
        return [*words, UNKNOWN][column]

    def best(row: list[float]) -> list[int]:
        return sorted(range(len(row)), key=lambda column: (-row[column], column))[:5]

    found: dict[str, list[float]] = {}

    def add(figure: str, value: float) -> None:
        found.setdefault(figure, []).append(value)

    truth = {place: concrete[place] for place in blanks}
    for slot in slots:
        before = {place: word for place, word in truth.items() if place < slot[0]}
        own: dict[int, str] = {}
        right, known = True, True
        for place in slot:
            row = ask({p: word for p, word in truth.items() if p < place}, slot, place)
            column = gold(place, row)
            add("surprisal", -row[column])
            add("oracle_top5", column in best(row))
            add("oracle_top5_strict", column in best(row) and column < len(words))
            row = ask({**before, **own}, slot, place)
            own[place] = name(best(row)[0])
            right &= best(row)[0] == gold(place, row)
            known &= gold(place, row) < len(words)
        add("oracle_match", right)
        add("oracle_match_strict", right and known)

    visible = ["_" if place in blanks else word for place, word in enumerate(concrete)]
    runs = []
    for number in range(5):
        noise = random.Random(f"{seed}\t{number}\t{' '.join(abstract)}\t{' '.join(visible)}")
        filled: dict[int, str] = {}
        steps = []
        for slot in slots:
            for place in slot:
                row = ask(filled, slot, place)
                weights = [math.exp((value - max(row)) / 0.1) for value in row]
                at = noise.random() * sum(weights)
                column = next(c for c in range(len(row)) if sum(weights[: c + 1]) > at)
                filled[place] = name(column)
                steps.append((place, column, gold(place, row), row[column], best(row)))
        text = [filled.get(place, word) for place, word in enumerate(concrete)]
        overall = model.score([abstract], [text])
        runs.append((sum(step[3] for step in steps) if overall is None else float(overall[0]), steps))
    chosen = max(runs, key=lambda run: run[0])[1]
    for _, _, column, _, top in chosen:
        add("greedy_top5", column in top)
        add("greedy_top5_strict", column in top and column < len(words))
    for slot in slots:
        inside = [step for step in chosen if step[0] in slot]
        right = all(step[1] == step[2] for step in inside)
        add("greedy_match", right)
        add("greedy_match_strict", right and all(step[2] < len(words) for step in inside))
    return found
