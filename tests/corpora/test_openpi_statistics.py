"""``kgscripts corpora stats openpi``: counted by hand on a small corpus, and the published dev split."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kgscripts.commands.corpora import app
from kgscripts.corpora.openpi.reading import read_openpi
from kgscripts.corpora.openpi.statistics import (
    PUBLISHED,
    PUBLISHED_TOPICS,
    openpi_statistics,
    split_sources,
    topic_statistics,
    word_sequences,
)
from kgscripts.text.pipeline import lemmas_of_tokens, load_pipeline
from schemas.errors import InputError, KGScriptsError

TEA, EGG = "www.wikihow.com/Make-Tea", "www.wikihow.com/Boil-Eggs"
FOOD, HOME = "Food and Entertaining", "Home and Garden"
STEPS: list[tuple[str, int, str, str, list[tuple[str, str]]]] = [
    (TEA, 1, "Fill the kettles.", FOOD, [
        ("fullness of the kettle was empty before and full of water afterwards", "with_image"),
        ("fullness of kettle was empty before and more full afterwards", "without_image"),
        ("weight of kettle was light before and heavy afterwards", "without_image"),
        ("location of water was in the tap before and in the kettle afterwards", ""),
    ]),
    (TEA, 2, "Pour it.", FOOD, [("location of tea kettle was on stove before and in hand afterwards", "with_image")]),
    (TEA, 3, "Wait.", FOOD, []),
    (EGG, 1, "Boil the eggs.", HOME, [("eggs boiled", "without_image")]),
]  # fmt: skip


def _write(folder: Path) -> Path:
    folder.mkdir(parents=True)
    files: dict[str, list[dict[str, Any]]] = {}
    for url, number, text, topic, answers in STEPS:
        id = f"{url}||{number}"
        earlier = " ".join(step[2] for step in STEPS if step[0] == url and step[1] < number)
        facts = {"url": url, "query": text, "context": earlier, "topic": topic}
        modalities = [{"answer": sentence, "modality": modality} for sentence, modality in answers if modality]
        files.setdefault("id_question.jsonl", []).append({"id": id, "question": f"{earlier} {text}".strip()})
        files.setdefault("id_question_metadata.jsonl", []).append({"id": id, "question_metadata": facts})
        files.setdefault("id_answers.jsonl", []).append({"id": id, "answers": [sentence for sentence, _ in answers]})
        files.setdefault("id_answers_metadata.jsonl", []).append({"id": id, "answers_metadata": modalities})
    for name, records in files.items():
        (folder / name).write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return folder


def _run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, ["stats", *map(str, arguments)])
    if isinstance(result.exception, KGScriptsError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_by_hand(tmp_path: Path) -> None:
    steps = read_openpi(_write(tmp_path / "dev"))
    words = word_sequences(steps)
    found = openpi_statistics(steps, dict(zip(words, lemmas_of_tokens(load_pipeline(), words), strict=True)))
    assert (found.procedures, found.steps, found.changes, found.unparsed_sentences) == (2, 4, 6, 1)
    assert (found.with_image, found.without_image) == (2, 3)
    assert found.changes_per_step == 6 / 4
    assert (found.changes_per_step_with_image, found.changes_per_step_without_image) == (2 / 2, 3 / 2)
    assert found.steps_without_changes == 1 / 4
    # "the kettle" and "kettle" are mentioned as "kettles"; "water" is not, nor the tea of "tea kettle".
    assert found.unmentioned_entities == 2 / 4
    assert (found.frequent_attributes, found.other_attributes) == (1, 0)
    # "fullness" and "location" are 4 of 5 changes, which is 80 %.
    assert found.attributes_of_most == 2 / 3
    # full of water, in tap, in kettle, on stove, in hand; empty, empty, more full, light, heavy
    assert found.relational_phrases == 5 / 10
    assert (found.relational_length, found.adjective_length) == (11 / 5, 6 / 5)


def test_frequent_attributes(tmp_path: Path) -> None:
    """More attributes than the annotators could choose from: one twice, 59 once."""
    path = tmp_path / "steps.jsonl"
    answers = [["pot", f"attribute {number}", "a", "b"] for number in (0, *range(60))]
    path.write_text(json.dumps({"id": ["a/Boil-Tea", 1], "query": "Boil the pot.", "answers": answers}) + "\n")
    steps = read_openpi(path)
    words = word_sequences(steps)
    found = openpi_statistics(steps, dict(zip(words, words, strict=True)))
    assert (found.frequent_attributes, found.other_attributes) == (52 / 61, 9)
    assert found.attributes_of_most == 48 / 60
    assert found.unmentioned_entities == 0


def test_topics(tmp_path: Path) -> None:
    found = topic_statistics(read_openpi(_write(tmp_path / "dev")))
    counts = {name: (t.procedures, t.changes, t.with_image, t.without_image) for name, t in found.items()}
    assert counts == {FOOD: (1, 5, 2, 2), HOME: (1, 1, 0, 1)}


def test_table_3() -> None:
    """What the paper says of the table holds, except that its last column sums to 14,277 instead of 14,483."""
    rows = PUBLISHED_TOPICS.values()
    assert all(row.changes == row.with_image + row.without_image for row in rows)
    assert sum(row.with_image for row in rows) == PUBLISHED["with_image"]
    assert PUBLISHED["with_image"] + PUBLISHED["without_image"] == PUBLISHED["changes"]


class TestCommand:
    def test_tables(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        printed = _run("openpi", _write(tmp_path / "train"), _write(tmp_path / "dev"))
        assert max(map(len, printed.splitlines())) <= 80
        rows = [line.split() for line in printed.splitlines()]
        assert ["steps", "4", "4", "4,050"] in rows
        assert ["steps", "without", "changes", "25.0", "%", "25.0", "%", "3.0", "%"] in rows
        assert [
            "Home",
            "and",
            "Garden",
            "1",
            "/",
            "199",
            "2",
            "/",
            "6,961",
            "-",
            "/",
            "3,758",
            "2",
            "/",
            "3,203",
        ] in rows

    def test_json(self, tmp_path: Path) -> None:
        folder = _write(tmp_path / "dev")
        facts = json.loads(_run("openpi", folder, "--json"))
        assert [(split["file"], split["changes"]) for split in facts["splits"]] == [(str(folder), 6)]
        assert facts["topics"][FOOD] == {"procedures": 1, "changes": 5, "with_image": 2, "without_image": 2}
        assert facts["paper"] == PUBLISHED
        assert facts["paper_topics"]["Health"]["changes"] == 3036

    def test_fetched_corpora(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        for split in ("dev", "train"):
            _write(tmp_path / "corpora" / "openpi" / "gold" / split)
        names = [split["file"] for split in json.loads(_run("openpi", "--json"))["splits"]]
        assert names == ["corpora/openpi/gold/train", "corpora/openpi/gold/dev"]

    def test_not_fetched(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(InputError, match="kgscripts corpora fetch openpi-c"):
            _run("openpi-c")


def test_split_sources(tmp_path: Path) -> None:
    folder = tmp_path / "openpi-c"
    folder.mkdir()
    for name in ("dev.jsonl", "train.jsonl", "LICENSE"):
        (folder / name).write_text("{}")
    assert split_sources([Path("openpi-c")], fetched=tmp_path) == [folder / "train.jsonl", folder / "dev.jsonl"]
    assert split_sources([Path("openpi-c"), folder / "dev.jsonl"], fetched=tmp_path) == [folder / "dev.jsonl"]
    with pytest.raises(InputError, match="no splits"):
        split_sources([Path("openpi"), tmp_path / "missing"], fetched=tmp_path)


def test_the_published_dev_split(shared_corpora: Path) -> None:
    """Near the paper: 61 % of the entities are mentioned, a third of the phrases is relational, and their lengths."""
    facts = json.loads(_run("openpi", shared_corpora / "openpi" / "gold" / "dev", "--json"))
    (dev,) = facts["splits"]
    assert (dev["procedures"], dev["steps"], dev["changes"]) == (55, 274, 1744)
    assert abs(1 - dev["unmentioned_entities"] - 0.61) < 0.04
    assert abs(dev["relational_phrases"] - 1 / 3) < 0.03
    assert abs(dev["adjective_length"] - 1.07) < 0.05
    assert abs(dev["relational_length"] - 2.36) < 0.1
    assert abs(dev["changes_per_step"] - 7) < 1
