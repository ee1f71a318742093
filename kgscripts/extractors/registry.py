"""The extractors that are installed: the built-in ones and those of other packages."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

from kgscripts.extractors.decomposition import DecompositionExtractor
from kgscripts.extractors.events import ScriptExtractor
from kgscripts.extractors.protocol import Extractor
from schemas.errors import ModelError
from schemas.provenance import Model

ENTRY_POINTS = "kgscripts.extractors"


def load_extractors(syntax: Model) -> list[Extractor]:
    """The built-in extractors (of events, of decompositions), then others by name.

    These come from the entry point group ``kgscripts.extractors``: an entry point names something that, called with
    the description of the parser, gives an `Extractor`.

    Raises
    ------
    ModelError
        if an entry point cannot be imported or gives no extractor.
    """
    found: list[Extractor] = [ScriptExtractor(syntax), DecompositionExtractor(syntax)]
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: (entry.name, entry.value)):
        try:
            factory: Callable[[Model], Extractor] = entry.load()
            extractor = factory(syntax)
        except (ImportError, AttributeError, TypeError) as error:
            raise ModelError(
                f"the extractor {entry.name!r} cannot be loaded: {error}",
                where=entry.value,
                remedy="repair or uninstall the package that brings it",
            ) from error
        if not isinstance(getattr(extractor, "model", None), Model) or not callable(getattr(extractor, "read", None)):
            raise ModelError(
                f"{entry.name!r} is no extractor",
                where=entry.value,
                remedy="it needs `model` and `read`, see kgscripts.extractors.protocol",
            )
        found.append(extractor)
    return found
