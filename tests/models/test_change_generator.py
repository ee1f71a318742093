"""The generator of state changes: what it gives does not depend on the batch, and what it cannot be loaded from."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional

from kgscripts.changes.levels import LEAST, level_of
from kgscripts.changes.values import SLOT, joined_value, split_value
from kgscripts.models.changes.generator import (
    VOCABULARY,
    Calibration,
    ChangeGenerator,
    ChangeQuery,
    ChangeVocabulary,
    GeneratedChange,
    _location,
)
from kgscripts.models.changes.heads import FARTHEST, ROLES, ChangeHeads, Pairs
from kgscripts.models.checkpoint import CARD, CONFIG, WEIGHTS, Checkpoint, load_checkpoint, save_checkpoint
from kgscripts.models.distances import distance_numbers
from kgscripts.models.encoder import Encoder
from kgscripts.models.reader.labels import GRAPH, PAIRS
from kgscripts.models.reader.reader import STATE_LAYERS, WindowStates
from kgscripts.models.reader.windows import ReaderText
from kgscripts.models.registry import DEFAULT, load
from kgscripts.models.runtime import Array
from schemas.changes import Level
from schemas.errors import ModelError
from tests.models import tiny_generator
from tests.models.test_hostile_checkpoints import DEEP, with_digest
from tests.models.tiny_generator import WORDS, query, text

WASHING = text("Wash the eggs in a bowl .", "Then put the pan onto the stove .", title="Cook Eggs")
LONG = text(*(f"Pour the water from jug {number} into the pot and stir it ." for number in range(60)), title="Soup")
TEXTS: list[tuple[ReaderText, list[ChangeQuery]]] = [
    (WASHING, [query(WASHING, "Wash"), query(WASHING, "put")]),
    (LONG, [ChangeQuery(number * 13, range(LONG.words)) for number in (0, 17, 59)]),
    (text("🍳 🔥 鍋 を"), [ChangeQuery(0, [1, 2, 3])]),
    (text("\u202e !!", title="\x00"), [ChangeQuery(1, [0])]),
    (text("Wait ."), [ChangeQuery(0, [])]),
    (text("Nothing happens ."), []),
    (ReaderText("Empty", []), [ChangeQuery(0, [0, 1])]),
    *((made, [query(made, "Wash")]) for noun in "abcdefgh" for made in [text(f"Wash the {noun} in the pan .")]),
]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generator") / "model"
    save_checkpoint(tiny_generator.checkpoint(), folder)
    return folder


@pytest.fixture(scope="module")
def model(saved: Path) -> ChangeGenerator:
    return load("changes", saved)


@pytest.fixture(scope="module")
def together(model: ChangeGenerator) -> list[list[list[GeneratedChange]]]:
    return model.generate(TEXTS)


def _every(together: Sequence[Sequence[Sequence[GeneratedChange]]]) -> list[GeneratedChange]:
    return [change for of_text in together for of_event in of_text for change in of_event]


def test_changes_are_those_of_the_vocabulary_and_the_most_probable_stand_first(
    model: ChangeGenerator, together: list[list[list[GeneratedChange]]]
) -> None:
    assert [len(of_text) for of_text in together] == [len(queries) for _, queries in TEXTS]
    assert len(_every(together)) > 50
    assert {change.attribute for change in _every(together)} == set(WORDS.attributes)
    for of_text in together:
        for of_event in of_text:
            probabilities = [change.probability for change in of_event]
            assert probabilities == sorted(probabilities, reverse=True)
            assert all(0 <= probability <= 1 for probability in probabilities)
            assert max(Counter((change.thing, change.attribute) for change in of_event).values(), default=1) == 1
    for change in _every(together):
        # Where a thing was may be unknown.
        befores = {before for attribute, before, after in WORDS.values
                   if (attribute, after) == (change.attribute, change.after)}  # fmt: skip
        assert change.before in befores or (change.before == "" and any(SLOT in before for before in befores))
    assert model.generate([]) == []
    assert model.model.name == "tiny"


def test_things_and_places_are_words_of_the_query_or_need_no_name(
    together: list[list[list[GeneratedChange]]],
) -> None:
    for (_, queries), of_text in zip(TEXTS, together, strict=True):
        for asked, of_event in zip(queries, of_text, strict=True):
            known = {*asked.things, *WORDS.unnamed} - {asked.predicate}
            for change in of_event:
                assert change.thing in known
                for template, place in ((change.before, change.before_place), (change.after, change.after_place)):
                    assert (place is not None) == (SLOT in template)
                    assert place is None or place in known


def test_a_thing_is_never_its_own_place(together: list[list[list[GeneratedChange]]]) -> None:
    with_place = [change for change in _every(together) if SLOT in change.before + change.after]
    assert len(with_place) > 10
    assert any(isinstance(change.thing, str) for change in with_place)
    assert not any(change.thing in (change.before_place, change.after_place) for change in with_place)


@pytest.mark.parametrize(
    ("template", "phrases", "value"),
    [
        (f"on {SLOT}", {1: "in", 2: "from"}, (f"in {SLOT}", 1)),
        (f"off {SLOT}", {1: "in", 2: "from"}, (f"out of {SLOT}", 2)),
        (f"on {SLOT}", {2: "off"}, (f"off {SLOT}", 2)),
        (f"off {SLOT}", {1: "in"}, None),
        (f"in {SLOT}", {1: "to"}, (f"in {SLOT}", 1)),
        (f"in {SLOT}", {0: "onto", 1: "into"}, (f"on {SLOT}", 0)),
        (f"in {SLOT}", {0: "with", 1: "despite"}, None),
        (f"in {SLOT}", {}, None),
    ],
)
def test_a_location_is_what_the_phrases_of_the_event_say(
    template: str, phrases: dict[int, str], value: tuple[str, int] | None
) -> None:
    assert _location(template, np.array([0.5, 0.1, 0.2, 0.2], dtype=np.float32), phrases, [0, 1, 2, "hand"]) == value


def test_an_event_changes_no_predicate(model: ChangeGenerator) -> None:
    words = list(WASHING.all_words)
    wash, eggs = words.index("Wash"), words.index("eggs")
    with_own, without = (model.generate([(WASHING, [ChangeQuery(wash, things)])]) for things in ([wash, eggs], [eggs]))
    assert with_own == without
    assert {change.thing for change in _every(with_own)} <= {eggs, *WORDS.unnamed}


@pytest.mark.parametrize("predicate", [-1, -1000, WASHING.words, WASHING.words + 7])
def test_an_event_that_no_window_has_changes_nothing(model: ChangeGenerator, predicate: int) -> None:
    eggs = list(WASHING.all_words).index("eggs")
    found = model.generate([(WASHING, [ChangeQuery(predicate, [eggs]), query(WASHING, "Wash")])])
    assert found[0][0] == []
    assert found[0][1] == model.generate(TEXTS[:1])[0][0]


def test_things_that_its_window_does_not_have_are_left_out(model: ChangeGenerator) -> None:
    eggs = list(WASHING.all_words).index("eggs")
    found, plain = (
        model.generate([(WASHING, [ChangeQuery(0, things)])]) for things in ([-3, eggs, WASHING.words, 10**6], [eggs])
    )
    assert found == plain
    last = 59 * 13
    (of_event,) = model.generate([(LONG, [ChangeQuery(last, range(LONG.words))])])[0]
    things = [change.thing for change in of_event if isinstance(change.thing, int)]
    assert things
    assert min(things) > 13  # the first sentences are too far away for a window


def test_a_text_has_the_same_changes_whatever_comes_along(
    model: ChangeGenerator, together: list[list[list[GeneratedChange]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for threads in (1, 2):
        monkeypatch.setenv("OMP_NUM_THREADS", str(threads))
        order = random.Random(threads).sample(range(len(TEXTS)), len(TEXTS))
        found = dict(zip(order, model.generate([TEXTS[place] for place in order]), strict=True))
        assert [found[place] for place in range(len(TEXTS))] == together
        for place in (0, 1, 2, 9):
            assert model.generate([TEXTS[place]]) == [together[place]]


def test_an_event_has_the_same_changes_whatever_is_asked_along(
    model: ChangeGenerator, together: list[list[list[GeneratedChange]]]
) -> None:
    for place in (0, 1):
        read, queries = TEXTS[place]
        backwards = model.generate([(read, queries[::-1])])
        assert backwards == [together[place][::-1]]
        for asked, own in zip(queries, together[place], strict=True):
            assert model.generate([(read, [asked])]) == [[own]]


def test_what_happens_to_a_thing_does_not_depend_on_other_things(
    model: ChangeGenerator, together: list[list[list[GeneratedChange]]]
) -> None:
    """But for places, which are chosen among them."""
    whole = {(change.thing, change.attribute): change for change in together[0][0]}
    compared = 0
    for thing in range(1, WASHING.words):
        (alone,) = model.generate([(WASHING, [ChangeQuery(0, [thing])])])[0]
        for change in alone:
            other = whole[change.thing, change.attribute]
            assert change.after == other.after
            assert change.before == other.before or "" in (change.before, other.before)
            if SLOT not in change.after:
                assert change.probability == pytest.approx(other.probability, abs=0.0011)
                compared += isinstance(change.thing, int)
        assert {change.attribute for change in alone if change.thing == thing} == {
            attribute for word, attribute in whole if word == thing
        }
    assert compared > 3


def test_changes_are_those_of_the_heads(saved: Path, together: list[list[list[GeneratedChange]]]) -> None:
    """By the equations of the network, one pair after another."""
    weights = {name: value.float() for name, value in load_checkpoint(saved).as_torch().items()}

    def linear(name: str, states: Tensor) -> Tensor:
        return functional.linear(states, weights[f"{name}.weight"], weights[f"{name}.bias"])

    def norm(name: str, states: Tensor) -> Tensor:
        return functional.layer_norm(states, states.shape[-1:], weights[f"{name}.weight"], weights[f"{name}.bias"])

    (window,) = load("reader", DEFAULT).states([WASHING])[0]
    own = norm("norm", torch.cat([torch.from_numpy(window.layers), weights["unnamed"]]))
    for asked, of_event in zip(TEXTS[0][1], together[0], strict=True):
        things = [word for word in range(WASHING.words + 3) if word != asked.predicate]
        named = [*range(WASHING.words), *WORDS.unnamed]
        states, keys = [], []
        for thing in things:
            role, number = torch.zeros(ROLES), 22
            if thing < WASHING.words:
                role[:-1], number = (
                    torch.from_numpy(window.roles(asked.predicate)[thing]),
                    _distance(thing - asked.predicate),
                )
            else:
                role[-1] = 1
            acting, gate = linear("predicate", own[asked.predicate]).chunk(2)
            acted, gated = linear("thing", own[thing]).chunk(2)
            apart = weights["distance.weight"][number]
            joined = functional.gelu(acting + acted + gate * gated + linear("role", role) + apart)
            states.append(norm("last", joined + functional.gelu(linear("middle", joined))))
            keys.append(linear("place", own[thing]) + linear("place_role", role))
        expected = {}
        for thing, state in zip(things, states, strict=True):
            others = [other for other in things if other != thing]
            places = {
                name: torch.stack([linear(name, state) @ keys[things.index(other)] / 16 for other in others]).softmax(0)
                for name in ("before", "after")
            }
            for attribute, share in zip(WORDS.attributes, linear("attributes", state).sigmoid().tolist(), strict=True):
                rows = [row for row, value in enumerate(WORDS.values) if value[0] == attribute]
                shares = linear("values", state)[rows].softmax(dim=0)
                _, before, after = WORDS.values[rows[int(shares.argmax())]]
                best = float(shares.max()) * (float(places["after"].max()) if SLOT in after else 1.0)
                expected[named[thing], attribute] = (
                    share,
                    (before, None)
                    if SLOT not in before
                    else ("", None)
                    if float(places["before"].max()) < 0.5
                    else (before, named[others[int(places["before"].argmax())]]),
                    (after, named[others[int(places["after"].argmax())]] if SLOT in after else None),
                    tiny_generator.CALIBRATION.probability(share, best),
                )
        found = {(change.thing, change.attribute): change for change in of_event}
        assert {key for key, (share, *_) in expected.items() if share > 0.051} <= found.keys()
        assert found.keys() <= {key for key, (share, *_) in expected.items() if share > 0.049}
        for key, change in found.items():
            _, of_before, of_after, probability = expected[key]
            assert (change.before, change.before_place) == of_before
            assert (change.after, change.after_place) == of_after
            assert change.probability == pytest.approx(probability, abs=0.0015)


def test_things_of_other_sentences_that_have_no_part_are_only_places(model: ChangeGenerator) -> None:
    words = list(LONG.all_words)
    (window, *_) = load("reader", DEFAULT).states([LONG])[0]
    behind = [place for place in range(13, 39) if words[place].isalnum()]
    parts = 1 - window.roles(0)[:, 0]
    near = {place for place in behind if parts[place] >= 0.15}
    assert len(near) < len(behind)
    own = [words.index("water"), words.index("jug")]
    (found,) = model.generate([(LONG, [ChangeQuery(0, own, behind)])])[0]
    assert {change.thing for change in found} <= {*own, *near, *WORDS.unnamed}
    places = {place for change in found for place in (change.before_place, change.after_place)}
    assert places <= {*own, *behind, *WORDS.unnamed, None}
    (alone,) = model.generate([(LONG, [ChangeQuery(0, own)])])[0]
    assert {(change.thing, change.attribute) for change in alone} <= {
        (change.thing, change.attribute) for change in found
    }


def test_the_text_is_read(model: ChangeGenerator, together: list[list[list[GeneratedChange]]]) -> None:
    """The same words in another sentence or below another title change otherwise."""
    other = attrs.evolve(WASHING, title="Paint a Wall")
    behind = attrs.evolve(WASHING, sentences=[WASHING.sentences[0], ["Never", *WASHING.sentences[1][1:]]])
    for changed in (other, behind):
        assert model.generate([(changed, TEXTS[0][1])])[0] != together[0]


def test_values_have_the_names_of_their_places() -> None:
    change = GeneratedChange(3, "location", "on @", "hand", "in @", 0, 0.5)
    assert change.values({0: "bowl", 3: "egg"}) == ("on hand", "in bowl")
    plain = GeneratedChange(3, "wetness", "dry", None, "wet", None, 0.5)
    assert plain.values({0: "bowl"}) == ("dry", "wet")


def test_pairs_are_words_of_the_window_and_behind_them_what_needs_no_name() -> None:
    reader = load("reader", DEFAULT)
    windows = reader.states([LONG])[0]
    assert len(windows) > 2
    window = windows[1]
    first, count = window.window.first, len(window.window.spans)
    assert 0 < first < window.window.own
    assert window.layers.shape == (count, len(STATE_LAYERS) * reader.size)
    predicate, things = window.window.own, [first, window.window.own + 2, first + count - 1]
    roles = window.roles(predicate)
    pairs = Pairs.of(roles, predicate - first, [thing - first for thing in things], count, 2)
    assert pairs.predicate.tolist() == [predicate - first] * 5
    assert pairs.thing.tolist() == [0, predicate + 2 - first, count - 1, count, count + 1]
    assert pairs.roles.shape == (5, ROLES)
    np.testing.assert_allclose(pairs.roles.sum(axis=1), np.ones(5), rtol=1e-5)
    assert pairs.roles[:, -1].tolist() == [0, 0, 0, 1, 1]
    assert np.array_equal(pairs.roles[:3, :-1], roles[pairs.thing[:3]])
    assert pairs.apart.tolist() == [*(_distance(thing - predicate) for thing in things), 22, 22]
    assert len(Pairs.of(roles, 0, [], count, 2).thing) == 2


def test_what_was_read_is_not_encoded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = load("reader", DEFAULT)
    encoded: list[int] = []
    states = Encoder.states

    def counted(self: Encoder, ids: Sequence[int], types: Sequence[int] = ()) -> list[Array]:
        encoded.append(len(ids))
        return states(self, ids, types)

    monkeypatch.setattr(Encoder, "states", counted)
    alone = [window.layers for window in reader.to("cpu").states([LONG])[0]]
    encoded.clear()
    reader = reader.to("cpu")
    reader.read([LONG, WASHING])
    assert len(encoded) > 1
    encoded.clear()
    again = [window.layers for window in reader.states([LONG])[0]]
    assert not encoded
    assert all(map(np.array_equal, alone, again))
    # What was read long ago is let go.
    monkeypatch.setattr("kgscripts.models.reader.reader._KEPT_WORDS", 10)
    reader.read([text("Wait a while .")])
    encoded.clear()
    reader.states([LONG])
    assert encoded


def test_each_word_counts_in_one_window_and_roles_are_those_of_the_reader() -> None:
    reader = load("reader", DEFAULT)
    for read in (WASHING, LONG):
        windows: list[WindowStates] = reader.states([read])[0]
        for word in range(read.words):
            assert sum(window.is_for(word) for window in windows) == 1
        assert not any(window.is_for(word) or window.has(word) for window in windows for word in (-1, read.words))
        (reading,) = reader.read([read])
        assert len(reading.events) > 1
        for event in reading.events[:9]:
            (window,) = [window for window in windows if window.is_for(event.word)]
            roles = window.roles(event.word)
            for thing in event.things:
                share = float(roles[thing.word - window.window.first, list(PAIRS[GRAPH]).index(thing.label)])
                assert share == pytest.approx(thing.probability, abs=0.002)


_PREPOSITIONS = ("in", "on", "at", "under", "with", "of", "onto", "behind")
_LETTERS = "abcdeghijklmprstuvwxyz-',."
_word = st.text(_LETTERS, min_size=1, max_size=7)


@given(value=st.lists(_word | st.sampled_from(_PREPOSITIONS), max_size=6).map(" ".join))
def test_values_are_what_their_parts_make(value: str) -> None:
    template, thing = split_value(value)
    assert joined_value(template, thing) == value
    assert template.count(SLOT) == (thing != "")


@given(value=st.text(st.characters(exclude_characters=SLOT, exclude_categories=["Cs"]), max_size=30))
def test_any_text_is_a_value(value: str) -> None:
    assert joined_value(*split_value(value)) == value


@given(
    before=st.lists(_word.filter(lambda word: word not in _PREPOSITIONS), max_size=2),
    preposition=st.sampled_from(_PREPOSITIONS),
    thing=st.lists(_word, min_size=1, max_size=3).map(" ".join),
)
def test_the_thing_stands_behind_the_first_preposition(before: list[str], preposition: str, thing: str) -> None:
    rest = {"by", "to", "off", "from", "over", "near", "above", "below", "into", "around", "inside", "outside"}
    if rest & set(before):
        return
    template = " ".join([*before, preposition])
    assert split_value(f"{template} {thing}") == (f"{template} {SLOT}", thing)


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        ("in drawer", ("in @", "drawer")),
        ("covered with mix", ("covered with @", "mix")),
        ("in pot on stove", ("in @", "pot on stove")),
        ("clean", ("clean", "")),
        ("in", ("in", "")),
        ("inside", ("inside", "")),
        ("inside out", ("inside @", "out")),
        ("a b c in d", ("a b c in d", "")),
        ("", ("", "")),
    ],
)
def test_values_by_hand(value: str, parts: tuple[str, str]) -> None:
    assert split_value(value) == parts


def _distance(apart: int) -> int:
    """Each number of words up to eight, up to sixteen, and more; from eleven on the same before the predicate."""
    size = abs(apart)
    number = size if size <= 8 else 9 if size <= 16 else 10
    return number + 11 if apart < 0 else number


@given(apart=st.lists(st.integers(-300, 300), max_size=12))
def test_distances_are_those_of_the_definition(apart: list[int]) -> None:
    found = distance_numbers(np.array(apart, dtype=np.int64), FARTHEST)
    assert found.tolist() == list(map(_distance, apart))
    assert found.max(initial=0) < len(tiny_generator.network().distance.weight) - 1


_share = st.floats(0, 1)


@given(one=_share, other=_share, of_value=_share)
def test_what_the_network_finds_more_probable_is_not_less_probable(one: float, other: float, of_value: float) -> None:
    low, high = sorted((one, other))
    for calibration in (Calibration(), tiny_generator.CALIBRATION):
        found = [calibration.probability(share, of_value) for share in (low, high)]
        assert 0 <= found[0] <= found[1] <= 1
        found = [calibration.probability(of_value, share) for share in (low, high)]
        assert 0 <= found[0] <= found[1] <= 1


@given(share=_share)
def test_without_a_calibration_the_probability_is_that_of_the_attribute(share: float) -> None:
    assert Calibration().probability(share, 0.3) == pytest.approx(share, abs=0.0006)


def test_a_calibration_by_hand() -> None:
    # logit(0.8) = ln 4, and 1 / (1 + exp(-(ln 4 - ln 2))) = 2 / 3.
    assert Calibration(attribute=1.0, value=1.0).probability(0.8, 0.5) == pytest.approx(0.667)
    assert Calibration(bias=math.log(3), attribute=0.0).probability(0.1, 0.1) == pytest.approx(0.75)


@given(probability=_share)
def test_the_level_is_the_surest_that_the_probability_reaches(probability: float) -> None:
    reached = [level for level in Level if probability >= LEAST[level]]
    assert level_of(probability) is (reached[0] if reached else None)
    certain, likely = LEAST[Level.CERTAIN], LEAST[Level.LIKELY]
    assert level_of(certain) is Level.CERTAIN
    assert level_of(math.nextafter(certain, 0)) is level_of(likely) is Level.LIKELY
    assert level_of(math.nextafter(likely, 0)) is None
    own = {Level.CERTAIN: 0.2, Level.LIKELY: 0.1}
    expected = Level.CERTAIN if probability >= 0.2 else Level.LIKELY if probability >= 0.1 else None
    assert level_of(probability, own) is expected


def _content() -> dict[str, Any]:
    return json.loads(json.dumps(attrs.asdict(WORDS)))  # type: ignore[no-any-return]


def test_a_vocabulary_is_read_as_it_was_written() -> None:
    assert ChangeVocabulary.read(_content()) == WORDS
    table = WORDS.of_attribute()
    assert table.shape == (3, 7)
    for number, attribute in enumerate(WORDS.attributes):
        assert table[number].tolist() == [own == attribute for own, _, _ in WORDS.values]


VOCABULARIES: Mapping[str, Mapping[str, Any]] = {
    "an attribute is a number": {"attributes": [7, "location", "wetness"]},
    "a thing is none": {"unnamed": ["person", None, "water"]},
    "a value is a number": {"values": [*map(list, WORDS.values[:-1]), ["fullness", 3, "empty"]]},
    "a value lacks a part": {"values": [*map(list, WORDS.values), ["fullness", "empty"]]},
    "a value has a part more": {"values": [*map(list, WORDS.values), ["fullness", "empty", "full", "x"]]},
    "an attribute without values": {"attributes": [*WORDS.attributes, "color"]},
    "values without an attribute": {"attributes": list(WORDS.attributes[:2])},
    "no values": {"values": []},
    "no attributes": {"attributes": []},
}


@pytest.mark.parametrize("damage", VOCABULARIES)
def test_a_damaged_vocabulary_is_refused(saved: Path, damage: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        ChangeVocabulary.read(_content() | dict(VOCABULARIES[damage]))
    files = {VOCABULARY: json.dumps(_content() | dict(VOCABULARIES[damage])).encode()}
    _refused(attrs.evolve(load_checkpoint(saved), files=files), saved.parent / "damaged")


def _refused(checkpoint: Checkpoint, directory: Path) -> None:
    """Raises AssertionError if the checkpoint loads."""
    save_checkpoint(attrs.evolve(checkpoint, settings={}), directory)
    # Written here, since JSON is read with NaN, but never saved with it.
    config = json.dumps({"kind": checkpoint.kind, "settings": dict(checkpoint.settings)}).encode()
    with_digest(directory, CONFIG, config)
    with pytest.raises(ModelError) as error:
        load("changes", directory)
    assert error.value.remedy
    assert error.value.where


@pytest.mark.parametrize(
    "content",
    [
        *(None, b"", DEEP, b"[]", b"{}", b"7", b"\xff", b'{"attributes": ["\\ud800"], "values": [], "unnamed": []}'),
        *(json.dumps({name: value for name, value in _content().items() if name != lacking}).encode()
          for lacking in ("attributes", "values", "unnamed")),
        *(json.dumps(_content() | {"unnamed": names}).encode() for names in ([], ["person"], [*"abcd"], 3)),
        json.dumps(_content() | {"values": [*_content()["values"], ["location", "in @", "on @"]]}).encode(),
    ],
)  # fmt: skip
def test_odd_vocabularies(saved: Path, content: bytes | None, tmp_path: Path) -> None:
    files = {} if content is None else {VOCABULARY: content}
    _refused(attrs.evolve(load_checkpoint(saved), files=files), tmp_path / "model")


TENSORS: Mapping[str, Callable[[Tensor], Tensor | None]] = {
    "missing": lambda _: None,
    "a row less": lambda tensor: tensor[:-1].clone(),
    "a dimension more": lambda tensor: tensor[None].clone(),
    "empty": lambda tensor: tensor[:0].clone(),
    "NaN": lambda tensor: torch.full(tensor.shape, float("nan")),
    "infinite": lambda tensor: torch.full(tensor.shape, float("inf")),
}


@pytest.mark.parametrize("damage", TENSORS)
def test_damaged_weights(saved: Path, damage: str, tmp_path: Path) -> None:
    checkpoint = load_checkpoint(saved)
    for name in sorted(checkpoint.tensors):
        changed = TENSORS[damage](checkpoint.as_torch()[name])
        tensors = {other: value for other, value in checkpoint.as_torch().items() if other != name}
        if changed is not None:
            tensors[name] = changed
        _refused(attrs.evolve(checkpoint, tensors=tensors), tmp_path / "model")


def test_foreign_weights(saved: Path, tmp_path: Path) -> None:
    checkpoint = load_checkpoint(saved)
    tensors = {**checkpoint.as_torch(), "other.weight": torch.zeros(3)}
    _refused(attrs.evolve(checkpoint, tensors=tensors), tmp_path / "model")


@pytest.mark.parametrize("name", ["inner", "reader_sha256", "calibration"])
def test_odd_settings(saved: Path, name: str, tmp_path: Path) -> None:
    checkpoint = load_checkpoint(saved)
    odd: tuple[object, ...] = (10**12, 0, -1, 24.0, float("-inf"), float("nan"), "hot", [], {}, None)
    for value in odd:
        if name == "calibration" and value == {}:
            continue  # that of no examples
        _refused(attrs.evolve(checkpoint, settings={**checkpoint.settings, name: value}), tmp_path / "model")
    settings = {other: value for other, value in checkpoint.settings.items() if other != name}
    _refused(attrs.evolve(checkpoint, settings=settings), tmp_path / "model")


@pytest.mark.parametrize("value", [1, "hot", None, []])
@pytest.mark.parametrize("name", ["bias", "attribute", "value", "other"])
def test_odd_calibrations(saved: Path, name: str, value: object, tmp_path: Path) -> None:
    checkpoint = load_checkpoint(saved)
    settings = {**checkpoint.settings, "calibration": {**checkpoint.settings["calibration"], name: value}}
    _refused(attrs.evolve(checkpoint, settings=settings), tmp_path / "model")


def test_another_reader_is_named(saved: Path, tmp_path: Path) -> None:
    checkpoint = load_checkpoint(saved)
    other = attrs.evolve(checkpoint, settings={**checkpoint.settings, "reader_sha256": "0" * 64})
    save_checkpoint(other, tmp_path / "model")
    with pytest.raises(ModelError, match="another reader") as error:
        load("changes", tmp_path / "model")
    assert "kgscripts train changes" in str(error.value.remedy)
    assert "0" * 12 in str(error.value)


def test_a_checkpoint_gives_the_same_model(
    saved: Path, together: list[list[list[GeneratedChange]]], tmp_path: Path
) -> None:
    save_checkpoint(load_checkpoint(saved), tmp_path / "copy")
    assert load("changes", tmp_path / "copy").generate(TEXTS[:3]) == together[:3]
    for name in (CONFIG, WEIGHTS, CARD, VOCABULARY):
        assert (tmp_path / "copy" / name).read_bytes() == (saved / name).read_bytes()


def test_the_model_of_a_checkpoint_is_nearly_that_of_its_network(
    model: ChangeGenerator, together: list[list[list[GeneratedChange]]]
) -> None:
    """Weights are stored in half precision."""
    weights = {name: value.numpy() for name, value in tiny_generator.network().state_dict().items()}
    made = ChangeGenerator(
        ChangeHeads(weights), load("reader", DEFAULT), WORDS, tiny_generator.CALIBRATION, model.model
    )
    plain = {(change.thing, change.attribute): change for change in made.generate(TEXTS[:1])[0][0]}
    stored = {(change.thing, change.attribute): change for change in together[0][0]}
    shared = plain.keys() & stored.keys()
    assert len(shared) > 0.9 * len(plain.keys() | stored.keys())
    for key in shared:
        assert plain[key].probability == pytest.approx(stored[key].probability, abs=0.02)


def test_other_weights_give_other_changes(tmp_path: Path, together: list[list[list[GeneratedChange]]]) -> None:
    save_checkpoint(tiny_generator.checkpoint(seed=1), tmp_path / "model")
    assert load("changes", tmp_path / "model").generate(TEXTS[:1]) != together[:1]


def test_weights_as_large_as_they_can_be_still_generate(saved: Path, tmp_path: Path) -> None:
    """A strange model may find nothing, but breaks nothing."""
    checkpoint = load_checkpoint(saved)
    largest = {name: np.full_like(tensor, 60_000.0) for name, tensor in checkpoint.tensors.items()}
    save_checkpoint(attrs.evolve(checkpoint, tensors=largest), tmp_path / "model")
    for change in _every(load("changes", tmp_path / "model").generate(TEXTS[:3])):
        assert 0 <= change.probability <= 1
