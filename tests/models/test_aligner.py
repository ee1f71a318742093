"""The aligner that ships: its paths, its certainty, and odd pairs."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.alignment.aligner import MAX_CELLS, Aligner, PathSettings
from kgscripts.models.alignment.words import is_content_word
from kgscripts.models.registry import load
from schemas.errors import InputError
from schemas.provenance import Model

_WORDS = [
    "cut",
    "the",
    "onion",
    "use",
    "a",
    "knife",
    "and",
    ".",
    "pan",
    "in",
    "#UNK#",
    "ñandú",
    "7",
    "stir",
    "🍅",
    "'s",
]


def _pair(abstract: str, concrete: str) -> Pair:
    return Pair(abstract=abstract.split(), concrete=concrete.split())


class _SameForEachPair:
    """A network that gives the same posteriors for every pair."""

    def __init__(self, log_posteriors: Tensor) -> None:
        self._log_posteriors = log_posteriors

    def log_posteriors(self, _: object) -> Tensor:
        return self._log_posteriors.clone()


def _aligner(log_posteriors: Tensor) -> Aligner:
    model = Model(name="same", version="1", digest="0" * 64, task="alignment")
    path = PathSettings(smoothing=0.1, shift_probability=0.4)
    return Aligner(_SameForEachPair(log_posteriors), path, model)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(6))
def test_the_path_is_the_best_of_all_and_its_probability_exact(seed: int) -> None:
    pair = _pair("slice onion quickly", "take the knife , cut")
    posteriors = torch.randn(5, 3, generator=torch.Generator().manual_seed(seed)).log_softmax(dim=1)
    weights: dict[tuple[int, ...], float] = {}
    for path in itertools.combinations_with_replacement(range(3), 5):
        content = [(j, i) for j, i in enumerate(path) if is_content_word(pair.concrete[j])]
        words = sum(math.log(0.1 + math.exp(posteriors[j, i])) for j, i in content)
        weights[path] = words + path[-1] * math.log(0.4) + 5 * math.log(0.6)
    total = math.log(sum(map(math.exp, weights.values())))
    alignment = _aligner(posteriors).align([pair])[0]
    # Function words may stand on either side: equally good paths are as right as each other.
    assert weights[alignment.path] == pytest.approx(max(weights.values()), abs=1e-5)
    assert alignment.log_probability == pytest.approx(max(weights.values()) - total, abs=1e-4)
    for index, place in enumerate(alignment.path):
        own = sum(math.exp(weight - total) for path, weight in weights.items() if path[index] == place)
        assert alignment.posterior[index] == pytest.approx(own, abs=1e-4)


def test_free_words_stand_where_they_are_most_probable_and_function_words_beside_them() -> None:
    posteriors = torch.tensor([[0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.6, 0.2, 0.2], [0.2, 0.2, 0.6]]).log()
    alignment = _aligner(posteriors).align_freely([_pair("slice onion quickly", "knife the board .")])[0]
    assert alignment.path == (1, 1, 0, 0)
    assert alignment.posterior == pytest.approx((0.8, 0.8, 0.6, 0.6))
    assert alignment.log_probability == pytest.approx(math.log(0.8 * 0.6))


def test_tools_are_aligned_to_the_action_that_they_serve() -> None:
    pair = _pair("chop the onion and fry .", "use a sharp knife to chop the onion . heat a skillet and fry it .")
    for alignment in (
        load("alignment", "aligner").align([pair])[0],
        load("alignment", "aligner").align_freely([pair])[0],
    ):
        aligned = {word: pair.abstract[place] for word, place in zip(pair.concrete, alignment.path, strict=True)}
        assert (aligned["knife"], aligned["onion"], aligned["fry"]) == ("chop", "onion", "fry")


@settings(max_examples=25)
@given(st.lists(st.tuples(*[st.lists(st.sampled_from(_WORDS), min_size=1, max_size=9)] * 2), min_size=1, max_size=4))
def test_any_pair_has_an_alignment_of_its_own(sides: list[tuple[list[str], list[str]]]) -> None:
    pairs = [Pair(abstract=abstract, concrete=concrete) for abstract, concrete in sides]
    aligner = load("alignment", "aligner")
    for align in (aligner.align, aligner.align_freely):
        together = align(pairs)
        for pair, alignment in zip(pairs, together, strict=True):
            assert len(alignment.path) == len(alignment.posterior) == len(pair.concrete)
            assert all(0 <= place < len(pair.abstract) for place in alignment.path)
            assert all(0.0 <= share <= 1.0 + 1e-6 for share in alignment.posterior)
            assert -1e4 < alignment.log_probability <= 0.0
            if align == aligner.align:
                assert list(alignment.path) == sorted(alignment.path)
            assert align([pair]) == [alignment]


def test_nothing_is_aligned_to_function_words_where_there_are_others() -> None:
    pair = _pair("put the pan in the oven .", "take a tray with both hands . slide it onto the rack .")
    *places, last = [pair.abstract[place] for place in load("alignment", "aligner").align([pair])[0].path]
    assert set(places) <= {"put", "pan", "oven"}
    assert last == "."


def test_a_last_content_word_is_not_forced_onto_the_end() -> None:
    scores = torch.tensor([[0.9, 0.1], [0.9, 0.1]]).log()
    pair = _pair("cut onion", "take knife")
    assert _aligner(scores).align([pair])[0].path == (0, 0)


@pytest.mark.parametrize(
    ("abstract", "concrete"),
    [
        ("#UNK# #UNK#", "#UNK# #UNK# #UNK#"),
        ("of the", ". , !"),
        (".", "knife"),
        ("cut", "the"),
        ("🍅 🍅", "\u200b 🍅"),
        ("x" * 5000, "y" * 5000),
    ],
)
def test_odd_words(abstract: str, concrete: str) -> None:
    pair = _pair(abstract, concrete)
    for alignment in (*load("alignment", "aligner").align([pair]), *load("alignment", "aligner").align_freely([pair])):
        assert len(alignment.path) == len(pair.concrete)
        assert all(math.isfinite(share) for share in alignment.posterior)


@pytest.mark.parametrize(("abstract", "concrete"), [(3, 1500), (400, 3), (300, 1200)])
def test_pairs_longer_than_the_encoder_reads(abstract: int, concrete: int) -> None:
    words = ["chop", "onion", "fry", "garlic", "the"]
    pair = Pair(
        abstract=[words[index % 5] for index in range(abstract)],
        concrete=[words[index % 4] for index in range(concrete)],
    )
    alignment = load("alignment", "aligner").align([pair])[0]
    assert list(alignment.path) == sorted(alignment.path)
    assert math.isfinite(alignment.log_probability)
    assert len(load("alignment", "aligner").align_freely([pair])[0].path) == concrete


@pytest.mark.parametrize("before", [0, 1])
def test_enormous_pairs_are_refused_with_their_place(before: int) -> None:
    size = math.isqrt(MAX_CELLS) + 1
    pair = Pair(abstract=["cut"] * size, concrete=["cut"] * size, where="pairs.tsv:7")
    with pytest.raises(InputError, match=r"too many to align") as refused:
        load("alignment", "aligner").align([*[_pair("cut", "cut")] * before, pair])
    assert refused.value.where == "pairs.tsv:7"


def test_no_pairs_have_no_alignments() -> None:
    assert load("alignment", "aligner").align([]) == load("alignment", "aligner").align_freely([]) == []
