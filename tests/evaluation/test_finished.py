"""A long evaluation that is stopped goes on where it was, and gives the scores of one that was not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from transformers import GPT2Config, GPT2LMHeadModel
from typer.testing import CliRunner

import cli
from kgscripts.evaluation.finished import Finished, part_key
from kgscripts.reproductions.kidscook.networks.causal import CausalModel
from kgscripts.reproductions.openpi.answers import predict_changes
from kgscripts.reproductions.openpi.reading import OpenPIStep
from schemas.changes import Change, PredictedChange, ProcedureStep
from schemas.errors import ConfigurationError
from schemas.provenance import Model
from tests.evaluation.test_cloze_command import TEMPLATES
from tests.models.test_causal import gpt2


class Questions:
    """Counts what language models are asked, and stops them at the question with a number."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked = 0
        self.last: int | None = None
        for name in ("predict", "score"):
            monkeypatch.setattr(CausalModel, name, self._counted(getattr(CausalModel, name)))

    def _counted(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any) -> Any:
            if self.asked == self.last:
                raise KeyboardInterrupt
            self.asked += 1
            return method(*arguments)

        return counted


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> Questions:
    return Questions(monkeypatch)


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    (tmp_path / "valid.template.tsv").write_text(TEMPLATES, encoding="utf-8")
    return gpt2(tmp_path / "tiny")


def _cloze(folder: Path, output: Path, *options: str) -> int:
    templates = folder / "valid.template.tsv"
    arguments = ["evaluate", "cloze", "--model", f"hf:{folder / 'tiny'}", "--templates", str(templates), *options]
    return CliRunner().invoke(cli.app, [*arguments, "-o", str(output)]).exit_code


@pytest.mark.parametrize("stopped_at", [1, 2])
def test_a_language_model_is_asked_nothing_twice(
    tmp_path: Path, tiny: Path, questions: Questions, stopped_at: int
) -> None:
    whole, output = tmp_path / "whole.json", tmp_path / "scores.json"
    assert _cloze(tmp_path, whole) == 0
    number = questions.asked
    assert number > stopped_at
    questions.asked, questions.last = 0, stopped_at
    assert _cloze(tmp_path, output) == 130
    assert not output.exists()
    questions.asked, questions.last = 0, None
    assert _cloze(tmp_path, output) == 0
    assert questions.asked == number - stopped_at
    assert output.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir() if path != tiny) == [
        "scores.json",
        "valid.template.tsv",
        "whole.json",
    ]


@pytest.mark.parametrize("change", ["nothing", "templates", "weights"])
def test_answers_of_another_model_or_another_task_are_not_taken(
    tmp_path: Path, tiny: Path, questions: Questions, change: str
) -> None:
    output = tmp_path / "scores.json"
    _cloze(tmp_path, output)
    number = questions.asked
    questions.asked, questions.last = 0, number - 1
    assert _cloze(tmp_path, output) == 130
    questions.asked, questions.last = 0, None
    if change == "templates":
        (tmp_path / "valid.template.tsv").write_text(TEMPLATES.replace("garlic", "onion"), encoding="utf-8")
    elif change == "weights":
        GPT2LMHeadModel(GPT2Config.from_pretrained(tiny)).save_pretrained(tiny)
    assert _cloze(tmp_path, output) == 0
    assert questions.asked >= number - 1 if change != "nothing" else questions.asked == 1


def test_the_folder_of_the_output_may_be_new(tmp_path: Path, tiny: Path, questions: Questions) -> None:
    output = tmp_path / "new" / "folder" / "scores.json"
    assert tiny.is_dir()
    questions.last = 1
    assert _cloze(tmp_path, output) == 130
    assert [path.name for path in output.parent.iterdir()] == ["scores.json.finished"]
    questions.last = None
    assert _cloze(tmp_path, output) == 0
    assert [path.name for path in output.parent.iterdir()] == ["scores.json"]


def test_what_is_finished_replaces_no_input(tmp_path: Path, tiny: Path) -> None:
    templates = (tmp_path / "valid.template.tsv").rename(tmp_path / "scores.json.finished")
    arguments = ["evaluate", "cloze", "--model", f"hf:{tiny}", "--templates", str(templates)]
    done = CliRunner().invoke(cli.app, [*arguments, "-o", str(tmp_path / "scores.json")])
    assert isinstance(done.exception, ConfigurationError)
    assert templates.read_text(encoding="utf-8") == TEMPLATES


class _Writer:
    """A model of state changes that is stopped at the step with a number."""

    model = Model(name="toy", version="1", digest="0" * 64, task="state changes")

    def __init__(self, last: int | None = None) -> None:
        self.last = last
        self.steps: list[str] = []

    def predict(self, steps: Sequence[ProcedureStep]) -> list[list[PredictedChange]]:
        if self.last is not None and len(self.steps) >= self.last:
            raise KeyboardInterrupt
        self.steps += [step.text for step in steps]
        change = Change(entity="oil", attribute="heat", before="cold", after="hot")
        return [[PredictedChange(change=change, log_probability=-1.0)] for _ in steps]

    considered = predict


def test_state_changes_are_predicted_once(tmp_path: Path) -> None:
    steps = [
        OpenPIStep(
            id=f"a||{number}",
            procedure="a",
            number=number,
            text=f"Heat oil {number}.",
            context=(),
            title="",
            topic="",
            answers=(),
        )
        for number in range(70)
    ]
    finished = Finished.beside(tmp_path / "scores.json")
    first, second = _Writer(last=40), _Writer()
    with pytest.raises(KeyboardInterrupt):
        predict_changes(first, steps, on_steps=lambda _: None, finished=finished)
    done: list[int] = []
    found = predict_changes(second, steps, on_steps=done.append, finished=Finished.beside(tmp_path / "scores.json"))
    assert first.steps + second.steps == [step.text for step in steps]
    assert found == predict_changes(_Writer(), steps, on_steps=lambda _: None)
    assert sum(done) == len(steps)


def _results(path: Path, keys: Iterator[str]) -> list[str]:
    """Asks for a result of each key, and gives those that were not kept."""
    finished, computed = Finished(path), []
    for key in keys:

        def compute(key: str = key) -> dict[str, str]:
            computed.append(key)
            return {"is": f"{key}\u2028é"}

        assert finished.once(key, compute) == {"is": f"{key}\u2028é"}
    return computed


@pytest.mark.parametrize("cut", range(0, 90, 7))
def test_a_file_that_was_cut_anywhere_is_gone_on_with(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "finished"
    keys = list("abc")
    assert _results(path, islice(keys, 2)) == ["a", "b"]
    content = path.read_bytes()
    path.write_bytes(content[:cut])
    assert _results(path, iter(keys)) == [key for key in keys if not _whole(content[:cut], key)]
    assert _results(path, iter(keys)) == []


def _whole(content: bytes, key: str) -> bool:
    """Whether the line of a key is there as a whole."""
    return any(line.endswith(b"}}") and f'"key": "{key}"'.encode() in line for line in content.split(b"\n"))


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"null\n[]\n3\n{}\n", b'{"key": "a"}\n', b'{"result": 1}\n'])
def test_what_is_no_result_is_left_out(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "finished"
    path.write_bytes(content)
    assert _results(path, iter("ab")) == ["a", "b"]
    assert _results(path, iter("ab")) == []


def test_without_an_output_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    finished = Finished.beside(None)
    assert [finished.once("a", lambda: 1), finished.once("a", lambda: 2)] == [1, 2]
    finished.remove()
    assert list(tmp_path.iterdir()) == []
    assert [Finished.beside(Path(device)).path for device in ("/dev/stdout", "/dev/null")] == [None, None]


def test_a_key_says_all_that_decides() -> None:
    assert part_key("a", 1) == part_key("a", 1)
    assert len({part_key("a", 1), part_key("a", 2), part_key("a1"), part_key("a", "1"), part_key("\ud800")}) == 5
