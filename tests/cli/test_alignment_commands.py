"""`kgscripts align` and `tools` from a user's view, and the scores of the models behind them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import exports.cypher.cypher
import exports.query.sparql
from kgscripts import ScriptGraph
from kgscripts.models.registry import describe, shipped_models
from kgscripts.pipeline import build_graph
from schemas.errors import KGScriptsError
from tests.commands import run

PAIRS = (
    ("Drain the pasta.", "Put a colander into the sink. Pour the pasta into the colander."),
    ("Drain the beans.", "Wash the beans in a strainer. Shake the strainer."),
    ("Slice the bread.", "Put the bread on a cutting board. Cut the bread with a sharp knife."),
)
QUERIES = Path(__file__).resolve().parents[2] / "docs" / "queries"


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("pairs") / "pairs.tsv"
    file.write_text("".join("\t".join(pair) + "\n" for pair in PAIRS), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def graph(pairs: Path) -> Path:
    build_graph(pairs, pairs.parent / "graph", predict_tools=True)
    return pairs.parent / "graph"


@pytest.mark.parametrize("model", ["aligner", "transducer"])
def test_align_gives_every_concrete_token_an_abstract_one_in_order(model: str, pairs: Path) -> None:
    aligned: list[dict[str, Any]] = json.loads(run("align", pairs, "--model", model, "--json"))
    assert [item["where"] for item in aligned] == ["pairs.tsv:1", "pairs.tsv:2", "pairs.tsv:3"]
    for item in aligned:
        assert item["path"] == sorted(item["path"])
        assert len(item["path"]) == len(item["posterior"]) == len(item["concrete"])
        assert " ".join(stretch["text"] for stretch in item["stretches"]) == " ".join(item["concrete"])
        assert item["log_probability"] <= 0


def test_a_transducer_aligns_by_its_name_and_by_its_directory(pairs: Path) -> None:
    by_name, by_directory = (
        run("align", pairs, "--model", model) for model in ("transducer", shipped_models()["transducer"])
    )
    assert by_name == by_directory != run("align", pairs)


@pytest.mark.parametrize(
    ("options", "message", "remedy"),
    [
        (
            ["--model", "masked"],
            "masked: a model for the task 'cloze', not 'alignment'",
            "of the kinds transducer, aligner",
        ),
        (["--model", "nothing"], "nothing: no such model", "those that ship"),
        (["--model", "transducer", "--free"], "transducer: a model without free alignments", "name an aligner"),
    ],
)
def test_models_that_do_not_align(options: list[str], message: str, remedy: str, pairs: Path) -> None:
    with pytest.raises(KGScriptsError) as caught:
        run("align", pairs, *options)
    assert message in str(caught.value)
    assert remedy in str(caught.value.remedy)


def test_decompositions_of_a_graph_by_a_transducer(pairs: Path, tmp_path: Path) -> None:
    build = ("build-graph", pairs, "-o", tmp_path / "graph", "--extractors", "events,decompositions", "--set")
    with pytest.raises(KGScriptsError, match="a model for the task 'cloze', not 'alignment'"):
        run(*build, "decompositions.model=masked")
    run(*build, "decompositions.model=transducer")
    graph = ScriptGraph.open(tmp_path / "graph")
    (model,) = [row["id"] for row in graph.rows("Model") if row["name"] == describe("transducer").name]
    statements = {row["statement"]: (row["from_id"], row["to_id"]) for row in graph.rows("DECOMPOSES_INTO")}
    assert {row["from_id"] for row in graph.rows("READ_BY") if row["to_id"] == model} >= statements.keys()
    assert statements
    assert {row["from_id"] for row in graph.rows("SCORED")} >= {model}


def test_align_prints(pairs: Path) -> None:
    printed = run("align", pairs, "--limit", 2)
    assert "colander" in printed
    assert "bread" not in printed
    assert "colander" in run("align", pairs, "--limit", 2, "--free")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Drain the pasta.\t\n", "pairs.tsv:1: the concrete side is empty"),
        ("\tTip it.\n", "pairs.tsv:1: the abstract side is empty"),
        ("Drain it.\tTip it.\nDrain it.\n", "pairs.tsv:2: 1 column instead of 2"),
        ("a\tb\tc\td\n", "4 columns instead of 2"),
        ("drain it\ttip it\t1 0 1\n", "3 marks for 2 tokens"),
        ("", "no pairs"),
        ("stir " * 10_000 + "\t" + "stir " * 10_000 + "\n", "10,000 by 10,000 tokens are too many to align"),
    ],
)
def test_align_reports_errors_in_a_pair(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text(content, encoding="utf-8")
    with pytest.raises(KGScriptsError, match=message) as caught:
        run("align", tmp_path / "pairs.tsv")
    assert caught.value.remedy


@pytest.mark.parametrize("content", ["xyzzy frobnicate\tqwxz blargh wibble .\n", "... !\t. , ;\n", "add\tstir\n"])
def test_unknown_words_and_punctuation_are_aligned(content: str, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text(content, encoding="utf-8")
    (item,) = json.loads(run("align", tmp_path / "pairs.tsv", "--json"))
    assert item["path"] == sorted(item["path"])
    assert max(item["path"]) < len(item["abstract"])


def test_a_long_concrete_side_is_aligned(tmp_path: Path) -> None:
    sentence = "the pasta is stirred with a spoon . "
    (tmp_path / "pairs.tsv").write_text(f"stir the pasta .\t{sentence * 250}\n", encoding="utf-8")
    (item,) = json.loads(run("align", tmp_path / "pairs.tsv", "--json"))
    assert len(item["path"]) == 2_000


def test_an_event_that_needs_no_tool_is_not_answered() -> None:
    found = json.loads(run("tools", "thank the waiter", "--json"))
    assert not found["answered"]
    assert all(tool["probability"] < 0.5 for tool in found["predicted"])
    assert "none is probable" in run("tools", "thank the waiter")


@pytest.mark.parametrize("event", ["", " ", "...", "the pasta", "\x00"])
def test_tools_needs_an_event(event: str) -> None:
    with pytest.raises(KGScriptsError, match="contains no event"):
        run("tools", event)


def test_the_scores_of_aligner_and_tool_ranker_can_be_queried(graph: Path) -> None:
    opened = ScriptGraph.open(graph)
    text = (QUERIES / "tools-by-alignment.rq").read_text(encoding="utf-8")
    in_sparql = exports.query.sparql.run_query(opened, text)
    in_cypher = exports.cypher.cypher.run_query(
        opened, (QUERIES / "tools-by-alignment.cypher").read_text(encoding="utf-8")
    )
    assert list(in_sparql.rows) == list(in_cypher.rows)
    found = {(row[4], row[5]): row[6] for row in in_sparql.rows}
    aligner = describe("aligner")
    ranker = describe("default", "tools")
    for model in (aligner, ranker):
        assert model.scores
        assert {(model.name, score.metric): score.value for score in model.scores}.items() <= found.items()
    assert {(row[1], row[4]) for row in in_sparql.rows} == {(False, aligner.name), (True, ranker.name)}
