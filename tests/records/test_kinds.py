"""Kinds: columns from the class alone, and records that come back as they went in."""

from __future__ import annotations

import tempfile
from enum import StrEnum
from inspect import get_annotations, getmembers, isclass
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pyarrow as pa
import pytest
from attrs import field, fields, frozen, has
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.records.kinds import decode, encode, kind_name, record_schema
from kgscripts.records.shards import Reading, write_shard
from schemas import records
from schemas.errors import ConfigurationError, RecordError
from tests.records.samples import EVENTS, opened


class Flavour(StrEnum):
    """An enumeration of a new kind."""

    SWEET = "sweet"
    SOUR = "sour taste"


@frozen(kw_only=True)
class Ingredient:
    """A nested class."""

    name: str
    grams: float | None = None
    flavours: tuple[Flavour, ...] = ()


@frozen(kw_only=True)
class HTMLRecipe:
    """A new kind of record: all that is needed to store it is this class."""

    title: str
    servings: int
    vegan: bool
    flavour: Flavour
    main: Ingredient
    side: Ingredient | None
    others: tuple[Ingredient, ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    notes: tuple[str | None, ...] | None = None
    length: int = field(init=False, default=3)


_ingredients = st.builds(
    Ingredient,
    name=st.text(),
    grams=st.none() | st.floats(allow_nan=False),
    flavours=st.lists(st.sampled_from(Flavour)).map(tuple),
)
_recipes = st.builds(
    HTMLRecipe,
    title=st.text(),
    servings=st.integers(-(2**63), 2**63 - 1),
    vegan=st.booleans(),
    flavour=st.sampled_from(Flavour),
    main=_ingredients,
    side=st.none() | _ingredients,
    others=st.lists(_ingredients, max_size=3).map(tuple),
    groups=st.lists(st.lists(st.integers(0, 9)).map(tuple)).map(tuple),
    notes=st.none() | st.lists(st.none() | st.text(), max_size=3).map(tuple),
)


@settings(max_examples=30)
@given(recipes=st.lists(_recipes, max_size=4))
def test_a_new_kind_needs_its_class_only(recipes: list[HTMLRecipe]) -> None:
    with tempfile.TemporaryDirectory() as name, opened(Path(name)) as store:
        store.commit([write_shard(Path(name), [Reading("a", EVENTS, recipes), Reading("b", EVENTS, recipes[:1])])])
        expected = {"a": recipes, "b": recipes[:1]} if recipes else {}
        assert store.read(HTMLRecipe, ["a", "b", "c"]) == expected


def test_columns_follow_the_class() -> None:
    schema = record_schema(HTMLRecipe)
    assert schema.names == [
        *("subject", "extractor", "ordinal"),
        *("title", "servings", "vegan", "flavour", "main", "side", "others", "groups", "notes"),
    ]
    assert [item.name for item in schema if item.nullable] == ["side", "notes"]
    assert schema.field("servings").type == pa.int64()
    assert schema.field("flavour").type == pa.string()
    assert [item.name for item in schema.field("main").type if item.nullable] == ["grams"]
    assert schema.field("others").type.value_type == schema.field("main").type
    assert schema.field("notes").type.value_field.nullable


@pytest.mark.parametrize(
    ("kind", "name"),
    [(HTMLRecipe, "html_recipe"), (records.EventMention, "event_mention"), (records.Document, "document")],
)
def test_a_kind_is_named_by_its_class(kind: type, name: str) -> None:
    assert kind_name(kind) == name


_BY_NAME = {
    "start": st.integers(0, 9),
    "end": st.integers(10, 20),
    "word_start": st.integers(0, 9),
    "word_end": st.integers(10, 20),
    "log_probability": st.floats(-50, 0),
    "duration": st.sampled_from(["PT5M", "P1DT2H30M"]),
}
_BY_TYPE: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(min_size=20, max_size=30),
    float: st.floats(0, 1),
    int: st.integers(-(2**63), 2**63 - 1),
    bool: st.booleans(),
}


def _any_value(hint: Any) -> st.SearchStrategy[Any]:
    if get_origin(hint) is tuple:
        return st.lists(_any_value(get_args(hint)[0]), min_size=1, max_size=1 + (hint != tuple[records.Passage, ...]))
    if get_origin(hint) is UnionType:
        return st.one_of(*map(_any_value, get_args(hint)))
    if isinstance(hint, type) and has(hint):
        return _any_record(hint)
    return _BY_TYPE[hint] if hint in _BY_TYPE else st.from_type(hint)


def _any_record(kind: type) -> st.SearchStrategy[Any]:
    hints = get_type_hints(kind)
    values = {item.name: _BY_NAME.get(item.name, _any_value(hints[item.name])) for item in fields(kind)}
    return st.builds(kind, **values)


_SHIPPED = sorted(
    (kind for _, kind in getmembers(records, isclass) if has(kind) and kind.__module__ == records.__name__),
    key=kind_name,
)


@pytest.mark.parametrize("kind", _SHIPPED, ids=kind_name)
@settings(max_examples=25)
@given(data=st.data())
def test_every_shipped_kind_comes_back_as_it_went_in(kind: type, data: st.DataObject) -> None:
    items = data.draw(st.lists(_any_record(kind), max_size=4))
    rows = [("subject", "extractor", ordinal, item) for ordinal, item in enumerate(items)]
    table = encode(kind, rows)
    table.validate(full=True)
    assert table.schema == record_schema(kind)
    back = list(decode(kind, table))
    assert back == rows
    assert repr(back) == repr(rows)


def test_odd_characters_survive() -> None:
    item = records.Discard(reason=records.DiscardReason.EMPTY, where="\0\r\n\u05e9\U0001f35d\ufeff", detail='"\\')
    assert list(decode(records.Discard, encode(records.Discard, [("s", "e", 0, item)]))) == [("s", "e", 0, item)]


@frozen
class Unsized:
    """Its type has no column."""

    words: dict[str, int]


@frozen
class Pair:
    """Neither has this one."""

    words: tuple[str, int]


@frozen
class Either:
    """Nor this one."""

    word: str | int


@frozen
class Keyed:
    """Its field has the name of a column of the key."""

    subject: str


@frozen
class Empty:
    """A nested class without fields has no columns."""


@frozen
class HoldsEmpty:
    """See `Empty`."""

    empty: Empty


@frozen
class Tree:
    """A class within itself has no end of columns."""

    children: tuple[Tree, ...]


@frozen
class Unresolved:
    """The name of its type leads nowhere."""

    word: Nowhere  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize("kind", [Unsized, Pair, Either, Keyed, HoldsEmpty, Tree, Unresolved])
def test_a_type_without_a_column_is_refused_by_field_and_class(kind: type) -> None:
    with pytest.raises(ConfigurationError) as caught:
        record_schema(kind)
    name = get_annotations(kind).popitem()[0]
    assert kind.__name__ in str(caught.value)
    assert name in str(caught.value) or kind is Unresolved
    assert caught.value.remedy


@frozen
class Basket:
    """A class within a tuple."""

    ingredients: tuple[Ingredient, ...]


def test_a_class_that_attrs_does_not_know_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no attrs class"):
        record_schema(int)


@pytest.mark.parametrize(
    "item",
    [
        records.Discard(reason=records.DiscardReason.EMPTY, start=2**63),
        records.Discard(reason=records.DiscardReason.EMPTY, detail="\ud800"),
        records.Discard(reason=records.DiscardReason.EMPTY, detail=3),  # type: ignore[arg-type]
        records.Discard(reason=records.DiscardReason.EMPTY, detail=None),  # type: ignore[arg-type]
        Basket(ingredients=(Ingredient(name="egg"), Ingredient(name=None))),  # type: ignore[arg-type]
        Basket(ingredients=None),  # type: ignore[arg-type]
    ],
)
def test_a_value_without_a_place_is_refused(item: Any) -> None:
    with pytest.raises(RecordError, match=f"the kind {kind_name(type(item))} cannot be stored"):
        encode(type(item), [("s", "e", 0, item)])


def test_a_stored_record_that_breaks_the_rules_of_its_class_is_refused() -> None:
    good = records.Discard(reason=records.DiscardReason.EMPTY)
    table = encode(records.Discard, [("s", "e", 0, good)])
    bad = table.set_column(3, table.schema.field(3), pa.array(["no such reason"]))
    with pytest.raises(RecordError, match="breaks its rules"):
        list(decode(records.Discard, bad))
