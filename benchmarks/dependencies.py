"""The page on dependencies: ``python -m benchmarks.dependencies > docs/reference/dependencies.md``."""

from __future__ import annotations

import platform
import tomllib
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_REASONS = Path(__file__).parent / "data" / "dependencies.tsv"
_PROJECT = Path(__file__).parents[1] / "pyproject.toml"
_FOR_DEVELOPERS = ("test", "lint")
_INTRODUCTION = """# Dependencies

Written by `python -m benchmarks.dependencies`, from the packages that are installed beside it and the reasons in
`benchmarks/data/dependencies.tsv`; a test checks that no dependency is missing.

*MB* is the size of the installed files of a package (10⁶ bytes). *Alone* is what an environment would save without it:
the package and those that nothing else asks for; 0 means that another dependency brings the package anyway. For an
extra, it is what would be saved beside kgscripts without extras. What two packages share counts for neither.
"""


def reasons() -> dict[str, str]:
    """What each dependency is for, by its name."""
    lines = _REASONS.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines)


def declared() -> dict[str, list[Requirement]]:
    """The requirements of `pyproject.toml`: under "" those that are always installed, the others by their extras."""
    project = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    return {extra: [Requirement(item) for item in items] for extra, items in groups.items()}


def _package(requirement: Requirement) -> tuple[str, frozenset[str]]:
    """The name of the package that is required, and its extras."""
    return canonicalize_name(requirement.name), frozenset(requirement.extras)


@cache
def _asked_for(name: str, extras: frozenset[str]) -> frozenset[tuple[str, frozenset[str]]]:
    """The packages, with extras, that a package asks for on this machine."""
    found = (Requirement(item) for item in metadata.requires(name) or ())
    return frozenset(
        _package(item)
        for item in found
        if item.marker is None or any(item.marker.evaluate({"extra": extra}) for extra in ("", *extras))
    )


def _closure(requirements: Collection[Requirement]) -> set[str]:
    """The packages that pip installs for these requirements."""
    waiting: set[tuple[str, frozenset[str]]] = {_package(item) for item in requirements}
    done: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        package = waiting.pop()
        done.add(package)
        waiting |= _asked_for(*package) - done
    return {name for name, _ in done}


@cache
def _bytes(name: str) -> int:
    """The size of the installed files of a package."""
    paths = {file.locate() for file in metadata.files(name) or ()}
    return sum(Path(str(path)).stat().st_size for path in paths if Path(str(path)).is_file())


def _megabytes(names: Collection[str]) -> str:
    size = sum(map(_bytes, names)) / 1e6
    return f"{size:,.0f}" if size >= 10 or not size else f"{max(size, 0.1):.1f}"


def _licence(name: str) -> str:
    """The licence that a package states: as an SPDX expression, by classifiers or in words; else what its file is."""
    of = metadata.metadata(name)
    classifiers = (item.split(" :: ") for item in of.get_all("Classifier") or ())
    named = [item[2].removesuffix(" License") for item in classifiers if item[:2] == ["License", "OSI Approved"]]
    for stated in (of.get_all("License-Expression"), named, of.get_all("License")):
        if stated:
            return ", ".join(stated).splitlines()[0]
    files = (
        metadata.distribution(name).read_text(f"licenses/{file}") or "" for file in of.get_all("License-File") or ()
    )
    return "MIT" if any("Permission is hereby granted, free of charge" in text for text in files) else "not stated"


def _rows(group: list[Requirement], beside: list[Requirement], why: Mapping[str, str]) -> Iterator[str]:
    """A row for each requirement of a group, which is installed beside other requirements."""
    every = _closure([*group, *beside])
    yield "| package | why | MB | alone, MB | licence |"
    yield "|---|---|---|---|---|"
    for item in sorted(group, key=lambda item: item.name):
        own = every - _closure([*(other for other in group if other is not item), *beside])
        cells = (item.name, why[item.name], _megabytes([item.name]), _megabytes(own), _licence(item.name))
        yield f"| {' | '.join(cells)} |"
    yield ""


def lines() -> Iterator[str]:
    """The lines of the page.

    Raises
    ------
    KeyError
        If a dependency has no reason.
    importlib.metadata.PackageNotFoundError
        If one is not installed.
    """
    why, groups = reasons(), declared()
    always = groups[""]
    yield _INTRODUCTION
    yield (
        f"Measured on {platform.system()} {platform.machine()} with Python {platform.python_version()} and torch "
        f"{metadata.version('torch')}; PyTorch with CUDA is several GB larger.\n"
    )
    yield f"## Always installed\n\nPackages: {len(_closure(always))}, {_megabytes(_closure(always))} MB in all.\n"
    yield from _rows(always, [], why)
    for extra, group in groups.items():
        if extra:
            more = _closure([*always, *group]) - _closure(always)
            what = "Extra" if extra not in _FOR_DEVELOPERS else "For developers: extra"
            yield f"## {what} `{extra}`\n\nPackages: {len(more)} more, {_megabytes(more)} MB.\n"
            yield from _rows(group, always, why)


if __name__ == "__main__":
    print("\n".join(lines()).rstrip("\n"))
