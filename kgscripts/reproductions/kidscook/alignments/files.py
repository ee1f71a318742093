"""Alignments on files of gold labels, for models by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import evolve

from kgscripts.corpora.pairs.loading import load_pairs
from kgscripts.corpora.pairs.pair import Pair
from kgscripts.evaluation.result import Evaluation, Example, Role, System, shares
from kgscripts.reproductions.kidscook.alignments.accuracy import (
    ACCURACY,
    Align,
    best_monotonic,
    evaluate_alignments,
    sample_of_anchors,
)
from kgscripts.reproductions.kidscook.alignments.gold import GoldAlignment, read_gold_alignments
from kgscripts.reproductions.kidscook.alignments.models import BASELINES, open_alignment_model


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
    pairs = load_pairs([templates]).pairs
    labels = read_gold_alignments(gold, pairs)
    sample = sample_of_anchors(pairs)
    learned_from = load_pairs(train).pairs if train else []
    systems: list[System] = []
    examples: list[Example] = []
    for name in models:
        on_model(name)
        align = open_alignment_model(name, learned_from)
        own = evaluate_alignments(name, align, labels, pairs, sample)
        systems.append(evolve(own, role=Role.BASELINE) if name in BASELINES else evolve(own, source=name))
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
