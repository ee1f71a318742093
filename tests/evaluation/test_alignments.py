"""Alignment accuracy, anchors, baselines, and the command."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kgscripts.commands.evaluate import app
from kgscripts.corpora.pairs.loading import load_pairs
from kgscripts.corpora.pairs.pair import Pair
from kgscripts.evaluation.result import System, from_json
from kgscripts.reproductions.kidscook.alignments.files import (
    INTERVAL,
    anchors,
    best_monotonic,
    evaluate_alignments,
    mean_span_length,
    sample_of_anchors,
)
from kgscripts.reproductions.kidscook.alignments.gold import GoldAlignment, read_gold_alignments
from kgscripts.reproductions.kidscook.alignments.models import IbmModel1, diagonal, open_alignment_model
from schemas.errors import ConfigurationError, InputError, ModelError


def _pair(abstract: str, concrete: str) -> Pair:
    return Pair(abstract=abstract.split(), concrete=concrete.split())


_PAIRS = [
    _pair("chop the onion .", "use a knife to chop the onion ."),
    _pair("boil water .", "put water in a kettle ."),
    _pair("fry the onion and stir .", "heat a pan . stir the onion with a spoon ."),
]
_GOLD = [
    GoldAlignment(row=1, aligned={0: (0,), 2: (0,)}, unaligned=()),
    GoldAlignment(row=3, aligned={0: (0,), 2: (0, 2), 8: (4,)}, unaligned=()),
]


def _scores(paths: Mapping[tuple[str, ...], Sequence[int]]) -> System:
    def align(pairs: Sequence[Pair]) -> list[Sequence[int]]:
        return [paths.get(pair.concrete, [0] * len(pair.concrete)) for pair in pairs]

    return evaluate_alignments("given", align, _GOLD, _PAIRS, sample_of_anchors(_PAIRS))


def test_scores_by_hand() -> None:
    paths = {
        _PAIRS[0].concrete: [0, 0, 0, 0, 0, 1, 2, 3],  # both gold words right, and both anchors
        _PAIRS[2].concrete: [2, 2, 2, 2, 2, 2, 2, 2, 2, 2],  # one of three gold words, one of two anchors
    }
    scores = _scores(paths)
    assert scores["alignment accuracy"] == pytest.approx(3 / 5)
    assert scores["anchor accuracy"] == pytest.approx(3 / 5)  # "water" of the second pair is at "boil"
    assert scores["anchor accuracy with anchors unknown"] == pytest.approx(1 / 5)  # all at 0: only "chop" is right
    assert scores["mean span length"] == pytest.approx((8 + 10) / (4 + 1))
    assert scores.setting == "monotonic"
    assert [scores.value("alignment accuracy", part) for part in INTERVAL] == pytest.approx([1 / 3, 1.0])


def test_crossings_are_detected() -> None:
    assert _scores({_PAIRS[0].concrete: [2, 0, 0, 0, 0, 0, 0, 0]}).setting == "free"


def test_anchors_are_content_words_in_the_same_form() -> None:
    assert anchors(_pair("chop the onion .", "the Onion and the onions or an onion .")) == [7]


def test_the_sample_is_always_the_same_and_at_most_two_hundred_pairs() -> None:
    pairs = [_pair("cut " * (1 + size % 7), "cut " * (1 + size % 11)) for size in range(300)]
    sample = sample_of_anchors(pairs)
    assert len(sample.pairs) == 200
    assert sample.indices == sample_of_anchors(pairs).indices
    assert len(sample_of_anchors(pairs[:5]).pairs) == 5


@pytest.mark.parametrize("paths", [[], [()]])
def test_no_paths_have_no_span(paths: list[tuple[int, ...]]) -> None:
    assert mean_span_length(paths) == 0.0


@pytest.mark.parametrize("labels", [{0: {1}, 1: {0}}, {0: {2}, 1: {1}, 2: {0}, 3: {0, 2}}, {}, {3: {0}}])
def test_the_best_monotonic_path_is_the_best_of_all(labels: dict[int, set[int]]) -> None:
    pair = _pair("a b c", "w x y z")
    accepted = {index: frozenset(places) for index, places in labels.items()}
    best = max(
        sum(path[index] in places for index, places in accepted.items())
        for path in itertools.combinations_with_replacement(range(3), 4)
    )
    assert best_monotonic([pair], [accepted]) == pytest.approx(best / max(1, len(labels)))


def test_the_diagonal_begins_and_ends_with_the_sides() -> None:
    assert diagonal([_pair("a b", "v w x y")]) == [[0, 0, 1, 1]]
    assert diagonal([_pair("a b c", "w")]) == [[0]]


def test_ibm_model_1_learns_what_goes_together() -> None:
    train = [_pair("chop onion", "knife onion"), _pair("fry onion", "pan onion"), _pair("chop beef", "knife beef")]
    model = IbmModel1(train)
    pair = _pair("chop beef fry", "pan knife nonsense")
    assert model.align_freely([pair])[0][:2] == [2, 0]
    path = model.align([pair])[0]
    assert path == sorted(path)
    assert model.align([_pair("chop fry", "knife knife pan pan")]) == [[0, 0, 1, 1]]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("ibm1", ConfigurationError),
        ("ibm1-free", ConfigurationError),
        ("nothing-of-this-name", ModelError),
        ("masked", ModelError),
        ("diagonal-free", ModelError),
        ("", ModelError),
    ],
)
def test_models_that_cannot_be_opened(name: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        open_alignment_model(name, [])


def _files(folder: Path, gold: str = "") -> list[str]:
    (folder / "gold.jsonl").write_text(gold or '{"row": 1, "aligned": {"2": [0]}, "unaligned": []}\n', encoding="utf-8")
    (folder / "dev.tsv").write_text(
        "".join(f"{' '.join(pair.abstract)}\t{' '.join(pair.concrete)}\n" for pair in _PAIRS), encoding="utf-8"
    )
    return ["--gold", str(folder / "gold.jsonl"), "--templates", str(folder / "dev.tsv")]


def test_the_command_writes_what_it_prints(tmp_path: Path) -> None:
    arguments = ["alignments", *_files(tmp_path), "--output", str(tmp_path / "out.json")]
    models = ["diagonal", "ibm1", "ibm1-free", "aligner", "aligner-free"]
    for model in models:
        arguments += ["--model", model]
    result = CliRunner().invoke(app, [*arguments, "--train", str(tmp_path / "dev.tsv")])
    assert result.exit_code == 0, result.output
    (found,) = from_json(json.loads((tmp_path / "out.json").read_text(encoding="utf-8")))
    assert [system.name for system in found.systems] == [*models, "best possible path"]
    assert [system.source for system in found.models] == ["aligner", "aligner-free"]
    for system in found.systems:
        assert 0.0 <= system["alignment accuracy"] <= 1.0
        assert f"{100 * system['alignment accuracy']:.2f}" in result.output
    assert found.systems[0]["alignment accuracy"] == 0.0
    assert found.items == {"pairs": 1, "labelled words": 1, "anchors": 5}


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ('{"row": 9, "aligned": {"0": [0]}, "unaligned": []}', "row 9"),
        ('{"row": 1, "aligned": {"80": [0]}, "unaligned": []}', "outside"),
        ("{", "gold.jsonl:1"),
        ("[]", "gold.jsonl:1"),
    ],
)
def test_gold_that_does_not_fit(gold: str, message: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["alignments", *_files(tmp_path, gold)])
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)


def test_floors_on_the_gold_set(shared_corpora: Path) -> None:
    folder = shared_corpora / "kidscook"
    pairs = load_pairs([folder / "valid.template.tsv"])
    gold = read_gold_alignments(folder / "alignments.valid.jsonl", pairs)
    none = sample_of_anchors([])
    rows = {
        name: evaluate_alignments(name, open_alignment_model(name, []), gold, pairs, none)
        for name in ("diagonal", "aligner", "aligner-free")
    }
    assert rows["diagonal"]["alignment accuracy"] == pytest.approx(0.204, abs=0.001)
    assert rows["aligner"].setting == "monotonic"
    assert rows["aligner"]["alignment accuracy"] >= 0.52
    assert rows["aligner"]["mean span length"] <= 9
    assert rows["aligner-free"]["alignment accuracy"] >= 0.60
    accepted = [{index: frozenset(places) for index, places in label.aligned.items()} for label in gold]
    best = best_monotonic([pairs[label.row - 1] for label in gold], accepted)
    assert best == pytest.approx(0.855, abs=0.001)
