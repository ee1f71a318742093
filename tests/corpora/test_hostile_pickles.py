"""Pickles of id sequences with any opcodes: pairs, or an error."""

from __future__ import annotations

import gzip
import pickle
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kgscripts.corpora.pairs.loading import VOCABULARY_FILE, load_pairs
from schemas.errors import InputError
from tests.corpora.test_pair_corpora import write_ids

_ITEMS = pickle.dumps([([8], [9])] * 3, protocol=4)
_FRAMES = [b"\x80\x04\x95" + struct.pack("<Q", length) for length in (1 << 63, (1 << 63) - 1, 1 << 62, (1 << 64) - 1)]
"""The opcode FRAME with lengths that no file has."""


@pytest.mark.parametrize("frame", _FRAMES)
@pytest.mark.parametrize("name", ["train.freq.pkl.gz", VOCABULARY_FILE])
def test_a_frame_of_any_length_is_an_error(frame: bytes, name: str, tmp_path: Path) -> None:
    path = write_ids(tmp_path, [([8], [9])])
    content = gzip.decompress((tmp_path / name).read_bytes())
    (tmp_path / name).write_bytes(gzip.compress(frame + content[2:]))
    with pytest.raises(InputError, match="not a pickle of plain data") as caught:
        load_pairs([path])
    assert caught.value.remedy


@given(place=st.integers(0, len(_ITEMS) - 1), cut=st.integers(0, 9), new=st.binary(max_size=12))
@example(place=0, cut=11, new=_FRAMES[0])
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_opcodes(place: int, cut: int, new: bytes, tmp_path: Path) -> None:
    path = write_ids(tmp_path, [])
    path.write_bytes(gzip.compress(_ITEMS[:place] + new + _ITEMS[place + cut :]))
    try:
        pairs = load_pairs([path])
    except InputError as error:
        assert str(error.where).startswith(path.name) or error.message == "no pairs"  # noqa: PT017
        assert error.remedy  # noqa: PT017
    else:
        assert all({*map(type, (*pair.abstract, *pair.concrete))} <= {str} for pair in pairs)
