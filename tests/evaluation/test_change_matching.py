"""One-to-one and cluster scores of state changes."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.reproductions.openpi.matching import clusters, match_step
from kgscripts.reproductions.openpi.scores import Pairs, pair_scores

_SENTENCES = st.builds(
    "{} of {} was {} before and {} afterwards".format,
    *(
        st.sampled_from(words)
        for words in (("heat", "place"), ("oil", "the oil", "pan"), ("hot", "here"), ("cold", "in bowl"))
    ),
)
_ANSWERS = st.lists(_SENTENCES, min_size=1, max_size=4)


def _best_total(pairs: Pairs) -> float:
    """By trying every assignment."""
    rows, columns = pairs.shape
    if rows > columns:
        return _best_total(pairs.T)
    return max(
        sum(float(pairs[row, column]) for row, column in enumerate(chosen))
        for chosen in itertools.permutations(range(columns), rows)
    )


@given(_ANSWERS, _ANSWERS)
@settings(max_examples=150)
def test_assignments_are_the_best_of_all(gold: list[str], predicted: list[str]) -> None:
    scores = match_step(gold, predicted)
    distinct = list(dict.fromkeys(predicted))
    found = clusters(gold)
    for metric, pairs in enumerate(pair_scores(gold, distinct)):
        total = _best_total(pairs)
        one = scores.one_to_one[metric]
        assert (one.precision, one.recall) == pytest.approx((total / len(distinct), total / len(gold)))
        total = _best_total(np.array([pairs[members].max(axis=0) for members in found]))
        clustered = scores.clusters[metric]
        assert (clustered.precision, clustered.recall) == pytest.approx((total / len(distinct), total / len(found)))
        assert one.precision <= scores.official[metric].precision + 1e-12
        assert one.recall <= scores.official[metric].recall + 1e-12


def test_near_copies_raise_the_official_score_alone() -> None:
    gold = ["heat of pan was low before and high afterwards", "place of oil was jar before and pan afterwards"]
    single = match_step(gold, gold[:1])
    copies = match_step(gold, [gold[0], f"{gold[0]}.", f"{gold[0]}!"])
    assert copies.official.exact == single.official.exact
    assert copies.one_to_one.exact.precision == copies.clusters.exact.precision == pytest.approx(1 / 3)


def test_a_cluster_serves_one_prediction_and_counts_once() -> None:
    gold = [
        "place of oil was in jar before and in pan afterwards",
        "place of the oil was jar before and pan afterwards",
    ]
    assert clusters(gold) == [[0, 1]]
    assert match_step(gold, gold).clusters.exact == pytest.approx((0.5, 1, 2 / 3))
    assert match_step(gold, gold[1:]).clusters.exact == (1, 1, 1)
    assert match_step(gold, gold[1:]).one_to_one.exact == pytest.approx((1, 0.5, 2 / 3))


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("wetness of the red towel was dry before", "wetness of towels was wet afterwards", True),
        ("location of bowl of soup was table before", "location of the bowl was kitchen before", True),
        ("location of bowl was table before", "location of soup was table before", False),
        ("location of bowl was table before", "state of bowl was table before", False),
        ("bowl was hot before", "bowl was hot before", False),
        ("no sentence", "no sentence", False),
    ],
)
def test_answers_about_the_same_attribute_of_the_same_head_are_a_cluster(first: str, second: str, same: bool) -> None:
    assert (len(clusters([first, second])) == 1) == same


@pytest.mark.parametrize(("gold", "predicted"), [([], []), (["oil was hot before"], []), ([], ["oil was hot before"])])
def test_empty_sides_score_as_in_the_official_measure(gold: list[str], predicted: list[str]) -> None:
    scores = match_step(gold, predicted)
    assert scores.official == scores.one_to_one == scores.clusters


def test_clusters_agree_with_those_of_openpi_2(shared_corpora: Path) -> None:
    """Of the pairs of answers in one cluster, 99 % are in one of OpenPI 2.0's; 46 % of the pairs in those are found."""
    shared = found = gold = 0
    for answers, labels in _labelled_answers(shared_corpora / "openpi"):
        ours = {index: number for number, members in enumerate(clusters(answers)) for index in members}
        for first, second in itertools.combinations(range(len(answers)), 2):
            same, labelled = ours[first] == ours[second], labels[first] == labels[second]
            shared, found, gold = shared + (same and labelled), found + same, gold + labelled
    assert shared / found > 0.98
    assert shared / gold > 0.45


def _labelled_answers(folder: Path) -> list[tuple[list[str], list[tuple[str, str]]]]:
    """The answers of each step whose entity and attribute are in a cluster of OpenPI 2.0, and these."""
    how_tos = json.loads((folder / "v2.0" / "dev-data-reformatted-v4.json").read_text(encoding="utf-8"))
    by_title = {_plain(how_to["goal"]): how_to["clusters"] for how_to in how_tos.values()}
    steps = []
    for line in (folder / "gold" / "dev" / "id_answers_metadata.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        named = by_title[_plain(record["id"].split("||")[0].rpartition("/")[2])]
        labels = {
            (_plain(entity), _plain(attribute)): (cluster, name)
            for cluster, members in named.items()
            for entity in members["entity_cluster"]
            for name, attributes in members["attribute_cluster"].items()
            for attribute in attributes
        }
        answers = [
            (answer["answer"], labels.get((_plain(answer["entity"]), _plain(answer["attr"]))))
            for answer in record["answers_metadata"]
        ]
        known = [(sentence, label) for sentence, label in answers if label]
        steps.append(([sentence for sentence, _ in known], [label for _, label in known]))
    return steps


def _plain(text: str) -> str:
    return "".join(char if char.isalnum() else " " for char in text.lower().replace("-", " ")).strip()
