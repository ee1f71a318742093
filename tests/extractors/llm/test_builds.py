"""Builds that ask a language model: what they keep, what they cost, and where a key never is."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import cli
from kgscripts import ScriptGraph
from kgscripts.extractors.llm.extractor import LanguageModelExtractor
from kgscripts.extractors.llm.settings import LanguageModelSettings
from kgscripts.extractors.llm.spending import Budget
from kgscripts.extractors.registry import choose, default_extractors, installed_extractors
from kgscripts.pipeline import build_graph
from kgscripts.text.pipeline import describe_pipeline
from schemas.errors import ConfigurationError
from schemas.logs import start_log
from tests.commands import run
from tests.extractors.llm.reading import PASTA
from tests.extractors.llm.stub_server import (
    EMPTY,
    KEY,
    Reply,
    Request,
    Stub,
    completion,
    drained,
    for_request,
    serving,
)

TEXTS = [f"# How to cook pasta\n\n1. Fill pot {number}.\n2. Drain the pasta with a strainer.\n" for number in range(5)]

_LONG = 250
"""Seconds after which something will not happen any more, on a slow machine with other work."""


def _settings(stub: Stub, folder: Path, **more: Any) -> dict[str, dict[str, Any]]:
    own = {"endpoint": stub.address, "model": "tiny", "cache": folder / "answers", "concurrency": 1}
    return {"llm": {**own, **more}}


def _build(stub: Stub, folder: Path, graph: str = "graph", jobs: int = 1, texts: Any = TEXTS, **more: Any) -> Any:
    return build_graph(
        output=folder / graph,
        texts=texts,
        extractors=["llm", "labels"],
        jobs=jobs,
        settings=_settings(stub, folder, **more),
    )


def _bytes(directory: Path) -> dict[str, bytes]:
    """The files of the graph itself."""
    folders = [directory / "nodes", directory / "relations"]
    return {str(path.relative_to(directory)): path.read_bytes() for folder in folders for path in folder.iterdir()}


def test_it_is_used_on_request_only() -> None:
    assert set(installed_extractors()) - set(default_extractors()) == {"llm", "open-changes"}
    with pytest.raises(ConfigurationError, match=r"llm\.endpoint is missing"):
        build_graph(output="never", texts=["Wait."], also=["llm"])
    assert not Path("never").exists()
    with pytest.raises(ConfigurationError, match="no extractor 'lllm' is installed"):
        build_graph(output="never", texts=["Wait."], also=["lllm"])


def test_the_command_adds_it_to_the_others_and_says_what_it_cost(tmp_path: Path) -> None:
    (tmp_path / "pasta.md").write_text(PASTA, encoding="utf-8")
    with serving(drained) as stub:
        sets = [f"llm.endpoint={stub.address}", "llm.model=tiny", f"llm.cache={tmp_path / 'answers'}"]
        options = [part for item in sets for part in ("--set", item)]
        arguments = ["build-graph", tmp_path / "pasta.md", "-o", tmp_path / "graph", "--also", "llm"]
        arguments += ["--without", "state-changes,scenarios,steps,decompositions", *options]
        before = run(*arguments, "--dry-run")
        assert not stub.requests
        assert not (tmp_path / "graph").exists()
        assert "sources 1 · words 18 · nothing was sent or written" in before
        assert "requests 1" in before
        assert "tokens to receive, at most 2,048" in before
        shown = run(*arguments)
        said = " ".join(shown.split())
        for part in ("quotes held 7 of 7 (100 %)", "tokens sent 100 · tokens received 20"):
            assert part in said
        assert max(map(len, (before + shown).splitlines()[:-2])) <= 80
    graph = ScriptGraph.open(tmp_path / "graph")
    assert graph.manifest.configuration["extractors"] == "events labels llm scripts sentences"
    spent = json.loads((tmp_path / "graph" / "run.json").read_text())["spent"]["llm"]
    assert (spent["requests"], spent["tokens sent"], spent["quotes held"]) == (1, 100, 7)
    (model,) = [row for row in graph.rows("Model") if row["name"] == "tiny"]
    assert model["version"].startswith("127.0.0.1, prompts ")
    assert {"llm", "events"} <= {row["name"] for row in graph.rows("Model")}


def test_rules_and_the_model_read_the_same_mention(tmp_path: Path) -> None:
    with serving(drained) as stub:
        build_graph(
            output=tmp_path / "graph",
            texts=[PASTA],
            extractors=["events", "labels"],
            also=["llm"],
            settings=_settings(stub, tmp_path),
        )
    graph = ScriptGraph.open(tmp_path / "graph")
    actions = [row["label"] for row in graph.rows("Action")]
    assert sorted(actions) == ["drain pasta", "fill pot"]
    (change,) = graph.rows("StateChange")
    assert (change["before"], change["after"]) == ("wet", "dry")


def test_the_same_texts_give_the_same_bytes_and_ask_nothing_again(tmp_path: Path) -> None:
    with serving(drained) as stub:
        assert _build(stub, tmp_path).run.spent["llm"]["requests"] == 5
        again = _build(stub, tmp_path, "again", concurrency=3)
        assert again.run.spent["llm"] == {"quotes": 35, "quotes held": 35, "answers kept from before": 5}
        assert len(stub.requests) == 5
    assert _bytes(tmp_path / "graph") == _bytes(tmp_path / "again")


def test_another_model_prompt_or_host_is_another_version_and_the_place_is_not(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "again.md").write_text("Once more: {problem}\n", encoding="utf-8")
    first = _version(endpoint="http://127.0.0.1:1/v1")
    assert _version(endpoint="http://127.0.0.1:2/v1", concurrency=9, timeout=1.0, cache="elsewhere") == first
    changes: list[dict[str, Any]] = [{"model": "other"}, {"prompts": str(tmp_path / "prompts")}, {"seed": 2}]
    changes += [{"endpoint": "http://localhost:1/v1"}, {"max_tokens": 100}, {"confidence": 0.6}]
    assert len({first, *(_version(**change) for change in changes)}) == 7
    assert "Once more: {problem}" in run("extractors", "show", "llm", "--set", f"llm.prompts={tmp_path / 'prompts'}")


def _version(**settings: Any) -> str:
    by = LanguageModelExtractor(
        settings=LanguageModelSettings(**{"endpoint": "http://127.0.0.1:1/v1", "model": "tiny", **settings})
    )
    (chosen,) = choose([by], [], describe_pipeline)
    return chosen.version


def test_a_build_that_is_killed_asks_nothing_twice(tmp_path: Path) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def answering(request: Request) -> Reply:
        if len(stub.requests) == 4:
            reached.set()
            go_on.wait(_LONG)
        return drained(request)

    with serving(answering) as stub:
        process = _started(stub, tmp_path, texts=TEXTS)
        try:
            assert reached.wait(_LONG)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
            go_on.set()
        assert len(stub.requests) == 4
        report = _build(stub, tmp_path)
        assert not report.failures
        assert report.run.spent["llm"]["answers kept from before"] == 3
        texts = [request.text for request in stub.requests]
        assert len(texts) == 6
        assert len(set(texts)) == 5, "only what was under way is asked again"


def test_ctrl_c_does_not_wait_for_a_server_that_is_silent(tmp_path: Path) -> None:
    reached = threading.Event()

    def answering(_: Request) -> Reply:
        reached.set()
        return Reply(is_silent=True)

    with serving(answering) as stub:
        process = _started(stub, tmp_path, texts=TEXTS, timeout=600.0)
        try:
            assert reached.wait(_LONG)
            process.send_signal(signal.SIGINT)
            assert process.wait(_LONG) != 0
        finally:
            process.kill()
            process.wait()
        assert len(stub.requests) == 1


def _started(stub: Stub, folder: Path, texts: Any, **settings: Any) -> subprocess.Popen[bytes]:
    """A build in a process of its own."""
    code = (
        "import json, sys\nfrom kgscripts.pipeline import build_graph\n"
        "texts, output, settings = json.loads(sys.argv[1])\n"
        "build_graph(output=output, texts=texts, extractors=['llm', 'labels'], settings=settings)\n"
    )
    given = json.dumps([texts, str(folder / "graph"), _settings(stub, folder, **settings)], default=str)
    return subprocess.Popen([sys.executable, "-c", code, given], stderr=subprocess.DEVNULL)


def test_processes_stop_asking_at_the_limit_that_they_share_and_the_next_build_goes_on(tmp_path: Path) -> None:
    def answering(request: Request) -> Reply:
        used = {"prompt_tokens": 700, "completion_tokens": 300}
        content = json.loads(completion(for_request(EMPTY, request)).body)
        return Reply(json.dumps(content | {"usage": used}).encode())

    texts = [f"# How to wait\n\n1. {'Wait. ' * 2500} {number}\n" for number in range(3)]
    with serving(answering) as stub:
        options: dict[str, Any] = {"texts": texts, "max_tokens": 300, "characters": 20_000}
        first = _build(stub, tmp_path, jobs=2, max_tokens_total=6_000, **options)
        assert 0 < len(stub.requests) < 3
        assert first.run.spent["llm"]["tokens sent"] + first.run.spent["llm"]["tokens received"] <= 6_000
        (failed,) = first.failures
        assert "6,000 tokens of llm.max_tokens_total are used up" in failed.detail
        asked = len(stub.requests)
        second = _build(stub, tmp_path, **options)
        assert not second.failures
        assert len(stub.requests) == 3
        assert asked + second.run.spent["llm"]["requests"] == 3


def test_a_limit_is_shared_and_kept() -> None:
    budget = Budget(100)
    assert budget.reserve(60)
    assert not budget.reserve(50)
    budget.give_back(30)
    assert budget.reserve(50)
    assert not budget.reserve(30)
    folder = Path(budget._folder)
    assert folder.exists()
    del budget
    assert not folder.exists()


@pytest.fixture
def _logging(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """With all that a log can hold; it ends with the test."""
    with monkeypatch.context() as patch:
        patch.setenv("KGSCRIPTS_LOG", "debug")
        yield
    start_log(None)


@pytest.mark.usefixtures("_logging")
def test_the_key_is_in_no_file_log_or_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """A server that repeats the key wherever it can."""

    def answering(request: Request) -> Reply:
        given = request.headers["authorization"].removeprefix("Bearer ")
        if "pot 3" in request.text:
            return Reply(f"<p>{given}</p>".encode(), 200, {"X-Key": given})
        if "pot 4" in request.text:
            return Reply(json.dumps({"error": {"message": f"bad {given}"}}).encode(), 400)
        answer = dict(json.loads(json.loads(drained(request).body)["choices"][0]["message"]["content"]))
        answer["events"] = [{**answer["events"][0], "quote": f"Drain {given}"}]
        return completion(None, text=json.dumps(answer).replace(given[3], f"\\u{ord(given[3]):04x}"))

    for number, text in enumerate(TEXTS):
        (tmp_path / "texts").mkdir(exist_ok=True)
        (tmp_path / "texts" / f"{number}.md").write_text(text, encoding="utf-8")
    with serving(answering) as stub:
        arguments = ["--log-file", tmp_path / "log", "build-graph", tmp_path / "texts", "-o", tmp_path / "graph"]
        arguments += ["--extractors", "llm,labels", "--verbose", "--set", "llm.key_variable=TEST_LLM_KEY"]
        for name, value in _settings(stub, tmp_path)["llm"].items():
            arguments += ["--set", f"llm.{name}={value}"]
        monkeypatch.setenv("TEST_LLM_KEY", KEY)
        done = CliRunner(env={"COLUMNS": "80"}).invoke(cli.app, list(map(str, arguments)), catch_exceptions=False)
        assert done.exit_code == 0, done.output
        assert {request.headers["authorization"] for request in stub.requests} == {f"Bearer {KEY}"}
    assert b"failed on 2 of 5 sources" in done.stdout_bytes
    found = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert tmp_path / "log" in found
    assert any("answers" in path.parts for path in found)
    printed = [done.stdout_bytes, done.stderr_bytes, *capfdbinary.readouterr()]
    for content in [*printed, *(path.read_bytes() for path in found)]:
        assert KEY.encode() not in content
    discarded = (tmp_path / "graph" / "discarded.jsonl").read_text(encoding="utf-8")
    assert "llm: event Drain ..." in discarded
