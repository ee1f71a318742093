"""Training of the masked model: what it refuses, where it stops, and what becomes of very long sides."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Sequence
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.cloze import Cloze
from kgscripts.models.registry import load
from lightning_modules.configuration import read_configuration
from lightning_modules.masked import MaskedTask, other_words, scattered_cloze
from lightning_modules.training import Outcome, train
from schemas.errors import ConfigurationError, InputError, ModelError
from tests.models.tiny_encoder import write_tiny_encoder
from tests.training import corpus

TOOLS = {"knife", "pan", "pot", "peeler"}


def _blanked(pair: Pair) -> Pair:
    blanks = [word in TOOLS for word in pair.concrete]
    return Pair(abstract=pair.abstract, concrete=pair.concrete, blanks=blanks, where=pair.where)


PAIRS = [_blanked(pair) for pair in corpus.pairs()]


CONFIGURATION = """
name = "masked"
kind = "masked"
[training]
encoder = "sentence-transformers/all-MiniLM-L6-v2"
rank = 32
dropout = 0.1
learning_rate = 1e-3
epochs = 10
batch_size = 32
left_share = 0.2
scattered_share = 0.3
patience = 3
seed = 1931
"""


def _text(folder: Path, **changes: str) -> str:
    """The configuration that ships, over a tiny encoder, with other settings."""
    text = CONFIGURATION
    changes = {"encoder": f'"{write_tiny_encoder(folder / "encoder")}"', "epochs": "2", **changes}
    for name, value in changes.items():
        text, count = re.subn(rf"^{name} = .*$", f"{name} = {value}", text, flags=re.MULTILINE)
        assert count == 1
    return text


def _train(folder: Path, pairs: Sequence[Pair], **changes: str) -> Outcome:
    (folder / "masked.toml").write_text(_text(folder, **changes), encoding="utf-8")
    configuration = read_configuration("masked", folder / "masked.toml")
    return train(MaskedTask(configuration, pairs), configuration.training, folder / "model", hardware=corpus.CPU)


def test_long_sides_and_unknown_words_are_learned_from(tmp_path: Path) -> None:
    long = Pair(abstract=("chop",) * 10_000, concrete=("knife", ".") * 5_000, blanks=(True, False) * 5_000)
    strange = Pair(abstract=("#UNK#",), concrete=("#UNK#", "#UNK#"), blanks=(True, False))
    assert _train(tmp_path, [*PAIRS, long, strange]).epochs == 2
    model = load("cloze", tmp_path / "model")
    asked = Cloze(("chop",), ("use", "a", "_", "."), (False, False, True, False), 2)
    assert model.predict([asked], ["knife", "pan"]).shape == (1, 3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["encoder", "masked.toml", "model", "model.training"]


def test_pairs_of_blank_words_alone_are_learned_from(tmp_path: Path) -> None:
    tools = [
        Pair(abstract=pair.abstract, concrete=("use", tool), blanks=(False, True), where=pair.where)
        for pair, tool in zip(PAIRS, itertools.cycle(TOOLS), strict=False)
    ]
    few = [*tools[:3], *(attrs.evolve(pair, concrete=(f"use{n}", "pan")) for n, pair in enumerate(tools[3:]))]
    assert other_words(few, TOOLS) == ([], [])
    assert _train(tmp_path, few, scattered_share="1.0").epochs == 2


@given(
    marks=st.lists(st.booleans(), min_size=1, max_size=30).filter(any),
    seed=st.integers(0, 1000),
)
def test_scattered_clozes_hide_a_blank_word_and_nothing_that_is_not_asked(marks: list[bool], seed: int) -> None:
    words = tuple("pan" if mark else ("the" if place % 2 else "rare") for place, mark in enumerate(marks))
    pair = Pair(abstract=("cook",), concrete=words, blanks=tuple(marks))
    cloze = scattered_cloze(pair, {"the"}, random.Random(seed))
    assert cloze.hidden[cloze.position]
    assert pair.blanks[cloze.position]
    assert not any(hidden and word == "rare" for word, hidden in zip(words, cloze.hidden, strict=True))


def test_other_words_are_frequent_and_never_blanks() -> None:
    pair = Pair(abstract=("cook",), concrete=("use", "a", "pan"), blanks=(False, False, True))
    words, shares = other_words(
        [pair] * 4 + [Pair(abstract=("x",), concrete=("use", "pan"), blanks=(False, True))], {"pan"}
    )
    assert (words, shares) == (["use"], [1.0])


def test_a_loss_that_is_no_number_stops_and_says_where(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"the loss is (nan|inf)") as stopped:
        _train(tmp_path, PAIRS, learning_rate="1e30")
    assert re.match(r"epoch [12], batch \d \(made-up:\d", str(stopped.value.where))
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("pairs", [corpus.pairs(), PAIRS[:1], []])
def test_pairs_with_too_few_blanks(tmp_path: Path, pairs: list[Pair]) -> None:
    with pytest.raises(InputError, match="pairs with blanks are too few"):
        _train(tmp_path, pairs)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rank = .*", "rank = 0", "rank"),
        ("rank = .*", 'rank = "high"', "rank"),
        ("dropout = .*", "dropout = 1.5", "dropout"),
        ("learning_rate = .*", "learning_rate = 0.0", "learning_rate"),
        ("patience = .*", "patience = 0", "patience"),
        ("epochs = .*", "epochs = 0", "epochs"),
        ("seed = .*", "seed = 1\ncolour = 5", "unknown setting colour"),
        ("seed = .*", "seed = ", "no TOML"),
    ],
)
def test_configurations_that_cannot_be(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(re.sub(rf"(?m)^{old}$", new, CONFIGURATION), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message) as refused:
        read_configuration("masked", path)
    assert str(refused.value.where).startswith(str(path))


def test_configurations_that_are_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such configuration"):
        read_configuration("masked", tmp_path / "none.toml")
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="no UTF-8"):
        read_configuration("masked", tmp_path / "mine.toml")
