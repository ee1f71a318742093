"""Rules of other packages: the tables of their nodes, and the relations that they count."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from kgscripts.plugins import Plugins

# Importing DuckDB takes long, and a build may have nothing to assemble.
if TYPE_CHECKING:
    from kgscripts.assembly.counting import Relation
    from kgscripts.assembly.engine import Rule


class RulePackage(ABC):
    """Rules that another package adds by the entry point group ``kgscripts.rules``, with types of its own.

    An entry point names a subclass that can be made without arguments. The types of its nodes and relations are
    declared by the entry point group ``kgscripts.types`` (`schemas.type_declarations`).
    """

    name: ClassVar[str]
    version: ClassVar[str]
    """Version of the rules; a graph is assembled again when it changes."""
    tables: ClassVar[Sequence[Rule]] = ()
    """The tables of its nodes, and others that its rules use. The table of a node type has a column with its own name,
    which holds numbers, and a column `id`; both ascend together."""
    nodes: ClassVar[Mapping[str, str]] = {}
    """For each of its node types the query of the nodes to write: `id`, ascending, and the properties."""

    @abstractmethod
    def relations(self, readers: Sequence[int]) -> Sequence[Relation]:
        """Its relations; `readers` are the numbers of the extractors."""


PACKAGES = Plugins(
    "kgscripts.rules",
    RulePackage,  # type: ignore[type-abstract]
    "package of rules",
    ("version",),
)


def installed_packages() -> list[RulePackage]:
    """All that are installed, by name.

    Raises
    ------
    ModelError
        If one cannot be loaded.
    """
    return [PACKAGES.open(name) for name in PACKAGES.names()]


def packages_of(names: str, where: str) -> list[RulePackage]:
    """The packages with which the graph in the directory `where` was made, by the names in its manifest.

    Raises
    ------
    ConfigurationError
        If one is not installed: without it the graph would become another one.
    ModelError
        If one cannot be loaded.
    """
    return [PACKAGES.open(name) for name in PACKAGES.of_graph(names, where)]
