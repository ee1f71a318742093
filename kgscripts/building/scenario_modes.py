"""The extractors of a build for each source of scenarios: labels and titles, or detection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from kgscripts.extractors.labels import LabelExtractor
from kgscripts.extractors.protocol import Extractor
from kgscripts.extractors.registry import default_extractors
from kgscripts.extractors.scenarios import ScenarioExtractor
from schemas.errors import ConfigurationError

if TYPE_CHECKING:
    from kgscripts.models.scenarios.protocol import NewScenario

MODES = ("given", "detected", "both")
"""Whether the segments of a build are those that labels and titles give, those that are detected, or both."""


def for_build(
    mode: str | None,
    added: Sequence[NewScenario],
    extractors: Iterable[str | Extractor] | None,
    without: Iterable[str],
) -> tuple[list[str | Extractor], list[str]]:
    """The extractors of a build in one of the `MODES`, or in none, and those that are left out.

    Raises ConfigurationError for an unknown mode, and if an extractor that the mode or the added scenarios need is not
    chosen.
    """
    wanted: list[str | Extractor] = list(default_extractors() if extractors is None else extractors)
    names = [item if isinstance(item, str) else item.name for item in wanted]
    left_out = list(without)
    if mode is not None and mode not in MODES:
        raise ConfigurationError(f"no mode of scenarios {mode!r}", remedy=f"one of {', '.join(MODES)}")
    if mode == "given" and added:
        raise ConfigurationError("'given' scenarios are not detected", remedy="leave out the list of scenarios")
    needed = {None: [ScenarioExtractor.name], "given": [LabelExtractor.name], "detected": [ScenarioExtractor.name]}
    for name in needed.get(mode, [LabelExtractor.name, ScenarioExtractor.name]):
        if name not in names or name in left_out:
            what = f"{mode!r} scenarios need" if mode else "a list of scenarios needs"
            raise ConfigurationError(f"{what} the extractor {name!r}", remedy="do not leave it out")
    unused = {"given": ScenarioExtractor.name, "detected": LabelExtractor.name}.get(mode or "")
    left_out += [unused] if unused in names else []
    return [_changed(item, labelled_too=mode is not None, added=added) for item in wanted], left_out


def _changed(extractor: str | Extractor, *, labelled_too: bool, added: Sequence[NewScenario]) -> str | Extractor:
    if extractor == ScenarioExtractor.name:
        extractor = ScenarioExtractor()
    if not isinstance(extractor, ScenarioExtractor):
        return extractor
    settings = evolve(extractor.settings, labelled_too=labelled_too or extractor.settings.labelled_too)
    return evolve(extractor, settings=settings, added=added)
