"""Accuracy of alignments: on gold labels, and on anchors, the concrete words that also occur on the abstract side.

docs/measurements/alignments.md describes the measures and has the results.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from attrs import evolve, frozen

from kgscripts.corpora.pairs.loading import load_pairs
from kgscripts.corpora.pairs.pair import Pair
from kgscripts.evaluation.result import Evaluation, Example, Figure, Role, System, shares
from kgscripts.models.alignment.words import is_content_word
from kgscripts.models.cloze import UNKNOWN_WORD
from kgscripts.reproductions.kidscook.alignments.gold import GoldAlignment, read_gold_alignments
from kgscripts.reproductions.kidscook.alignments.models import BASELINES, Align, open_alignment_model
from schemas.provenance import Direction, Unit

ACCURACY = "alignment accuracy"
INTERVAL = ("95 % interval, from", "95 % interval, to")
_SAMPLE_SEED = 3
_SAMPLE_SIZE = 200
_RESAMPLES = 2000


@frozen
class Anchors:
    """The anchors of some pairs."""

    pairs: Sequence[Pair]

    @cached_property
    def indices(self) -> tuple[tuple[int, int], ...]:
        """(pair, concrete token), in order."""
        return tuple((row, index) for row, pair in enumerate(self.pairs) for index in anchors(pair))

    def accuracy(self, align: Align) -> float:
        """The share of anchors that are aligned to the same word."""
        paths = align(self.pairs)
        return self._share([paths[row][index] for row, index in self.indices])

    def accuracy_unknown(self, align: Align) -> float:
        """The same with one anchor at a time replaced by the unknown word, so that copying does not help."""
        hidden = [_with_unknown(self.pairs[row], index) for row, index in self.indices]
        return self._share([path[index] for path, (_, index) in zip(align(hidden), self.indices, strict=True)])

    def _share(self, aligned: Sequence[int]) -> float:
        right = [
            self.pairs[row].abstract[abstract] == self.pairs[row].concrete[index]
            for abstract, (row, index) in zip(aligned, self.indices, strict=True)
        ]
        return sum(right) / len(right) if right else 0.0


def evaluate_alignments(
    name: str, align: Align, gold: Sequence[GoldAlignment], pairs: Sequence[Pair], sample: Anchors
) -> System:
    """The figures of one model: `gold` labels rows of `pairs`, `sample` are the anchors that are measured.

    `alignment accuracy` is the share of gold words aligned to an accepted abstract word; its 95 % interval is that over
    resampled pairs. `anchor accuracy` is the share of anchors aligned to their own word, `anchor accuracy with anchors
    unknown` the same with the anchor in question replaced by the unknown word. `mean span length` is the number of
    concrete tokens for each abstract token that any is aligned to, on the gold pairs. The setting states whether
    alignments cross.
    """
    labelled = [pairs[alignment.row - 1] for alignment in gold]
    paths = align(labelled)
    counts = [_right_of(alignment, path) for alignment, path in zip(gold, paths, strict=True)]
    least, most = _bootstrap(counts)
    values = {
        ACCURACY: _share_of(counts),
        "anchor accuracy": sample.accuracy(align),
        "anchor accuracy with anchors unknown": sample.accuracy_unknown(align),
    }
    span = Figure(metric="mean span length", value=mean_span_length(paths), unit=Unit.WORDS, direction=Direction.LOWER)
    interval = [*shares({ACCURACY: least}, INTERVAL[0]), *shares({ACCURACY: most}, INTERVAL[1])]
    is_monotonic = all(list(path) == sorted(path) for path in paths)
    return System(
        name=name, setting="monotonic" if is_monotonic else "free", figures=[*shares(values), span, *interval]
    )


def anchors(pair: Pair) -> list[int]:
    """Concrete indices of the content words that occur on the abstract side in the same form."""
    abstract = set(pair.abstract)
    return [index for index, word in enumerate(pair.concrete) if word in abstract and is_content_word(word)]


def sample_of_anchors(pairs: Sequence[Pair]) -> Anchors:
    """The anchors of 200 pairs, drawn with a fixed seed from the pairs sorted by length."""
    ordered = sorted(pairs, key=lambda pair: len(pair.abstract) + len(pair.concrete))
    rows = random.Random(_SAMPLE_SEED).sample(range(len(ordered)), min(_SAMPLE_SIZE, len(ordered)))
    return Anchors([ordered[row] for row in rows])


def mean_span_length(paths: Sequence[Sequence[int]]) -> float:
    """Mean number of concrete tokens per abstract token with any; 0 without paths."""
    spans = sum(len(set(path)) for path in paths)
    return sum(len(path) for path in paths) / spans if spans else 0.0


def best_monotonic(pairs: Sequence[Pair], accepted: Sequence[dict[int, frozenset[int]]]) -> float:
    """The accuracy of the best path without crossings, an upper bound for monotonic models.

    `accepted` maps for each pair its labelled concrete indices to their accepted abstract indices.
    """
    right = 0
    for pair, labels in zip(pairs, accepted, strict=True):
        best = np.zeros(len(pair.abstract), dtype=int)
        for index in range(len(pair.concrete)):
            best = np.maximum.accumulate(best)
            best[list(labels.get(index, ()))] += 1
        right += int(best.max())
    total = sum(map(len, accepted))
    return right / total if total else 0.0


def _with_unknown(pair: Pair, index: int) -> Pair:
    concrete = (*pair.concrete[:index], UNKNOWN_WORD, *pair.concrete[index + 1 :])
    return Pair(abstract=pair.abstract, concrete=concrete, where=pair.where)


def _right_of(alignment: GoldAlignment, path: Sequence[int]) -> tuple[int, int]:
    """The number of correctly aligned gold words of a pair, and of all its gold words."""
    right = sum(path[index] in accepted for index, accepted in alignment.aligned.items())
    return right, len(alignment.aligned)


def _share_of(counts: Sequence[tuple[int, int]]) -> float:
    total = sum(of for _, of in counts)
    return sum(right for right, _ in counts) / total if total else 0.0


def _bootstrap(counts: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """The 95 % percentile interval over pairs drawn with replacement, with a fixed seed."""
    draw = random.Random(_SAMPLE_SEED)
    shares = sorted(_share_of(draw.choices(counts, k=len(counts))) for _ in range(_RESAMPLES))
    return shares[round(0.025 * (_RESAMPLES - 1))], shares[round(0.975 * (_RESAMPLES - 1))]


def evaluate_alignment_files(
    models: Sequence[str],
    gold: Path,
    templates: Path,
    *,
    train: Sequence[Path] = (),
    split: str | None = None,
    on_model: Callable[[str], object] = lambda _: None,
) -> Evaluation:
    """Evaluate models, by the names that `open_alignment_model` knows, on gold alignments of the pairs of a file.

    `on_model` is told the name of each model before it aligns. IBM Model 1 learns from the pairs of `train`.
    """
    pairs = load_pairs([templates])
    labels = read_gold_alignments(gold, pairs)
    sample = sample_of_anchors(pairs)
    learned_from = load_pairs(train) if train else []
    systems: list[System] = []
    examples: list[Example] = []
    for name in models:
        on_model(name)
        align = open_alignment_model(name, learned_from)
        system = evaluate_alignments(name, align, labels, pairs, sample)
        systems.append(evolve(system, role=Role.BASELINE) if name in BASELINES else evolve(system, source=name))
        examples += _examples(name, align, labels, pairs)
    labelled = [pairs[label.row - 1] for label in labels]
    accepted = [{index: frozenset(indices) for index, indices in label.aligned.items()} for label in labels]
    best = System(
        name="best possible path",
        role=Role.BASELINE,
        setting="monotonic",
        figures=shares({ACCURACY: best_monotonic(labelled, accepted)}),
    )
    return Evaluation(
        task="alignments",
        dataset=templates.name,
        split=split or templates.name.split(".")[0],
        items={
            "pairs": len(labels),
            "labelled words": sum(len(label.aligned) for label in labels),
            "anchors": len(sample.indices),
        },
        systems=[*systems, best],
        examples=examples,
    )


def _examples(name: str, align: Align, labels: Sequence[GoldAlignment], pairs: Sequence[Pair]) -> list[Example]:
    """Each labelled pair, with the abstract words of each labelled concrete word."""
    labelled = [pairs[label.row - 1] for label in labels]
    return [
        Example(
            system=name,
            where=pair.where,
            text=" ".join(pair.abstract),
            gold=[
                f"{pair.concrete[index]}: {'/'.join(pair.abstract[place] for place in sorted(places))}"
                for index, places in label.aligned.items()
            ],
            found=[f"{pair.concrete[index]}: {pair.abstract[path[index]]}" for index in label.aligned],
        )
        for label, pair, path in zip(labels, labelled, align(labelled), strict=True)
    ]
