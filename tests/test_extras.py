"""Without an extra a command that needs it names it in one line, and all others do without it.

`python -m tests.installed_extras` (`make test-extras`) installs each extra and runs the same commands.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from cli import COMMANDS
from kgscripts import ScriptGraph
from kgscripts.distributed.plan import split_reading
from kgscripts.pipeline import build_graph
from schemas.errors import InputError
from tests.extras import EXTRAS, prepare
from tests.graphs import odd_graph

_ROOT = Path(__file__).resolve().parents[1]
_FOR_DEVELOPERS = {"lint", "test"}
_IN_PYTHON = {"frames"}
"""No command needs it."""
_LIGHTNING = ("aligner", "changes", "masked", "scenarios", "state-changes", "steps", "transducer")
"""Trainings that run under Lightning; each refuses before it looks at what it is given."""

# What is not installed cannot be imported, and has no specification.
_HIDING = """
import json, sys
hidden, commands = json.load(sys.stdin)
for name in hidden:
    sys.modules[name] = None
from typer.testing import CliRunner
import cli
answers = {}
for name, arguments in commands.items():
    result = CliRunner(env={"COLUMNS": "80"}).invoke(cli.app, arguments)
    error = "" if result.exception is None or isinstance(result.exception, SystemExit) else str(result.exception)
    answers[name] = result.output + error
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each command says where no extra is installed, on one line."""
    folder = tmp_path_factory.mktemp("extras")
    prepare(folder)
    odd_graph(folder / "graph")
    commands = {f"help {name}": [name, "--help"] for name in COMMANDS}
    commands |= {name: [str(part) for part in extra.needed_by(folder)] for name, extra in EXTRAS.items()}
    text = str(folder / "tea.txt")
    for name in _LIGHTNING:
        given = {
            "changes": ("--config",),
            "steps": ("--descript", "--inscript"),
            "scenarios": ("--train", "--development"),
        }.get(name, ("--train",))
        commands[f"train {name}"] = [
            "train",
            name,
            *(part for option in given for part in (option, text)),
            "--out",
            str(folder / "model"),
        ]
    hidden = [name for extra in EXTRAS.values() for name in extra.modules]
    asked = json.dumps([hidden, commands])
    done = subprocess.run(
        [sys.executable, "-c", _HIDING], input=asked, capture_output=True, text=True, cwd=_ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return {name: " ".join(text.split()) for name, text in found.items()}


def test_each_extra_has_a_command_that_is_tried() -> None:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(project["optional-dependencies"]) - _FOR_DEVELOPERS - _IN_PYTHON == set(EXTRAS)


@pytest.mark.parametrize("name", EXTRAS)
def test_a_command_names_the_extra_that_it_lacks(name: str, answers: dict[str, str]) -> None:
    lacking = EXTRAS[name].beside or (name,)
    assert [f"pip install 'kgscripts[{extra}]'" in answers[name] for extra in lacking] == [True], answers[name]
    assert "Traceback" not in answers[name]


@pytest.mark.parametrize("name", _LIGHTNING)
def test_a_training_names_its_extra(name: str, answers: dict[str, str]) -> None:
    assert "pip install 'kgscripts[train]'" in answers[f"train {name}"], answers[f"train {name}"]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_needs_no_extra(name: str, answers: dict[str, str]) -> None:
    assert answers[f"help {name}"].startswith(f"Usage: root {name} "), answers[f"help {name}"]


@pytest.mark.parametrize(("name", "module"), [("a.pdf", "pdf"), ("page.html", "web.reader")])
def test_what_lacked_an_extra_is_read_once_it_is_installed(
    name: str, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(tmp_path)
    with monkeypatch.context() as without:
        without.setattr(f"kgscripts.corpora.{module}.find_spec", lambda _: None)
        with pytest.raises(InputError, match="pip install"):
            build_graph([tmp_path / name], tmp_path / "graph", extractors=["labels"])
    shutil.copytree(tmp_path / "graph", tmp_path / "pieces")
    assert len(split_reading([tmp_path / name], tmp_path / "pieces", pieces=1, extractors=["labels"]).pieces) == 1
    assert build_graph([tmp_path / name], tmp_path / "graph", extractors=["labels"]).run.inputs_read == 1
    assert ScriptGraph.open(tmp_path / "graph").manifest.rows("Source") == 1
    assert build_graph([tmp_path / name], tmp_path / "graph", extractors=["labels"]).run.inputs_known == 1
