"""Scenarios of texts: by label, front matter, title, folder and option; another option labels anew."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from attrs import asdict
from typer.testing import CliRunner

from cli import app
from kgscripts import ScriptGraph
from kgscripts.building.build import Progress
from kgscripts.corpora.scenarios.labels import scenario_of_folder
from kgscripts.pipeline import build_graph
from schemas.errors import KGScriptsError
from tests.pipeline.stopping import until_assembly

NOTES = "dig a hole\nput the tree in\nfill the hole\n"
READ_BY = ("labels", "events")
FILES = {
    "a.txt": NOTES,
    "titled.txt": "How to wash a dog\n\nWet the dog. Dry the dog.\n",
    "front.txt": f"---\nscenario: making tea\n---\n{NOTES}",
    "heading.md": "# My way\n\n1. Dig a hole.\n2. Fill it.\n",
    "one.jsonl": json.dumps({"id": 1, "text": "I dug a hole.", "scenario": "painting a wall"}) + "\n",
    "Baking-a_Cake/b.txt": "I mixed flour and eggs.\n",
    "Baking-a_Cake/own.md": "---\nscenario: making coffee\n---\n- Boil water.\n",
    "Baking-a_Cake/deep/er/weak.md": "# Notes\n\n- Boil water.\n",
    "train/c.txt": "I ate.\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "in"


def _labels(directory: Path) -> dict[str, str]:
    """The scenario of each source by its name, "" if it has none."""
    graph = ScriptGraph.open(directory)
    names = {row["id"]: row["label"] for row in graph.rows("Scenario")}
    about = {row["from_id"]: names[row["to_id"]] for row in graph.rows("ABOUT")}
    return {row["name"]: about.get(row["id"], "") for row in graph.rows("Source")}


def test_what_names_a_scenario_and_in_which_order(folder: Path, tmp_path: Path) -> None:
    graph = tmp_path / "graph"
    report = build_graph(folder, graph, extractors=["labels"])
    found = {
        "a.txt": "",
        "titled.txt": "washing a dog",
        "front.txt": "making tea",
        "heading.md": "my way",
        "one.jsonl#1": "painting a wall",
        "Baking-a_Cake/b.txt": "baking a cake",
        "Baking-a_Cake/own.md": "making coffee",
        "Baking-a_Cake/deep/er/weak.md": "baking a cake",
        "train/c.txt": "",
    }
    assert _labels(graph) == found
    assert report.sources_without_scenario == 2
    assert report.to_dict()["sources_without_scenario"] == 2

    report = build_graph(folder, graph, extractors=["labels"], scenario="How to plant a tree?")
    named = {"a.txt": "planting a tree", "train/c.txt": "planting a tree", "heading.md": "planting a tree"}
    assert _labels(graph) == found | named
    assert report.sources == len(found)
    assert report.sources_without_scenario == 0


@pytest.mark.parametrize(
    ("scenario", "message"), [("caf\udce9", "not UTF-8"), (" ?! ", "no scenario")], ids=["bytes", "signs"]
)
def test_a_name_that_is_none_is_refused_before_any_work(scenario: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(KGScriptsError, match=message):
        build_graph(output=tmp_path / "graph", texts=["Boil water."], scenario=scenario)
    assert not (tmp_path / "graph").exists()


def test_another_scenario_labels_anew_and_duplicates_nothing(tmp_path: Path) -> None:
    """Whatever came before, even an interrupted build: the tables are those of one build with the last scenario."""
    file, graph = tmp_path / "a.txt", tmp_path / "graph"
    file.write_text(NOTES, encoding="utf-8")
    texts = ["I planted a tree.", {"id": "x", "text": "I ate soup."}]

    def build(output: Path, scenario: str | None, **options: object) -> str:
        return build_graph(file, output, texts=texts, scenario=scenario, extractors=READ_BY, **options).build_id  # type: ignore[arg-type]

    def interrupt(_: Progress) -> None:
        raise KeyboardInterrupt

    plain = build(graph, None)
    expected = build(tmp_path / "fresh", "planting a tree")
    assert plain != expected
    with until_assembly():
        build(graph, "making soup")
    with pytest.raises(KeyboardInterrupt):
        build(graph, "planting a tree", progress=interrupt)
    assert build(graph, "planting a tree") == expected
    assert build(graph, "Planting a tree!") == expected
    assert len(_labels(graph)) == 3
    assert build(graph, None) == plain


def test_the_command_says_what_to_do(tmp_path: Path) -> None:
    run = CliRunner().invoke
    (tmp_path / "a.txt").write_text("I ate.\n", encoding="utf-8")
    arguments = ["build-graph", str(tmp_path / "a.txt"), "-o", str(tmp_path / "graph"), "--extractors", "labels"]
    printed = " ".join(run(app, arguments).output.split())
    assert "1 of 1 sources has no scenario" in printed
    assert "--scenario NAME" in printed
    assert "--scenario NAME" in run(app, ["show", str(tmp_path / "graph")]).output
    printed = run(app, [*arguments, "--scenario", "making soup"]).output
    assert "no scenario" not in printed
    assert "making soup" in printed
    assert "--scenario" not in run(app, ["show", str(tmp_path / "graph")]).output
    with pytest.raises(KGScriptsError):
        build_graph(tmp_path / "a.txt", tmp_path / "graph", scenario=" ? ")


def test_the_example_of_the_document(tmp_path: Path) -> None:
    document = (Path(__file__).parents[2] / "docs" / "guide" / "inputs.md").read_text(encoding="utf-8")
    text, printed = re.findall(r"^```\n(.*?)^```$", document, re.DOTALL | re.MULTILINE)
    (tmp_path / "notes.txt").write_text(text, encoding="utf-8")
    build_graph(tmp_path / "notes.txt", tmp_path / "graph", extractors=["labels", "events"])
    shown = CliRunner().invoke(app, ["show", str(tmp_path / "graph"), "planting a tree"]).output
    assert [line.rstrip() for line in shown.splitlines()] == printed.splitlines()


@pytest.mark.parametrize(
    ("folder", "scenario"),
    [
        ("planting_a_tree", "planting a tree"),
        ("PLANTING-A-TREE/x/y", "planting a tree"),
        ("plant a tree", "planting a tree"),
        ("designing_t-shirts", "designing t-shirts"),
        ("making tea/making-coffee", "making coffee"),
        ("train", ""),
        ("tree", ""),
        ("library/bus/cake", ""),
        ("trees", ""),
    ],
)
def test_folders(folder: str, scenario: str) -> None:
    assert scenario_of_folder(Path("/data", folder, "a.txt")) == scenario


CHAT = (
    "Tom: my chain came off again yesterday. Ann: oh no, what did you do? Tom: I turned the bike upside down first. "
    "Then I put the chain on the small cog with a stick. I tightened the rear wheel with a wrench."
)
UNKNOWN = (
    "First I unrolled the netting along the hedge. I hammered the stakes into the ground with a mallet. I tied the "
    "netting to the stakes with wire. The chickens could not get out any more."
)


def test_what_nothing_names_is_guessed_and_the_report_says_so(tmp_path: Path) -> None:
    texts = [{"id": f"{place}/" + "x" * 70, "text": UNKNOWN + " It was a long day." * place} for place in range(6)]
    texts += [{"id": "chat", "text": CHAT}, {"id": "named", "title": "How to wash a dog", "text": "Wet the dog."}]
    report = build_graph(output=tmp_path / "graph", texts=texts, without=["state-changes", "steps"])
    assert report.sources_without_scenario == 0
    assert report.sources_guessed == len(report.guessed) == 7
    guessed = {item.source: item for item in report.guessed}
    assert guessed["text#chat"].scenario == "repairing a bicycle"
    assert "netting" in report.guessed[0].scenario, "the least sure first"
    assert 0.5 < report.guessed[0].share <= 1
    assert report.to_dict()["guessed"][0] == asdict(report.guessed[0])
    lines = [line for line in str(report).splitlines() if line.startswith("scenario guessed")]
    assert len(lines) == 6
    assert all(len(line) <= 80 for line in lines)
    assert lines[-1] == "scenario guessed: 2 more sources"
    graph = ScriptGraph.open(tmp_path / "graph")
    assert any("netting" in step.label for step in graph.script(report.guessed[0].scenario).steps)
