"""What all commands of `kgscripts evaluate` have in common: options, one form of JSON, one printed form."""

from __future__ import annotations

import inspect
import json
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from typer.models import ArgumentInfo
from typer.testing import CliRunner

import cli
from kgscripts.commands import evaluate
from kgscripts.evaluation.registry import Benchmark, EvaluationTask, evaluation_tasks
from kgscripts.evaluation.result import Evaluation, System, as_json, from_json, schema, shares
from kgscripts.reproductions.steps.typicality import GROUPS, Mentions, evaluate_typicality
from kgscripts.typicality.features import FEATURES
from schemas.errors import ConfigurationError
from tests.cli.named_paths import EVALUATIONS, write_inputs
from tests.evaluation.test_inscript import STORY

LONG = {"extraction", "tools", "typicality", "importance", "step-changes", "search"}
"""They take long, and are tested where their scores are, in one run."""
COMMANDS = {name: arguments for name, arguments in EVALUATIONS.items() if name not in LONG}
GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "evaluating.md"


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    write_inputs(folder)
    (folder / "inscript" / "val" / "story").write_text(STORY, encoding="utf-8")
    return folder


def _run(arguments: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(cli.app, ["evaluate", *shlex.split(arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_guide_has_every_command() -> None:
    rows = [line for line in GUIDE.read_text(encoding="utf-8").splitlines() if line.startswith("| `evaluate ")]
    assert rows[: len(EVALUATIONS)] == [_row(task) for task in evaluation_tasks().values()]


def _row(task: EvaluationTask) -> str:
    """The command, the first sentence of its help, and the options that name its data."""
    parameters = inspect.signature(task.measure, eval_str=True).parameters.values()
    infos: dict[str, Any] = {each.name: each.annotation.__metadata__[0] for each in parameters if _is_path(each)}
    arguments: list[Any] = [info for info in infos.values() if isinstance(info, ArgumentInfo)]
    options = [f"`--{name.replace('_', '-')}`" for name, info in infos.items() if info not in arguments]
    data = [*(info.help.rstrip(".") for info in arguments), *options]
    sentence = (task.measure.__doc__ or "").partition("\n")[0].removeprefix("Evaluate ").rstrip(".")
    command = " ".join(["evaluate", task.name, *(info.metavar for info in arguments)])
    return f"| `{command}` | {sentence} | {', '.join(data) or 'lists that ship'} |"


def _is_path(parameter: inspect.Parameter) -> bool:
    return "pathlib" in str(parameter.annotation) and parameter.name != "predictions_out"


def check(content: Any) -> list[Evaluation]:
    """The evaluations of JSON that is as the schema has it."""
    Draft202012Validator.check_schema(schema())
    Draft202012Validator(schema()).validate(content)
    found = from_json(content)
    assert _written(found) == content
    for evaluation in found:
        for figure in (figure for system in evaluation.systems for figure in system.figures):
            assert figure.unit != "share" or 0 <= figure.value <= 1
    return found


def check_output(shown: str, file: Path) -> list[Evaluation]:
    """The evaluations of the JSON that a command printed with two examples of each, and of the file that it wrote."""
    found = check(json.loads(shown))
    written = check(json.loads(file.read_text(encoding="utf-8")))
    assert [item.dataset for item in written] == [item.dataset for item in found]
    assert found
    assert all(len([each for each in item.examples if each.system == item.systems[0].name]) <= 2 for item in found)
    return found


def _written(found: Iterable[Evaluation]) -> Any:
    return json.loads(json.dumps(as_json(found)))


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_json_and_the_table_of_every_command(
    name: str, inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "scores.json"
    shown = _run(f"{COMMANDS[name]} --json --examples 2 -o {file}", inputs, monkeypatch)
    check_output(shown, file)


def test_a_table_fits_the_screen(inputs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("steps", "scenario-titles", "cloze", "state-changes", "scenarios", "alignments"):
        lines = _run(f"{COMMANDS[name]} --examples 1", inputs, monkeypatch).splitlines()
        assert max(map(len, lines)) <= 80, name
        assert any("Shares in percent" in line for line in lines)


def test_the_schema_is_printed(inputs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert json.loads(_run("schema", inputs, monkeypatch)) == schema()
    for wrong in ({}, {"kgscripts": "0", "evaluations": [{}]}, {"kgscripts": "0", "evaluations": [], "more": 1}):
        assert list(Draft202012Validator(schema()).iter_errors(wrong))


@pytest.mark.servers
def test_the_json_of_typicality(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mentions whose first feature tells those of the script from the others."""
    draw = np.random.default_rng(7)
    label = np.array(["ScrEv", "UnrelEv", ""] * 20)
    features = draw.normal(size=(60, len(FEATURES))) + 3.0 * (label == "ScrEv")[:, None]
    mentions = Mentions(
        features=features,
        vectors=draw.integers(-100, 100, size=(60, 384)).astype(np.int8),
        scenario=np.array(["making tea", "washing dishes"]).repeat(30),
        is_train=np.tile([True, False], 30),
        label=label,
        verb=np.arange(60),
    )
    module = "kgscripts.reproductions.steps.typicality.labelled_mentions"
    monkeypatch.setattr(module, lambda _: dict.fromkeys(GROUPS, mentions))
    (found,) = check(_written([evaluate_typicality(tmp_path)]))
    (system,) = found.models
    assert system.value("ScrEv kept", f"{next(iter(GROUPS))}, 100 % of ScrEv") == 1
    assert system["ScrEv among the labelled"] > 0.5
    assert {other.name for other in found.systems} == {"typicality", "support", "similarity"}


def _benchmark(name: str, ran: list[str], fails: bool = False) -> Benchmark:
    def run() -> list[Evaluation]:
        if fails:
            raise KeyboardInterrupt
        ran.append(name)
        figures = shares({"F1": 0.5})
        return [Evaluation(task=name, dataset="d", split="s", systems=[System(name="m", figures=figures)])]

    return Benchmark(name, run=run)


def _with(monkeypatch: pytest.MonkeyPatch, *benchmarks: Benchmark) -> None:
    """Let `evaluate all` have these benchmarks only."""
    task = EvaluationTask(name="toy", measure=lambda: [], example="", benchmarks=benchmarks)
    monkeypatch.setattr(evaluate, "evaluation_tasks", lambda: {"toy": task})


def test_all_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was finished before Ctrl-C is not run again, and lies in the output at the end."""
    ran: list[str] = []
    output = tmp_path / "scores.json"
    arguments = ["evaluate", "all", "--data", str(tmp_path), "-o", str(output)]
    _with(monkeypatch, _benchmark("one", ran), _benchmark("two", ran, fails=True))
    stopped = CliRunner().invoke(cli.app, arguments)
    assert stopped.exit_code == 130
    plan, first = (line.strip() for line in stopped.stderr.splitlines()[:2])
    assert (plan, first.rsplit(",", 1)[0]) == ("2 benchmarks: one, two", "1 of 2: one")
    assert first.endswith(" s")
    assert f"kgscripts evaluate all --data={tmp_path} --output={output}" in stopped.stderr
    assert not output.exists()
    with (tmp_path / "scores.json.finished").open("a", encoding="utf-8") as file:
        file.write('{"key": "half of a li')
    _with(monkeypatch, _benchmark("one", ran), _benchmark("two", ran))
    done = CliRunner().invoke(cli.app, arguments)
    assert (done.exit_code, ran) == (0, ["one", "two"])
    assert [item.task for item in check(json.loads(output.read_text(encoding="utf-8")))] == ["one", "two"]
    assert "50.00" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["scores.json"]


def test_benchmarks_without_their_data_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _with(monkeypatch, _benchmark("one", []), Benchmark("cloze: x", {"templates": "no/such/file"}))
    done = CliRunner().invoke(cli.app, ["evaluate", "all", "--data", str(tmp_path), "-o", str(tmp_path / "out")])
    assert "cloze: x (no/such/file)" in done.stdout
    with pytest.raises(ConfigurationError, match="no such folder"):
        CliRunner().invoke(cli.app, ["evaluate", "all", "--data", str(tmp_path / "x")], catch_exceptions=False)


def test_every_benchmark_has_a_name_of_its_own_and_other_data_another_key(tmp_path: Path) -> None:
    names = [benchmark.name for task in evaluation_tasks().values() for benchmark in task.benchmarks]
    assert len(set(names)) == len(names) == 25
    benchmark = Benchmark("one", {"gold": "data"})
    (tmp_path / "data").write_text("a", encoding="utf-8")
    first = benchmark.key(tmp_path)
    assert benchmark.key(tmp_path) == first
    (tmp_path / "data").write_text("b", encoding="utf-8")
    assert benchmark.key(tmp_path) != first


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("extraction", "events"),
        ("scenario-titles", "labels"),
        ("typicality", "typicality"),
        ("text", "en_kgscripts"),
        ("alignments", "aligner-free"),
        ("state-changes", "state-changes"),
        ("step-changes", "changes"),
    ],
)
def test_what_the_benchmarks_measure_keeps_scores(name: str, source: str) -> None:
    keep = evaluation_tasks()[name].place
    assert keep is not None
    place = keep(source)
    assert place is not None
    assert place.exists() or place.parent.is_dir()
