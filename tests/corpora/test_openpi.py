"""Steps of OpenPI from every layout, bad records, and the released files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgscripts.reproductions.openpi.reading import OpenPIStep, read_openpi
from schemas.changes import Change
from schemas.errors import InputError

URL = "www.wikihow.com/Boil-an-Egg"
TEXTS = ["Fill the cook's pot.", "Wait a minute.", "Add the egg."]
FULL = "fullness of pot was empty before and full afterwards"
LOCATION = "location of egg was in the box before, and in the pot afterwards."
CHANGES = [
    [Change(attribute="fullness", entity="pot", before="empty", after="full")],
    [],
    [Change(attribute="location", entity="egg", before="in the box", after="in the pot")],
]
ANSWERS = [[FULL], ["There will be no change."], [LOCATION]]

Record = dict[str, Any]


def _id(number: int) -> str:
    return f"{URL}||{number + 1}"


def _question(number: int) -> Record:
    text = " ".join(TEXTS[: number + 1]).replace("'", "&#x27;")
    return {"id": _id(number), "question": f" {text} Now, what happens?"}


def _question_facts(number: int) -> Record:
    facts = {"url": URL, "step_id": str(number + 1), "query": TEXTS[number], "context": " ".join(TEXTS[:number])}
    return {"id": _id(number), "question_metadata": {**facts, "topic": "Food and Entertaining"}}


def _answers(number: int) -> Record:
    return {"id": _id(number), "answers": ANSWERS[number]}


def _answer_facts(number: int) -> Record:
    sentences = [answer.replace(",", "").rstrip(".") for answer in ANSWERS[number]]
    facts = [{"answer": sentence, "modality": "with_image"} for sentence in sentences]
    return {"id": _id(number), "answers_metadata": {} if number == 1 else facts}


FILES: dict[str, Callable[[int], Record]] = {
    "id_question.jsonl": _question,
    "id_question_metadata.jsonl": _question_facts,
    "id_answers.jsonl": _answers,
    "id_answers_metadata.jsonl": _answer_facts,
}


def _lines(records: list[Any]) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def _file(folder: Path, record_of: Callable[[int], Record], name: str = "steps.jsonl") -> Path:
    path = folder / name
    path.write_text(_lines([record_of(number) for number in range(3)]))
    return path


def _folder(folder: Path, *, without: str = "") -> Path:
    for name, record_of in FILES.items():
        if name != without:
            _file(folder, record_of, name)
    return folder


def _check(steps: list[OpenPIStep], *, topic: str = "", modality: str = "") -> None:
    assert [step.id for step in steps] == [_id(number) for number in range(3)]
    assert [(step.procedure, step.number) for step in steps] == [(URL, number) for number in (1, 2, 3)]
    assert [step.text for step in steps] == TEXTS
    assert [step.context for step in steps] == [(), (TEXTS[0],), (TEXTS[0], TEXTS[1])]
    assert {step.title for step in steps} == {"Boil an Egg"}
    assert {step.topic for step in steps} == {topic}
    assert [[answer.change for answer in step.answers] for step in steps] == CHANGES
    assert {answer.modality for step in steps for answer in step.answers} == {modality}


class TestLayouts:
    def test_four_files(self, tmp_path: Path) -> None:
        steps = read_openpi(_folder(tmp_path))
        _check(steps, topic="Food and Entertaining", modality="with_image")
        assert steps[2].answers[0].sentence == LOCATION

    def test_three_files(self, tmp_path: Path) -> None:
        _check(read_openpi(_folder(tmp_path, without="id_answers_metadata.jsonl")), topic="Food and Entertaining")

    def test_one_file(self, tmp_path: Path) -> None:
        path = _file(tmp_path, lambda n: {key: value for of in FILES.values() for key, value in of(n).items()})
        _check(read_openpi(path), topic="Food and Entertaining", modality="with_image")

    def test_how_tos_without_metadata(self, tmp_path: Path) -> None:
        folder = _folder(tmp_path)
        facts = [{"id": _id(n), "question_metadata": {"topic": "unknown", "image_url": "unknown"}} for n in range(3)]
        (folder / "id_question_metadata.jsonl").write_text(_lines(facts))
        _check(read_openpi(folder), modality="with_image")

    def test_steps_with_context(self, tmp_path: Path) -> None:
        _check(read_openpi(_file(tmp_path, lambda n: {**_answers(n), "step": TEXTS[n], "context": TEXTS[:n]})))

    def test_training_data_of_gpt2(self, tmp_path: Path) -> None:
        path = _file(tmp_path, lambda n: {**_question(n), "answer": ", ".join(ANSWERS[n])})
        _check(read_openpi(path))

    def test_openpi_c(self, tmp_path: Path) -> None:
        def record_of(number: int) -> Record:
            answers = [[c.entity, c.attribute, c.before, c.after] for c in CHANGES[number]]
            return {"id": [URL, number + 1], "query": TEXTS[number], "answers": answers}

        steps = read_openpi(_file(tmp_path, record_of))
        _check(steps)
        assert steps[2].answers[0].sentence == "location of egg was in the box before and in the pot afterwards"

    def test_questions_alone(self, tmp_path: Path) -> None:
        steps = read_openpi(_file(tmp_path, _question))
        assert [step.text for step in steps] == TEXTS
        assert all(not step.answers for step in steps)

    def test_order_does_not_matter(self, tmp_path: Path) -> None:
        path = tmp_path / "steps.jsonl"
        path.write_text(_lines([_question(number) for number in (2, 0, 1)]))
        assert [(step.number, step.text) for step in read_openpi(path)] == [
            (number + 1, TEXTS[number]) for number in (2, 0, 1)
        ]

    def test_a_part_of_a_how_to(self, tmp_path: Path) -> None:
        """Earlier steps that the file lacks are known from the metadata, as one text."""
        path = tmp_path / "steps.jsonl"
        path.write_text(_lines([_question_facts(2)]))
        (step,) = read_openpi(path)
        assert (step.text, step.context) == (TEXTS[2], (" ".join(TEXTS[:2]),))

    def test_sentences_that_do_not_parse_are_kept(self, tmp_path: Path) -> None:
        path = tmp_path / "steps.jsonl"
        path.write_text(_lines([{**_question(0), "answers": ["pot wet", FULL]}]))
        ((odd, good),) = (step.answers for step in read_openpi(path))
        assert (odd.sentence, odd.change) == ("pot wet", None)
        assert good.change == CHANGES[0][0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "a||1", "question": "Boil it. Now, wh', "not JSON"),
        ("[]", "not a JSON object"),
        ('"a||1"', "not a JSON object"),
        ("{}", '"id"'),
        ('{"id": "a"}', '"id"'),
        ('{"id": "a||x", "question": "Boil it."}', '"id"'),
        ('{"id": "||1", "question": "Boil it."}', '"id"'),
        ('{"id": 3, "question": "Boil it."}', '"id"'),
        ('{"id": ["a", "1"], "query": "Boil it.", "answers": []}', '"id"'),
        ('{"id": ["a", true], "query": "Boil it.", "answers": []}', '"id"'),
        ('{"id": ["a", 1, 2], "query": "Boil it.", "answers": []}', '"id"'),
        ('{"id": "a||1"}', "no text"),
        ('{"id": "a||1", "answers": []}', "no text"),
        ('{"id": "a||1", "question": 1}', '"question"'),
        ('{"id": "a||1", "question": " Now, what happens?"}', "empty step"),
        ('{"id": "a||1", "question": "Boil it.", "answers": "x"}', '"answers"'),
        ('{"id": "a||1", "question": "Boil it.", "answers": [1]}', '"answers"'),
        ('{"id": "a||1", "question": "Boil it.", "answer": ["x"]}', '"answer"'),
        ('{"id": "a||1", "question": "Boil it.", "answers": [], "answers_metadata": "x"}', '"answers_metadata"'),
        ('{"id": "a||1", "question": "Boil it.", "answers": [], "answers_metadata": [{}]}', '"answer"'),
        ('{"id": "a||1", "question_metadata": [1]}', '"question_metadata"'),
        ('{"id": "a||1", "question_metadata": {"query": "Boil it."}}', '"context"'),
        ('{"id": "a||1", "step": "Boil it.", "answers": []}', '"context"'),
        ('{"id": "a||1", "question": "half \\ud83d"}', "surrogate"),
        ('{"id": ["a", 1], "answers": []}', '"query"'),
        ('{"id": ["a", 1], "query": "Boil it.", "answers": {}}', '"answers"'),
        ('{"id": ["a", 1], "query": "Boil it.", "answers": [["egg", "state", "raw"]]}', "answer 1"),
        ('{"id": ["a", 1], "query": "Boil it.", "answers": [["egg", "state", "raw", null]]}', "answer 1"),
        ('{"id": ["a", 1], "query": "Boil it.", "answers": [[" ", "state", "raw", "hard"]]}', "no entity"),
    ],
)
def test_bad_records_name_file_and_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(f'{{"id": "b||1", "question": "Wait. Now, what happens?"}}\n\n{line}\n')
    with pytest.raises(InputError, match=message) as raised:
        read_openpi(path)
    assert raised.value.where == "bad.jsonl:3"
    assert raised.value.remedy


class TestFiles:
    def test_repeated_ids(self, tmp_path: Path) -> None:
        path = tmp_path / "steps.jsonl"
        path.write_text(_lines([_question(0), _question(1), _question(0)]))
        with pytest.raises(InputError, match=r"Boil-an-Egg\|\|1.*steps\.jsonl:1") as raised:
            read_openpi(path)
        assert raised.value.where == "steps.jsonl:3"

    @pytest.mark.parametrize("name", [name for name in FILES if name != "id_answers_metadata.jsonl"])
    def test_missing_files(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(InputError, match=f"no {name} in this folder"):
            read_openpi(_folder(tmp_path, without=name))

    @pytest.mark.parametrize("name", list(FILES)[1:])
    def test_missing_ids(self, tmp_path: Path, name: str) -> None:
        folder = _folder(tmp_path)
        (folder / name).write_text(_lines([FILES[name](number) for number in (0, 2)]))
        with pytest.raises(InputError, match=rf"{name}.*Boil-an-Egg\|\|2"):
            read_openpi(folder)

    def test_a_fault_in_a_folder(self, tmp_path: Path) -> None:
        folder = _folder(tmp_path)
        with (folder / "id_answers.jsonl").open("a") as file:
            file.write('{"id": "www')
        with pytest.raises(InputError, match="not JSON") as raised:
            read_openpi(folder)
        assert raised.value.where == "id_answers.jsonl:4"

    @pytest.mark.parametrize("content", [b"", b"\n \n", b"\xff\xfe\xfa{", b"\x1f\x8b\x08broken", bytes(100)])
    def test_files_without_steps(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "steps.jsonl"
        path.write_bytes(content)
        with pytest.raises(InputError):
            read_openpi(path)

    def test_nothing_there(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="no such file"):
            read_openpi(tmp_path / "openpi")


class TestReleased:
    def test_the_official_files(self, shared_corpora: Path) -> None:
        train, dev = (read_openpi(shared_corpora / "openpi" / "gold" / split) for split in ("train", "dev"))
        assert (len(train), len(dev)) == (3216, 274)  # section 4.2
        assert len({step.procedure for step in train}) == 644
        assert sum(len(step.answers) for step in train) == 23_681
        assert sum(answer.change is None for step in train for answer in step.answers) == 8
        assert all(answer.change for step in dev for answer in step.answers)
        modalities = Counter(answer.modality for step in dev for answer in step.answers)
        assert modalities == {"with_image": 941, "without_image": 791, "": 12}
        # Where a how-to has no metadata, nobody annotated it.
        assert sum(not step.topic for step in train) == 22
        assert not any(step.answers for step in (*train, *dev) if not step.topic)
        assert train[1].title == "Flip Someone over Your Shoulder"
        assert train[1].context == ("Be in a fighting position with this person.",)

    @pytest.mark.parametrize("split", ["train", "dev"])
    def test_questions_give_the_steps_of_the_metadata(self, shared_corpora: Path, split: str) -> None:
        """Of 3,490 questions two do not begin with the one before."""
        folder = shared_corpora / "openpi" / "gold" / split
        ours = read_openpi(folder / "id_question.jsonl")
        differing = [
            step.id
            for step, whole in zip(ours, read_openpi(folder), strict=True)
            if (step.text, step.context) != (whole.text, whole.context)
        ]
        assert len(differing) == (2 if split == "train" else 0)

    def test_openpi_c(self, shared_corpora: Path) -> None:
        train, dev = (read_openpi(shared_corpora / "openpi-c" / f"{split}.jsonl") for split in ("train", "dev"))
        assert (len(train), len(dev)) == (2403, 219)
        assert sum(len(step.answers) for step in train) == 13_843
        assert sum(len(step.answers) for step in dev) == 1_154
