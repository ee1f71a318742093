"""`kgscripts evaluate extraction --extractor NAME`: another extractor on the lists, by the records that it gives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgscripts import ScriptGraph
from kgscripts.evaluation.result import Evaluation, from_json
from kgscripts.pipeline import build_graph
from kgscripts.reproductions.events import extraction
from kgscripts.reproductions.events.gold_lists import ToolItem, tool_items, tool_scores
from kgscripts.reproductions.events.list_readers import FrameReader, ListReader, RecordReader
from kgscripts.reproductions.events.marked_texts import marked_texts, object_scores, reality_scores, unmarked
from kgscripts.text.pipeline import load_pipeline
from schemas.errors import ConfigurationError
from schemas.provenance import Exposure
from tests.commands import run
from tests.evaluation.figures import values
from tests.extractors.llm.stub_server import Reply, Request, Stub, drained, serving

ITEMS = [
    ToolItem("Drain the pasta with a strainer.", frozenset({("drain pasta", "strainer")})),
    ToolItem("Cut the bread with a knife.", frozenset({("cut bread", "knife")})),
]
MARKED = [unmarked("Then [drain|pasta] the pasta with a strainer. I [sat|-] down.")]


def _few_lists(reader: ListReader) -> Iterator[Evaluation]:
    yield tool_scores(reader, ITEMS)
    yield object_scores(reader, MARKED)


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Stub]:
    monkeypatch.setattr(extraction, "_lists", _few_lists)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with serving(_answer) as found:
        yield found


def _answer(request: Request) -> Reply:
    """An answer about draining pasta, none about others, and refused JSON about bread."""
    return Reply(b"{", 400) if "bread" in request.text else drained(request)


def _set(stub: Stub, tmp_path: Path) -> list[str]:
    settings = {"endpoint": stub.address, "model": "tiny", "cache": tmp_path / "answers", "concurrency": 1}
    return [word for name, value in settings.items() for word in ("--set", f"llm.{name}={value}")]


def test_by_its_records_the_extractor_of_events_has_the_same_figures() -> None:
    lists = {name: marked_texts(f"{name}.unseen.txt")[:4] for name in ("objects", "reality")}
    found = [
        [
            *values(tool_scores(reader, tool_items()[:40])).values(),
            *values(object_scores(reader, lists["objects"])).values(),
            *values(reality_scores(reader, "reality", lists["reality"])).values(),
        ]
        for reader in (FrameReader(load_pipeline()), RecordReader.of("events"))
    ]
    assert found[0] == found[1]
    assert all(0.5 < value <= 1 for value in found[0])


def test_a_language_model_is_measured_and_its_scores_are_those_of_its_node(stub: Stub, tmp_path: Path) -> None:
    arguments = ("evaluate", "extraction", "--extractor", "llm", *_set(stub, tmp_path))
    tools, objects = from_json(json.loads(run(*arguments, "--json", "--attach-as", "unseen")))
    assert tools.models[0].name == "llm"
    assert (tools.models[0]["tool precision"], tools.models[0]["tool recall"]) == (1.0, 0.5)
    assert (objects.models[0]["event recall"], objects.models[0]["object_right"]) == (0.5, 1.0)
    assert tools.exposure is Exposure.UNKNOWN
    assert "tiny" in tools.notes[0]
    assert "llm failed and finds nothing: 1;" in tools.notes[1]
    assert not any("scenario" in json.dumps(request.content["messages"]) for request in stub.requests)
    scores = _scores_of_graph(tmp_path / "graph", model="tiny", stub=stub, cache=tmp_path / "answers")
    assert scores[f"{tools.dataset} tool recall"] == 0.5
    assert scores[f"{objects.dataset} object_right"] == 1.0
    assert not _scores_of_graph(tmp_path / "other", model="another", stub=stub, cache=tmp_path / "answers")


def _scores_of_graph(directory: Path, *, model: str, stub: Stub, cache: Path) -> dict[str, float]:
    settings = {"llm": {"endpoint": stub.address, "model": model, "cache": cache}}
    build_graph(output=directory, texts=["Drain the pasta."], extractors=["llm"], settings=settings)
    graph = ScriptGraph.open(directory)
    (node,) = (row["id"] for row in graph.rows("Model") if row["name"] == "llm")
    own = {row["to_id"] for row in graph.rows("SCORED") if row["from_id"] == node}
    return {
        f"{row['dataset']} {row['metric']}": row["value"] for row in graph.rows("BenchmarkScore") if row["id"] in own
    }


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--extractor", "labels"], "'labels' reads no events"),
        (["--extractor", "none"], "none"),
        (["--extractor", "llm", "--inscript", "."], "corpora measure 'events' only"),
        (["--extractor", "llm"], "llm.endpoint is missing"),
        (["--set", "llm.model=tiny"], "'events' is measured as it ships"),
    ],
)
def test_what_cannot_be_measured_is_said(arguments: list[str], what: str) -> None:
    with pytest.raises(ConfigurationError, match=what) as caught:
        run("evaluate", "extraction", *arguments)
    assert caught.value.remedy
