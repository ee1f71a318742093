"""The enrichers that are installed, and those that a build has."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from kgscripts.enrichers.protocol import Enricher
from kgscripts.plugins import Plugins
from schemas.errors import ConfigurationError

ENRICHERS = Plugins(
    "kgscripts.enrichers",
    Enricher,  # type: ignore[type-abstract]
    "enricher",
    ("rules", "task", "gives", "query", "networks"),
)


def choose_enrichers(
    named: Iterable[str | Enricher] | None, without: Collection[str] = (), also: Collection[str] = ()
) -> list[Enricher]:
    """The enrichers of a build, by name.

    Parameters
    ----------
    named:
        Names of installed ones, or enrichers themselves; None for all that are installed and that builds have by
        default. Named ones bring those that require them along.
    without:
        Names that are left out, with all that require them.
    also:
        Names of further ones.

    Raises
    ------
    ConfigurationError
        If a name is unknown, or two enrichers have one.
    ModelError
        If one cannot be loaded.
    """
    found: dict[str, Enricher] = {}
    for item in (*(ENRICHERS.names() if named is None else named), *also):
        enricher = ENRICHERS.open(item) if isinstance(item, str) else item
        if found.setdefault(enricher.name, enricher) is not enricher and not isinstance(item, str):
            raise ConfigurationError(f"two enrichers have the name {enricher.name!r}", remedy="leave one of them out")
    if named is None:
        found = {name: item for name, item in found.items() if item.by_default or name in also}
    else:
        brought = (ENRICHERS.open(name) for name in ENRICHERS.names() if name not in found)
        found |= {item.name: item for item in brought if item.requires and item.by_default}
    kept = {name: item for name, item in found.items() if name not in without}
    while lacking := [name for name, item in kept.items() if not kept.keys() >= set(item.requires)]:
        for name in lacking:
            del kept[name]
    return [kept[name] for name in sorted(kept)]


def enrichers_of(names: Iterable[str], where: str) -> list[Enricher]:
    """The enrichers with the names in the configuration of the graph in the directory `where`.

    Raises
    ------
    ConfigurationError
        If one is not installed: without it another graph would be made.
    ModelError
        If one cannot be loaded.
    """
    installed = ENRICHERS.names()
    wanted = sorted(names)
    if missing := [name for name in wanted if name not in installed]:
        raise ConfigurationError(
            f"the graph was made with the enricher {missing[0]!r}, which is not installed",
            where=where,
            remedy="install the package that brings it, or build the graph again with `kgscripts build-graph`",
        )
    return [ENRICHERS.open(name) for name in wanted]
