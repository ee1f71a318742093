"""Plugins by entry points: classes that are made with settings, and checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from importlib.metadata import EntryPoint
from typing import Any, Generic, TypeVar

from attrs import frozen

from kgscripts.settings import NoSettings, check_types, settings_from
from schemas.errors import ConfigurationError, ModelError
from schemas.plugins import REMEDY, entry_points_of, failures_of

_Plugin = TypeVar("_Plugin")


@frozen
class Plugins(Generic[_Plugin]):
    """The plugins of one entry point `group`: subclasses of `base` that can be made without arguments.

    `word` is what one is called in messages. Each must have a `name` and these `attributes`, and may have
    `settings` (`kgscripts.settings`). Those of the group `on_request` are used only where they are named.
    """

    group: str
    base: type[_Plugin]
    word: str
    attributes: Collection[str]
    on_request: str = ""

    def entries(self) -> dict[str, EntryPoint]:
        """The entry points of both groups by name."""
        return (entry_points_of(self.on_request) if self.on_request else {}) | entry_points_of(self.group)

    def names(self) -> list[str]:
        """The names of all that are installed, ascending."""
        return sorted(self.entries())

    def default_names(self) -> list[str]:
        """The names of those that need not be named, ascending."""
        return sorted(entry_points_of(self.group))

    def of_graph(self, names: str, where: str) -> list[str]:
        """The names, ascending, of those that the graph in the directory `where` was made with, from its manifest.

        Raises
        ------
        ConfigurationError
            If one is not installed: without it the graph would become another one.
        """
        installed = self.entries()
        wanted = sorted(names.split())
        if missing := [name for name in wanted if name not in installed]:
            raise ConfigurationError(
                f"the graph was made with the {self.word} {missing[0]!r}, which is not installed",
                where=where,
                remedy="install the package that brings it, or build the graph again with `kgscripts build-graph`",
            )
        return wanted

    def open(self, name: str, values: Mapping[str, Any] | None = None, where: str = "") -> _Plugin:
        """The installed plugin of that name, made with settings that have these `values`, which are from `where`.

        Raises
        ------
        ConfigurationError
            If there is none, or it has no such settings.
        ModelError
            If it cannot be imported or is not what the group is for.
        """
        entries = self.entries()
        if name not in entries:
            close = get_close_matches(name, entries, 1)
            listed = ", ".join(sorted(entries)) or "none"
            remedy = f"did you mean {close[0]}?" if close else f"installed are: {listed}"
            raise ConfigurationError(f"no {self.word} {name!r} is installed", remedy=remedy)
        entry = entries[name]
        plugin = self._made(entry)
        if not isinstance(plugin, self.base):
            raise ModelError(f"{name!r} is no subclass of {self.base.__name__}", where=entry.value, remedy=REMEDY)
        if missing := [item for item in ("name", *self.attributes) if not hasattr(plugin, item)]:
            raise ModelError(f"the {self.word} {name!r} has no {missing[0]!r}", where=entry.value, remedy=REMEDY)
        if (own := getattr(plugin, "name", None)) != name:
            raise ModelError(
                f"the {self.word} {name!r} has the name {own!r}",
                where=entry.value,
                remedy="its entry point must have the same name",
            )
        settings: Any = getattr(plugin, "settings", NoSettings())
        try:
            check_types(settings)
        except ConfigurationError as error:
            raise ModelError(f"the {self.word} {name!r}: {error.message}", where=entry.value, remedy=REMEDY) from error
        if not values:
            return plugin
        return self._made(entry, settings=settings_from(type(settings), values, where or name))

    def _made(self, entry: EntryPoint, **settings: Any) -> _Plugin:
        with failures_of(entry, self.word):
            plugin: _Plugin = entry.load()(**settings)
        return plugin
