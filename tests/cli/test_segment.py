"""`kgscripts segment` from a user's view, for a model that knows scenarios by a word."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from attrs import define, field

import cli
from kgscripts.models import registry
from schemas import terminal
from schemas.provenance import Model
from schemas.scenario_documents import NONE, DetectedSegment
from tests.cli.test_hostile_output import HOSTILE, Run
from tests.cli.test_hostile_output import run as run  # the fixture

STORY = """A long day

I filled the tub with hot water. I lay in the bath until my
fingers were wrinkled. I thought of my aunt. She says that it will snow.

I boiled the pasta for nine minutes. I poured off the pasta and ate the pasta in the bath.
"""
WORDS = {"tub": "taking a bath", "bath": "taking a bath", "pasta": "cooking pasta"}
_MODEL = Model(name="words", version="1", digest="0" * 64, task="scenarios")


@define
class WordModel:
    """A segment for each run of sentences with the same words of `WORDS`."""

    model: Model = _MODEL
    lengths: list[int] = field(factory=list)

    def detect(self, documents: Sequence[Sequence[str]]) -> list[list[DetectedSegment]]:
        self.lengths += map(len, documents)
        return [list(_segments(document)) for document in documents]


def _segments(document: Sequence[str]) -> Iterator[DetectedSegment]:
    start = 0
    for scenarios, group in itertools.groupby(document, _scenarios):
        end = start + len(list(group))
        ranking = [(scenario, 0.4) for scenario in scenarios] or [(NONE, 0.9)]
        yield DetectedSegment(start=start, end=end, ranking=[*ranking, ("other", 0.125)], scenarios=scenarios)
        start = end


def _scenarios(sentence: str) -> list[str]:
    return sorted({scenario for word, scenario in WORDS.items() if word in sentence})


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> WordModel:
    found = WordModel()
    monkeypatch.setattr(registry, "load", lambda *_: found)
    return found


@pytest.fixture
def story(tmp_path: Path) -> Path:
    file = tmp_path / "story.txt"
    file.write_text(STORY, encoding="utf-8")
    return file


pytestmark = pytest.mark.usefixtures("model")


def test_passages_have_their_scenarios_in_front_and_all_of_them_at_the_end(run: Run, story: Path) -> None:
    lines = run("segment", story).rstrip().splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "A long day"
    bath, pasta = "taking a bath 0.40", "cooking pasta 0.40"
    shown = [line.strip() for line in lines]
    assert [line for line in shown if line == "no scenario" or re.search(r"0\.\d\d$", line)] == [
        *(bath, "no scenario", pasta, f"{pasta}, {bath}"),
    ]
    words = " ".join(shown)
    for heading, passage in ((bath, "I filled the tub"), ("no scenario", "I thought of my aunt."), (pasta, "I boiled")):
        assert f"{heading} {passage}" in words
    assert [line.split("  ") for line in shown[-2:]] == [
        ["taking a bath", "0.40", "3 of 6 sentences"],
        ["cooking pasta", "0.40", "2 of 6 sentences"],
    ]


def test_colours_are_for_terminals(
    story: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def shown() -> str:
        monkeypatch.setattr(sys, "argv", ["kgscripts", "segment", str(story)])
        with pytest.raises(SystemExit):
            cli.main()
        return capsys.readouterr().out

    plain = shown()
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    coloured = shown()
    backgrounds = set(re.findall(r"\x1b\[(?:\d+;)*48;5;(\d+)m", coloured))
    assert len(backgrounds) == 2
    assert not re.search(r"48;5;\d+m *[A-Za-z]", coloured)
    assert [line.rstrip() for line in re.sub(r"\x1b\[[\d;]*m", "", coloured).splitlines()] == [
        line.rstrip() for line in plain.splitlines()
    ]
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"[;\[][34]8;", shown())


def test_json_has_the_places_in_the_text(run: Run, story: Path) -> None:
    [found] = json.loads(run("segment", story, "--json"))
    assert (found["name"], found["title"]) == ("story.txt", "A long day")
    assert [part["sentences"] for part in found["segments"]] == [[0, 2], [2, 4], [4, 5], [5, 6]]
    for part in found["segments"]:
        assert STORY[part["start"] : part["end"]] == part["text"]
    assert found["segments"][0]["scenarios"] == [{"scenario": "taking a bath", "score": 0.4}]
    assert found["segments"][1]["scenarios"] == []
    assert found["segments"][1]["ranking"] == [
        {"scenario": "None", "score": 0.9},
        {"scenario": "other", "score": 0.125},
    ]
    lines = [json.loads(line) for line in run("segment", story, "--jsonl").splitlines()]
    assert lines == [{"name": "story.txt", **part} for part in found["segments"]]


def test_hostile_texts_are_shown_and_never_obeyed(run: Run, tmp_path: Path) -> None:
    hostile = HOSTILE.replace("\u2028", "") + ' <script>alert("x")</script> </p></section> & &lt; in the bath.'
    record = {"id": "1" + HOSTILE, "title": hostile, "text": hostile}
    (tmp_path / "a.jsonl").write_text(json.dumps(record), encoding="utf-8")
    for form in ((), ("--json",), ("--jsonl",)):
        assert "<script>alert" in run("segment", tmp_path / "a.jsonl", "--format", "jsonl", *form)


def test_one_endless_sentence_is_cut(run: Run, tmp_path: Path, model: WordModel) -> None:
    (tmp_path / "a.txt").write_text("and I lay in the bath " * 2_000, encoding="utf-8")
    [text] = json.loads(run("segment", tmp_path / "a.txt", "--json"))
    [sentences] = model.lengths
    assert 5 <= sentences < 2_000
    assert sum(part["text"].count("bath") for part in text["segments"]) == 2_000


BOMB = (
    '<!DOCTYPE data [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>\n'
    '<data><instance id="1"><text>&b;</text></instance></data>'
)
EXTERNAL = BOMB.replace('"ha"', 'SYSTEM "file:///etc/passwd"')


@pytest.mark.parametrize(
    ("content", "sentences"),
    [
        (b"", 0),
        (b"\xef\xbb\xbf", 0),
        (b"\n \r\n\t\n", 0),
        (b"A title\n\n", 1),
        (b"...", 1),
        (b"?!\n\n--\n\n***", 2),
        ("🍅🍅 🛁".encode(), 1),
        ("\u200b\u200d".encode(), 1),
        (b"I ran.\0\0 I\0 sat in the bath.", 2),
        (b"\0" * 5000, 0),
        (b"I ran. caf\xe9.", 1),
        (b"I ran. caf\x81.", 0),
        ("I ran.".encode("utf-16"), 1),
        ("I ran. I sat.".encode("utf-16-le"), 0),
        ("I ran.".encode("utf-16") + b"\0", 0),
        (gzip.compress(b"I ran.", mtime=0), 1),
        (gzip.compress(b"I ran. " * 99, mtime=0)[:-9], 0),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0" * 20, 0),
        (b"%PDF-1.4 I ran.", 0),
        (BOMB.encode(), 0),
        (EXTERNAL.encode(), 0),
        (b"<letter><p>I ran.</p></letter>", 0),
        (b"<data><instance id='1'><text>I ran.</text></instance><ins", 1),
        (b'{"id": 1, "text": "I ran."}\n{"id": 2}\n', 1),
        (b'{"id": 1, "text": 3}', 0),
        (b"[" * 10_000, 0),
        (b"x" * 3000, 1),
        (b"I ran.\r" * 30, 30),
        (b") " * 3000, 1),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_bad_input(
    content: bytes, sentences: int, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: WordModel
) -> None:
    """From a file and from standard input; what cannot be read is named, and nothing to read is an error."""
    (tmp_path / "a").write_bytes(content)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    code = 0 if sentences else 2
    for source in (tmp_path / "a", "-"):
        model.lengths.clear()
        shown = run("segment", source, "--jsonl", code=code)
        assert bool(sum(model.lengths)) == bool(sentences)
        assert sum(model.lengths) >= sentences
        if not sentences:
            assert "there is no sentence" in shown
            assert "left out: " in shown


@pytest.mark.parametrize("format", ["mcscript", "descript", "inscript", "conllu", "jsonl"])
@pytest.mark.parametrize("content", [BOMB, EXTERNAL], ids=["bomb", "external entity"])
def test_xml_with_entities_is_refused_whatever_it_is_said_to_be(
    format: str, content: str, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "a.xml").write_text(content, encoding="utf-8")
    assert "left out: a.xml:" in run("segment", tmp_path / "a.xml", "--format", format, code=2)
    assert "a.xml:1" in run("evaluate", "scenarios", "--model", "default", "--gold", tmp_path / "a.xml", code=2)


@pytest.mark.parametrize(
    "arguments",
    [
        ("missing.txt",),
        ("empty",),
        ("story.txt", "missing"),
        ("story.txt", "--format", "odt"),
        ("story.txt", "--json", "--jsonl"),
        (),
    ],
    ids=" ".join,
)
def test_what_is_refused_before_a_model_is_loaded(
    arguments: tuple[str, ...], run: Run, story: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(story.parent)
    (story.parent / "empty").mkdir()
    monkeypatch.setattr(registry, "load", lambda *_: pytest.fail("it is loaded"))
    run("segment", *arguments, code=2)
    assert {path.name for path in story.parent.iterdir()} == {"story.txt", "empty"}


_LOAD = registry.load


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("config.json", b"", "config.json"),
        ("config.json", b'{"kind": "scenario-detector"}', "config.json"),
        ("model.safetensors", b"\xff" * 64, "model.safetensors"),
        ("model.safetensors", None, "model.safetensors"),
        ("model_card.json", b"{}", "model_card.json"),
        ("model_card.json", None, "it has no model_card.json"),
    ],
)
def test_a_damaged_model_is_named(
    file: str, content: bytes | None, message: str, run: Run, story: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "load", _LOAD)
    directory = story.parent / "model"
    shutil.copytree(registry.find_checkpoint("default", "scenarios"), directory)
    (directory / file).unlink()
    if content is not None:
        (directory / file).write_bytes(content)
    assert message in run("segment", story, "--model", directory, code=2)


@pytest.mark.parametrize(
    ("name", "message"),
    [("transducer", "'cloze', not 'scenarios'"), ("no-such", "no such model"), ("sentence:transducer", "'cloze'")],
)
def test_another_model_is_named(
    name: str, message: str, run: Run, story: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "load", _LOAD)
    assert message in run("segment", story, "--model", name, code=2)


def test_a_reader_that_has_gone_is_no_failure(story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    errors = io.StringIO()
    gone = os.fdopen(writing, "w")
    monkeypatch.setattr(sys, "stdout", gone)
    monkeypatch.setattr(sys, "stderr", errors)
    monkeypatch.setattr(sys, "argv", ["kgscripts", "segment", str(story), "--jsonl"])
    monkeypatch.setattr(terminal, "_discard", lambda _: None)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    with pytest.raises(BrokenPipeError):
        gone.close()
    assert (ended.value.code, errors.getvalue()) == (0, "")


def test_ctrl_c_ends_it(run: Run, story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> list[list[DetectedSegment]]:
        raise KeyboardInterrupt

    monkeypatch.setattr(WordModel, "detect", interrupted)
    assert run("segment", story, code=130) == "interrupted\n"
