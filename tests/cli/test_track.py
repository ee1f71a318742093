"""`kgscripts track` and `changes` from a user's view, for a generator that answers in a fixed way."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from kgscripts.extractors.events.instructions import read_instruction
from kgscripts.models.changes.generator import ChangeQuery, GeneratedChange
from kgscripts.models.reader.windows import ReaderText
from kgscripts.text.passages import MAX_CHARACTERS
from schemas.errors import InputError, KGScriptsError
from tests.commands import run
from tests.extractors.fixed_generator import FixedGenerator

TEA = """# How to make tea

1. Fill the kettle with water.
2. Boil the water.
3. Wait for the bell.
4. Pour the water into the cup.
5. Drink the tea.
"""
CHANGES = {
    "Fill": (("kettle", "fullness", "empty", "full", 0.95), ("water", "location", "in tap", "in kettle", 0.9)),
    "Boil": (("water", "temperature", "cold", "hot", 0.99), ("water", "temperature", "cool", "hot", 0.9)),
    "Pour": (
        ("kettle", "fullness", "full", "empty", 0.95),
        ("cup", "wetness", "", "wet", 0.9),
        ("cup", "moisture", "", "soaked", 0.8),
        ("cup", "age", "", "old", 0.2),
    ),
    "Drink": (("cup", "fullness", "full", "empty", 0.565),),
}
"""Changes with their probabilities; the last one is likely only, and the one before it is not read."""

HOT = {
    "entity": "water",
    "attribute": "temperature",
    "before": "cold",
    "after": "hot",
    "probability": 0.99,
    "level": "certain",
}


@define
class BatchedGenerator(FixedGenerator):
    """Keeps the number of events of each batch."""

    batches: list[int] = field(factory=list)

    def generate(self, texts: Sequence[tuple[ReaderText, Sequence[ChangeQuery]]]) -> list[list[list[GeneratedChange]]]:
        self.batches.append(sum(len(queries) for _, queries in texts))
        return super().generate(texts)


@pytest.fixture(autouse=True)
def generator(monkeypatch: pytest.MonkeyPatch) -> BatchedGenerator:
    fixed = BatchedGenerator(CHANGES, ())
    monkeypatch.setattr("kgscripts.extractors.changes.state_changes.load", lambda *_: fixed)
    return fixed


@pytest.fixture
def tea(tmp_path: Path) -> Path:
    file = tmp_path / "tea.md"
    file.write_text(TEA, encoding="utf-8")
    return file


def test_the_table_shows_changes_and_what_remains(tea: Path) -> None:
    shown = run("track", tea)
    assert max(map(len, shown.splitlines())) <= 80
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert "How to make tea" in lines
    assert "3 Wait for the bell. (no change)" in lines
    assert "fullness empty -> full full full full -> empty" in lines
    assert "temperature cold -> hot hot hot" in lines
    assert lines.index("kettle") < lines.index("water") < lines.index("cup")
    assert lines[lines.index("cup") + 1] == "wetness -> wet"
    assert lines.count("cup") == 2
    assert "fullness full ->" in lines
    assert "empty?" in lines
    assert lines[-1] == "? likely; the other changes are certain"
    assert "likely" not in run("changes", "Boil the water.")


def test_json_has_every_change_once(tea: Path) -> None:
    content: dict[str, Any] = json.loads(run("track", tea, "--json"))
    assert content["title"] == "How to make tea"
    assert [step["number"] for step in content["steps"]] == [1, 2, 3, 4, 5]
    assert [len(step["changes"]) for step in content["steps"]] == [2, 1, 0, 2, 1]
    assert content["steps"][1]["changes"] == [HOT]
    assert [change["level"] for step in content["steps"] for change in step["changes"]] == ["certain"] * 5 + ["likely"]
    assert [step["tools"] for step in content["steps"]] == [["kettle"], [], [], ["cup"], []]
    location = content["steps"][0]["changes"][1]
    assert (location["before"], location["after"]) == ("in tap", "in kettle"), "no step mentions the tap"


def test_several_procedures_stream(tmp_path: Path, generator: BatchedGenerator) -> None:
    file = tmp_path / "many.jsonl"
    steps = ["Boil the water.", "Wait for the bell."] * 4
    file.write_text(
        "".join(
            json.dumps({"id": f"p{number}", "title": f"Tea {number}", "steps": steps}) + "\n" for number in range(50)
        )
        + '{"id": "cut", "steps": ["Bo',
        encoding="utf-8",
    )
    lines = run("track", file, "--json").splitlines()
    assert [json.loads(line)["id"] for line in lines] == [f"p{number}" for number in range(50)]
    assert sum(generator.batches) == 400
    assert max(generator.batches) < 300
    assert json.loads(run("track", file, "--json", "--id", "p7"))["id"] == "p7"


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        ("", (), "no procedure"),
        (TEA, ("--id", "coffee"), "no procedure 'coffee'"),
    ],
)
def test_what_cannot_be_tracked(tmp_path: Path, content: str, arguments: tuple[str, ...], message: str) -> None:
    file = tmp_path / "steps.md"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(KGScriptsError, match=message):
        run("track", file, *arguments)


@pytest.mark.parametrize(
    "steps",
    [
        ["Boil the water."],
        ["Boil the water."] * 150,
        ["Boil the water. " * (MAX_CHARACTERS // 15), "Wait for the bell."],
        ["把水烧开。", "🙂", "Вскипятите воду.", "\x1b[31mBoil\u202e the [b]water[/b]."],
    ],
)
def test_odd_procedures(tmp_path: Path, steps: list[str]) -> None:
    file = tmp_path / "odd.jsonl"
    file.write_text(json.dumps({"id": "[b]\x1b", "title": "\x1b[31m", "steps": steps}) + "\n", encoding="utf-8")
    shown = run("track", file)
    assert not set(shown) & {"\x1b", "\u202e"}
    assert len(json.loads(run("track", file, "--json"))["steps"]) == len(steps)


def test_equal_procedures_are_read_once(tmp_path: Path, generator: BatchedGenerator) -> None:
    file = tmp_path / "equal.jsonl"
    rows = [json.dumps({"id": name, "title": "Tea", "steps": ["Boil the water."]}) for name in ("a", "b", "c")]
    file.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    lines = run("track", file, "--json").splitlines()
    assert [json.loads(line)["steps"][0]["changes"] for line in lines] == [[HOT]] * 3
    assert generator.batches == [1]


def test_changes_of_one_step(generator: BatchedGenerator) -> None:
    content = json.loads(
        run("changes", " Boil  the water. ", "--context", "Fill the kettle.", "--title", "Tea", "--json")
    )
    assert content == {"step": "Boil the water.", "predicted": [HOT]}
    ((text, queries),) = generator.seen
    assert text.title == "Tea"
    assert list(text.all_words) == ["Fill", "the", "kettle", ".", "Boil", "the", "water", "."]
    assert [query.predicate for query in queries] == [0, 4]
    shown = " ".join(run("changes", "Boil the water.").split())
    assert "99% certain water temperature cold hot" in shown
    earlier = ("--context", "Boil the water.", "--context", "Wait for the bell.")
    assert "no change" in run("changes", "Boil the water.", *earlier), "it is hot already"
    assert "no change" in run("changes", "Wait for the bell.")
    assert len(json.loads(run("changes", "Fill the kettle with water.", "--top", 1, "--json"))["predicted"]) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("boil \ud83d", "--json"),
        ("boil", "--context", "wait", "--context", "\udcff"),
        ("boil", "--title", "\udcff"),
    ],
)
def test_half_a_surrogate_pair_is_refused(arguments: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="of a step has a lone surrogate") as error:
        run("changes", *arguments)
    assert error.value.remedy


def test_of_a_very_long_instruction_the_beginning_is_parsed() -> None:
    instruction = read_instruction("Boil the water." + " Wait." * 200_000)
    assert instruction.action.predicate == "boil"
    assert len(instruction.words) < 5_000


@pytest.mark.parametrize("step", ["", "  ", "\n"])
def test_an_empty_step_is_refused(step: str) -> None:
    with pytest.raises(KGScriptsError, match="the step is empty"):
        run("changes", step)
