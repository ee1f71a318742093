"""What the package needs: declared where it is imported, and on the page with a reason."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
OWN = {"benchmarks", "cli", "exports", "kgscripts", "lightning_modules", "schemas"}
EXTRAS = {
    "kgscripts": ("train", "web", "pdf", "ray"),
    "exports": ("shacl", "mcp", "serve", "frames"),
    "schemas": ("frames",),
    "lightning_modules": ("train",),
}


def declared() -> dict[str, list[Requirement]]:
    """The requirements of `pyproject.toml`: under "" those that are always installed, the others by their extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    return {extra: [Requirement(item) for item in items] for extra, items in groups.items()}


@pytest.mark.parametrize("folder", ["cli.py", "exports", "kgscripts", "schemas", "lightning_modules"])
def test_what_is_imported_is_declared(folder: str) -> None:
    groups = declared()
    names_declared = {item.name.lower() for extra in ("", *EXTRAS.get(folder, ())) for item in groups[extra]}
    files = [ROOT / folder] if folder.endswith(".py") else sorted((ROOT / folder).rglob("*.py"))
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    packages = {name.partition(".")[0] for name in imported} - sys.stdlib_module_names - OWN
    packages -= {"_typeshed", "IPython"}  # known to type checkers only, and in notebooks only
    distributions = metadata.packages_distributions()
    names = {package: {name.lower().replace("_", "-") for name in distributions[package]} for package in packages}
    assert {package: of for package, of in names.items() if not of & names_declared} == {}


def test_the_page_has_every_dependency_with_its_reason_and_no_other() -> None:
    page = (ROOT / "docs" / "reference" / "dependencies.md").read_text(encoding="utf-8")
    _, *sections = re.split(r"^## ", page, flags=re.MULTILINE)
    row = re.compile(r"^\| (?!package)(\S+) \| .+ \| .+ \|$", re.MULTILINE)
    of_extra = {"".join(re.findall(r"`(.+)`", section.splitlines()[0])): row.findall(section) for section in sections}
    assert of_extra == {extra: sorted(item.name for item in group) for extra, group in declared().items()}
