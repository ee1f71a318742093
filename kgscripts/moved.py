"""Modules that were moved after version 0.2.0, which documented them: the old and the new name import them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType

MOVED = {
    "kgscripts.corpora.change_template": "kgscripts.corpora.openpi.change_template",
    "kgscripts.corpora.cloze_construction": "kgscripts.corpora.pairs.cloze_construction",
    "kgscripts.corpora.pair_corpora": "kgscripts.corpora.pairs.loading",
    "kgscripts.enrichment": "kgscripts.enrichers.protocol",
    "kgscripts.models.scenario_windows": "kgscripts.models.scenarios.windows",
}


class MovedModules(MetaPathFinder, Loader):
    """Finds the modules of `MOVED` by their old names, with a DeprecationWarning."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The place of a module that was moved; None for all others."""
        del path, target
        return spec_from_loader(fullname, self) if fullname in MOVED else None

    def exec_module(self, module: ModuleType) -> None:
        """Put the module with the new name into the place of `module`."""
        old = module.__name__
        warnings.warn(f"{old} is {MOVED[old]} now", DeprecationWarning, stacklevel=2)
        sys.modules[old] = import_module(MOVED[old])
