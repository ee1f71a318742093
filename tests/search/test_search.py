"""Search of a graph: by words, by meaning, and both."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts import ScriptGraph
from kgscripts.models.sentence_vectors import quantised_vectors
from kgscripts.search.entries import Answer, Kind, entries, passages
from kgscripts.search.meaning import Meanings
from kgscripts.search.searching import Searcher, expected, search
from kgscripts.search.words import content_words
from schemas.errors import ConfigurationError, KGScriptsError, ModelError
from tests.commands import run
from tests.exports.kitchen import kitchen_graph
from tests.graphs import odd_graph, write_graph
from tests.terminals import on_terminal


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    graph = kitchen_graph(tmp_path_factory.mktemp("kitchen"))
    run("prepare", graph.directory)
    return graph


def labels(answer: Answer) -> list[str]:
    return [each.label for each in answer.found]


def test_a_step_is_found_by_its_words(kitchen: ScriptGraph) -> None:
    first = kitchen.search("drain pasta").found[0]
    assert (first.kind, first.label, first.scenario) == (Kind.STEP, "drain pasta", "cooking pasta")
    assert first.by_words == first.by_meaning == 1
    assert first.iri in {kitchen.iri(row["id"]) for row in kitchen.rows("SubEvent", ("id",))}


def test_a_step_is_found_by_its_meaning(kitchen: ScriptGraph) -> None:
    question = "dish out the meal"
    assert Searcher(kitchen, by_meaning=False).answer(question, tuple(Kind), 5).found == ()
    assert labels(kitchen.search(question, kind="step", limit=1)) == ["serve pasta"]


@pytest.mark.parametrize("kind", list(Kind))
def test_a_kind_gives_only_its_own(kitchen: ScriptGraph, kind: Kind) -> None:
    found = kitchen.search("pasta in a pot", kind=kind, limit=50).found
    assert found
    assert {each.kind for each in found} == {kind}
    assert all(bool(each.scenario) <= (kind is Kind.STEP) for each in found)


def test_scores_are_sums_of_reciprocal_ranks(kitchen: ScriptGraph) -> None:
    found = kitchen.search("fill the pot with water", limit=100).found
    for each in found:
        ranks = [rank for rank in (each.by_words, each.by_meaning) if rank is not None]
        assert each.score == pytest.approx(sum(1 / (60 + rank) for rank in ranks))
    for kind in Kind:
        scores = [each.score for each in found if each.kind is kind]
        assert scores == sorted(scores, reverse=True)
    assert len({each.iri for each in found}) == len(found)


def test_the_order_of_meaning_is_that_of_brute_force(kitchen: ScriptGraph) -> None:
    kitchen.search("pasta")
    every = list(enumerate(entries(kitchen), start=1))
    (store,) = (kitchen.directory / "stores").glob("vectors-*")
    for kind, weight, expecting in ((Kind.STEP, 0.07, 0.1), (Kind.TOOL, 0.02, 0.8), (Kind.SCENARIO, 0.0, 0.8)):
        vectors = np.fromfile(store / f"{kind}.vectors", dtype=np.int8).reshape(-1, 384).astype(np.int64)
        numbers = np.fromfile(store / f"{kind}.numbers", dtype=np.int32)
        own = {number: entry for number, entry in every if entry.kind is kind}
        assert set(numbers) == set(own)
        for text in ("serve the food", "a thing to cut with", "cooking"):
            question, known = quantised_vectors([text])[0], expected(quantised_vectors([text])[0], kind)
            cosines = vectors @ question.astype(np.int64) / 400**2
            best = {
                number: max(cosines[numbers == number])
                + weight * math.log(entry.support)
                + expecting * known.get(entry.scenario if kind is Kind.STEP else entry.label, 0.0)
                for number, entry in own.items()
            }
            found = Meanings(store).best(question, kind, 5, known)
            assert [best[number] for number in found] == pytest.approx(
                sorted(best.values(), reverse=True)[:5], abs=1e-6
            )


def test_a_step_is_told_by_the_sentences_of_its_mentions(kitchen: ScriptGraph) -> None:
    text_of = {row["id"]: row["text"] for row in kitchen.rows("Passage", ("id", "text"))}
    around = {row["from_id"]: row["to_id"] for row in kitchen.rows("WITHIN", ("from_id", "to_id"))}
    step_of = {
        row["id"]: row["subject"]
        for row in kitchen.rows("Statement", ("id", "subject", "relation"))
        if row["relation"] == "EXPRESSED_AS"
    }
    told: dict[str, set[str]] = {}
    for row in kitchen.rows("EVIDENCED_BY", ("from_id", "to_id")):
        if row["from_id"] in step_of and row["to_id"] in around:
            told.setdefault(step_of[row["from_id"]], set()).add(around[row["to_id"]])
    assert told
    for entry in entries(kitchen):
        passages = sorted(told.get(entry.id, ()))[:3]
        assert entry.told == tuple(dict.fromkeys(text_of[passage] for passage in passages))


def test_models_expect_the_scenario_and_the_tools_of_a_question() -> None:
    scenarios = expected(quantised_vectors(["we drained the spaghetti and put the sauce on it"])[0], Kind.SCENARIO)
    assert max(scenarios, key=lambda label: scenarios[label]) == "cooking pasta"
    assert expected(quantised_vectors(["a question"])[0], Kind.STEP).keys() == scenarios.keys()
    assert sum(scenarios.values()) <= 1
    tools = expected(quantised_vectors(["what do I mop the floor with"])[0], Kind.TOOL)
    assert max(tools, key=lambda label: tools[label]) == "mop"


def test_a_damaged_index_is_made_again(kitchen: ScriptGraph, tmp_path: Path) -> None:
    expected = kitchen.search("boil water")
    shutil.copytree(kitchen.directory, tmp_path / "copy")
    copy = ScriptGraph.open(tmp_path / "copy")
    copy.search("boil water")
    for kind, name in (("words", ""), ("vectors", "step.vectors")):
        (store,) = (copy.directory / "stores").glob(f"{kind}-*")
        file = store / name
        file.write_bytes(file.read_bytes()[:100])
        assert copy.search("boil water") == expected, kind


def test_without_minilm_only_words_are_compared(
    kitchen: ScriptGraph, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shutil.copytree(kitchen.directory, tmp_path / "copy", ignore=shutil.ignore_patterns("stores"))

    def missing(*_: object) -> None:
        raise ModelError("MiniLM is nowhere")

    monkeypatch.setattr("kgscripts.models.sentence_vectors.shared_minilm", missing)
    answer = ScriptGraph.open(tmp_path / "copy").search("drain the pasta")
    assert not answer.meaning
    assert labels(answer)[0] == "drain pasta"
    shown = run("prepare", tmp_path / "copy")
    assert "vectors" not in shown


def test_the_function_of_the_package_is_the_method_of_the_graph(kitchen: ScriptGraph) -> None:
    assert search(kitchen, "pasta", kind="tool") == kitchen.search("pasta", kind="tool")


def without_stores(graph: ScriptGraph, copy: Path) -> ScriptGraph:
    """A copy of a graph that has not been searched yet."""
    shutil.copytree(graph.directory, copy, ignore=shutil.ignore_patterns("stores"))
    return ScriptGraph.open(copy)


def test_progress_counts_the_nodes_while_the_same_vectors_are_made(kitchen: ScriptGraph, tmp_path: Path) -> None:
    kitchen.search("pasta")
    graph = without_stores(kitchen, tmp_path / "copy")
    seen: list[tuple[int, int]] = []
    search(graph, "pasta", progress=lambda done, every: seen.append((done, every)))
    nodes = sum(1 for _ in entries(graph))
    assert seen[0] == (0, nodes)
    assert seen[-1] == (nodes, nodes)
    assert seen == sorted(seen)
    (first,) = (kitchen.directory / "stores").glob("vectors-*")
    (second,) = (graph.directory / "stores").glob("vectors-*")
    assert (first / "step.vectors").read_bytes() == (second / "step.vectors").read_bytes()
    seen.clear()
    search(graph, "pasta", progress=lambda done, every: seen.append((done, every)))
    assert seen == []


def test_an_interrupted_search_leaves_nothing_half_written_and_prepare_has_a_progress_bar(
    kitchen: ScriptGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = without_stores(kitchen, tmp_path / "copy")

    def interrupt(done: int, _every: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search(graph, "boil water", progress=interrupt)
    assert not list((graph.directory / "stores").glob("vectors-*"))
    searched = run("search", graph.directory, "drain the pasta")
    assert f"Only words were compared. Meanings too: kgscripts prepare {graph.directory}" in " ".join(searched.split())
    _, shown = on_terminal(monkeypatch, "prepare", graph.directory)
    assert "making the vectors" in shown
    assert search(graph, "boil water") == kitchen.search("boil water")


def test_vectors_go_on_where_they_were_interrupted(kitchen: ScriptGraph, tmp_path: Path) -> None:
    kitchen.search("dish out the meal")
    graph = without_stores(kitchen, tmp_path / "copy")
    parts = graph.directory / "stores" / ".vectors.parts"

    def times() -> dict[str, int]:
        return {each.name: each.stat().st_mtime_ns for each in parts.iterdir()}

    def interrupted_after(parts_done: int) -> dict[str, int]:
        def interrupt(done: int, _every: int) -> None:
            if done and len(times()) == parts_done:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            search(graph, "dish out the meal", progress=interrupt)
        return times()

    first = interrupted_after(1)
    second = interrupted_after(2)
    assert first.items() < second.items()
    damaged = parts / next(name for name in second if name not in first)
    damaged.write_bytes(damaged.read_bytes()[:-1])
    search(graph, "dish out the meal")
    assert not parts.exists()
    stores = [next((each.directory / "stores").glob("vectors-*")) for each in (kitchen, graph)]
    for kind in Kind:
        one, other = ((store / f"{kind}.vectors").read_bytes() for store in stores)
        assert one == other


def test_a_word_that_stands_in_a_passage_only_is_found_and_comes_first(kitchen: ScriptGraph) -> None:
    every, told = list(entries(kitchen)), list(passages(kitchen))
    in_passages = {word for text, _ in told for word in content_words(text)}
    looked_for = 0
    for kind in Kind:
        own = {entry.id: entry for entry in every if entry.kind is kind}
        in_names = {
            word for each in own.values() for part in (*each.names, *each.context) for word in content_words(part)
        }
        for word in in_passages:
            # No other form of the word stands anywhere.
            if any(other[:3] == word[:3] for other in (in_passages | in_names) - {word}) or word in in_names:
                continue
            wanted = {node for text, nodes in told if word in content_words(text) for node in nodes if node in own}
            if wanted:
                found = kitchen.search(word, kind=kind, limit=len(wanted)).found
                assert {each.iri for each in found} == set(map(kitchen.iri, wanted))
                looked_for += 1
    assert looked_for


@pytest.mark.parametrize("is_prepared", [False, True])
def test_no_network_is_loaded_where_words_suffice_or_there_are_no_vectors(
    kitchen: ScriptGraph, tmp_path: Path, is_prepared: bool
) -> None:
    graph = without_stores(kitchen, tmp_path / "copy")
    if is_prepared:
        run("prepare", graph.directory)
        assert run("prepare", graph.directory).strip() == "nothing is missing"
    script = "import sys, cli; cli.app(sys.argv[1:], standalone_mode=False); print('onnxruntime' in sys.modules)"
    asked = {"pasta": False, "dish out the meal": True} if is_prepared else {"dish out the meal": True}
    for question, needs_meaning in asked.items():
        arguments = ["search", str(graph.directory), question, "--kind", "step", "--limit", "1"]
        done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == str(needs_meaning and is_prepared)


_ODD = st.text(st.characters(codec="utf-8"), max_size=40)


@given(
    question=st.one_of(_ODD, st.sampled_from(['"', "NEAR(a b)", "a OR", "names : pasta", "*", "-x", "pasta*", "AND"]))
)
def test_any_question_has_an_answer_or_is_refused(kitchen: ScriptGraph, question: str) -> None:
    try:
        assert isinstance(Searcher(kitchen, by_meaning=False).answer(question, tuple(Kind), 5), Answer)
    except KGScriptsError:
        assert not any(char.isalnum() for char in question)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"question": ""}, "no word"),
        ({"question": " ?! "}, "no word"),
        ({"question": 3}, "question"),
        ({"question": "pasta", "kind": "verb"}, "there is no kind 'verb'"),
        ({"question": "pasta", "kind": 2}, "there is no kind 2"),
        ({"question": "pasta", "limit": 0}, "limit is 0"),
        ({"question": "pasta", "limit": True}, "limit is True"),
        ({"question": "pasta", "progress": 3}, "progress is 3"),
        ({"question": "pa\ud800sta"}, "question"),
    ],
)
def test_bad_arguments_are_refused(kitchen: ScriptGraph, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        search(kitchen, **arguments)


def test_a_question_of_ten_thousand_words_is_answered(kitchen: ScriptGraph) -> None:
    assert kitchen.search("drain the pasta " + "word " * 10_000, limit=1).found


def test_an_empty_graph_answers_nothing(tmp_path: Path) -> None:
    graph = write_graph(tmp_path / "empty", {})
    assert search(graph, "pasta").found == ()


def test_odd_names_are_found_and_printed(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path)
    for row in graph.rows("Scenario", ("label",)):
        if any(char.isalnum() for char in row["label"]):
            assert row["label"] in labels(graph.search(row["label"], kind="scenario", limit=100))
            assert "\x1b" not in run("search", graph.directory, row["label"])


def test_function_words_count_only_alone() -> None:
    assert content_words("What do I stir the Tea with?") == ["stir", "tea"]
    assert content_words("what is it") == ["what", "is", "it"]


def test_the_command_prints_what_is_found_and_what_comes_next(kitchen: ScriptGraph) -> None:
    printed = run("search", kitchen.directory, "drain the pasta", "--limit", "3")
    assert printed.splitlines()[0] == "steps for 'drain the pasta'"
    assert max(map(len, printed.splitlines()[:-1])) <= 80
    assert f'Next: kgscripts show {kitchen.directory} "cooking pasta" "drain pasta"' in " ".join(printed.split())


def test_the_command_prints_json(kitchen: ScriptGraph) -> None:
    shown = json.loads(run("search", kitchen.directory, "drain the pasta", "--limit", "3", "--json"))
    assert shown == json.loads(json.dumps(kitchen.search("drain the pasta", limit=3).to_dict()))
