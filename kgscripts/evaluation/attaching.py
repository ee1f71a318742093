"""Keeping the scores of an evaluation where the model keeps its own, so that every graph has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import evolve

from kgscripts.evaluation.result import Evaluation
from kgscripts.models.checkpoint import attach_scores, is_checkpoint, read_card
from kgscripts.score_files import merged_scores, read_scores, write_scores
from schemas.errors import ConfigurationError
from schemas.provenance import BenchmarkScore, Exposure

_WORSE = (Exposure.UNSEEN, Exposure.UNKNOWN, Exposure.DEVELOPMENT)
"""In the order of how little a score says about new data."""


def attach_evaluations(
    evaluations: Sequence[Evaluation], places: Mapping[str, Path], exposure: Exposure
) -> list[Evaluation]:
    """Keep the scores of all systems that have a place: a checkpoint directory, or a file of scores.

    Scores that were on data for development stay so: neither what an evaluation knows nor what was kept before becomes
    unseen. Returns the evaluations with the exposure that was attached, that of the first system.

    Raises
    ------
    ConfigurationError
        If no system has a place.
    ModelError
        If a place is damaged, or a checkpoint cannot be written.
    StoreError
        If a file of scores cannot be written.
    """
    if not any(system.source in places for evaluation in evaluations for system in evaluation.models):
        remedy = "leave out --attach-as, or evaluate a model that keeps scores"
        raise ConfigurationError("nothing that keeps scores was evaluated", where="--attach-as", remedy=remedy)
    kept = {place: _kept(place) for place in set(places.values())}
    attached: list[Evaluation] = []
    by_place: dict[Path, list[BenchmarkScore]] = {}
    for evaluation in evaluations:
        own = [(places[system.source], system) for system in evaluation.models if system.source in places]
        shown = [_worst(exposure, evaluation, kept[place]) for place, _ in own]
        for (place, system), decided in zip(own, shown, strict=True):
            by_place.setdefault(place, []).extend(evaluation.benchmark_scores(system, decided))
        attached.append(evolve(evaluation, exposure=shown[0] if shown else exposure))
    for place, scores in by_place.items():
        _keep(place, scores, kept[place])
    return attached


def _worst(said: Exposure, evaluation: Evaluation, kept: Sequence[BenchmarkScore]) -> Exposure:
    """What says least: what is said, what the evaluation knows, and what was kept."""
    of = (evaluation.dataset, evaluation.split)
    known = [said, *(score.exposure for score in kept if (score.dataset, score.split) == of)]
    if evaluation.exposure is not None:
        known.append(evaluation.exposure)
    return max(known, key=_WORSE.index)


def _kept(place: Path) -> tuple[BenchmarkScore, ...]:
    return read_card(place)[0].scores if is_checkpoint(place) else read_scores(place)


def _keep(place: Path, scores: Sequence[BenchmarkScore], old: Sequence[BenchmarkScore]) -> None:
    if is_checkpoint(place):
        attach_scores(place, scores)
    else:
        write_scores(place, merged_scores(old, scores))
