"""Ids, table schemas, and the checks on every batch, against a plain check row by row."""

from __future__ import annotations

import hashlib
import re
import string
from itertools import pairwise
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import RecordError
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.tables import TABLE_NAMES, check_batch, key_columns, table_path, table_schema
from schemas.type_declarations import Layer
from schemas.vocabulary import ID_PREFIXES, node_id, slug

_ENGINE = duckdb.connect()
_SAFE = set(string.ascii_lowercase + string.digits + "-/")


@given(st.sampled_from(list(NODE_TYPES)), st.text(), st.lists(st.text(), max_size=3))
def test_ids_are_safe_in_iris_and_name_their_type(node_type: str, readable: str, key: list[str]) -> None:
    identifier = node_id(node_type, readable, *key)
    assert set(identifier) <= _SAFE
    assert identifier.partition("/")[0] == ID_PREFIXES[node_type]
    assert len(slug(readable)) <= 48
    assert re.fullmatch(r"[a-z-]+/([a-z0-9-]+-)?[0-9a-f]{24}", identifier)
    assert identifier[-24:] == node_id(node_type, "", *key)[-24:]


def test_the_hash_of_an_id_is_that_of_its_key_in_lengths_and_parts() -> None:
    digest = hashlib.sha256("8:SubEvent0:6:caf\u00e9 \U0001f35d4:4:ab".encode()).hexdigest()
    assert node_id("SubEvent", "Drink up", "", "caf\u00e9 \U0001f35d", "4:ab") == f"sub-event/drink-up-{digest[:24]}"


@given(st.lists(st.text(), max_size=3))
def test_sql_computes_the_same_hash(key: list[str]) -> None:
    content = " || ".join("length(?) || ':' || ?" for _ in ("Tool", *key))
    values = [part for part in ("Tool", *key) for _ in range(2)]
    (digest,) = _ENGINE.execute(f"SELECT substr(sha256({content}), 1, 24)", values).fetchone() or ("",)
    assert node_id("Tool", "", *key) == f"tool/{digest}"


@given(st.lists(st.text(max_size=3), max_size=3), st.lists(st.text(max_size=3), max_size=3))
def test_different_keys_have_different_ids(first: list[str], second: list[str]) -> None:
    assert (node_id("Tool", "x", *first) == node_id("Tool", "x", *second)) == (first == second)


@pytest.mark.parametrize("name", TABLE_NAMES)
def test_every_table_has_its_place_and_columns(name: str) -> None:
    schema = table_schema(name)
    assert schema.names[: len(key_columns(name))] == list(key_columns(name))
    assert len(set(schema.names)) == len(schema.names)
    assert str(table_path(name)) == f"{'nodes' if name in NODE_TYPES else 'relations'}/{name}.parquet"


def test_types_fit_together() -> None:
    assert ID_PREFIXES.keys() == NODE_TYPES.keys()
    assert len(set(ID_PREFIXES.values())) == len(ID_PREFIXES)
    for relation in RELATION_TYPES.values():
        assert relation.ends
        assert all(end in NODE_TYPES for pair in relation.ends for end in pair)
        assert not relation.has_statement or relation.layer is Layer.KNOWLEDGE


def _batch(keys: list[tuple[str, str]]) -> pa.RecordBatch:
    rows = [{"from_id": first, "to_id": second} for first, second in keys]
    return pa.RecordBatch.from_pylist(rows, schema=table_schema("WITHIN"))


_IDS = st.tuples(st.sampled_from(["passage/a", "passage/b", "passage/é"]), st.sampled_from(["source/a", "source/b"]))


@given(st.lists(_IDS, max_size=5), st.none() | _IDS)
def test_order_is_checked_as_row_by_row(keys: list[tuple[str, str]], after: tuple[str, str] | None) -> None:
    whole = [*([after] if after else []), *keys]
    if all(first < second for first, second in pairwise(whole)):
        assert check_batch("WITHIN", _batch(keys), after) == (whole[-1] if whole else None)
    else:
        with pytest.raises(RecordError, match="out of order or twice"):
            check_batch("WITHIN", _batch(keys), after)


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        ("Tool", {"id": "entity/pot", "label": "pot", "support": 1}, "Tool cannot hold"),
        ("Tool", {"id": "tool/pot", "label": None, "support": 1}, "Tool.label is missing in 1 rows"),
        ("WITHIN", {"from_id": "source/a", "to_id": "passage/a"}, "it joins Passage -> Passage or Passage -> Source"),
        ("NEXT", {"from_id": "passage/a", "to_id": None}, "NEXT.to_id is missing"),
    ],
)
def test_rows_that_do_not_fit_are_refused(name: str, row: dict[str, Any], message: str) -> None:
    loose = pa.schema([item.with_nullable(True) for item in table_schema(name)])
    batch = pa.RecordBatch.from_arrays(
        pa.RecordBatch.from_pylist([row], schema=loose).columns, schema=table_schema(name)
    )
    with pytest.raises(RecordError) as caught:
        check_batch(name, batch, None)
    assert message in str(caught.value)


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=3), max_size=4), st.integers(0, 2))
def test_lists_of_nodes_ascend_in_each_row(lists: list[list[str]], start: int) -> None:
    rows = [
        {"id": f"sub-event/{i}", "label": "", "label_text": "", "support": 1, "mentions": 1, "replaces": replaced}
        for i, replaced in enumerate(lists)
    ]
    batch = pa.RecordBatch.from_pylist(rows, schema=table_schema("SubEvent")).slice(start)
    if all(replaced == sorted(set(replaced)) for replaced in lists[start:]):
        check_batch("SubEvent", batch, None)
    else:
        with pytest.raises(RecordError, match=r"SubEvent\.replaces is out of order or has an id twice"):
            check_batch("SubEvent", batch, None)


def test_other_columns_are_refused() -> None:
    with pytest.raises(RecordError, match="have the columns"):
        check_batch("Tool", pa.RecordBatch.from_pydict({"id": ["tool/a"]}), None)
