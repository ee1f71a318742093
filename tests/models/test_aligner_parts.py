"""Checkpoints, inputs and words of the aligner."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from attrs import evolve

from kgscripts.models.alignment.inputs import AlignerInputs, Sides
from kgscripts.models.alignment.network import AlignerLayers
from kgscripts.models.alignment.words import FUNCTION_WORDS, aligned_places, is_content_word, stem
from kgscripts.models.checkpoint import load_checkpoint, save_checkpoint
from kgscripts.models.encoder import PIECES, shared_minilm
from kgscripts.models.quantised import SCALE
from kgscripts.models.registry import load, shipped_models
from kgscripts.reproductions.torch_networks.bert import load_bert
from lightning_modules.aligner.network import AlignerBatch, AlignerNetwork
from schemas.errors import ModelError

_SHIPPED = shipped_models()["aligner"]


def test_what_ships_is_small_and_says_how_good_it_is() -> None:
    assert sum(path.stat().st_size for path in _SHIPPED.iterdir()) < 4_000_000
    model = load("alignment", "aligner").model
    figures = {(score.metric, score.split): score.value for score in model.scores}
    assert figures[("alignment accuracy, monotonic", "valid")] >= 0.52
    assert figures[("alignment accuracy, free", "valid")] >= 0.60
    assert figures[("mean span length, monotonic", "valid")] <= 9


@pytest.mark.parametrize("change", ["missing", "shape", "nan", "foreign", "kind", "settings", "extra"])
def test_a_checkpoint_that_is_not_what_it_should_be(change: str, tmp_path: Path) -> None:
    checkpoint = load_checkpoint(_SHIPPED)
    tensors, settings = dict(checkpoint.tensors), dict(checkpoint.settings)
    name = "abstract.weight"
    match change:
        case "missing":
            del tensors[name]
        case "shape":
            tensors[name] = tensors[name][:5]
        case "nan":
            # Its numbers are integers: only their scales can be NaN.
            tensors[name + SCALE] = np.full_like(tensors[name + SCALE], np.nan)
        case "foreign":
            tensors["other"] = np.zeros(1)
        case "settings":
            del settings["smoothing"]
        case "extra":
            settings["colour"] = "blue"
    kind = "transducer" if change == "kind" else checkpoint.kind
    save_checkpoint(evolve(checkpoint, kind=kind, tensors=tensors, settings=settings), tmp_path / "model")
    with pytest.raises(ModelError) as refused:
        load("alignment", tmp_path / "model")
    assert str(tmp_path) in str(refused.value)


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "model_card.json"])
def test_a_checkpoint_without_a_file(file: str, tmp_path: Path) -> None:
    shutil.copytree(_SHIPPED, tmp_path / "model")
    (tmp_path / "model" / file).unlink()
    with pytest.raises(ModelError):
        load("alignment", tmp_path / "model")


def _inputs() -> AlignerInputs:
    encoder = shared_minilm()
    return AlignerInputs(encoder.pieces, start=encoder.start, separator=encoder.separator, mask=encoder.mask)


@pytest.mark.parametrize(("abstract", "concrete"), [(1, 1), (9, 40), (9, 2000), (700, 3), (900, 900)])
@pytest.mark.parametrize("word", ["cut", "extraordinarily-hyphenated", "x" * 300])
def test_windows_hold_each_concrete_word_once_and_fit_the_encoder(abstract: int, concrete: int, word: str) -> None:
    inputs = _inputs()
    pair = Sides([word] * abstract, [word] * concrete)
    windows = list(inputs.windows(0, pair))
    assert [index for window in windows for index in window.concrete] == list(range(concrete))
    assert all(window.abstract for window in windows)
    starts = [window.abstract.start for window in windows]
    assert starts == sorted(starts)
    for window in windows:
        row = inputs.row(pair, window)
        assert len(row.ids) == len(row.types) <= 512
        assert row.features.shape == (len(window.concrete), len(window.abstract), 4)
        assert (len(row.concrete), len(row.abstract)) == row.features.shape[:2]


def test_features_say_which_words_are_alike() -> None:
    pair = Sides(["slice", "onions", "#UNK#"], ["slicing", "onions", "#UNK#", "pan"])
    features = _inputs().row(pair, *_inputs().windows(0, pair)).features
    assert np.argwhere(features[:, :, 2]).tolist() == [[1, 1]]
    assert np.argwhere(features[:, :, 3]).tolist() == [[0, 0]]


@torch.inference_mode()
def test_the_network_that_is_trained_computes_the_same() -> None:
    """With the same weights of MiniLM; those that ship are int8."""
    bert = load_bert()
    weights = {name: value.numpy().copy() for name, value in bert.network.state_dict().items()}
    pieces = weights.pop(PIECES)
    encoder = evolve(shared_minilm(), piece_vectors=pieces, piece_scales=np.ones((len(pieces), 1)))
    network = AlignerNetwork(bert, layers=2, rank=3, size=8).eval()
    torch.nn.init.normal_(network.features.weight)
    own = {name: value.numpy() for name, value in network.state_dict().items() if not name.startswith("adapted.")}
    layers = AlignerLayers(encoder.with_weights(evolve(encoder, weights=weights).lower(2)), own)
    assert layers.fits(8)
    pairs = [
        Sides(["peel", "the", "potatoes", "."], ["take", "a", "peeler", "and", "scrape", "the", "skin", "off"]),
        Sides(["cut"], ["a"]),
    ]
    scores = network(AlignerBatch.of([_inputs().row(pair, *_inputs().windows(0, pair)) for pair in pairs]))
    for pair, of_pair in zip(pairs, scores, strict=True):
        expected = of_pair[: len(pair.concrete), : len(pair.abstract)].log_softmax(dim=1).numpy()
        found = layers.log_posteriors(pair)
        np.testing.assert_allclose(found, np.where(expected < -5000, -np.inf, expected), atol=1e-4)


def test_hidden_words_are_shown_as_unknown() -> None:
    shown = Sides(["cut", "it"], ["use", "knife"], {0}, {1}).shown()
    assert (list(shown.abstract), list(shown.concrete)) == (["#UNK#", "it"], ["use", "#UNK#"])


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("knife", True),
        ("The", False),
        (".", False),
        ("7", True),
        ("1/2", True),
        ("#UNK#", True),
        ("'s", False),
        ("", False),
    ],
)
def test_content_words(word: str, expected: bool) -> None:
    assert is_content_word(word) is expected


def test_places() -> None:
    assert aligned_places(["cut", "the", "onion", "."]) == [0, 2]
    assert aligned_places(["the", "."]) == [0, 1]
    assert all(word == word.lower() for word in FUNCTION_WORDS)


@pytest.mark.parametrize(
    ("first", "second"), [("onion", "onions"), ("slicing", "slices"), ("pans", "pan"), ("chopping", "chopped")]
)
def test_inflected_words_share_a_stem(first: str, second: str) -> None:
    assert stem(first) == stem(second)
