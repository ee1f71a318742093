"""`kgscripts build-graph` and `kgscripts remove` as a user calls them, with the pipeline that ships."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from importlib import resources
from pathlib import Path

import networkx as nx
import psutil
import pytest
from attrs import evolve
from typer.testing import CliRunner

import cli
from kgscripts import ScriptGraph
from kgscripts.building.graph_report import report
from kgscripts.building.report import print_report
from kgscripts.building.run import Run
from kgscripts.pipeline import build_graph
from kgscripts.records.readings import FailureCount
from kgscripts.records.store import RecordStore
from schemas.errors import ConfigurationError, KGScriptsError
from schemas.records import DiscardReason
from tests.assembly.built import graph_bytes, graph_rows, labels
from tests.commands import run
from tests.exports.kitchen import kitchen_rows
from tests.graphs import write_graph
from tests.terminals import on_terminal

_ROOT = Path(__file__).parents[2]
_WITHOUT = ("state-changes", "scenarios", "steps")
_EXAMPLES = Path(str(resources.files("kgscripts.examples") / "texts"))


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped examples about pasta, and eight pairs."""
    folder = tmp_path_factory.mktemp("texts")
    for text in _EXAMPLES.glob("*pasta*"):
        shutil.copy(text, folder)
    pairs = (_EXAMPLES / "pairs.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "pairs.tsv").write_text("".join(pairs[:8]), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def built(texts: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The graph of these texts, and the command with two reading processes that built it, in a pipe."""
    directory = tmp_path_factory.mktemp("examples") / "graph"
    options = ["--without", ",".join(_WITHOUT), "--jobs", "2", "--json"]
    command = [sys.executable, "-c", _COMMITTING_EACH_BATCH, "build-graph", str(texts), "-o", str(directory), *options]
    return directory, subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def graph(built: tuple[Path, subprocess.CompletedProcess[str]]) -> Path:
    """The graph of these texts."""
    return built[0]


@pytest.mark.parametrize("arguments", [["", "-o", "graph"], ["a.txt", "", "-o", "graph"], ["a.txt", "-o", ""]])
def test_an_empty_name_is_not_the_working_directory(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a shell gives it for a variable that is not set."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("I boiled water.\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="is empty"):
        CliRunner().invoke(cli.app, ["build-graph", *arguments], catch_exceptions=False)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_examples_tell_how_pasta_is_cooked(graph: Path) -> None:
    rows = graph_rows(graph)
    scenario = next(row["id"] for row in rows["Scenario"] if row["label"] == "cooking pasta")
    steps = {row["id"]: row["label"] for row in rows["SubEvent"] if row["scenario"] == scenario}
    assert {"boil water", "drain pasta"} <= set(steps.values())
    told = {(row["from_id"], labels(rows, "Tool")[row["to_id"]]) for row in rows["USES"] if row["from_id"] in steps}
    assert "colander" in {tool for _, tool in told}
    order = nx.DiGraph(
        (steps[row["from_id"]], steps[row["to_id"]]) for row in rows["PRECEDES"] if row["from_id"] in steps
    )
    assert nx.has_path(order, "boil water", "drain pasta")


def test_a_build_in_a_pipe_prints_its_report_and_no_bar(
    built: tuple[Path, subprocess.CompletedProcess[str]], texts: Path, tmp_path: Path
) -> None:
    graph, done = built
    assert (done.returncode, done.stderr) == (0, "")
    build_graph(texts, tmp_path / "graph", without=_WITHOUT)
    report = json.loads(done.stdout)
    assert graph_bytes(tmp_path / "graph") == graph_bytes(graph)
    assert report["build_id"] == ScriptGraph.open(graph).build_id
    assert report["nodes"]["Source"] == report["sources"] == report["run"]["sources_read"]
    assert {model["name"] for model in report["models"]} == {
        *("decompositions", "events", "labels", "scripts", "sentences", "aligner", "reader", "en_kgscripts"),
    }
    assert json.loads(run("remove", tmp_path / "graph", "cooking_pasta.txt", "--json")) == {
        "removed": ["cooking_pasta.txt"]
    }
    with pytest.raises(KGScriptsError, match=r"no source goes by 'cooking_pasta\.txt'"):
        run("remove", tmp_path / "graph", "cooking_pasta.txt")


def test_the_report_fits_on_one_screen(
    graph: Path, texts: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    found = build_graph(texts, graph, without=_WITHOUT)
    print_report(found)
    text = capsys.readouterr().out
    # The prompt takes one line.
    assert len(text.splitlines()) < 24
    assert max(map(len, text.splitlines())) <= 80 or len(str(graph)) > 50
    for part in ("inputs known", "cooking pasta (", "negated", "sources have no scenario", "--verbose"):
        assert part in text
    command = next(line for line in text.splitlines() if line.startswith("next"))
    assert command.split()[1:3] == ["kgscripts", "show"]
    assert "HAS_SUB_EVENT" not in text
    print_report(found, verbose=True)
    verbose = capsys.readouterr().out
    for part in ("HAS_SUB_EVENT", "decompositions", "LAS 82.4 %"):
        assert part in verbose


def test_a_report_names_what_was_not_read_and_says_what_is_normal(tmp_path: Path) -> None:
    (tmp_path / "tea.txt").write_text("How to make tea\n\n1. Boil the water.\n2. Do not touch the kettle.\n")
    for number in range(5):
        (tmp_path / f"nothing-{number}.txt").write_text(f"The weather is nice on day {number}.")
    (tmp_path / "broken.jsonl").write_text('{"id": 1, "text": "Boil the water."}\n{"text": \n')
    found = build_graph(tmp_path, tmp_path / "graph", without=_WITHOUT)
    lines = str(found).splitlines()
    place = lines.index("no step was read in these texts:")
    assert [line.rsplit("/")[-1].strip() for line in lines[place + 1 : place + 4]] == [
        f"nothing-{number}.txt" for number in range(3)
    ]
    assert lines[place + 4] == "  2 more: --verbose lists them"
    place = lines.index("left out of the inputs:")
    assert "broken.jsonl:2: malformed record" in lines[place + 1]
    assert len(found.sources_without_event) == 5
    without = sum(number for reason, number in found.discards.items() if reason != "malformed record")
    assert found.mentions >= 2
    share = without / (without + found.mentions)
    assert found.share_without_event == share > 0
    assert f"{share:.0%} of the verbs tell no event" in str(found)
    assert ("most verbs tell no event" in str(found)) == (share > 0.6)


def test_a_report_with_many_faults_fits_too(graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    counted = Run(jobs=1, inputs_read=9, inputs_unreadable=2, inputs_partly_read=1, sources_read=45, words_read=10_000)
    failures = [
        FailureCount(f"extractor-{number}", DiscardReason.EXTRACTOR_FAILED, 3, "no luck " * 100) for number in range(9)
    ]
    found = evolve(report(ScriptGraph.open(graph), counted, failures), directory=Path("graph"))
    lines = str(found).splitlines()
    assert len(lines) < 24
    assert max(map(len, lines)) <= 80
    assert "7 more extractors failed: --verbose lists all" in lines
    assert lines[-2:] == ["next   kgscripts show graph 'cooking pasta'", "       kgscripts export graph graph.ttl"]


def test_a_report_is_short_in_a_notebook(graph: Path) -> None:
    found = report(ScriptGraph.open(graph), Run(jobs=1), ())
    assert re.fullmatch(r"BuildReport\('.*': sources \d+, scenarios \d+, steps \d+, tools \d+\)", repr(found))
    html = found._repr_html_()
    assert re.findall(r"<(\w+)", html) == ["pre"]
    assert len(html) < 4_000
    assert "&lt;i&gt;" in evolve(found, directory=Path("<i>"))._repr_html_()


def test_the_report_of_an_older_graph_has_its_percent_as_the_shares_of_a_new_one(tmp_path: Path) -> None:
    rows = kitchen_rows()
    older = [row | {"value": 100 * row["value"], "unit": "percent"} for row in rows["BenchmarkScore"]]
    new = write_graph(tmp_path / "new", rows)
    old = write_graph(tmp_path / "old", rows | {"BenchmarkScore": older})
    found = [report(graph, Run(jobs=1), ()).models for graph in (new, old)]
    assert found[0] == found[1]
    assert found[0][0].scores == {"InScript, val (development)": ("precision 91.2 %", "recall 83.0 %")}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "-o", "graph"], "nowhere: no such file or folder"),
        ([_EXAMPLES, "-o", _ROOT / "docs"], "holds other files"),
        ([_EXAMPLES, "-o", "graph", "--format", "word"], "no format 'word'"),
        ([_EXAMPLES, "-o", "graph", "--base-iri", "no iri"], "is no base IRI"),
        ([_EXAMPLES, "-o", "graph", "--spacy-model", "xx_none"], "cannot be loaded"),
        ([_EXAMPLES, "-o", "graph", "--jobs", "0"], "--jobs"),
        ([_EXAMPLES, "-o", "graph", "--extractors", "event"], "did you mean events?"),
        ([_EXAMPLES, "-o", "graph", "--without", "evnts"], "not among the extractors"),
        ([_EXAMPLES, "-o", "graph", "--memory", "1MB"], "too little memory"),
    ],
)
def test_errors_come_without_a_traceback(
    arguments: list[object],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    inside = [tmp_path / item if item == "graph" else item for item in arguments]
    monkeypatch.setattr(sys, "argv", ["kgscripts", "build-graph", *map(str, inside)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    errors = capsys.readouterr().err
    assert message in errors.replace("\n", " ")
    assert "Traceback" not in errors


def test_a_terminal_gets_a_progress_bar(texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ("-o", tmp_path / "graph", "--without", ",".join(_WITHOUT))
    _, shown = on_terminal(monkeypatch, "build-graph", texts / "pairs.tsv", *options)
    assert re.search(r"reading: \d+ sources, \d+ words", shown)


_STORIES = 120
_READING = ("events", "labels")
_COMMITTING_EACH_BATCH = """
import cli
from kgscripts.building import build
from kgscripts.building import jobs
jobs._DOCUMENTS_A_BATCH, build._BYTES_A_COMMIT = 8, 1
cli.main()
"""


def _interruptible_build(graph: Path, jobs: int) -> subprocess.Popen[str]:
    """A build of the stories beside the graph that has begun to read, in a process group of its own."""
    options = ["-o", str(graph), "--jobs", str(jobs), "--extractors", ",".join(_READING)]
    command = [
        sys.executable,
        "-c",
        _COMMITTING_EACH_BATCH,
        "build-graph",
        str(graph.with_name("stories.jsonl")),
        *options,
    ]
    before = _committed(graph)
    build = subprocess.Popen(
        command,
        cwd=_ROOT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Where the tests run in the background, a shell has made Ctrl-C ignored, and processes inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while _committed(graph) == before:
        assert build.poll() is None
        time.sleep(0.01)
    return build


def _committed(graph: Path) -> int:
    """How many shards of event mentions the index has; 0 before there is one."""
    index = graph / "records" / "index.sqlite"
    if not index.exists():
        return 0
    with closing(sqlite3.connect(f"{index.as_uri()}?mode=ro", uri=True, timeout=60)) as database:
        (count,) = database.execute("SELECT count(*) FROM shard_file WHERE kind = 'event_mention'").fetchone()
    return int(count)


def _left(graph: Path) -> int:
    """How many of the stories have to be read."""
    with RecordStore(graph / "records") as store:
        versions = [entry.digest for entry in store.extractors.all().values() if entry.role == "extractor"]
        return sum(map(len, store.readings.lacking(versions)))


def test_whatever_ends_a_build_the_next_call_goes_on(tmp_path: Path) -> None:
    """Killed, its reading processes end with it; and Ctrl-C ends a build of several processes, and of one."""
    graph, left = tmp_path / "graph", [_STORIES]
    lines = (
        json.dumps({"id": str(number), "text": f"She boiled {number} eggs in the pot. Then she ate them. " * 2})
        for number in range(_STORIES)
    )
    (tmp_path / "stories.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with _interruptible_build(graph, jobs=2) as build:
        children = psutil.Process(build.pid).children(recursive=True)
        while len(children) < 2:
            children = psutil.Process(build.pid).children(recursive=True)
        build.kill()
    _, alive = psutil.wait_procs(children, timeout=60)
    assert alive == []
    left.append(_left(graph))
    for jobs in (2, 1):
        with _interruptible_build(graph, jobs) as build:
            os.killpg(build.pid, signal.SIGINT)
            _, errors = build.communicate()
        assert build.returncode == 130
        assert "the same command continues" in errors
        assert "Traceback" not in errors
        left.append(_left(graph))
    assert left == sorted(set(left), reverse=True), "each call has read something"
    assert left[-1] > 0
    found = build_graph(tmp_path / "stories.jsonl", graph, extractors=_READING)
    assert found.run.sources_read == left[-1], "the others were read before"
    assert found.sources == _STORIES
