"""The wheel and the sdist, as a stranger gets them: built, installed into an empty environment, used from elsewhere."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from kgscripts.models.registry import describe
from tests.markdown_links import dead_links

ROOT = Path(__file__).resolve().parents[1]
OWN = {"benchmarks", "cli", "exports", "kgscripts", "lightning_modules", "schemas"}
TOP_LEVEL = {"cli.py", "exports", "kgscripts", "lightning_modules", "schemas"}


def run(*command: str | Path, cwd: Path) -> str:
    """Standard output of `command`, run with nothing of this checkout in its environment."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    result = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist of a clean copy of the tracked files, and the wheel built from that sdist."""
    folder = tmp_path_factory.mktemp("distributions")
    copy = folder / "checkout"
    tracked = run("git", "ls-files", "-z", cwd=ROOT).split("\0")
    for name in filter(None, tracked):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy / name)
    run(sys.executable, "-m", "build", "--outdir", folder, copy, cwd=folder)
    return folder


def test_the_wheel_holds_the_packages_their_data_and_nothing_else(distributions: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name and ".data/" not in name]
    assert {name.split("/")[0] for name in names} == TOP_LEVEL
    for data in (
        "schemas/drawing/data/DejaVuSans.ttf",
        "schemas/drawing/data/LICENSE_DEJAVU.txt",
        "schemas/data/scenarios.tsv",
        "kgscripts/corpora/data/sources.jsonl",
        "kgscripts/examples/texts/how_to_cook_pasta.md",
        "kgscripts/examples/pages/oat_pancakes.html",
        "kgscripts/evaluation/data/tools.tsv",
        "kgscripts/py.typed",
    ):
        assert data in names
    tracked = set(run("git", "ls-files", *TOP_LEVEL, cwd=ROOT).split())
    assert set(names) == tracked, "the wheel holds what the repository holds"


def test_the_links_of_the_documents_in_the_wheel_work(distributions: Path, tmp_path: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path)
    (folder,) = tmp_path.glob("*.data/data/share/doc/kgscripts")
    documents = sorted(folder.rglob("*.md"))
    assert len(documents) > 15
    assert {str(page.relative_to(folder)): links for page in documents if (links := dead_links(page))} == {}


def test_the_sdist_holds_what_the_wheel_is_built_from(distributions: Path) -> None:
    (sdist,) = distributions.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "WEIGHTS.md", "cli.py", "schemas/data/scenarios.tsv"} <= names


@pytest.mark.parametrize("folder", ["cli.py", "exports", "kgscripts", "schemas", "lightning_modules"])
def test_what_is_imported_is_declared(folder: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    own = [*extras["train"], *extras["web"], *extras["office"], *extras["pdf"], *extras["ray"]]
    stores = [*extras["shacl"], *extras["mcp"], *extras["serve"]]
    extra = {"lightning_modules": extras["train"], "kgscripts": own, "exports": stores}
    declared = {re.split(r"[<>=\[; ]", item)[0].lower() for item in (*project["dependencies"], *extra.get(folder, []))}
    files = [ROOT / folder] if folder.endswith(".py") else sorted((ROOT / folder).rglob("*.py"))
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    packages = {name.partition(".")[0] for name in imported} - sys.stdlib_module_names - OWN
    packages.discard("_typeshed")  # known to type checkers only
    distributions = metadata.packages_distributions()
    names = {package: {name.lower().replace("_", "-") for name in distributions[package]} for package in packages}
    assert {package: of for package, of in names.items() if not of & declared} == {}


def test_an_environment_of_its_own_builds_and_queries_a_graph_away_from_the_checkout(
    distributions: Path, tmp_path: Path
) -> None:
    (wheel,) = distributions.glob("*.whl")
    venv.create(tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", wheel, cwd=tmp_path)
    # Installing torch anew takes two minutes: what the package depends on comes from the environment of the tests.
    (site,) = (tmp_path / "env").glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    (tmp_path / "story.md").write_text(
        "# How to cook pasta\n\n1. Fill a pot with water.\n2. Boil the water.\n3. Drain the pasta with a strainer.\n",
        encoding="utf-8",
    )
    command = tmp_path / "env" / "bin" / "kgscripts"
    report = json.loads(run(command, "build-graph", "story.md", "-o", "graph", "--jobs", "2", "--json", cwd=tmp_path))
    assert {model["name"] for model in report["models"]} == {
        *("decompositions", "events", "labels", "scenarios", "sentences", "state-changes"),
        *("aligner", "en_kgscripts", "steps", "all-MiniLM-L6-v2", describe("default", "state-changes").name),
    }
    ask = "SELECT ?label WHERE { ?tool a kgs:Tool ; rdfs:label ?label }"
    assert "strainer" in run(command, "query", "graph", "--sparql", ask, cwd=tmp_path)
    cypher = "MATCH (:SubEvent)-[:USES]->(t:Tool) RETURN t.label AS label"
    assert "strainer" in run(command, "query", "graph", "--cypher", cypher, cwd=tmp_path)
    run(command, "export", "graph", "graph.nq.gz", cwd=tmp_path)
    assert (tmp_path / "graph.nq.gz").stat().st_size > 0
    code = "import kgscripts, schemas; print(schemas.__file__)"
    assert str(tmp_path) in run(python, "-c", code, cwd=tmp_path)
