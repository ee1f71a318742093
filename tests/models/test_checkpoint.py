"""Checkpoint directories: what goes in comes out, and nothing damaged, foreign or half-written is believed."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import attrs
import pytest
import torch

from kgscripts.models.checkpoint import (
    CARD,
    CONFIG,
    WEIGHTS,
    Checkpoint,
    ModelCard,
    load_checkpoint,
    save_checkpoint,
)
from kgscripts.models.registry import describe, load
from kgscripts.reproductions.kidscook.networks.networks import VOCABULARY as VOCABULARY_FILE
from kgscripts.reproductions.kidscook.networks.networks import cloze_model, network_checkpoint
from schemas.errors import ModelError
from schemas.provenance import BenchmarkScore
from tests.disk import small_disk
from tests.models.networks import SETTINGS, VOCABULARY, clozes, model

SCORE = BenchmarkScore(
    dataset="KidsCook", split="valid", metric="cloze match", value=0.245, unit="share", exposure="unseen"
)


def checkpoint(name: str = "transducer-fixed", seed: int = 0) -> Checkpoint:
    card = ModelCard(
        name=name,
        version="1",
        task="cloze",
        licence="Apache-2.0",
        data="ten pairs — made up",
        command="kgscripts train transducer",
        training={"epochs": 3},
        scores=[SCORE],
    )
    weights = model(name, seed)._network.state_dict()
    return network_checkpoint(SETTINGS[name], weights, VOCABULARY, card)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    save_checkpoint(checkpoint(), tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.parametrize("name", SETTINGS)
def test_a_model_says_the_same_after_a_round_trip(tmp_path: Path, name: str) -> None:
    import random

    save_checkpoint(checkpoint(name), tmp_path / "model")
    queries = clozes(random.Random(0), 4)
    loaded = load("cloze", tmp_path / "model")
    assert loaded.name == name
    assert type(loaded) is type(model(name))
    words = ["knife", "board"]
    original = model(name)
    original._network.half().float()  # the precision of checkpoints
    torch.testing.assert_close(loaded.predict(queries, words), original.predict(queries, words), rtol=0, atol=0)


def test_card_and_provenance_come_back(saved: Path) -> None:
    loaded, original = load_checkpoint(saved), checkpoint()
    assert loaded.card == original.card
    assert loaded.settings == original.settings
    assert loaded.model == describe(saved)
    assert loaded.model is not None
    assert loaded.model.scores == (SCORE,)


def test_a_card_of_an_older_version_opens_with_shares(saved: Path) -> None:
    """Those of 0.2.0 have percent, and those of 0.1.0 have no exposure: they are left out."""
    card = json.loads((saved / CARD).read_text())
    percent = {**card["scores"][0], "value": 24.5, "unit": "percent"}
    card |= {"scores": [percent, {**percent, "metric": "older"}], "slice": [{**percent, "split": "slice"}]}
    del card["scores"][1]["exposure"]
    (saved / CARD).write_text(json.dumps(card))
    loaded = load_checkpoint(saved)
    assert loaded.card.scores == (SCORE,)
    assert loaded.card.slice == (attrs.evolve(SCORE, split="slice"),)
    save_checkpoint(loaded, saved)
    assert "percent" not in (saved / CARD).read_text()


def test_the_digest_is_of_the_model_not_of_its_card(tmp_path: Path) -> None:
    def digest(changed: Checkpoint) -> str:
        save_checkpoint(changed, tmp_path / "model")
        return describe(tmp_path / "model").digest

    original = checkpoint()
    card = attrs.evolve(original.card, scores=[], slice=[SCORE], data="something else")
    assert digest(attrs.evolve(original, card=card)) == digest(original)
    assert digest(checkpoint(seed=1)) != digest(original)
    settings = {**original.settings, "dropout": 0.1}
    assert digest(attrs.evolve(original, settings=settings)) != digest(original)


def test_the_same_checkpoint_is_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        save_checkpoint(checkpoint(), tmp_path / name)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_no_pickle_is_in_it(saved: Path) -> None:
    assert {path.name for path in saved.iterdir()} == {CARD, CONFIG, WEIGHTS, VOCABULARY_FILE}


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def _empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("name", [CONFIG, WEIGHTS, VOCABULARY_FILE])
@pytest.mark.parametrize("damage", [_truncate, _flip, _empty, Path.unlink])
def test_a_damaged_or_missing_file_is_named(saved: Path, name: str, damage: Callable[[Path], None]) -> None:
    damage(saved / name)
    with pytest.raises(ModelError, match=r"damaged|missing") as caught:
        load("cloze", saved)
    assert caught.value.where == str(saved / name)
    assert caught.value.remedy


@pytest.mark.parametrize("damage", [_truncate, _empty, Path.unlink])
def test_a_damaged_or_missing_card(saved: Path, damage: Callable[[Path], None]) -> None:
    damage(saved / CARD)
    with pytest.raises(ModelError, match=r"no JSON|no checkpoint"):
        load("cloze", saved)


def test_a_foreign_file_is_refused_but_a_hidden_one_is_not(saved: Path) -> None:
    (saved / ".DS_Store").write_bytes(b"x")
    load("cloze", saved)
    (saved / "pytorch_model.bin").write_bytes(b"x")
    with pytest.raises(ModelError, match=r"pytorch_model\.bin does not belong"):
        load("cloze", saved)


def _rewrite(saved: Path, name: str, content: bytes) -> None:
    """A file with the right digest and the wrong content."""
    (saved / name).write_bytes(content)
    card = json.loads((saved / CARD).read_text())
    card["files"][name] = sha256(content).hexdigest()
    (saved / CARD).write_text(json.dumps(card))


_CONFIG = {"kind": "transducer", "settings": {"embedding_size": 6, "hidden_size": 8, "emission_hidden": 5}}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (CONFIG, b"[]", "no JSON object"),
        (CONFIG, b"{}", "not as expected"),
        (CONFIG, b"\xff", "no JSON"),
        (CONFIG, json.dumps({**_CONFIG, "kind": "toaster"}).encode(), "unknown kind of model"),
        (CONFIG, json.dumps({**_CONFIG, "kind": "language-model"}).encode(), "do not fit"),
        (CONFIG, json.dumps({"kind": "transducer", "settings": {"wheels": 4}}).encode(), "do not fit"),
        (CONFIG, json.dumps({"kind": "transducer", "settings": {"hidden_size": -1}}).encode(), "do not fit"),
        (CONFIG, json.dumps({"kind": "transducer", "settings": {"hidden_size": 9}}).encode(), "do not fit"),
        (CONFIG, json.dumps({"kind": "transducer", "settings": 5}).encode(), "not as expected|do not fit"),
        (WEIGHTS, b"no safetensors", "no safetensors"),
        (VOCABULARY_FILE, b'["knife"]', "lacks"),
        (VOCABULARY_FILE, b'["#UNK#", "<PAD>", "<S>", "a", "a"]', "twice"),
        (VOCABULARY_FILE, b'["#UNK#", "<PAD>", "<S>", 5]', "something else than words"),
        (VOCABULARY_FILE, b'["#UNK#", "<PAD>", "<S>"]', "do not fit"),
        (VOCABULARY_FILE, b"{}", "no list"),
        (VOCABULARY_FILE, b"{", "no JSON"),
    ],
)
def test_parts_that_do_not_fit(saved: Path, name: str, content: bytes, message: str) -> None:
    _rewrite(saved, name, content)
    with pytest.raises(ModelError, match=message):
        load("cloze", saved)


@pytest.mark.parametrize(
    "change",
    [
        {"files": {"../secret": "0" * 64, CONFIG: "", WEIGHTS: ""}},
        {"files": {}},
        {"files": None},
        {"scores": [{"metric": "x"}]},
        {"slice": [{"unit": "percent"}]},
        {"stars": 5},
        {"name": ""},
    ],
)
def test_a_card_that_makes_no_sense(saved: Path, change: dict[str, object]) -> None:
    card = json.loads((saved / CARD).read_text())
    (saved / CARD).write_text(json.dumps({**card, **change}))
    with pytest.raises(ModelError):
        load_checkpoint(saved)


def test_a_checkpoint_without_vocabulary() -> None:
    with pytest.raises(ModelError, match=r"vocabulary\.json"):
        cloze_model(attrs.evolve(checkpoint(), files={}))


def test_an_older_checkpoint_is_replaced(saved: Path) -> None:
    save_checkpoint(checkpoint("language-model"), saved)
    assert load_checkpoint(saved).kind == "language-model"
    assert [path.name for path in saved.parent.iterdir()] == ["model"]


def test_anything_else_is_not_replaced(tmp_path: Path) -> None:
    for name in ("folder", "file"):
        path = tmp_path / name
        if name == "folder":
            path.mkdir()
            (path / "thesis.txt").write_text("years of work")
        else:
            path.write_text("years of work")
        with pytest.raises(ModelError, match="not empty, and no checkpoint"):
            save_checkpoint(checkpoint(), path)
    assert (tmp_path / "folder" / "thesis.txt").read_text() == (tmp_path / "file").read_text() == "years of work"


def test_when_the_disk_refuses_the_older_checkpoint_stays(saved: Path) -> None:
    with small_disk(), pytest.raises(ModelError, match="cannot be written"):
        save_checkpoint(checkpoint("language-model"), saved)
    assert load_checkpoint(saved).kind == "transducer"
    assert [path.name for path in saved.parent.iterdir()] == ["model"]
