"""`ScriptGraph.script`: the typed script, its forms, the names that find it, and one step with its passages."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import attrs
import jsonschema
import pytest
from typer.testing import CliRunner

import cli
from kgscripts import Script, ScriptGraph, Step
from kgscripts.scripts.steps import _spread
from kgscripts.scripts.types import script_schema
from schemas.errors import ConfigurationError, QueryError
from schemas.vocabulary import node_id
from tests.exports.kitchen import CHANGES, TOLD, kitchen_graph, kitchen_rows
from tests.graphs import odd_graph, write_graph

Told = dict[str, list[tuple[str, str, str, str]]]
PASTA: Told = TOLD["cooking pasta"]


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return kitchen_graph(tmp_path_factory.mktemp("kitchen"))


@pytest.fixture(scope="module")
def pasta(kitchen: ScriptGraph) -> Script:
    return kitchen.script("cooking pasta", evidence=9)


def show(graph: ScriptGraph, *arguments: str) -> str:
    """What the command prints."""
    result = CliRunner().invoke(cli.app, ["show", str(graph.directory), *arguments])
    if result.exception is not None:
        raise result.exception
    return result.output


def told(words: str) -> list[tuple[str, str, str, str]]:
    """The sentences of the texts in which a step is told."""
    return [sentence for sentences in PASTA.values() for sentence in sentences if sentence[1] == words]


def step_of(script: Script, label: str) -> Step:
    (step,) = (step for step in script.steps if step.label == label)
    return step


def test_a_script_has_what_the_texts_tell(pasta: Script) -> None:
    """The oracle is the texts that the graph was made of."""
    assert pasta.support == len(PASTA)
    assert {step.label for step in pasta.steps} == {words for each in PASTA.values() for _, words, _, _ in each}
    assert [step.rank for step in pasta.steps] == list(range(1, len(pasta.steps) + 1))
    for step in pasta.steps:
        sentences = told(step.label)
        assert step.support == len(sentences)
        assert {tool.label for tool in step.tools} == {tool for each in sentences for tool in each[2].split()}
        named = {(entity.label, entity.role) for entity in step.participants}
        assert named == {tuple(each.split(":")) for sentence in sentences for each in sentence[3].split()}
        changes = {(each.entity, each.attribute, each.before or "", each.after) for each in step.changes}
        assert changes == set(CHANGES.get(step.label, []))
        assert all(each.support == len(sentences) for each in step.changes)


def test_evidence_is_the_sentences_that_tell_it(pasta: Script) -> None:
    for step in pasta.steps:
        assert sorted(item.text for item in step.evidence) == sorted({text for text, *_ in told(step.label)})
        for tool in step.tools:
            tells = {text for text, _, tools, _ in told(step.label) if tool.label in tools.split()}
            assert {item.text for item in tool.evidence} == tells
        for item in step.evidence:
            # A mention of the kitchen is the sentence without its full stop.
            assert item.words == item.text[:-1]
            assert item.end - item.start == len(item.text)
            assert item.text in {text for text, *_ in PASTA[item.source]}


def test_few_passages_are_of_different_sources(kitchen: ScriptGraph) -> None:
    step = step_of(kitchen.script("cooking pasta", evidence=3), "drain pasta")
    assert len({item.source for item in step.evidence}) == 3
    [shortest] = step_of(kitchen.script("cooking pasta", evidence=1), "drain pasta").evidence
    assert len(shortest.text) == min(len(text) for text, *_ in told("drain pasta"))
    assert not any(step.evidence for step in kitchen.script("cooking pasta").steps)


def test_the_same_text_in_two_sources_is_shown_once_if_there_are_others() -> None:
    passages = {
        name: {"id": name, "source": source, "text": text, "start": 0, "end": len(text)}
        for name, source, text in (("a", "1", "Dig it."), ("b", "2", "Dig it."), ("c", "3", "Dig a hole."))
    }
    assert _spread(passages, passages) == ["a", "c", "b"]


@pytest.mark.parametrize(
    "name",
    [
        "make coffee",
        "Making Coffee",
        "MAKE A COFFEE",
        "how to make some coffee",
        "How do I make coffee?",
        "brew coffee",
    ],
)
def test_another_name_of_the_activity_finds_it(kitchen: ScriptGraph, name: str) -> None:
    assert kitchen.script(name).label == "making coffee"


def test_titles_that_no_list_has_are_found_too(tmp_path: Path) -> None:
    rows = kitchen_rows()
    before, label = node_id("Scenario", "making coffee", "making coffee"), "polishing the silver spoons"
    after = node_id("Scenario", "polishing silverspoon", "polishing silverspoon")
    text = json.dumps(rows).replace(before, after).replace('"label": "making coffee"', f'"label": "{label}"')
    graph = write_graph(tmp_path, json.loads(text))
    for name in ("polish silver spoons", "How to polish your silver spoons", "Polishing the silver spoon"):
        assert graph.script(name).label == label
    with pytest.raises(QueryError, match="no scenario named 'polish gold spoons'") as error:
        graph.script("polish gold spoons")
    assert repr(label) in str(error.value.remedy)


@pytest.mark.parametrize(
    "arguments", [{"name": 3}, {"limit": -1}, {"limit": "4"}, {"min_support": 0}, {"evidence": -1}, {"name": "\ud800"}]
)
def test_arguments_out_of_range_are_refused(kitchen: ScriptGraph, arguments: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        kitchen.script(**{"name": "cooking pasta", **arguments})


def test_what_is_left_out_has_a_reason(tmp_path: Path) -> None:
    rows = kitchen_rows()
    labels = {row["id"]: row["label"] for row in rows["SubEvent"]}
    for row in rows["HAS_SUB_EVENT"]:
        row["usual"] = labels[row["to_id"]] != "add salt"
    graph = write_graph(tmp_path, rows)
    script = graph.script("cooking pasta", min_support=2, limit=3)
    everything = graph.script("cooking pasta", all_steps=True)
    assert {step.iri for step in script.steps} | {item.iri for item in script.left_out} == {
        step.iri for step in everything.steps
    }
    steps = {step.iri: step for step in everything.steps}
    for item in script.left_out:
        step = steps[item.iri]
        expected = "unusual" if not step.usual else "few sources" if step.support < 2 else "limit"
        assert (item.reason, item.label, item.support) == (expected, step.label, step.support)
    assert {"unusual", "few sources", "limit"} == {item.reason for item in script.left_out}
    last = show(graph, "cooking pasta", "--min-support", "2", "--limit", "3").splitlines()[-1]
    counted = [sum(item.reason == reason for item in script.left_out) for reason in ("unusual", "few sources", "limit")]
    assert [int(number) for number in re.findall(r"(\d+) (?:unusual|in too few|over)", last)] == counted


def test_show_prints_the_same_object(kitchen: ScriptGraph, pasta: Script) -> None:
    assert json.loads(show(kitchen, "cooking pasta", "--evidence", "9", "--json")) == json.loads(
        json.dumps(pasta.to_dict())
    )
    assert show(kitchen, "cooking pasta", "--evidence", "9") == f"{pasta}\n"
    assert show(kitchen, "cooking pasta") == f"{kitchen.script('cooking pasta')}\n"


def test_the_schema_describes_every_script(kitchen: ScriptGraph, tmp_path: Path) -> None:
    printed = CliRunner().invoke(cli.app, ["schema", "script"]).output
    assert json.loads(printed) == script_schema()
    validator = jsonschema.Draft202012Validator(script_schema())
    odd = odd_graph(tmp_path / "odd")
    for graph in (kitchen, odd):
        for row in graph.rows("Scenario"):
            for arguments in ([], ["--limit", "2", "--evidence", "2"]):
                content = json.loads(show(graph, graph.iri(row["id"]), "--json", *arguments))
                validator.validate(content)
    step = {**script_schema(), "$ref": "#/$defs/Step"}
    content = json.loads(show(kitchen, "cooking pasta", "drain pasta", "--json"))
    jsonschema.validate(content, step)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**content, "more": 1}, step)


def test_a_script_as_a_frame(pasta: Script) -> None:
    frame = pasta.to_frame()
    assert list(frame["step"]) == [step.label for step in pasta.steps]
    assert frame.loc[1, "rank"] == 1
    assert list(frame["tools"]) == [[tool.label for tool in step.tools] for step in pasta.steps]
    assert list(attrs.evolve(pasta, steps=[]).to_frame().columns) == list(frame.columns)


def test_a_script_in_networkx_is_a_part_of_the_graph(kitchen: ScriptGraph, pasta: Script) -> None:
    whole, part = kitchen.to_networkx(), pasta.to_networkx()
    for node, content in part.nodes(data=True):
        assert content["label"] == whole.nodes[node]["label"]
        assert content["type"] == whole.nodes[node]["type"]
    symmetric = ("ALTERNATIVE_TO", "CLOSE_MATCH")
    for start, end, key, content in part.edges(keys=True, data=True):
        if key in symmetric and not whole.has_edge(start, end, key):
            start, end = end, start
        assert whole.edges[start, end, key]["support"] == content["support"]
    steps = {step.iri for step in pasta.steps}
    of_steps = {
        (start, end, key)
        for start, end, key in whole.edges(steps, keys=True)
        if key not in ("EXPRESSED_AS", *symmetric)
    }
    assert of_steps <= set(part.edges(keys=True))


def test_an_order_that_leads_through_a_step_that_is_left_out(kitchen: ScriptGraph) -> None:
    script = kitchen.script("cooking pasta", min_support=3)
    edges = {(start, end) for start, end, key in script.to_networkx().edges(keys=True) if key == "PRECEDES"}
    assert edges == set(script.order) | {(pair.before, pair.after) for pair in script.precedes}
    assert len(edges) == 3


def test_a_notebook_shows_a_table(pasta: Script, tmp_path: Path) -> None:
    html = pasta._repr_html_()
    assert html.count("<tr>") == 1 + len(pasta.steps)
    assert '<td style="text-align: left; vertical-align: top">drain pasta</td>' in html
    assert "<i>add salt</i>" in html
    assert "colander<br>strainer" in html
    odd = odd_graph(tmp_path / "odd")
    for row in odd.rows("Scenario"):
        html = odd.script(odd.iri(row["id"]))._repr_html_()
        assert set(re.findall(r"<(\w+)", html)) <= {"b", "i", "small", "table", "tr", "th", "td", "br"}
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e]", html)


def test_a_repr_is_one_line(pasta: Script) -> None:
    assert repr(pasta) == "Script('cooking pasta': 12 steps, 0 left out, support 3)"
    assert all(len(repr(step)) < 200 for step in pasta.steps)


def test_a_step_with_its_passages(kitchen: ScriptGraph) -> None:
    lines = show(kitchen, "make spaghetti", "drain pasta").splitlines()
    assert lines[:2] == [
        "drain pasta  3 sources, 100%  passages 1, 2, 3  by rules 1",
        "├── step of cooking pasta  rank 10, typicality 90%",
    ]
    assert "│   ├── colander  instrument, named, 2 sources, 67%  passages 1, 2  by rules 1" in lines
    passages = [line for line in lines if re.match(r"│   .── \d\. ", line)]
    assert len(passages) == 3
    for (text, *_), source in ((told("drain pasta")[0], next(iter(PASTA))),):
        (line,) = (line for line in passages if f'"[{text[:-1]}]."  {source}, characters ' in line)
        start, end = map(int, re.findall(r"characters (\d+) to (\d+)$", line)[0])
        assert " ".join(sentence for sentence, *_ in PASTA[source])[start:end] == text
    assert len(show(kitchen, "make spaghetti", "drain pasta", "--evidence", "1").splitlines()) < len(lines)


def test_a_step_is_found_by_number_and_by_words(kitchen: ScriptGraph, tmp_path: Path) -> None:
    script = kitchen.script("cooking pasta", limit=4)
    for number, step in enumerate(script.steps, start=1):
        content = show(kitchen, "cooking pasta", str(number), "--limit", "4", "--json")
        assert json.loads(content)["label"] == step.label
        assert show(kitchen, "cooking pasta", step.label.upper(), "--json") == content
        assert show(kitchen, "cooking pasta", step.iri, "--json") == content
    assert show(kitchen, "cooking pasta", "Draining the pasta") == show(kitchen, "cooking pasta", "drain pasta")
    # A step that the script leaves out has no number, but words.
    assert "add salt" not in [step.label for step in script.steps]
    assert show(kitchen, "cooking pasta", "add salt", "--limit", "4").startswith("add salt (optional)  1 source")
    rows = kitchen_rows()
    (drain,) = (row["id"] for row in rows["SubEvent"] if row["label"] == "drain pasta")
    action = node_id("Action", "strain noodle", "strain noodle")
    rows["Action"].append(
        {"id": action, "label": "strain noodle", "label_text": "strain noodle", "predicate": "strain", "support": 1}
    )
    statement = node_id("Statement", "", drain, "EXPRESSED_AS", action)
    row = {"from_id": drain, "to_id": action, "support": 1, "probability": 0.1, "statement": statement}
    rows["EXPRESSED_AS"].append(row)
    output = show(write_graph(tmp_path, rows), "cooking pasta", "strain noodle")
    assert output.startswith("drain pasta  3 sources")
    assert "in other words: strain noodle" in output


@pytest.mark.parametrize(
    ("step", "message", "remedy"),
    [
        ("13", "'cooking pasta' has no step 13", "number one of the 12"),
        ("0", "'cooking pasta' has no step 0", "number one of the 12"),
        ("drian pasta", "'cooking pasta' has no step 'drian pasta'", "did you mean 'drain pasta'"),
        ("zzz", "'cooking pasta' has no step 'zzz'", "--all"),
    ],
)
def test_a_step_that_is_not_there(kitchen: ScriptGraph, step: str, message: str, remedy: str) -> None:
    with pytest.raises(QueryError, match=re.escape(message)) as error:
        show(kitchen, "cooking pasta", step)
    assert remedy in str(error.value.remedy)


def test_a_wording_of_two_steps_is_refused(tmp_path: Path) -> None:
    rows = kitchen_rows()
    for row in rows["SubEvent"]:
        row["label"] = "do it" if row["label"] in ("add pasta", "drain pasta") else row["label"]
    with pytest.raises(QueryError, match="2 steps of 'cooking pasta' are called 'do it'") as error:
        show(write_graph(tmp_path, rows), "cooking pasta", "do it")
    assert "sub-event/add-pasta-" in str(error.value.remedy)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--evidence", "2"],
        ["--tool", "pot", "--evidence", "2"],
        ["cooking pasta", "drain pasta", "--tool", "pot"],
    ],
)
def test_options_that_do_not_fit_together(kitchen: ScriptGraph, arguments: list[str]) -> None:
    with pytest.raises(ConfigurationError):
        show(kitchen, *arguments)
