"""Words and ids, word vectors, and the settings of networks."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.reproductions.kidscook.networks.networks import make_network, network_settings
from kgscripts.reproductions.kidscook.networks.recurrent import TransducerSettings
from kgscripts.reproductions.kidscook.networks.vocabulary import Vocabulary, read_glove, read_released_vectors
from schemas.errors import ConfigurationError, InputError, ModelError

SPECIAL = ("#UNK#", "<PAD>", "<S>")


def test_frequent_words_come_first_and_rare_ones_are_unknown() -> None:
    vocabulary = Vocabulary.of_texts([("stir", "the", "pot"), ("stir", "the", "#UNK#"), ("the", "lid")], 2)
    assert vocabulary.words == (*SPECIAL, "the", "stir")
    assert vocabulary.ids(["stir", "pot", "#UNK#"]) == [4, vocabulary.unknown, vocabulary.unknown]
    assert "pot" not in vocabulary
    assert "stir" in vocabulary


@given(st.lists(st.text(), unique=True))
def test_a_vocabulary_survives_json(words: list[str]) -> None:
    vocabulary = Vocabulary((*SPECIAL, *(word for word in words if word not in SPECIAL)))
    assert Vocabulary.from_json(vocabulary.to_json()) == vocabulary


@pytest.mark.parametrize("words", [("knife",), (*SPECIAL, "a", "a"), (*SPECIAL, 5), ()])
def test_lists_that_are_no_vocabulary(words: tuple[str, ...]) -> None:
    with pytest.raises(ModelError):
        Vocabulary(words)


@pytest.mark.parametrize("word", ["\ud800", "a\udfffb"])
def test_half_a_surrogate_pair_is_no_word(word: str) -> None:
    content = json.dumps([*SPECIAL, word], ensure_ascii=False).encode("utf-8", "surrogatepass")
    makers: list[Callable[[], Vocabulary]] = [
        lambda: Vocabulary((*SPECIAL, word)),
        lambda: Vocabulary.of_texts([(word, word)], 1),
        lambda: Vocabulary.from_json(json.dumps([*SPECIAL, word])),
        lambda: Vocabulary.from_json(content),
    ]
    for make in makers:
        with pytest.raises(ModelError, match="surrogate") as caught:
            make()
        assert caught.value.remedy
        str(caught.value).encode()


def test_released_vectors(shared_corpora: Path) -> None:
    vectors = read_released_vectors(shared_corpora / "kidscook" / "infer_glove.npy")
    assert vectors.vectors.shape == (2005, 100)
    assert len(vectors.vocabulary) == vectors.found == 2005
    similarity = torch.nn.functional.cosine_similarity
    knife, fork, the = vectors.vectors[vectors.vocabulary.ids(["knife", "fork", "the"])]
    assert similarity(knife, fork, dim=0) > similarity(knife, the, dim=0)


@pytest.mark.parametrize("content", [None, b"", b"\x80\x04N.", b"text", "short", "flat", "words", "nan", "objects"])
def test_files_that_are_no_released_vectors(shared_corpora: Path, tmp_path: Path, content: bytes | str | None) -> None:
    (tmp_path / "i2v.freq.pkl.gz").symlink_to(shared_corpora / "kidscook" / "i2v.freq.pkl.gz")
    path = tmp_path / "infer_glove.npy"
    arrays = {
        "short": np.zeros((7, 100)),
        "flat": np.zeros(2005),
        "words": np.full((2005, 1), "knife"),
        "nan": np.full((2005, 2), np.nan),
        "objects": np.full((2005, 1), None),
    }
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        np.save(path, arrays[content])
    with pytest.raises(InputError):
        read_released_vectors(path)


def test_released_vectors_need_their_vocabulary(tmp_path: Path) -> None:
    np.save(tmp_path / "infer_glove.npy", np.zeros((3, 2)))
    with pytest.raises(InputError, match="no vocabulary"):
        read_released_vectors(tmp_path / "infer_glove.npy")


VOCABULARY = Vocabulary((*SPECIAL, "pot", "lid"))


@pytest.mark.parametrize("packed", [False, True])
def test_glove_text(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / ("glove.txt.gz" if packed else "glove.txt")
    content = b"lid 0.5 -1\nthe 1 1\npot 2e-1 3\n"
    path.write_bytes(gzip.compress(content) if packed else content)
    found = read_glove(path, VOCABULARY, seed=1)
    assert found.found == 2
    assert torch.equal(found.vectors[VOCABULARY.ids(["pot", "lid"])], torch.tensor([[0.2, 3.0], [0.5, -1.0]]))
    assert torch.equal(found.vectors, read_glove(path, VOCABULARY, seed=1).vectors)
    assert not torch.equal(found.vectors, read_glove(path, VOCABULARY, seed=2).vectors)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file"),
        (b"", "none of the words"),
        (b"the 1 1\n", "none of the words"),
        (b"pot\n", "0 numbers"),
        (b"pot 1 1\nlid 1\n", "1 numbers where 2"),
        (b"pot 1 x\n", "no vector"),
        (b"pot 1 nan\n", "not finite"),
        (b"pot 1 \xff\n", "."),
    ],
)
def test_files_that_are_no_glove(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "glove.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_glove(path, VOCABULARY, seed=0)


def test_given_vectors_are_frozen_unless_they_are_trained_along() -> None:
    vectors = torch.ones(len(VOCABULARY), 4)
    for trained in (False, True):
        settings = TransducerSettings(embedding_size=4, train_embeddings=trained)
        weight = make_network(settings, VOCABULARY, vectors).embedding.weight
        assert torch.equal(weight, vectors)
        assert weight.requires_grad == trained
    assert make_network(TransducerSettings(embedding_size=4), VOCABULARY).embedding.weight.requires_grad
    with pytest.raises(ConfigurationError, match=r"\(5, 100\)"):
        make_network(TransducerSettings(), VOCABULARY, vectors)


@pytest.mark.parametrize(
    "values",
    [
        {"hidden": 5},
        {"hidden_size": 0},
        {"hidden_size": 5.0},
        {"hidden_size": "5"},
        {"dropout": 1.0},
        {"dropout": -0.1},
        {"dropout": False},
        {"dropout": float("nan")},
        {"train_embeddings": 1},
        {"transitions": "free"},
        {"shift_probability": 0.0},
        {"shift_probability": 1.0},
        {"bidirectional": "yes"},
        {"attention": True},
    ],
)
def test_settings_that_cannot_be(values: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError) as caught:
        network_settings("transducer", values, "model.toml [network]")
    assert caught.value.where == "model.toml [network]"


def test_a_whole_number_is_a_number() -> None:
    settings = network_settings("transducer", {"dropout": 0}, "model.toml [network]")
    assert settings == TransducerSettings(dropout=0.0)
    assert isinstance(settings.dropout, float)


def test_an_unknown_kind() -> None:
    with pytest.raises(ConfigurationError, match="unknown kind 'toaster'"):
        network_settings("toaster", {}, "model.toml")
