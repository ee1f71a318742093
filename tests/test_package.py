"""The wheel and the sdist, as a stranger gets them: built, installed into an empty environment, used from elsewhere."""

from __future__ import annotations

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
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from trove_classifiers import classifiers as known_classifiers

from kgscripts import ScriptGraph
from kgscripts.models.registry import describe
from tests.markdown_links import dead_links

ROOT = Path(__file__).resolve().parents[1]
TOP_LEVEL = {"cli.py", "exports", "kgscripts", "lightning_modules", "schemas"}
DOCUMENTS = {"CHANGELOG.md", "CONTRIBUTING.md", "README.md", "WEIGHTS.md", "docs"}
EXAMPLE = "docs/examples/make_and_use_a_graph.py"
LARGEST = 75e6
"""The bytes that a wheel or an sdist may have."""
NO_HOME = os.devnull + "/home"
"""A home in which nobody can write, root neither."""
COMMANDS = """import contextlib, io, json, sys, cli
printed = []
for arguments in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        cli.app(arguments, standalone_mode=False)
    printed.append(output.getvalue())
print(json.dumps(printed))
"""
"""A program that prints what several commands print."""
TYPES = """[mypy]
strict = True
follow_imports = skip
[mypy-kgscripts.*,exports.*,schemas.*,attr.*,attrs.*]
follow_imports = normal
"""
"""What a user checks against are the types of the package; those of torch would take a minute and change nothing."""


def run(*command: str | Path, cwd: Path, umask: int = -1, **variables: str) -> str:
    """Standard output of `command`, run with nothing of this checkout in its environment."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    result = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment | variables,
        umask=umask,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def of_repository(*paths: str) -> set[str]:
    """The files below these paths that git has, or would take."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *paths, cwd=ROOT)
    return {name for name in listed.split("\0") if name and (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an sdist and a wheel, each built from a copy of the checkout that has been used."""
    folder, copy = tmp_path_factory.mktemp("distributions"), tmp_path_factory.mktemp("checkout")
    for name in of_repository("."):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    for name in ("kgscripts/__pycache__/pipeline.cpython-311.pyc", "corpora/story.txt", ".venv/bin/python"):
        (copy / name).parent.mkdir(parents=True)
        (copy / name).touch()
    run(sys.executable, "-m", "build", "--no-isolation", "--sdist", "--wheel", "--outdir", folder, copy, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def environment(distributions: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel."""
    folder = tmp_path_factory.mktemp("environment")
    (wheel,) = distributions.glob("*.whl")
    venv.create(folder)
    pip = (sys.executable, "-m", "pip", "--python", folder / "bin" / "python")
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=folder)
    # Installing torch anew takes two minutes: what the package depends on comes from the environment of the tests.
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return folder


def test_the_wheel_holds_the_packages_their_data_and_nothing_else(distributions: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name for name in names if ".dist-info/" not in name and ".data/" not in name} == of_repository(*TOP_LEVEL)
    documents = {name.partition("share/doc/kgscripts/")[2] for name in names if ".data/" in name}
    assert documents == of_repository(*DOCUMENTS)
    assert {f"{package}/py.typed" for package in TOP_LEVEL - {"cli.py"}} <= names


def test_the_sdist_holds_what_the_wheel_is_built_from_and_no_tests(distributions: Path) -> None:
    (sdist,) = distributions.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {file.name.partition("/")[2] for file in archive.getmembers() if file.isfile()}
    assert names == of_repository(*TOP_LEVEL, *DOCUMENTS) | {"pyproject.toml", "LICENSE", ".gitignore", "PKG-INFO"}


def test_an_index_would_take_both(distributions: Path) -> None:
    files = [*distributions.glob("*.whl"), *distributions.glob("*.tar.gz")]
    run(sys.executable, "-m", "twine", "check", "--strict", *files, cwd=distributions)
    assert {file.name: file.stat().st_size for file in files if file.stat().st_size > LARGEST} == {}


def test_the_wheel_says_who_may_use_it_where_and_how_it_is_called(distributions: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (wheel,) = distributions.glob("*.whl")
    archive = zipfile.ZipFile(wheel)
    (folder,) = {name.partition("/")[0] for name in archive.namelist() if ".dist-info/" in name}
    stated: Message = Parser().parsestr(archive.read(f"{folder}/METADATA").decode())
    licences = set(stated.get_all("License-File", ()))
    assert {f"{folder}/licenses/{licence}" for licence in licences} <= set(archive.namelist())
    every = {name for name in of_repository(*TOP_LEVEL) if Path(name).name.startswith("LICENSE")}
    assert licences == {"LICENSE", "WEIGHTS.md"} | every
    entry_points = archive.read(f"{folder}/entry_points.txt").decode()
    for group in ({"console_scripts": project["scripts"]}, project["entry-points"]):
        for name, members in group.items():
            section = "\n".join(f"{key} = {value}" for key, value in sorted(members.items()))
            assert f"[{name}]\n{section}\n" in entry_points + "\n"
    classifiers = stated.get_all("Classifier", ())
    assert set(classifiers) <= known_classifiers
    minors = sorted(int(minor) for minor in re.findall(r"Python :: 3\.(\d+)$", "\n".join(classifiers), re.M))
    requires = SpecifierSet(str(stated["Requires-Python"]))
    assert minors == [minor for minor in range(minors[-1] + 1) if f"3.{minor}" in requires]


def test_the_links_of_the_documents_in_the_wheel_work(environment: Path) -> None:
    folder = environment / "share" / "doc" / "kgscripts"
    documents = sorted(folder.rglob("*.md"))
    assert len(documents) > 15
    assert {str(page.relative_to(folder)): links for page in documents if (links := dead_links(page))} == {}


def test_the_sdist_gives_the_same_bytes_at_another_time_and_place(distributions: Path, tmp_path: Path) -> None:
    (sdist,) = distributions.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "ä copy", filter="data")
    (copy,) = (tmp_path / "ä copy").iterdir()
    for number, file in enumerate(sorted(copy.rglob("*"))):
        file.chmod(0o700 if file.is_dir() else 0o600)
        os.utime(file, (10**9 + number, 10**9 + number))
    out = tmp_path / "out"
    run(
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "--outdir",
        out,
        copy,
        cwd=tmp_path,
        umask=0o077,
        TZ="Asia/Tokyo",
    )
    again = {file.name: file.read_bytes() for file in out.iterdir()}
    assert again.keys() == {file.name for file in distributions.iterdir()}
    assert [name for name, content in again.items() if content != (distributions / name).read_bytes()] == []


def test_only_the_wheel_is_imported(environment: Path, tmp_path: Path) -> None:
    code = """import cli, exports, json, kgscripts, lightning_modules, schemas, sys
print(json.dumps([sys.path, [m.__file__ for m in (cli, exports, kgscripts, lightning_modules, schemas)]]))"""
    path, files = json.loads(run(environment / "bin" / "python", "-c", code, cwd=tmp_path))
    assert str(ROOT) not in {str(Path(entry).resolve()) for entry in path if entry}
    assert [file for file in files if not Path(file).is_relative_to(environment)] == []


def test_the_main_job_runs_without_a_checkout_or_a_home(environment: Path, tmp_path: Path) -> None:
    folder = tmp_path / "Küche 厨房"
    folder.mkdir()
    (site,) = environment.glob("lib/python*/site-packages")
    examples, documents = site / "kgscripts" / "examples", environment / "share" / "doc" / "kgscripts"
    pasta = [examples / "texts" / name for name in ("how_to_cook_pasta.md", "cook_pasta_for_two.md")]
    texts = (*pasta, examples / "pages" / "oat_pancakes.html")

    # The other extractors load their models in the example.
    options = ("-o", "graph", "--jobs", "2", "--extractors", "events,labels", "--json")
    script = environment / "bin" / "kgscripts"
    report = json.loads(run(script, "build-graph", *texts, *options, cwd=folder, HOME=NO_HOME))
    assert report["run"]["sources_read"] == 3
    queries = documents / "docs" / "queries"
    commands = [
        ["query", "graph", language, str(queries / f"cooking-pasta.{suffix}")]
        for language, suffix in (("--sparql", "rq"), ("--cypher", "cypher"))
    ]
    commands.append(["export", "graph", "graph.nq.gz"])
    # To start a process takes longer than each of these commands.
    done = run(environment / "bin" / "python", "-c", COMMANDS, json.dumps(commands), cwd=folder, HOME=NO_HOME)
    *answers, _ = json.loads(done)
    assert ["colander" in answer for answer in answers] == [True, True]
    assert {file.name for file in folder.iterdir()} == {"graph", "graph.nq.gz"}


def test_the_example_runs(environment: Path, tmp_path: Path) -> None:
    example = environment / "share" / "doc" / "kgscripts" / EXAMPLE
    printed = run(environment / "bin" / "python", example, tmp_path, cwd=tmp_path, HOME=NO_HOME)
    for line in ("making tea: boil water ['kettle']", "(('boil water',), ('fill pot',), ('put pasta in pot',))"):
        assert line in printed.splitlines()
    assert {row["name"] for row in ScriptGraph.open(tmp_path / "graph").rows("Model")} == {
        *("decompositions", "events", "labels", "scenarios", "scripts", "sentences", "state-changes"),
        *("aligner", "reader", "en_kgscripts", "steps", "all-MiniLM-L6-v2", describe("default", "changes").name),
    }


def test_strict_types_of_the_example_hold_against_the_wheel(environment: Path, tmp_path: Path) -> None:
    (tmp_path / "mypy.ini").write_text(TYPES, encoding="utf-8")
    shutil.copy(ROOT / EXAMPLE, tmp_path / "right.py")
    wrong = (ROOT / EXAMPLE).read_text(encoding="utf-8").replace("graph.script(label)", "graph.script(3)")
    (tmp_path / "wrong.py").write_text(wrong, encoding="utf-8")
    mypy = (sys.executable, "-m", "mypy", "--python-executable", environment / "bin" / "python")
    # Without `py.typed` nothing would be wrong.
    with pytest.raises(AssertionError, match=r"wrong\.py:.*incompatible type.*\n\s*Found 1 error in 1 file"):
        run(*mypy, "right.py", "wrong.py", cwd=tmp_path)
