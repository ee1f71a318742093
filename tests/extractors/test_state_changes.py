"""State changes of documents for models that answer in a fixed way; the events are those of the shipped pipeline."""

from __future__ import annotations

import math
import pickle
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from attrs import define, field
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.building.reading import parse_documents
from kgscripts.corpora.formats import documents_from_strings
from kgscripts.extractors.changes.state_changes import StateChangeExtractor, StateChangeSettings
from kgscripts.extractors.changes.words import head, normalised, noun_phrase, value
from kgscripts.extractors.protocol import ParsedDocument
from kgscripts.reproductions.openpi.units import CONTEXT, MOST_WORDS
from schemas.changes import Change, Level, PredictedChange, ProcedureStep
from schemas.provenance import Model
from schemas.records import Discard, DiscardReason, Document, EventMention, Record, StateChange
from tests.extractors.fixed_weights import BY_MODEL, BY_VERB, by_model, rate
from tests.extractors.parses import with_events

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

    def considered(self, steps: Sequence[ProcedureStep]) -> list[list[PredictedChange]]:
        return self.predict(steps)


@pytest.fixture(autouse=True)
def _rated_by_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    rate(monkeypatch, BY_MODEL)


def _parsed(*texts: str | Mapping[str, Any]) -> list[ParsedDocument]:
    documents = [item for item in documents_from_strings(texts) if isinstance(item, Document)]
    assert len(documents) == len(texts)
    parses = [tuple(found) for found in parse_documents(documents, None)]
    return with_events([ParsedDocument(document, found) for document, found in zip(documents, parses, strict=True)])


def _read(model: FixedModel, *texts: str | Mapping[str, Any]) -> list[Sequence[Record]]:
    return StateChangeExtractor(model).read(_parsed(*texts))


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
    model = FixedModel()
    pair = {"abstract": "Drain the pasta.", "concrete": "Put a colander into the sink. Pour the pasta into it."}
    known = {
        "Put a colander into the sink.": [_change("pasta", "wetness")],
        "Pour the pasta into it.": [_change("pasta", "weight", "heavier")],
    }
    (first, second) = _changes(FixedModel(known), pair)
    _read(model, pair)
    assert [step.text for step in model.seen] == ["Put a colander into the sink.", "Pour the pasta into it."]
    assert first.mentioned is None
    assert second.mentioned is not None


def test_lists_of_needs_are_not_read_but_mention_things() -> None:
    text = "You will need: a spade, two stakes\n\nStep 1: Dig a hole.\nStep 2: Plant the tree\n"
    model = FixedModel(
        {"Dig a hole.": [_change("spade", "cleanliness")], "Plant the tree": [_change("spade", "state", "muddy")]}
    )
    changes = _changes(model, text)
    assert [step.text for step in model.seen] == ["Dig a hole.", "Plant the tree"]
    assert [text[item.mentioned.start : item.mentioned.end] for item in changes if item.mentioned] == ["spade"] * 2


def test_words_are_normalised_and_equal_changes_are_one() -> None:
    again = Change(entity="shirt", attribute="wetness", before="", after="Wet")
    (record,) = _changes(FixedModel(default=[_WET, again]), _steps("Wash the shirts."))
    assert (record.entity, record.attribute, record.before, record.after) == ("shirt", "wetness", "dry", "wet")
    assert record.probability == by_model(1 - (1 - math.exp(-0.1)) * (1 - math.exp(-0.2)))
    assert record.level is Level.CERTAIN


@pytest.mark.parametrize(
    ("settings", "level"),
    [
        (StateChangeSettings(), Level.CERTAIN),
        (StateChangeSettings(least_certain=0.98), Level.CERTAIN),
        (StateChangeSettings(least_certain=0.99), Level.LIKELY),
        (StateChangeSettings(least_certain=1.0, least_likely=0.98), Level.LIKELY),
        (StateChangeSettings(least_certain=0.99, least_likely=0.99), None),
        (StateChangeSettings(least_certain=1.0, least_likely=1.0), None),
    ],
)
def test_settings_say_how_probable_a_level_is(settings: StateChangeSettings, level: Level | None) -> None:
    extractor = StateChangeExtractor(FixedModel(), settings=settings)
    records = extractor.read(_parsed(_steps("Wash the shirts.")))[0]
    assert [record.level for record in records if isinstance(record, StateChange)] == ([level] if level else [])


@pytest.mark.parametrize("wrong", [{"least_certain": 1.5}, {"least_likely": -0.1}])
def test_a_level_has_a_probability(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        StateChangeSettings(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("step", "change", "event"),
    [
        ("Open the door and wash the shirt.", _change("shirt", "wetness"), "wash shirt"),
        ("Open the door and wash the shirt.", _change("the doors", "state"), "open door"),
        ("Take the shirt and wash the shirt.", _change("shirt", "location", "off"), "take shirt"),
        ("Take the shirt and wash the shirt.", _change("shirt", "wetness"), "wash shirt"),
        ("Cut the onion with a knife. Boil the water.", _change("knife", "cleanliness"), "cut onion"),
        ("Cut the onion and put the onion into the pan.", _change("pan", "fullness"), "put onion into pan"),
        ("Add salt and pepper.", _change("pepper", "amount"), "add pepper"),
        ("Boil the water and drain the pasta.", _change("stove", "temperature"), "boil water"),
        ("Two cups of sugar.", _change("sugar", "amount"), None),
    ],
)
def test_a_change_hangs_on_the_event_that_brings_it_about(step: str, change: Change, event: str | None) -> None:
    (parsed,) = _parsed(_steps("Get ready.", step))
    (record,) = [
        record
        for record in StateChangeExtractor(FixedModel({step: [change]}, ())).read([parsed])[0]
        if isinstance(record, StateChange)
    ]
    assert (record.action.label if record.action else None) == event
    if record.action is None:
        assert parsed.document.text[record.start : record.end] == step
    else:
        mentions = {(mention.action, mention.start, mention.end) for mention in parsed.records[EventMention]}  # type: ignore[attr-defined]
        assert (record.action, record.start, record.end) in mentions


@pytest.mark.parametrize(
    ("step", "parts", "event", "otherwise"),
    [
        ("Open the window and put the cup on the table.", ("hand", "fullness", "empty"), "put cup on table", 0),
        ("Open the window and put the cup on the table.", ("cup", "location", "on table"), "put cup on table", 1),
        ("Wash the pan and switch on the lamp.", ("room", "brightness", "bright"), "switch on lamp", 0),
        ("Wash the pan and switch on the lamp.", ("water", "cleanliness", "dirty"), "wash pan", 0),
        ("Fill the kettle with water. Boil the water.", ("steam", "existence", "present"), "boil water", 0),
    ],
)
def test_a_change_by_a_verb_hangs_on_the_event_of_the_verb(
    step: str, parts: tuple[str, str, str], event: str, otherwise: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`otherwise` is the number of the event on which a change of the entity hangs that no verb says."""
    (parsed,) = _parsed(_steps(step))
    mentions = parsed.records[EventMention]
    (other,) = _changes(FixedModel(default=[_change(parts[0], "state")]), _steps(step))
    assert other.action == mentions[otherwise].action  # type: ignore[attr-defined]
    rate(monkeypatch, BY_VERB)
    read = _changes(FixedModel(default=()), _steps(step))
    (record,) = [item for item in read if (item.entity, item.attribute, item.after) == parts]
    assert record.action is not None
    assert (record.action.label, record.probability) == (event, by_model(1))


def test_what_the_verbs_say_is_read_of_other_steps_than_what_the_model_says(monkeypatch: pytest.MonkeyPatch) -> None:
    rate(monkeypatch, BY_VERB)
    model = FixedModel({"Wash the pan.": [_change("sponge", "color")]}, ())
    records = _changes(model, _steps("Wash the pan.", "Two cups of sugar.", "Do not open the door."))
    assert {record.action.label for record in records if record.action} == {"wash pan"}
    assert {record.entity for record in records} >= {"pan", "water"}
    assert "sponge" not in {record.entity for record in records}


@pytest.mark.parametrize(
    ("entity", "expected"),
    [("shirts", (1, "shirt")), ("white shirt", (1, "shirt")), ("basket", (0, "basket")), ("dryer", None)],
)
def test_where_the_entity_is_mentioned(entity: str, expected: tuple[int, str] | None) -> None:
    steps = [
        "Put the shirts into a basket.",
        "Wash the basket, then wash the shirt.",
        "Hang the shirt up in the dryer.",
    ]
    if entity == "basket":
        steps[1] = "Wash the shirt."
    text = "\n".join(steps) + "\n"
    record = next(
        item
        for item in _changes(FixedModel({steps[1]: [_change(entity, "state")]}, ()), _steps(*steps))
        if item.attribute == "state"
    )
    found = record.mentioned
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert text[found.start : found.end].startswith(expected[1])
        starts = [0, len(steps[0]) + 1, len(steps[0]) + len(steps[1]) + 2]
        assert starts[expected[0]] <= found.start < starts[expected[0] + 1]


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
    texts = _parsed(_steps(*steps), "I drained the pasta.", _steps("Boil the water in the kettle.", "Wait."))
    together = StateChangeExtractor().read(texts)
    assert any(together)
    assert together == [StateChangeExtractor().read([text])[0] for text in texts]


def test_a_step_of_5000_words_is_read_sentence_by_sentence() -> None:
    model = FixedModel()
    _read(model, _steps("Wash the shirt. " * 1700))
    assert {step.text for step in model.seen} == {"Wash the shirt."}
    assert len(model.seen) == 1700


def test_only_the_read_part_of_a_long_sentence_counts() -> None:
    model = FixedModel(default=[_change("shirt", "wetness"), _change("towel", "wetness")])
    step = "Wash " + "the white shirt and " * 100 + "the towel."
    records = _read(model, _steps(step))[0]
    (discard,) = [record for record in records if isinstance(record, Discard)]
    assert discard.reason is DiscardReason.TOO_LONG
    assert [len(seen.text.split()) for seen in model.seen] == [MOST_WORDS]
    changes = [record for record in records if isinstance(record, StateChange)]
    assert {item.entity for item in changes if item.mentioned is None} == {"towel"}
    assert all(item.mentioned.end <= (discard.start or 0) for item in changes if item.mentioned)


def test_a_procedure_of_500_steps_and_one_of_one() -> None:
    model = FixedModel()
    long, short = _read(model, _steps(*["Wash the shirts."] * 500), _steps("Wash the shirts."))
    assert len(model.seen) == 501
    assert len(long) == 1  # What the first step changes holds in the others.
    assert len(short) == 1
    assert max(len(step.context) for step in model.seen) == CONTEXT


def test_nothing_is_loaded_for_texts_without_units() -> None:
    extractor = StateChangeExtractor()
    assert extractor.read(_parsed("The sky was blue.")) == [[]]
    assert extractor.model is None
    pickle.loads(pickle.dumps(extractor))


def test_probabilities_of_records_are_finite() -> None:
    @define
    class Odd(FixedModel):
        def considered(self, steps: Sequence[ProcedureStep]) -> list[list[PredictedChange]]:
            certain = PredictedChange(change=_WET, log_probability=1e-9)
            impossible = PredictedChange(change=_change("sock", "state"), log_probability=float("-inf"))
            return [[certain, impossible] for _ in steps]

    everything = StateChangeSettings(least_likely=0.0)
    records = StateChangeExtractor(Odd(), settings=everything).read(_parsed(_steps("Wash the shirts.")))[0]
    found = {(item.entity, item.attribute): item for item in records if isinstance(item, StateChange)}
    assert (found["shirt", "wetness"].probability, found["sock", "state"].probability) == (by_model(1), by_model(0))
    assert found["sock", "state"].level is Level.LIKELY
