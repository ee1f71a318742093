"""An extractor that fails on a text: the text is set aside for it, everything else is read, and it is tried again."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli import app
from kgscripts.building import jobs
from kgscripts.building.jobs import WrittenBatch, read_batches
from kgscripts.building.reading import Batch, DocumentReader
from kgscripts.building.report import BuildReport, print_report
from kgscripts.editing.merging import merge_graphs
from kgscripts.extractors.labels import LabelExtractor
from kgscripts.extractors.registry import choose
from kgscripts.pipeline import build_graph, remove_source
from kgscripts.records.database import INDEX
from kgscripts.records.opening import open_records
from kgscripts.text.pipeline import describe_pipeline
from schemas.errors import ExtractorError, KGScriptsError
from schemas.records import Document
from tests.assembly.built import graph_bytes, graph_rows
from tests.assembly.tiny_reader import tiny_document
from tests.pipeline.faulty import ERRORS, MISTAKES, Faulty, Misplaced, Picky, Verbs, faulty
from tests.pipeline.stopping import until_assembly

GOOD = [tiny_document(f"{verb} the water.", name=verb, scenario="making soup") for verb in ("boil", "drain", "stir")]


def _bad(*words: str) -> list[Document]:
    return [tiny_document(f"fry the {word}.", name=word, scenario="baking a cake") for word in words]


def _discards(directory: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (directory / "discarded.jsonl").read_text(encoding="utf-8").splitlines()]


def _read(
    folder: Path, documents: Sequence[Document], *, strict: bool = False, without: Sequence[str] = ()
) -> tuple[dict[str, str], WrittenBatch]:
    """The names of the extractors that fail and of others, by version, and what they make of a batch."""
    chosen = choose(faulty(), without, describe_pipeline)
    extractors = {item.version: item.extractor.name for item in chosen}
    batch = Batch(documents, frozenset(extractors))
    ((_, written),) = read_batches(DocumentReader(chosen, strict=strict), folder, [batch], 1)
    return extractors, written


def _read_by(directory: Path, name: str) -> set[str]:
    """The names of the texts that an extractor has read."""
    with open_records(directory) as store:
        names = dict(store.inputs.sources())
        (digest,) = (item.digest for item in store.extractors.all().values() if item.name == name)
        return {names[subject] for subject in store.readings.subjects(digest)}


Built = tuple[Path, BuildReport]
"""A graph, which is only read and copied, and the report of its build."""


def _built(factory: pytest.TempPathFactory, *words: str) -> Built:
    directory = factory.mktemp("built") / "graph"
    return directory, build_graph(output=directory, texts=[*GOOD, *_bad(*words)], extractors=faulty())


@pytest.fixture(scope="module")
def mistaken(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return _built(tmp_path_factory, *MISTAKES)


@pytest.fixture(scope="module")
def one_failed(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return _built(tmp_path_factory, "value")


@pytest.fixture(scope="module")
def two_failed(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return _built(tmp_path_factory, "value", "kind")


def test_a_text_is_set_aside_for_the_extractor_that_fails_and_who_requires_it(
    mistaken: Built,
) -> None:
    directory, report = mistaken
    assert report.discards == {"extractor failed": len(MISTAKES), "required records missing": 2 * len(MISTAKES)}
    found = {(item["where"], item["extractor"]): item for item in _discards(directory)}
    for mistake, message in MISTAKES.items():
        failed, verbs, topics = (found[mistake, name] for name in ("faulty", "verbs", "topics"))
        assert failed["reason"] == "extractor failed"
        assert failed["detail"].startswith(message)
        assert "tries again" in failed["remedy"]
        assert verbs["reason"] == topics["reason"] == "required records missing"
        assert "'faulty'" in verbs["detail"]
        assert "'verbs'" in topics["detail"]
    assert "(faulty.py:" in found["value", "faulty"]["detail"], "where in the code it failed"
    # The other texts are read by it, and all texts by those that do not require it.
    good = {item.name for item in GOOD}
    assert [_read_by(directory, name) for name in ("faulty", "verbs", "topics")] == [good] * 3
    assert _read_by(directory, "labels") == {*good, *MISTAKES}
    rows = graph_rows(directory)
    assert {row["predicate"] for row in rows["Action"]} == good
    assert {row["label"] for row in rows["Scenario"]} == {"making soup", "cooking pasta", "baking a cake"}
    assert report.sources == len(GOOD) + len(MISTAKES)


def test_several_processes_set_aside_the_same(mistaken: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_DOCUMENTS_A_BATCH", 4)
    texts = [*GOOD, *_bad(*MISTAKES)]
    build_graph(output=tmp_path, texts=[*texts[::2], *texts[1::2]], extractors=faulty(), jobs=2)
    assert len(_discards(tmp_path)) == 3 * len(MISTAKES)
    assert graph_bytes(tmp_path) == graph_bytes(mistaken[0])


@pytest.mark.parametrize("jobs", [1, 2])
def test_strict_stops_at_the_first_failure(jobs: int, tmp_path: Path) -> None:
    with pytest.raises(ExtractorError) as caught:
        build_graph(output=tmp_path, texts=[*GOOD, *_bad("value")], extractors=faulty(), strict=True, jobs=jobs)
    assert caught.value.where == "value"
    assert "'faulty' failed: ValueError: no luck with value" in caught.value.message
    assert caught.value.remedy is not None
    assert "--strict" in caught.value.remedy
    with until_assembly() as begun:
        build_graph(output=tmp_path, extractors=faulty())
    assert len(begun.sources) == len(GOOD) + 1


@pytest.mark.parametrize("mistake", MISTAKES)
def test_strict_stops_at_what_is_not_allowed(mistake: str, tmp_path: Path) -> None:
    with pytest.raises(ExtractorError, match=f"^{mistake}: the extractor 'faulty' failed: {MISTAKES[mistake]}"):
        _read(tmp_path, _bad(mistake), strict=True)


@pytest.mark.parametrize("error", ERRORS)
def test_errors_that_are_not_about_a_text_end_the_build(error: str, tmp_path: Path) -> None:
    with pytest.raises(ERRORS[error], match=f"no {error}"):
        _read(tmp_path, [*GOOD, *_bad(error)])


def test_only_who_requires_what_could_not_be_stored_is_set_aside(tmp_path: Path) -> None:
    extractors, written = _read(tmp_path, [*GOOD, *_bad("column")])
    assert written.shard is not None
    read = Counter(extractors[version] for _, version in written.shard.completed)
    assert read == {"faulty": len(GOOD), "verbs": len(GOOD), "topics": len(GOOD), "labels": len(GOOD) + 1}
    assert {extractors[item.extractor]: item.reason.name for item in written.failures} == {
        "faulty": "EXTRACTOR_FAILED",
        "verbs": "REQUIRED_MISSING",
        "topics": "REQUIRED_MISSING",
    }


def test_where_nothing_is_read_nothing_is_written(tmp_path: Path) -> None:
    _, written = _read(tmp_path, _bad("value"), without=["labels"])
    assert written.shard is None
    assert len(written.failures) == 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("version", ["1", "2"])
def test_the_next_build_tries_again(version: str, mistaken: Built, tmp_path: Path) -> None:
    graph, mended = shutil.copytree(mistaken[0], tmp_path / "graph"), tmp_path / "mended"
    mended.touch()
    report = build_graph(output=graph, extractors=faulty(version, mended))
    assert report.discards == {}
    assert report.failures == ()
    texts = [*GOOD, *_bad(*MISTAKES)]
    assert report.run.sources_read == (len(MISTAKES) if version == "1" else len(texts))
    build_graph(output=tmp_path / "anew", texts=texts, extractors=faulty(version, mended))
    assert graph_bytes(graph) == graph_bytes(tmp_path / "anew")


def test_a_build_that_fails_again_changes_nothing(one_failed: Built, tmp_path: Path) -> None:
    graph, first = shutil.copytree(one_failed[0], tmp_path / "graph"), one_failed[1]
    files = {path: path.stat().st_mtime_ns for path in graph.rglob("*") if path.name != "run.json"}
    again = build_graph(output=graph, extractors=faulty())
    assert again.build_id == first.build_id
    assert again.discards == first.discards
    assert again.run.sources_read == 0
    now = {path: path.stat().st_mtime_ns for path in graph.rglob("*") if path.name != "run.json"}
    assert {path for path in now if path.is_file() and files.get(path) != now[path]} == set()


def test_the_log_says_what_failed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "kgscripts")
    with until_assembly():
        build_graph(output=tmp_path, texts=[*GOOD, *_bad("value", "kind")], extractors=faulty())
    aside = [message for message in caplog.messages if message.startswith("set aside for ")]
    assert len(aside) == 6
    assert sum("set aside for faulty: " in message and "extractor failed" in message for message in aside) == 2


def test_the_report_says_what_failed(two_failed: Built, capsys: pytest.CaptureFixture[str]) -> None:
    report = two_failed[1]
    faults = [(item.name, item.documents) for item in report.failures]
    assert faults == [("faulty", 2), ("topics", 2), ("verbs", 2)]
    assert json.loads(json.dumps(report.to_dict()))["failures"][0]["reason"] == "extractor failed"
    assert report.run.failed_throughout == {}
    print_report(report)
    shown = " ".join(capsys.readouterr().out.split())
    assert "faulty failed on 2 of 5 sources, for example: " in shown
    assert "the next build tries again" in shown
    assert "1 more extractors failed: --verbose lists all" in shown
    print_report(report, verbose=True)
    shown = " ".join(capsys.readouterr().out.split())
    assert "verbs has not read 2 of 5 sources: it requires records of the extractor 'faulty'" in shown


@pytest.mark.parametrize(("texts", "given"), [(1, "THE ONLY SOURCE"), (3, "ALL 3 SOURCES")])
def test_an_extractor_that_reads_nothing_is_named_first(
    texts: int, given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = [tiny_document(f"fry the value{number}.") for number in range(texts)]
    report = build_graph(output=tmp_path, texts=bad, extractors=faulty())
    assert report.run.failed_throughout == {"faulty": texts}
    assert report.discards == {"extractor failed": texts, "required records missing": 2 * texts}
    print_report(report)
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.startswith(f"faulty FAILED ON {given} THAT IT WAS GIVEN AND READ NONE: ValueError: no luck")
    assert shown.count("--without faulty") == 1
    assert report._repr_html_().index("FAILED ON") < report._repr_html_().index("read  ")
    # That one of the later texts is read shows that the extractor works.
    assert build_graph(output=tmp_path, texts=[*bad, *GOOD], extractors=faulty()).run.failed_throughout == {}


@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_the_command_fails_if_an_extractor_reads_nothing(
    arguments: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "text.txt").write_text("Fry the value.\n", encoding="utf-8")
    monkeypatch.setattr(LabelExtractor, "read", Faulty.read)  # which gives sentences, of which labels know nothing
    command = ["build-graph", str(tmp_path / "text.txt"), "-o", str(tmp_path / "graph"), "--extractors", "labels"]
    assert CliRunner().invoke(app, [*command, *arguments]).exit_code == 1
    assert (tmp_path / "graph" / "manifest.json").exists()
    monkeypatch.undo()
    assert CliRunner().invoke(app, [*command, *arguments]).exit_code == 0


def test_failures_go_with_their_texts(one_failed: Built, tmp_path: Path) -> None:
    graph = shutil.copytree(one_failed[0], tmp_path / "graph")
    remove_source(graph, "boil")
    assert {item["where"] for item in _discards(graph)} == {"value"}
    remove_source(graph, "value")
    assert _discards(graph) == []
    build_graph(output=tmp_path / "anew", texts=GOOD[1:], extractors=faulty())
    assert graph_bytes(graph) == graph_bytes(tmp_path / "anew")


def test_failures_are_merged(one_failed: Built, two_failed: Built, tmp_path: Path) -> None:
    build_graph(output=tmp_path / "other", texts=[*GOOD[1:], *_bad("value", "kind")], extractors=faulty())
    merge_graphs([one_failed[0], tmp_path / "other"], tmp_path / "merged")
    assert graph_bytes(tmp_path / "merged") == graph_bytes(two_failed[0])


def test_what_failed_is_tried_again_after_the_index_was_lost(one_failed: Built, tmp_path: Path) -> None:
    graph = shutil.copytree(one_failed[0], tmp_path / "graph")
    (graph / "records" / INDEX).unlink()
    with pytest.raises(KGScriptsError, match="build again"):
        remove_source(graph, "boil")
    build_graph(output=graph, extractors=faulty())
    assert graph_bytes(graph) == graph_bytes(one_failed[0])


def test_of_a_text_the_records_with_a_span_in_it_are_kept(tmp_path: Path) -> None:
    report = build_graph(output=tmp_path, texts=GOOD[:1], extractors=[Misplaced(), LabelExtractor()])
    assert report.discards == {"span in no passage": 2}
    assert [(item["where"], item["detail"]) for item in _discards(tmp_path)] == [
        ("boil", "misplaced: event_mention 0:9999 lies outside of the text of 15 characters"),
        ("boil", "misplaced: participants 5:77 of event_mention lies outside of the text of 15 characters"),
    ]
    spans = {(row["start"], row["end"]) for row in graph_rows(tmp_path)["Passage"] if row["kind"] == "mention"}
    assert spans == {(0, 4)}
    with pytest.raises(ExtractorError, match="boil: the extractor 'misplaced' failed: event_mention 0:9999 lies"):
        build_graph(output=tmp_path / "strict", texts=GOOD[:1], extractors=[Misplaced()], strict=True)


@pytest.mark.parametrize("jobs", [1, 2])
def test_who_requires_records_goes_on_with_those_of_others(jobs: int, tmp_path: Path) -> None:
    """Two give events: who requires events waits for neither, and reads again when the other one has read."""
    mended = tmp_path / "mended"
    texts = [*GOOD, *_bad(*MISTAKES)]
    extractors = [*faulty(mended=mended), Misplaced()]
    graph, anew = tmp_path / "graph", tmp_path / "anew"
    build_graph(output=graph, texts=texts, extractors=extractors, jobs=jobs)
    waiting = {item["extractor"] for item in _discards(graph) if item["reason"] == "required records missing"}
    assert waiting == {Verbs.name}
    assert MISTAKES.keys() <= _read_by(graph, "misplaced") & _read_by(graph, "topics")
    before = graph_bytes(graph)
    build_graph(output=graph, extractors=extractors)
    assert graph_bytes(graph) == before
    mended.touch()
    build_graph(output=graph, extractors=extractors, jobs=jobs)
    build_graph(output=anew, texts=texts, extractors=extractors)
    assert graph_bytes(graph) == graph_bytes(anew)


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_graphs_the_text_that_all_have_read_is_kept(order: int, tmp_path: Path) -> None:
    mended = tmp_path / "mended"
    graphs = [tmp_path / "failed", tmp_path / "read"]
    for graph in graphs:
        build_graph(output=graph, texts=[*GOOD, *_bad("value")], extractors=[*faulty(mended=mended), Misplaced()])
        mended.touch()
    merge_graphs(graphs[::order], tmp_path / "merged")
    assert _discards(tmp_path / "merged") == _discards(graphs[1])
    assert graph_bytes(tmp_path / "merged") == graph_bytes(graphs[1])


def test_a_text_that_cannot_be_read_again_loses_its_first_reading(tmp_path: Path) -> None:
    """`Topics` reads a text without the verbs, then fails on it with them; in the end it has read it with them."""
    mended, graph = tmp_path / "mended", tmp_path / "graph"
    texts, first = _bad("value"), [Faulty("1", mended), Verbs(), Misplaced()]
    build_graph(output=graph, texts=texts, extractors=[*first, Picky(mended)])
    assert _read_by(graph, "topics") == {"value"}
    mended.touch()
    build_graph(output=graph, extractors=[*first, Picky(mended)])
    assert _read_by(graph, "topics") == set()
    assert "topics" in {item.get("extractor") for item in _discards(graph)}
    mended.unlink()
    build_graph(output=graph, extractors=[*first, Picky(mended)])
    assert _read_by(graph, "topics") == {"value"}
