"""The aligner that ships: its paths, its certainty, and odd pairs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.alignment.aligner import MAX_CELLS, Aligner, PathSettings
from kgscripts.models.alignment.lattice import best_alignment
from kgscripts.models.alignment.words import is_content_word
from kgscripts.models.registry import load
from kgscripts.models.runtime import Array, softmax
from kgscripts.reproductions.kidscook.lattice import lattice
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

    def __init__(self, log_posteriors: Array) -> None:
        self._log_posteriors = log_posteriors

    def log_posteriors(self, _: object) -> Array:
        return self._log_posteriors.copy()


def _aligner(log_posteriors: Array) -> Aligner:
    model = Model(name="same", version="1", digest="0" * 64, task="alignment")
    path = PathSettings(smoothing=0.1, shift_probability=0.4)
    return Aligner(_SameForEachPair(log_posteriors), path, model)  # type: ignore[arg-type]


@settings(max_examples=60)
@given(
    sizes=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    seed=st.integers(0, 1000),
    shift=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    impossible=st.floats(0, 0.6),
)
def test_the_lattice_of_one_pair_is_that_of_the_paper(
    sizes: tuple[int, int], seed: int, shift: float, impossible: float
) -> None:
    """`kgscripts.reproductions` computes it for batches, and checks it against an enumeration."""
    draw = np.random.default_rng(seed)
    emission = draw.normal(size=sizes).astype(np.float32)
    emission[draw.random(sizes) < impossible] = -np.inf
    transitions = lattice.fixed_transitions(shift)
    lengths = torch.tensor([sizes[1]]), torch.tensor([sizes[0]])
    cells = torch.from_numpy(emission)[None], transitions.shift, transitions.emit, *lengths
    found, best = best_alignment(emission, shift), lattice.viterbi(*cells, last_to_last=False)
    assert list(found.path) == best.path[0].tolist()
    if best.log_probability[0] > -math.inf:
        total = float(lattice.log_marginal(*cells, last_to_last=False))
        assert found.log_probability == pytest.approx(min(0.0, float(best.log_probability) - total), abs=1e-5)
        shares = lattice.posteriors(*cells, last_to_last=False)[0]
        expected = [float(shares[word, place]) for word, place in enumerate(found.path)]
        assert found.posterior == pytest.approx(expected, abs=1e-6)
    else:
        assert (found.log_probability, set(found.posterior)) == (-math.inf, {0.0})


@pytest.mark.parametrize("probability", [-0.1, 1.5, math.nan])
def test_a_shift_probability_is_one(probability: float) -> None:
    with pytest.raises(ValueError, match="must lie in"):
        best_alignment(np.zeros((2, 2), np.float32), probability)


@pytest.mark.parametrize("seed", range(6))
def test_the_path_is_the_best_of_all_and_its_probability_exact(seed: int) -> None:
    pair = _pair("slice onion quickly", "take the knife , cut")
    posteriors = np.log(softmax(np.random.default_rng(seed).normal(size=(5, 3)))).astype(np.float32)
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
    posteriors = np.log(np.array([[0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.6, 0.2, 0.2], [0.2, 0.2, 0.6]], np.float32))
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
    scores = np.log(np.array([[0.9, 0.1], [0.9, 0.1]], np.float32))
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
