"""State changes in an open vocabulary for models that answer in a fixed way; the events are those of the shipped
pipeline."""

from __future__ import annotations

import math
import pickle
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from attrs import define, field
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.extractors.changes.words import head, normalised, noun_phrase, value
from kgscripts.models.registry import describe
from kgscripts.reproductions.openpi.extractor import OpenChangeExtractor, OpenChangeSettings
from kgscripts.reproductions.openpi.units import CONTEXT, MOST_WORDS
from schemas.changes import Change, Level, PredictedChange, ProcedureStep
from schemas.provenance import Model
from schemas.records import Discard, DiscardReason, EventMention, Record, StateChange
from tests.extractors.parses import parsed_texts

_MODEL = Model(name="fixed", version="1", digest="0" * 64, task="state changes")
_WET = Change(entity="the Shirts", attribute="wetness", before="the dry", after="wet")


@define
class FixedModel:
    """Predicts the same changes for every step that it knows some of, and for all others what `default` says."""

    changes: Mapping[str, Sequence[Change]] = field(factory=dict)
    default: Sequence[Change] = (_WET,)
    model: Model = _MODEL
    seen: list[ProcedureStep] = field(factory=list)

    def predict(self, steps: Sequence[ProcedureStep]) -> list[list[PredictedChange]]:
        self.seen += steps
        return [
            [
                PredictedChange(change=change, log_probability=-0.1 * (number + 1))
                for number, change in enumerate(self.changes.get(step.text, self.default))
            ]
            for step in steps
        ]


def _read(model: FixedModel, *texts: str | Mapping[str, Any]) -> list[Sequence[Record]]:
    return OpenChangeExtractor(model).read(parsed_texts(*texts))


def _changes(model: FixedModel, text: str | Mapping[str, Any]) -> list[StateChange]:
    return [record for record in _read(model, text)[0] if isinstance(record, StateChange)]


def _steps(*steps: str) -> dict[str, Any]:
    return {"id": "procedure", "title": "How to do laundry", "steps": list(steps)}


def _change(entity: str, attribute: str, after: str = "new") -> Change:
    return Change(entity=entity, attribute=attribute, before="old", after=after)


def test_a_step_has_its_context_and_its_title() -> None:
    model = FixedModel()
    steps = [f"Wash the shirt number {number}." for number in range(CONTEXT + 3)]
    _read(model, _steps(*steps))
    assert [step.text for step in model.seen] == steps
    assert model.seen[0].context == ()
    assert model.seen[2].context == tuple(steps[:2])
    assert model.seen[-1].context == tuple(steps[-1 - CONTEXT : -1])
    assert {step.title for step in model.seen} == {"How to do laundry"}


def test_of_prose_the_sentences_with_events_are_read() -> None:
    model = FixedModel()
    _read(model, "The sky was blue. I washed the shirt. I did not iron it.\nIf it rains, we will stay. She dried it.")
    assert [step.text for step in model.seen] == ["I washed the shirt.", "She dried it."]


@pytest.mark.parametrize(
    ("step", "is_read"),
    [
        ("Wash the shirt.", True),
        ("Two cups of sugar.", True),
        ("Do not wash the shirt.", False),
        ("Never iron silk.", False),
        ("Не стирайте рубашку.", False),
        ("把衬衫放进洗衣机里。", False),
        ("🙂🙂", False),
        ("220", False),
        ("Wash the shirt 🙂.", True),
        ("Purée the crème brûlée.", True),
    ],
)
def test_steps_that_are_read(step: str, is_read: bool) -> None:
    model = FixedModel()
    _read(model, _steps(step, "Dry the shirt."))
    assert (step in [seen.text for seen in model.seen]) == is_read


def test_of_a_pair_the_concrete_side_is_read() -> None:
    pair = {"abstract": "Drain the pasta.", "concrete": "Put a colander into the sink. Pour the pasta into it."}
    model = FixedModel(
        {
            "Put a colander into the sink.": [_change("pasta", "wetness")],
            "Pour the pasta into it.": [_change("pasta", "weight", "heavier")],
        }
    )
    (first, second) = _changes(model, pair)
    assert [step.text for step in model.seen] == ["Put a colander into the sink.", "Pour the pasta into it."]
    assert [change.action.label for change in (first, second) if change.action] == [
        "put colander into sink",
        "pour pasta",
    ]


def test_lists_of_needs_are_not_read() -> None:
    text = "You will need: a spade, two stakes\n\nStep 1: Dig a hole.\nStep 2: Plant the tree\n"
    model = FixedModel({"Dig a hole.": [_change("spade", "cleanliness")]}, ())
    (change,) = _changes(model, text)
    assert [step.text for step in model.seen] == ["Dig a hole.", "Plant the tree"]
    assert (change.entity, change.mentioned) == ("spade", None)
    assert text[change.start : change.end].startswith("Dig")


def test_words_are_normalised_and_of_each_attribute_the_most_probable_change_is_read() -> None:
    again = Change(entity="shirt", attribute="wetness", before="", after="Soaked")
    records = _changes(FixedModel(default=[_WET, again, _change("shirt", "color")]), _steps("Wash the shirts."))
    assert [(record.entity, record.attribute, record.before, record.after) for record in records] == [
        ("shirt", "wetness", "dry", "wet"),
        ("shirt", "color", "old", "new"),
    ]
    assert [record.probability for record in records] == pytest.approx([math.exp(-0.1), math.exp(-0.3)], abs=1e-3)


def test_all_changes_are_likely_ones_without_a_mention() -> None:
    records = _changes(FixedModel(), _steps(*["Wash the shirts."] * 3))
    assert len(records) == 3
    assert {(record.level, record.mentioned) for record in records} == {(Level.LIKELY, None)}


@pytest.mark.parametrize(
    ("step", "change", "event"),
    [
        ("Open the door and wash the shirt.", _change("shirt", "wetness"), "wash shirt"),
        ("Open the door and wash the shirt.", _change("the doors", "state"), "open door"),
        ("Open the door and wash the shirt.", _change("white shirt", "state"), "wash shirt"),
        ("Take the shirt and wash the shirt.", _change("shirt", "wetness"), "take shirt"),
        ("Boil the water. Cut the onion with a knife.", _change("knife", "cleanliness"), "cut onion"),
        ("Cut the onion and put the onion into the pan.", _change("pan", "fullness"), "put onion into pan"),
        ("Add salt and pepper.", _change("pepper", "amount"), "add pepper"),
        ("Boil the water and drain the pasta.", _change("stove", "temperature"), "boil water"),
        ("Two cups of sugar.", _change("sugar", "amount"), None),
    ],
)
def test_a_change_hangs_on_the_first_event_that_names_the_entity(step: str, change: Change, event: str | None) -> None:
    (parsed,) = parsed_texts(_steps("Get ready.", step))
    (record,) = [
        record
        for record in OpenChangeExtractor(FixedModel({step: [change]}, ())).read([parsed])[0]
        if isinstance(record, StateChange)
    ]
    assert (record.action.label if record.action else None) == event
    if record.action is None:
        assert parsed.document.text[record.start : record.end] == step
    else:
        mentions = {(mention.action, mention.start, mention.end) for mention in parsed.records_of(EventMention)}
        assert (record.action, record.start, record.end) in mentions


@pytest.mark.parametrize(
    "change",
    [
        Change(entity="the", attribute="wetness", before="dry", after="wet"),
        Change(entity="it", attribute="wetness", before="dry", after="wet"),
        Change(entity="?!", attribute="wetness", before="dry", after="wet"),
        Change(entity="shirt", before="dry", after="wet"),
        Change(entity="shirt", attribute="wetness", before="dry"),
        Change(entity="shirt", attribute="wetness", before="The  sink", after="the sink."),
        Change(entity="shirt", attribute="location", before="down", after="up"),
    ],
)
def test_what_says_no_change_gives_none(change: Change) -> None:
    assert normalised(change) is None
    assert _changes(FixedModel(default=[change]), _steps("Wash the shirt.")) == []


@pytest.mark.parametrize(
    ("phrase", "expected", "its_head"),
    [
        ("The Eggs", "egg", "egg"),
        ("your wheel nuts", "wheel nut", "nut"),
        ("the edges of the leaves", "edge of leaves", "edge"),
        ("scissors", "scissors", "scissors"),
        ("children's  knives", "children's knife", "knife"),
        ("glass", "glass", "glass"),
        ("Рубашка", "рубашка", "рубашка"),
        ("", "", ""),
    ],
)
def test_noun_phrases(phrase: str, expected: str, its_head: str) -> None:
    assert noun_phrase(phrase) == expected
    assert head(noun_phrase(phrase)) == its_head


def test_values_keep_their_words() -> None:
    assert value("In the  Sinks.") == "in sinks"
    assert value("the") == "the"


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
@settings(max_examples=60)
def test_normalising_twice_is_normalising_once(entity: str, attribute: str, after: str) -> None:
    found = normalised(Change(entity=entity or "x", attribute=attribute, before="", after=after))
    assert found is None or normalised(found) in (found, None)


def test_documents_are_read_alike_alone_and_together() -> None:
    texts: list[str | Mapping[str, Any]] = [
        _steps("Wash the shirt.", "Dry it."),
        "I washed the shirt.",
        _steps("Do not wash the shirt."),
    ]
    together = _read(FixedModel(), *texts)
    assert together == [_read(FixedModel(), text)[0] for text in texts]
    assert [len(records) for records in together] == [2, 1, 0]


def test_the_shipped_model_reads_documents_alike_alone_and_together() -> None:
    steps = [f"Put the {thing} into the sink and wash the {thing}." for thing in ("cup", "plate", "spoon") * 3]
    texts = parsed_texts(_steps(*steps), "I drained the pasta.", _steps("Boil the water in the kettle.", "Wait."))
    together = OpenChangeExtractor().read(texts)
    assert all(together)
    assert together == [OpenChangeExtractor().read([text])[0] for text in texts]


def test_a_step_of_1500_words_is_read_sentence_by_sentence() -> None:
    model = FixedModel()
    _read(model, _steps("Wash the shirt. " * 500))
    assert {step.text for step in model.seen} == {"Wash the shirt."}
    assert len(model.seen) == 500


def test_only_the_read_part_of_a_long_sentence_counts() -> None:
    model = FixedModel()
    step = "Wash " + "the white shirt and " * 100 + "the towel."
    records = _read(model, _steps(step))[0]
    (discard,) = [record for record in records if isinstance(record, Discard)]
    assert discard.reason is DiscardReason.TOO_LONG
    assert discard.start is not None
    assert discard.end == len(step)
    (seen,) = model.seen
    assert len(seen.text.split()) == MOST_WORDS
    assert seen.text == " ".join(step[: discard.start].split())


def test_a_procedure_of_500_steps_and_one_of_one() -> None:
    model = FixedModel()
    long, short = _read(model, _steps(*["Wash the shirts."] * 500), _steps("Wash the shirts."))
    assert (len(long), len(short), len(model.seen)) == (500, 1, 501)
    assert max(len(step.context) for step in model.seen) == CONTEXT


def test_nothing_is_loaded_for_texts_without_units() -> None:
    extractor = OpenChangeExtractor()
    assert extractor.read(parsed_texts("The sky was blue.")) == [[]]
    assert extractor.model is None
    pickle.loads(pickle.dumps(extractor))


def test_the_model_is_part_of_what_was_read_with() -> None:
    assert OpenChangeExtractor(FixedModel()).networks == (_MODEL,)
    for name in ("default", "retrieval"):
        extractor = OpenChangeExtractor(settings=OpenChangeSettings(model=name))
        assert extractor.networks == (describe(name, "state-changes"),)


def test_probabilities_of_records_are_finite() -> None:
    @define
    class Odd(FixedModel):
        def predict(self, steps: Sequence[ProcedureStep]) -> list[list[PredictedChange]]:
            certain = PredictedChange(change=_WET, log_probability=1e-9)
            impossible = PredictedChange(change=_change("sock", "state"), log_probability=float("-inf"))
            return [[certain, impossible] for _ in steps]

    records = _changes(Odd(), _steps("Wash the shirts."))
    assert {record.entity: record.probability for record in records} == {"shirt": 1.0, "sock": 0.0}
