"""The installed enrichers, and the choice of a build."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from kgscripts.enrichers.protocol import Enricher
from kgscripts.plugins import Plugins
from schemas.errors import ConfigurationError
from schemas.records import Record

ENRICHERS = Plugins(
    "kgscripts.enrichers",
    Enricher,  # type: ignore[type-abstract]
    "enricher",
    ("rules", "task", "gives", "query", "networks"),
)


def with_records(enrichers: Iterable[Enricher], kinds: Collection[type[Record]]) -> list[Enricher]:
    """The enrichers that have something to do if extractors give these kinds of records."""
    return [item for item in enrichers if set(item.reads) <= set(kinds)]


def choose_enrichers(
    named: Iterable[str | Enricher] | None,
    without: Collection[str] = (),
    also: Collection[str] = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Enricher]:
    """The enrichers of a build, by name.

    Parameters
    ----------
    named:
        Names of installed ones, or enrichers themselves; None for all that builds have by default. Enrichers that
        require a named one are added.
    without:
        Names that are left out, with all that require them.
    also:
        Names of further ones.
    settings:
        The settings of those that are named, by their names.

    Raises
    ------
    ConfigurationError
        If a name is unknown, or two enrichers have one.
    ModelError
        If one cannot be loaded.
    """
    settings = settings or {}
    found: dict[str, Enricher] = {}
    for item in (*(ENRICHERS.names() if named is None else named), *also):
        enricher = ENRICHERS.open(item, settings.get(item)) if isinstance(item, str) else item
        if found.setdefault(enricher.name, enricher) is not enricher and not isinstance(item, str):
            raise ConfigurationError(f"two enrichers have the name {enricher.name!r}", remedy="leave one of them out")
    if named is None:
        found = {name: item for name, item in found.items() if item.by_default or name in also}
    else:
        brought = (ENRICHERS.open(name, settings.get(name)) for name in ENRICHERS.names() if name not in found)
        found |= {item.name: item for item in brought if item.requires and item.by_default}
    kept = {name: item for name, item in found.items() if name not in without}
    while lacking := [name for name, item in kept.items() if not kept.keys() >= set(item.requires)]:
        for name in lacking:
            del kept[name]
    return [kept[name] for name in sorted(kept)]
