"""Whatever lies in a folder that is named as a model, the answer is a `ModelError`, and it comes soon."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from kgscripts.models.checkpoint import CARD, CONFIG, WEIGHTS, load_checkpoint, save_checkpoint
from kgscripts.models.registry import describe, load_model
from kgscripts.text.pipeline import load_pipeline
from schemas.errors import ModelError
from tests.models.test_checkpoint import checkpoint

DEEP = b"[" * 100_000


def _device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _deep(path: Path) -> None:
    path.write_bytes(DEEP)


DAMAGES: list[Callable[[Path], None]] = [_device, _pipe, _loop, _folder, _deep]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    save_checkpoint(checkpoint(), tmp_path / "model")
    return tmp_path / "model"


def with_digest(folder: Path, name: str, content: bytes) -> None:
    """Write a file, and its digest onto the card."""
    (folder / name).write_bytes(content)
    card = json.loads((folder / CARD).read_bytes())
    card["files"][name] = sha256(content).hexdigest()
    (folder / CARD).write_text(json.dumps(card), encoding="utf-8")


@pytest.mark.parametrize("name", [CARD, CONFIG, WEIGHTS])
@pytest.mark.parametrize("damage", DAMAGES)
def test_odd_files_in_a_checkpoint(saved: Path, name: str, damage: Callable[[Path], None]) -> None:
    damage(saved / name)
    with pytest.raises(ModelError):
        load_model(saved)
    if name == CARD:
        with pytest.raises(ModelError):
            describe(saved)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (CONFIG, DEEP),
        ("vocabulary.json", DEEP),
        ("vocabulary.json", b"[1, [], {}]"),
        ("vocabulary.json", b"[" + b"9" * 5000 + b"]"),
        *(
            (CONFIG, json.dumps({"kind": kind, "settings": settings}).encode())
            for kind, settings in (
                ("transducer", {"hidden_size": 10**13}),
                ("masked", {}),
                ("masked", {"encoder": "\0", "encoder_sha256": "", "rank": 1}),
                ("aligner", {"smoothing": "\ud800", "shift_probability": []}),
                ("\ud800", {}),
            )
        ),
    ],
)
def test_odd_content_in_a_checkpoint(saved: Path, name: str, content: bytes) -> None:
    with_digest(saved, name, content)
    with pytest.raises(ModelError):
        load_model(saved)


@pytest.mark.parametrize(
    "files", [{"a\0b": ""}, {"\ud800": ""}, {CONFIG: 1, WEIGHTS: []}, {"..": ""}, [], DEEP.decode()]
)
def test_odd_names_on_a_card(saved: Path, files: object) -> None:
    card = json.loads((saved / CARD).read_bytes())
    card["files"] = card["files"] | files if isinstance(files, dict) else files
    (saved / CARD).write_text(json.dumps(card), encoding="utf-8")
    with pytest.raises(ModelError):
        load_checkpoint(saved)


@pytest.mark.parametrize("name", ["json", "this-is-nothing", "/dev/zero", "a\0b", "\udcff", ".."])
def test_names_that_are_no_pipeline(name: str) -> None:
    with pytest.raises(ModelError, match="spaCy pipeline"):
        load_pipeline(name)


@pytest.mark.parametrize("content", [b"", DEEP, b"{}", b"\xff", b"[nlp]\nlang=\n", b'{"lang": "en", "name": 7}'])
def test_folders_that_are_no_pipeline(tmp_path: Path, content: bytes) -> None:
    for name in ("config.cfg", "meta.json", "tokenizer"):
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError, match="spaCy pipeline"):
        load_pipeline(str(tmp_path))
    _pipe(tmp_path / "meta.json")
    with pytest.raises(ModelError, match=r"meta\.json is not a regular file"):
        load_pipeline(str(tmp_path))


@pytest.mark.parametrize("name", [CARD, CONFIG, "vocabulary.json"])
def test_half_a_surrogate_pair_in_a_checkpoint(saved: Path, name: str) -> None:
    content = json.loads((saved / name).read_bytes())
    for half in (r"\ud800", "\ud800"):
        changed = {**content, "name": "HALF"} if isinstance(content, dict) else [*content, "HALF"]
        data = json.dumps(changed).replace("HALF", half).encode("utf-8", "surrogatepass")
        if name == CARD:
            (saved / CARD).write_bytes(data)
        else:
            with_digest(saved, name, data)
        with pytest.raises(ModelError, match="surrogate") as caught:
            load_model(saved)
        assert caught.value.remedy
        str(caught.value).encode()
