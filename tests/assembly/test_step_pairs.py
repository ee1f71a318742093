"""ALTERNATIVE_TO and CLOSE_MATCH: which pairs of steps they join, in graphs and by an oracle."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import cli
from exports.validation import validate
from kgscripts import ScriptGraph
from kgscripts.assembly.tables import close_matches as module
from kgscripts.assembly.tables.alternatives import ActionKey, are_choices, differ_in_a_choice, split_by_choice
from kgscripts.assembly.tables.close_matches import MOST_MATCHES, Steps, close_matches, mean_vector
from kgscripts.editing.correcting import correct_graph, correct_in_words
from kgscripts.enrichers.vectors import ActionVectors
from kgscripts.pipeline import build_graph
from kgscripts.scripts.reading import read_script
from kgscripts.typicality.features import Vectors
from kgscripts.typicality.weights import shipped_weights
from schemas.corrections import Correction
from schemas.errors import InputError
from schemas.records import ActionVector, Record
from tests.assembly.built import Rows, graph_bytes, graph_rows
from tests.assembly.salience_oracle import expected_marks, found_marks
from tests.assembly.tiny_reader import tiny, tiny_document
from tests.plugins import install

WORK, SHOP = "going to work in a tent", "going to market in a tent"
TEXTS = {
    WORK: [
        *["lock the door. take the bus. greet the boss. pay the fare."] * 2,
        *["lock the door. take the car. greet the boss. pay the fare."] * 2,
        "lock the door. greet the boss. find the pen. pay the fare.",
    ],
    SHOP: [
        *["open the stall. take the bus. take the car. pay the fare."] * 2,
        *["open the stall. fill the bag. take the bus. take the car. pay the fare."] * 2,
    ],
}
DOCUMENTS = [
    tiny_document(text + f" see the n{number}.", name=f"{scenario} {number}", scenario=scenario)
    for scenario, texts in TEXTS.items()
    for number, text in enumerate(texts)
]


class _Vectors(ActionVectors):
    """Gives each text a vector of its own, without a network."""

    name = "chance-vectors"
    requires = ()
    networks = ()

    def enrich(self, contents: Sequence[Sequence[str]], _: Sequence[str]) -> list[Sequence[Record]]:
        return [[ActionVector(values=base64.b64encode(_of_words(label).tobytes()).decode())] for [label] in contents]


def _of_words(label: str) -> Vectors:
    chance = np.random.default_rng(sum(ord(letter) * 31**place for place, letter in enumerate(label)))
    vector = chance.normal(size=384)
    return np.asarray(np.rint(vector / np.linalg.norm(vector) * 400), np.int8)


def _pairs(rows: Rows, relation: str) -> set[frozenset[tuple[str, str]]]:
    scenarios = {row["id"]: row["label"] for row in rows["Scenario"]}
    steps = {row["id"]: (scenarios[row["scenario"]], row["label"]) for row in rows["SubEvent"]}
    return {frozenset((steps[row["from_id"]], steps[row["to_id"]])) for row in rows[relation]}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A graph that was made without networks."""
    entries = {"chance-vectors": "tests.assembly.test_step_pairs:_Vectors"}
    weights = attrs.evolve(shipped_weights(), usual=0.0)
    with pytest.MonkeyPatch.context() as patch:
        install(tmp_path_factory.mktemp("site"), "kgscripts.enrichers", entries, patch)
        patch.setattr("kgscripts.assembly.tables.typicality.shipped_weights", lambda: weights)
        path = tmp_path_factory.mktemp("pairs") / "graph"
        build_graph(output=path, texts=DOCUMENTS, extractors=[*tiny(), _Vectors()])
        yield path


def test_pairs_of_a_graph_with_their_evidence_and_readers(directory: Path) -> None:
    rows = graph_rows(directory)
    # Texts of the other scenario have both.
    assert _pairs(rows, "ALTERNATIVE_TO") == {frozenset({(WORK, "take bus"), (WORK, "take car")})}
    assert _pairs(rows, "CLOSE_MATCH") == {frozenset({(WORK, "pay fare"), (SHOP, "pay fare")})}
    (alternative,), (match,) = rows["ALTERNATIVE_TO"], rows["CLOSE_MATCH"]
    assert (alternative["support"], alternative["probability"]) == (4, 1.0)
    assert (match["support"], match["probability"], match["similarity"]) == (9, 1.0, pytest.approx(1.0, abs=0.01))
    for row, passages in ((alternative, 4), (match, 9)):
        assert row["from_id"] < row["to_id"]
        assert sum(each["from_id"] == row["statement"] for each in rows["EVIDENCED_BY"]) == passages
        assert any(each["from_id"] == row["statement"] for each in rows["READ_BY"])
    statements = {row["id"]: row["scenario"] for row in rows["Statement"]}
    assert statements[alternative["statement"]] is not None
    assert statements[match["statement"]] is None
    assert found_marks(rows) == expected_marks(rows, usual=0.0)
    script = read_script(ScriptGraph.open(directory), WORK)
    steps = {step.label: step for step in script.steps}
    assert [item.label for item in steps["take car"].alternatives] == ["take bus"]
    assert [(item.scenario, item.label) for item in steps["pay fare"].matches] == [(SHOP, "pay fare")]
    (other,) = steps["take bus"].alternatives
    assert f"or: {other.label_text}" in CliRunner().invoke(cli.app, ["show", str(directory), WORK]).output
    assert validate(ScriptGraph.open(directory), closed=True).violations == ()


def _rejection(relation: str, step: str, other: str, day: int, **values: Any) -> Correction:
    values |= {"scenario": WORK, "author": "Ada", "time": f"2026-03-{day:02}"}
    return Correction(kind="reject", relation=relation, step=step, other=other, **values)


def test_people_reject_a_pair_from_either_end(tmp_path: Path, directory: Path) -> None:
    graph = shutil.copytree(directory, tmp_path / "graph")
    before = graph_bytes(graph)
    pairs = [("ALTERNATIVE_TO", "take bus", "take car"), ("CLOSE_MATCH", "pay fare", SHOP)]
    for number, (relation, step, other) in enumerate(pairs, start=1):
        unknown = "take train" if relation == "ALTERNATIVE_TO" else "going nowhere"
        with pytest.raises(InputError, match=f"'{unknown}'"):
            correct_in_words(graph, _rejection(relation, step, unknown, 1))
        correct_in_words(graph, _rejection(relation, step, other, 1))
        rows = graph_rows(graph)
        assert not rows[relation]
        assert [row["applied"] for row in rows["Correction"]] == [True] * number
        assert len(rows["CORRECTED_BY"]) == number
    correct_graph(graph, [_rejection(*pair, 2, withdrawn=True) for pair in pairs])
    for relation, *_ in pairs:
        assert graph_bytes(graph)[f"relations/{relation}.parquet"] == before[f"relations/{relation}.parquet"]
    correct_in_words(graph, _rejection("ALTERNATIVE_TO", "take car", "take bus", 3))
    rows = graph_rows(graph)
    assert not rows["ALTERNATIVE_TO"]
    assert rows["CLOSE_MATCH"]
    assert [row["applied"] for row in rows["Correction"]] == [True]
    assert len(rows["CORRECTED_BY"]) == 1


_BASE = np.stack([_of_words(f"word {number}") for number in range(4)])
_STEPS = st.lists(
    st.tuples(st.integers(1, 4), st.integers(0, 3), st.dictionaries(st.integers(0, 3), st.integers(1, 4), min_size=1)),
    max_size=14,
).map(lambda steps: sorted(steps, key=lambda step: step[0]))


@settings(max_examples=40)
@given(_STEPS)
def test_close_matches_are_nearest_to_each_other_and_share_their_wordings(
    told: list[tuple[int, int, dict[int, int]]],
) -> None:
    vectors = [mean_vector(_BASE[[place % 4, other]], np.array([5, 1])) for place, (_, other, _) in enumerate(told)]
    wordings: list[dict[ActionKey, int]] = [
        {_action("do", f"thing {word}" if word else ""): number for word, number in each.items()} for *_, each in told
    ]
    labels = [max(sorted(each), key=each.__getitem__) for each in wordings]
    scenarios = [scenario for scenario, *_ in told]
    size = (len(told), 384)
    steps = Steps(
        scenario=np.array(scenarios, np.int32),
        step=np.arange(len(told), dtype=np.int32),
        vectors=np.array(vectors, np.int8).reshape(size),
        wordings=wordings,
        labels=labels,
    )
    found = list(close_matches(steps))
    products = steps.vectors.astype(int) @ steps.vectors.astype(int).T
    for match in found:
        one, other = match.one, match.other
        assert scenarios[one] < scenarios[other]
        for left, right in ((one, other), (other, one)):
            rivals = [place for place in range(len(told)) if scenarios[place] == scenarios[right]]
            assert products[left, right] == max(products[left, place] for place in rivals)
            assert labels[left] in wordings[right]
        shares = [{key: Fraction(n, sum(each.values())) for key, n in each.items()} for each in wordings]
        common = {key: min(shares[one][key], shares[other][key]) for key in shares[one].keys() & shares[other].keys()}
        assert match.shared == int(sum(common.values()) * 10_000 + Fraction(1, 2))
        assert sum(common.values()) >= Fraction(3, 10)
        assert sum(share for key, share in common.items() if any(key[2:])) >= Fraction(1, 10)
    pairs = [(match.one, match.other) for match in found]
    assert len(set(pairs)) == len(pairs)
    assert all(sum(place in pair for pair in pairs) <= MOST_MATCHES for place in range(len(told)))
    for one, other in combinations(range(len(told)), 2):
        for blocks in (scenarios[one] == scenarios[other], products[one, other] < module.LEAST_SIMILARITY):
            assert not (blocks and (one, other) in pairs)


def _action(verb: str, thing: str = "", preposition: str = "", place: str = "") -> ActionKey:
    return (verb, "", thing, preposition, place)


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        (_action("go", "", "by", "bus"), _action("go", "", "by", "car"), True),
        (_action("take", "bus"), _action("take", "taxi"), True),
        (_action("take", "cab"), _action("take", "taxi"), False),
        (_action("take", "taxi"), _action("take", "yellow taxi"), False),
        (_action("take", "bus"), _action("miss", "car"), False),
        (_action("take", "bus", "to", "school"), _action("take", "car"), True),
        (_action("take", "bus", "to", "school"), _action("take", "car", "to", "work"), False),
        (_action("boil", "egg"), _action("fry", "egg"), True),
        (_action("boil"), _action("fry"), False),
        (_action("walk", "", "to", "store"), _action("drive", "", "to", "store"), True),
        (_action("walk", "", "to", "store"), _action("drive", "", "to", "work"), False),
        (_action("put", "card", "in", "machine"), _action("put", "card", "in", "wallet"), False),
    ],
)
def test_actions_differ_in_a_choice(one: tuple[str, ...], other: tuple[str, ...], differ: bool) -> None:
    assert differ_in_a_choice(one, other) == differ_in_a_choice(other, one) == differ


_ACTIONS = st.lists(
    st.sampled_from(
        [_action(verb, thing) for verb in ("take", "ride") for thing in ("bus", "car", "cab", "taxi", "it")]
    ),
    unique=True,
)


@settings(max_examples=40)
@given(_ACTIONS, st.data())
def test_clusters_are_split_where_choices_are_told_often_enough(
    actions: list[tuple[str, ...]], data: st.DataObject
) -> None:
    number = len(actions)
    sources = data.draw(st.lists(st.integers(1, 3), min_size=number, max_size=number))
    clusters = data.draw(st.lists(st.integers(0, 1), min_size=number, max_size=number))
    found = split_by_choice(actions, sources, clusters)
    for one, other in combinations(range(number), 2):
        if found[one] == found[other]:
            assert clusters[one] == clusters[other]
            if min(sources[one], sources[other]) > 1:
                assert not are_choices(actions[one][2], actions[other][2]) or actions[one][0] != actions[other][0]
    place = {action: found[at] for at, action in enumerate(actions)}
    order = sorted(range(number), key=lambda at: actions[at], reverse=True)
    turned = ([actions[at] for at in order], [sources[at] for at in order], [clusters[at] for at in order])
    again = split_by_choice(*turned)
    for one, other in combinations(range(number), 2):
        same = place[actions[order[one]]] == place[actions[order[other]]]
        assert (again[one] == again[other]) == same
