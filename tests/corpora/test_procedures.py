"""Steps of procedures from any format, and what is none."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from kgscripts.corpora.procedures import Procedure, read_procedures
from schemas.errors import InputError
from schemas.records import Discard, DiscardReason

STEPS = ("Boil the water.", "Add the pasta.", "Drain it.")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "1. Boil the water.\n2. Add the pasta.\n3. Drain it.\n"),
        ("a.txt", "1) Boil the water.\n2) Add the pasta.\n3) Drain it."),
        ("a.txt", "(a) Boil the water.\n(b) Add the pasta.\n(c) Drain it.\r\n"),
        ("a.txt", "• Boil the water.\n• Add the pasta.\n• Drain it.\n"),
        ("a.txt", "- Boil the water.\n- Add the\n  pasta.\n- Drain it.\n"),
        ("a.txt", "Step 1: Boil the water.\nStep 2: Add the pasta.\nStep 3: Drain it.\n"),
        ("a.txt", "Step 1: Boil the water. Step 2: Add the pasta. Step 3: Drain it."),
        ("a.txt", "Boil the water.\nAdd the pasta.\nDrain it.\n"),
        ("a.txt", "Boil the water.\n\nAdd the pasta.\n\nDrain it.\n"),
        ("a.txt", "You will need:\n- a pot\n- pasta\n\n1. Boil the water.\n2. Add the pasta.\n3. Drain it.\n"),
        ("a.md", "1. Boil the water.\n1. Add the pasta.\n1. Drain it.\n"),
        ("a.md", "## Ingredients\n- pasta\n\n## Steps\n* Boil the water.\n* Add the pasta.\n* Drain it.\n"),
        ("a.md", "## Step 1: Boil the water.\n## Step 2: Add the pasta.\n## Step 3: Drain it.\n"),
        ("a.md", "# Step 1: Boil the water.\n# Step 2: Add the pasta.\n# Step 3: Drain it.\n"),
        ("a.md", "What you need\n\n- pasta\n\n1. Boil the water.\n2. Add the pasta.\n3. Drain it.\n"),
        ("a.md", "- [ ] Boil the water.\n- [x] Add the pasta.\n- [ ] Drain it.\n"),
    ],
)
def test_formats(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, newline="")
    (procedure,) = read_procedures(path)
    assert procedure == Procedure(id=name, steps=STEPS)


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    long_id = "www.wikihow.com/" + "Boil-Pasta-" * 20
    records = [
        {
            "id": long_id,
            "title": "How to boil pasta",
            "steps": ["Boil the water.", "Add the\n pasta.", "", "Drain it."],
        },
        {"id": 7, "text": "1. Boil the water.\n2. Add the pasta.\n3. Drain it."},
    ]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    assert list(read_procedures(path)) == [
        Procedure(id=long_id, title="How to boil pasta", steps=STEPS),
        Procedure(id="7", steps=STEPS),
    ]


@pytest.mark.parametrize("text", ["How to boil pasta\n\n1. Boil the water.", "# How to boil pasta\n1. Boil the water."])
def test_titles(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    (procedure,) = read_procedures(path)
    assert procedure == Procedure(id="a.txt", title="How to boil pasta", steps=("Boil the water.",))


def test_several_how_tos_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# Tea\n1. Boil it.\n\n# Coffee\n1. Grind it.\n2. Brew it.\n")
    assert list(read_procedures(path)) == [
        Procedure(id="a.md#1", title="Tea", steps=("Boil it.",)),
        Procedure(id="a.md#2", title="Coffee", steps=("Grind it.", "Brew it.")),
    ]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("Drain the pasta", ("Drain the pasta",)),
        ("水を沸かす。\nパスタを入れる。\n", ("水を沸かす。", "パスタを入れる。")),
        ("१. पानी उबालें\n२. पास्ता डालें\n", ("पानी उबालें", "पास्ता डालें")),
        ("1. اغلِ الماء\n2. أضف المعكرونة\n", ("اغلِ الماء", "أضف المعكرونة")),
        ("Boil it! 🔥\nDrain it 🍝\n", ("Boil it! 🔥", "Drain it 🍝")),
        ("- 🔥🔥\n- 🍝\n", ("🔥🔥", "🍝")),
        # Prose is one step: a line break there ends no sentence.
        ("Boil the water and add the pasta until it is\nsoft. Then drain it.", 1),
        ("\n".join(f"{number}. Stir the pot." for number in range(1, 501)), 500),
        ("1. " + "stir " * 5000 + "\n2. Drain it.", 2),
    ],
)
def test_scripts_and_lengths(tmp_path: Path, text: str, steps: tuple[str, ...] | int) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text, "utf-8")
    (procedure,) = read_procedures(path)
    assert isinstance(procedure, Procedure)
    if isinstance(steps, int):
        assert len(procedure.steps) == steps
        assert sum(len(step.split()) for step in procedure.steps) >= len(text.split()) - steps
    else:
        assert procedure.steps == steps


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.txt", b"", DiscardReason.EMPTY),
        ("a.jsonl", b"", DiscardReason.EMPTY),
        ("a.jsonl", b"\n\n", DiscardReason.EMPTY),
        ("a.md", b"\n \n", DiscardReason.EMPTY),
        ("a.txt", b"You will need: a pot, pasta\n", DiscardReason.EMPTY),
        ("a.jsonl", b'{"id": 1, "steps": []}\n', DiscardReason.EMPTY),
        ("a.jsonl", b'{"id": 1, "steps": ["", " \\n"]}\n', DiscardReason.EMPTY),
        ("a.jsonl", b'{"id": 1, "steps": ["Boil it", "Dra', DiscardReason.MALFORMED),
        ("a.jsonl", b'{"id": 1, "steps": "Boil it"}\n', DiscardReason.MALFORMED),
        ("a.jsonl", b'{"id": 1, "steps": [1]}\n', DiscardReason.MALFORMED),
        ("a.jsonl", b'{"id": 1, "steps": ["a"], "text": "a"}\n', DiscardReason.MALFORMED),
        ("a.jsonl", b'{"id": 1, "steps": ["a"], "title": 3}\n', DiscardReason.MALFORMED),
        ("a.jsonl", b'{"steps": ["Boil it"]}\n', DiscardReason.MALFORMED),
        ("a.jsonl", b'["Boil it"]\n', DiscardReason.MALFORMED),
        ("a.jsonl", b'{"id": 1, "steps": ["half \\ud83d"]}\n', DiscardReason.MALFORMED),
        ("a.jsonl", b'{"id": 1, "steps": ["\x81"]}\n', DiscardReason.UNDECODABLE),
        ("a.jsonl", b"\x1f\x8b\x08broken", DiscardReason.UNDECODABLE),
        ("a.txt", b"\xff\xff\xff boil", DiscardReason.UNDECODABLE),
        ("a.txt", bytes(range(32)) * 9, DiscardReason.UNDECODABLE),
    ],
)
def test_bad_records_are_discarded(tmp_path: Path, name: str, content: bytes, reason: DiscardReason) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    (item,) = read_procedures(path)
    assert isinstance(item, Discard)
    assert (item.reason, item.where.partition(":")[0]) == (reason, name)
    assert item.detail


def test_a_bad_record_does_not_stop_the_others(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 1, "steps": ["a"]}\n{"id": "1", "steps": ["b"]}\n{"id"\n{"id": 2, "steps": ["c"]}\n')
    first, repeated, broken, last = read_procedures(path)
    assert (first, last) == (Procedure(id="1", steps=("a",)), Procedure(id="2", steps=("c",)))
    assert isinstance(repeated, Discard)
    assert (repeated.reason, repeated.where) == (DiscardReason.DUPLICATE_ID, "a.jsonl:2")
    assert isinstance(broken, Discard)
    assert (broken.reason, broken.where) == (DiscardReason.MALFORMED, "a.jsonl:3")


def test_folders(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1. Boil it.")
    (tmp_path / "b.jsonl").write_text('{"id": "tea", "steps": ["Pour it."]}\n')
    (tmp_path / "c.txt").symlink_to(tmp_path / "missing")
    assert [item.id for item in read_procedures(tmp_path) if isinstance(item, Procedure)] == ["a.txt", "tea"]


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        next(read_procedures(tmp_path / "a.txt"))


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    def peak(procedures: int) -> int:
        path = tmp_path / "a.jsonl"
        with path.open("w") as file:
            for number in range(procedures):
                file.write(json.dumps({"id": number, "steps": ["Boil the water. " * 50] * 10}) + "\n")
        tracemalloc.start()
        assert sum(1 for _ in read_procedures(path)) == procedures
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    few, many = peak(50), peak(500)
    assert many < few + 300_000
