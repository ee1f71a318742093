"""Steps as pieces and nouns: what is read of them, and where the nouns are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc

from kgscripts.reproductions.openpi.composer import inputs as change_inputs
from kgscripts.reproductions.openpi.composer.inputs import (
    FEATURES,
    MOST_NOUNS,
    StepInput,
    batch_of,
    places_of,
    step_inputs,
)
from kgscripts.reproductions.openpi.composer.vocabulary import plain
from kgscripts.reproductions.torch_networks.bert import shared_bert
from kgscripts.text.pipeline import load_pipeline
from schemas.changes import ProcedureStep


def read(*steps: ProcedureStep) -> list[StepInput]:
    return list(step_inputs(steps, shared_bert()))


def sections(item: StepInput) -> list[list[int]]:
    """The pieces of step, title and context."""
    start, end = item.title
    return [list(item.ids[1 : start - 1]), list(item.ids[start:end]), list(item.ids[end + 1 : -1])]


def pieces_of(text: str) -> list[int]:
    return list(shared_bert().tokenizer.encode(text, add_special_tokens=False).ids)


def texts_of(item: StepInput, step: ProcedureStep) -> dict[str, list[str]]:
    """Each noun with the plain characters of step or context that its pieces cover."""
    context = " ".join(step.context)
    end = item.title[1]
    spans = []
    for text, first, count in ((step.text, 1, item.title[0] - 2), (context, end + 1, len(item.ids) - end - 2)):
        offsets = shared_bert().tokenizer.encode(text, add_special_tokens=False).offsets
        offsets = offsets[:count] if first == 1 else offsets[len(offsets) - count :]
        spans.append({place: (text, *offset) for place, offset in enumerate(offsets, first)})
    places = spans[0] | spans[1]
    found: dict[str, list[str]] = {}
    for noun in item.nouns:
        for start, behind in noun.pieces:
            text, left, _ = places[start]
            found.setdefault(noun.noun, []).append(plain(text[left : places[behind - 1][2]]))
    return found


def check(item: StepInput, step: ProcedureStep) -> None:
    """All that holds of any input."""
    encoder = shared_bert()
    start, end = item.title
    own, title, context = sections(item)
    assert own == pieces_of(step.text)[:90]
    assert title == pieces_of(step.title)[:12]
    assert context == pieces_of(" ".join(step.context))[-60:]
    assert [item.ids[at] for at in (0, start - 1, end, len(item.ids) - 1)] == [encoder.start, *[encoder.separator] * 3]
    assert list(item.types) == [0] * start + [1] * (len(item.ids) - start)
    assert len(item.nouns) == len({noun.noun for noun in item.nouns}) <= MOST_NOUNS
    for noun in item.nouns:
        assert len(noun.features) == FEATURES
        assert all(0 <= value <= 1 for value in noun.features)
        # Within the step or within the context.
        assert all(0 < a < b < start or end < a < b < len(item.ids) for a, b in noun.pieces)
        assert noun.features[0] == (noun.pieces[0][0] < start)
    covered = texts_of(item, step)
    for noun in item.nouns:
        for (a, b), text in zip(noun.pieces, covered[noun.noun], strict=True):
            # Of a noun where the step is cut off, or the context begins, a part is read.
            is_cut = b == start - 1 or a == end + 1
            assert letters(noun.noun) in letters(text) or (is_cut and letters(text) in letters(noun.noun))


def letters(text: str) -> str:
    """Without marks and format characters, which have no pieces."""
    return "".join(char for char in text if char.isalnum())


def test_nouns_point_at_their_words() -> None:
    step = ProcedureStep(
        text="Pour the beaten eggs into the hot frying pan.",
        context=("Crack two eggs into a bowl.", "Put a pan on the stove."),
        title="Make an Omelette",
    )
    (item,) = read(step)
    check(item, step)
    found = texts_of(item, step)
    assert {noun: set(texts) for noun, texts in found.items()} == {noun: {noun} for noun in found}
    assert {"eggs", "pan", "bowl", "stove"} <= found.keys()
    assert "omelette" not in found
    assert len(found["eggs"]) == len(found["pan"]) == 2
    features = {noun.noun: noun.features for noun in item.nouns}
    assert features["stove"] == (0.0, 1.0, 0.25, 0.0, 1.0)
    # Named first by the step, without its modifiers there, but alone in the context.
    assert features["pan"] == (1.0, 1.0, 0.5, 0.0, 1.0)
    assert features["frying pan"] == (1.0, 0.0, 0.25, 1.0, 1.0) or "hot frying pan" not in features
    assert [noun.features[0] for noun in item.nouns] == sorted((noun.features[0] for noun in item.nouns), reverse=True)


FOODS = (
    *("egg", "pan", "pot", "cup", "bowl", "fork", "corn", "rice", "milk", "fish", "meat", "salt", "wine", "beer"),
    *("cake", "bread", "sugar", "water", "oil", "cheese", "butter", "apple", "orange", "lemon", "onion", "garlic"),
)
STEPS = [
    ProcedureStep(text=" "),
    ProcedureStep(text="!!"),
    ProcedureStep(text="🍳 Fry the 🥚 eggs🍳in a pan 👩‍🍳.", context=("🍅" * 100,), title="🍕"),
    ProcedureStep(text="鍋を火にかける。", context=("Поставьте кастрюлю на плиту.",), title="خبز"),
    ProcedureStep(text="Brûler la crème, and stir the CRÈME e\u0301paisse\u200b with a spoon.\u202e"),
    ProcedureStep(text="İstanbul's ﬁsh, ﬁne ﬂour & 10ml/2tsp of half-and-half (non-dairy) milk."),
    ProcedureStep(text="The the a an the."),
    ProcedureStep(text="a\x00b\tpan\npot\r\nknife " * 3),
    ProcedureStep(text="x" * 5000 + " pan", context=("pot " + "y" * 5000,)),
    ProcedureStep(text="Stir the soup with a spoon. " * 1000, context=("Cut the leek.",) * 300, title="Cook " * 100),
    ProcedureStep(text="Wash it.", context=("Take the knife.", *["Cut the leek."] * 40)),
    ProcedureStep(text=f"Take {' and the '.join(FOODS)}.", context=("Take the knife.",)),
    ProcedureStep(text="Mix.", title="The Pan", context=("",)),
]


@pytest.mark.parametrize("place", range(len(STEPS)))
def test_odd_steps(place: int) -> None:
    check(read(STEPS[place])[0], STEPS[place])


def test_a_step_is_read_alike_whatever_comes_along() -> None:
    assert read(*STEPS[::-1]) == [read(step)[0] for step in STEPS[::-1]]
    assert read() == []


def test_a_long_context_loses_its_beginning() -> None:
    item, whole = read(STEPS[10], ProcedureStep(text="Wash it.", context=("Take the knife.",)))
    assert "knife" not in {noun.noun for noun in item.nouns}
    assert "knife" in {noun.noun for noun in whole.nouns}


def test_the_beginning_of_a_long_context_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    context = ("Take the red knife.", *(f"Cut the leek in {at} pieces, and wash them." for at in range(300)))
    step = ProcedureStep(text="Wash it.", context=context)
    parsed = list[str]()
    plain_pipe = load_pipeline().pipe

    def pipe(texts: Iterable[str], **options: Any) -> Iterator[Doc]:
        parsed[:] = texts
        return plain_pipe(parsed, **options)

    monkeypatch.setattr(load_pipeline(), "pipe", pipe)
    (item,) = read(step)
    assert max(len(text.split()) for text in parsed) < 120
    monkeypatch.setattr(change_inputs, "_CONTEXT_WORDS", 10_000)
    assert [item] == read(step)


@pytest.mark.parametrize(
    ("long", "short"),
    [
        (ProcedureStep(text="Fill the pot. " * 80_000), ProcedureStep(text="Fill the pot. " * 100)),
        (ProcedureStep(text="Go!", title="Tea " * 300_000), ProcedureStep(text="Go!", title="Tea " * 100)),
        (
            ProcedureStep(text="Go!", context=("Fill the pot with a cup. " * 50_000,)),
            ProcedureStep(text="Go!", context=("Fill the pot with a cup. " * 100,)),
        ),
        (ProcedureStep(text="x" * 1_100_000), ProcedureStep(text="x" * 10_000)),
        (ProcedureStep(text=" " * 1_100_000), ProcedureStep(text=" ")),
    ],
)
def test_texts_beyond_the_limit_of_spacy_are_read(long: ProcedureStep, short: ProcedureStep) -> None:
    assert read(long) == read(short)


def test_nouns_of_the_step_are_kept_first() -> None:
    (item,) = read(STEPS[11])
    assert len(item.nouns) == MOST_NOUNS
    assert all(noun.features[0] == 1.0 for noun in item.nouns)


_PARTS = st.sampled_from(
    ["red pan", "the eggs", "a 🍳", "crème", "in", "cut", "鍋", "10ml", "half-and-half", ",", ".", "\u0301", "İ", "  "]
)
_TEXTS = st.lists(_PARTS, min_size=1, max_size=20).map(" ".join)


@settings(max_examples=25)
@given(_TEXTS, st.lists(_TEXTS, max_size=4), _TEXTS)
def test_any_step(text: str, context: Sequence[str], title: str) -> None:
    step = ProcedureStep(text=text, context=tuple(context), title=title)
    check(read(step)[0], step)


def test_places_in_a_vocabulary() -> None:
    inputs = read(ProcedureStep(text="Put the egg into a pan."), ProcedureStep(text="Go!"))
    places = places_of(inputs, {"pan": 7, "pot": 1})
    assert places.shape == (2, MOST_NOUNS)
    nouns = [noun.noun for noun in inputs[0].nouns]
    assert places[0, nouns.index("pan")] == 7
    assert places.sum() == 7 - (2 * MOST_NOUNS - 1)


def test_a_batch_is_padded() -> None:
    inputs = read(STEPS[2], STEPS[0])
    batch = batch_of(inputs, 100)
    for row, item in enumerate(inputs):
        size = len(item.ids)
        assert batch.ids[row].tolist() == [*item.ids, *[0] * (100 - size)]
        assert batch.types[row].tolist() == [*item.types, *[0] * (100 - size)]
        assert batch.attention[row].tolist() == [1] * size + [0] * (100 - size)
        for place, noun in enumerate(item.nouns):
            covered = {at for start, end in noun.pieces for at in range(start, end)}
            assert set(batch.weights[row, place].nonzero()[:, 0].tolist()) == covered
