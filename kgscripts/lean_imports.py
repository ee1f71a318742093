"""Keeps libraries from importing others that a command does not need; otherwise, imports would take half of the time of
a short build. This is done in processes of kgscripts only, never in programs that import it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from types import ModuleType


class _Hidden(MetaPathFinder):
    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:  # noqa: ARG002
        if fullname.partition(".")[0] == self._package:
            raise ModuleNotFoundError(f"{fullname} is not needed here", name=fullname)


@contextmanager
def hidden(package: str) -> Iterator[None]:
    """Inside, importing `package` fails as if it were not installed, unless it was imported before."""
    finder = _Hidden(package)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


_lean: list[bool] = []


def keep_lean() -> None:
    """Say that this process is one of kgscripts alone, in which spaCy loads the shipped pipeline only."""
    _lean.append(True)


def is_lean() -> bool:
    """Whether spaCy needs no torch here: it could not find it any more, and extractors of others may."""
    from kgscripts.extractors.registry import only_built_in

    return bool(_lean) and only_built_in()


def import_spacy() -> None:
    """Import spaCy without torch, and without its command line, which brings a third of the rest."""
    information = ModuleType("spacy.cli.info")
    information.info = None  # type: ignore[attr-defined]  # all that spaCy itself imports of it
    left_out = {"spacy.cli": ModuleType("spacy.cli"), "spacy.cli.info": information}
    if "spacy" in sys.modules:
        return
    sys.modules.update(left_out)
    try:
        with hidden("torch"):
            import spacy  # noqa: F401
    finally:
        for name in left_out:
            del sys.modules[name]


def hide_pandas_from_pyarrow() -> None:
    """Import pyarrow without pandas, which it looks for once, at its first conversion. No command makes data frames."""
    import pyarrow as pa

    with hidden("pandas"):
        pa.array([])
