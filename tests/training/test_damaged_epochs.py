"""The epoch of an unfinished run, damaged in any way: an error that says what to do."""

from __future__ import annotations

import io
import pickle
import struct
import zipfile
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lightning_modules.runs import EpochFiles
from schemas.errors import ModelError

pytestmark = pytest.mark.filterwarnings("ignore:Detected pickle protocol")
_EPOCH = {"a": torch.arange(5.0), "epoch": 3, "d": {"k": [1, 2.5, None]}, "step": torch.tensor(1.0)}
_FRAME = b"\x80\x04\x95" + struct.pack("<Q", 1 << 63)
"""The opcode FRAME with a length that no file has."""


def _parts() -> dict[str, bytes]:
    content = io.BytesIO()
    torch.save(_EPOCH, content)
    with zipfile.ZipFile(content) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


_PARTS = _parts()
_PICKLE = next(content for name, content in _PARTS.items() if name.endswith("/data.pkl"))


def _loaded(path: Path) -> None:
    try:
        EpochFiles().load_checkpoint(path, weights_only=True)
    except ModelError as error:
        assert "damaged" in error.message  # noqa: PT017 - what is still readable is no error
        assert "remove" in str(error.remedy)  # noqa: PT017


@given(place=st.integers(0, len(_PICKLE) - 1), cut=st.integers(0, 4), new=st.binary(max_size=9))
@example(place=0, cut=2, new=_FRAME)
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_archive_with_other_opcodes(place: int, cut: int, new: bytes, tmp_path: Path) -> None:
    path = tmp_path / "last.ckpt"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in _PARTS.items():
            other = _PICKLE[:place] + new + _PICKLE[place + cut :]
            archive.writestr(name, other if content == _PICKLE else content)
    _loaded(path)


@given(st.binary(max_size=50) | st.binary(max_size=20).map(lambda end: b"\x80\x02" + end))
@example(_FRAME + pickle.dumps({}, protocol=4)[11:])
@example(pickle.dumps({"a": 1}, protocol=4))
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_that_is_no_archive(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "last.ckpt"
    path.write_bytes(content)
    _loaded(path)
