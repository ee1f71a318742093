"""State changes of events for a generator that answers in a fixed way; the events are those of the shipped pipeline."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from attrs import evolve

from kgscripts.extractors.changes.state_changes import StateChangeExtractor, StateChangeSettings
from kgscripts.models.registry import describe
from schemas.changes import Level
from schemas.records import Action, Argument, EventMention, Record, Role, StateChange, Tool
from tests.extractors.fixed_generator import FixedGenerator, Told
from tests.extractors.parses import parsed_texts

BULBS = "I unscrewed the old bulb. I screwed in the new bulb."


def _read(generator: FixedGenerator, *texts: str | Mapping[str, Any]) -> list[Sequence[Record]]:
    return StateChangeExtractor(generator).read(parsed_texts(*texts))


def _changes(generator: FixedGenerator, text: str | Mapping[str, Any]) -> list[StateChange]:
    return [record for record in _read(generator, text)[0] if isinstance(record, StateChange)]


def _steps(*steps: str) -> dict[str, Any]:
    return {"id": "procedure", "title": "How to do laundry", "steps": list(steps)}


def _told(thing: str, attribute: str = "color", before: str = "", after: str = "green") -> Told:
    return thing, attribute, before, after, 0.9


def _in_words(record: StateChange) -> tuple[str, str, str, str]:
    return record.entity, record.attribute, record.before, record.after


def test_an_event_is_read_with_the_nouns_of_its_sentence_and_all_others() -> None:
    generator = FixedGenerator()
    _read(generator, _steps("Put the shirts into a basket.", "It is blue.", "Wash them in the machine."))
    ((text, queries),) = generator.seen
    assert text.title == "How to do laundry"
    assert [text.all_words[query.predicate] for query in queries] == ["Put", "Wash"]
    things = [[[text.all_words[thing] for thing in own] for own in (query.things, query.others)] for query in queries]
    every = ["shirts", "basket", "machine"]
    assert things == [[["shirts", "basket"], every], [["machine"], every]]


@pytest.mark.parametrize(
    ("text", "predicates"),
    [
        ("The sky was blue. I washed the shirt. I did not iron it. She dried it.", ["washed", "dried"]),
        (_steps("Do not wash the shirt.", "Two cups of sugar.", "Dry the shirt 🙂."), ["Dry"]),
        (_steps("Не стирайте рубашку.", "Purée the crème brûlée."), ["Purée"]),
        (_steps("Wash and dry the shirts."), ["Wash", "dry"]),
        (_steps("Add salt and pepper."), ["Add"]),
        ("You will need: a spade, two stakes\n\nStep 1: Dig a hole.\nStep 2: Plant the tree\n", ["Dig", "Plant"]),
        (
            {"abstract": "Drain the pasta.", "concrete": "Put a colander into the sink. Pour the pasta into it."},
            ["Put", "Pour"],
        ),
    ],
)
def test_every_predicate_with_an_event_is_read_once(text: str | Mapping[str, Any], predicates: list[str]) -> None:
    generator = FixedGenerator()
    _read(generator, text)
    assert generator.predicates == [predicates]


def test_lists_of_needs_and_the_abstract_side_of_pairs_name_no_things() -> None:
    generator = FixedGenerator(default=[_told("spade"), _told("pasta")])
    needs = "You will need: a spade, two stakes\n\nStep 1: Dig a hole.\n"
    pair = {"abstract": "Drain the pasta.", "concrete": "Put a colander into the sink."}
    records = [record for found in _read(generator, needs, pair) for record in found]
    assert [record.mentioned for record in records if isinstance(record, StateChange)] == [None] * 4
    for text, queries in generator.seen:
        named = {text.all_words[thing] for query in queries for thing in (*query.things, *query.others)}
        assert not {"spade", "stakes", "pasta"} & named


def test_of_a_pair_the_concrete_side_has_changes() -> None:
    pair = {"abstract": "Drain the pasta.", "concrete": "Put a colander into the sink. Pour the pasta into it."}
    (parsed,) = parsed_texts(pair)
    abstract, *_ = parsed.records_of(EventMention)
    records = StateChangeExtractor(FixedGenerator(default=[_told("pasta")])).read([parsed])[0]
    assert abstract.action.label == "drain pasta"
    (record,) = (record for record in records if isinstance(record, StateChange))
    assert record.action is not None
    assert record.action.label == "put colander into sink"
    assert record.mentioned is not None
    assert parsed.document.text[record.mentioned.start :].startswith("pasta into it")
    assert record.start > abstract.end


@pytest.mark.parametrize(
    ("settings", "level"),
    [
        (StateChangeSettings(), Level.CERTAIN),
        (StateChangeSettings(least_certain=0.9), Level.CERTAIN),
        (StateChangeSettings(least_certain=0.91), Level.LIKELY),
        (StateChangeSettings(least_certain=1.0, least_likely=0.9), Level.LIKELY),
        (StateChangeSettings(least_certain=0.95, least_likely=0.95), None),
        (StateChangeSettings(least_certain=1.0, least_likely=1.0), None),
    ],
)
def test_settings_say_how_probable_a_level_is(settings: StateChangeSettings, level: Level | None) -> None:
    extractor = StateChangeExtractor(FixedGenerator(), settings=settings)
    records = extractor.read(parsed_texts(_steps("Wash the shirts.")))[0]
    levels = [(record.level, record.probability) for record in records if isinstance(record, StateChange)]
    assert levels == ([(level, 0.9)] if level else [])


@pytest.mark.parametrize("wrong", [{"least_certain": 1.5}, {"least_likely": -0.1}])
def test_a_level_has_a_probability(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        StateChangeSettings(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("step", "predicate", "thing", "event"),
    [
        ("Open the door and wash the shirt.", "wash", "shirt", "wash shirt"),
        ("Open the door and wash the shirt.", "wash", "door", "wash shirt"),
        ("Add salt and pepper.", "Add", "salt", "add salt"),
        ("Add salt and pepper.", "Add", "pepper", "add pepper"),
        ("Add salt and pepper.", "Add", "bowl", "add salt"),
        ("Cut the onion and put the onion into the pan.", "put", "pan", "put onion into pan"),
        ("Wash and dry the shirt.", "dry", "shirt", "dry shirt"),
    ],
)
def test_a_change_hangs_on_the_mention_that_names_the_thing(step: str, predicate: str, thing: str, event: str) -> None:
    (parsed,) = parsed_texts(_steps("Get ready.", step))
    generator = FixedGenerator({predicate: [_told(thing)]}, ())
    (record,) = (item for item in StateChangeExtractor(generator).read([parsed])[0] if isinstance(item, StateChange))
    assert record.action is not None
    assert (record.entity, record.action.label) == (thing, event)
    mentions = {(mention.action, mention.start, mention.end) for mention in parsed.records_of(EventMention)}
    assert (record.action, record.start, record.end) in mentions


def test_a_change_of_a_tool_hangs_on_the_mention_with_the_tool() -> None:
    (parsed,) = parsed_texts("Cut the bread and the ham with a knife.")
    text = parsed.document.text

    def mention(object: str, tools: Sequence[str]) -> EventMention:
        used = [Tool(lemma=tool, start=text.index(tool), end=text.index(tool) + len(tool)) for tool in tools]
        action = Action(predicate="cut", object=object)
        return EventMention(action=action, start=0, end=text.index(".") - len(tools), participants=[], tools=used)

    mentions = [mention("bread", []), mention("ham", ["knife"])]
    document = evolve(parsed, records={EventMention: mentions})
    for thing, expected in (("knife", "ham"), ("bread", "bread"), ("ham", "ham"), ("table", "bread")):
        generator = FixedGenerator(default=[_told(thing)])
        (record,) = StateChangeExtractor(generator).read([document])[0]
        assert isinstance(record, StateChange)
        assert record.action is not None
        assert record.action.object == expected
        assert len(generator.seen[0][1]) == 1


@pytest.mark.parametrize(
    ("text", "predicate", "thing", "entity", "mentioned"),
    [
        (BULBS, "unscrewed", "bulb", "old bulb", 20),
        (BULBS, "screwed", "bulb", "new bulb", 47),
        ("I took the keys. I opened the car door.", "opened", "door", "car door", 34),
        ("I washed the white shirts.", "washed", "shirts", "shirt", 19),
        ("I put a cup of sugar into the bowl.", "put", "sugar", "sugar", 15),
        ("I sharpened the scissors.", "sharpened", "scissors", "scissors", 16),
        ("I sharpened the scissors.", "sharpened", "person", "person", None),
        ("I put the shirts into a basket. I washed the shirts.", "put", "shirts", "shirt", 10),
        ("I put the shirts into a basket. I washed the shirts.", "washed", "shirts", "shirt", 45),
        ("I put the shirts into a basket. I washed them.", "washed", "shirts", "shirt", 10),
    ],
)
def test_entities_have_the_names_that_events_give_them(
    text: str, predicate: str, thing: str, entity: str, mentioned: int | None
) -> None:
    (record,) = _changes(FixedGenerator({predicate: [_told(thing)]}, ()), text)
    assert record.entity == entity
    span = record.mentioned and (record.mentioned.start, record.mentioned.end)
    assert span == (None if mentioned is None else (mentioned, mentioned + len(thing)))


def test_things_of_one_name_are_told_apart() -> None:
    off, on = _told("bulb", "location", "in lamp", "in box"), _told("bulb", "location", "in box", "in lamp")
    first, second = _changes(FixedGenerator({"unscrewed": [off], "screwed": [on]}), BULBS)
    assert _in_words(first) == ("old bulb", "location", "in lamp", "in box")
    assert _in_words(second) == ("new bulb", "location", "in box", "in lamp")


def test_places_in_values_have_the_names_of_things() -> None:
    changes = {
        "opened": [_told("keys", "location", "in hand", "in door")],
        "screwed": [_told("lamp", "fullness", "without bulb", "with bulb")],
    }
    (record,) = _changes(FixedGenerator(changes, ()), "I took the keys. I opened the car door with the keys.")
    assert _in_words(record) == ("key", "location", "in hand", "in car door")
    (record,) = _changes(FixedGenerator(changes, ()), BULBS)
    assert (record.entity, record.after) == ("lamp", "with new bulb")


def test_changes_are_in_the_words_of_the_vocabulary() -> None:
    (record,) = _changes(FixedGenerator(default=[_told("door", "state", "shut", "opened")]), "I opened the door.")
    assert _in_words(record) == ("door", "openness", "closed", "open")


def test_of_each_attribute_of_a_thing_the_most_probable_change_is_read() -> None:
    told = [
        ("shirts", "wetness", "dry", "soaked", 0.7),
        ("shirts", "wetness", "dry", "wet", 0.9),
        ("shirts", "cleanliness", "dirty", "clean", 0.6),
        ("machine", "wetness", "dry", "wet", 0.8),
    ]
    records = _changes(FixedGenerator(default=told), _steps("Wash the shirts in the machine."))
    assert [(record.entity, record.attribute, record.after, record.level) for record in records] == [
        ("shirt", "wetness", "wet", Level.CERTAIN),
        ("machine", "wetness", "wet", Level.CERTAIN),
        ("shirt", "cleanliness", "clean", Level.LIKELY),
    ]


@pytest.mark.parametrize(("before", "after"), [("wet", "wet"), ("in sink", "in sink"), ("shut", "closed")])
def test_a_value_that_stays_is_no_change(before: str, after: str) -> None:
    attribute = {"wet": "wetness", "in sink": "location", "closed": "openness"}[after]
    text = "I washed the shirts in the sink."
    assert _changes(FixedGenerator(default=[_told("shirts", attribute, before, after)]), text) == []
    assert _changes(FixedGenerator(default=[_told("shirts", attribute, "", after)]), text)


def test_a_change_whose_value_holds_is_left_out_until_another_event_ends_it() -> None:
    wet, dry = _told("shirts", "wetness", "dry", "wet"), _told("shirts", "wetness", "wet", "dry")
    generator = FixedGenerator({"Wash": [wet], "Soak": [wet], "Dry": [dry]})
    shirts = [f"{verb} the shirts." for verb in ("Wash", "Soak", "Dry", "Soak", "Wash")]
    records = _changes(generator, _steps(*shirts))
    assert [(record.action and record.action.predicate, record.after) for record in records] == [
        ("wash", "wet"),
        ("dry", "dry"),
        ("soak", "wet"),
    ]


def test_what_holds_is_of_one_thing_and_one_attribute() -> None:
    changes = {
        "Wash": [_told("shirts", "wetness", "dry", "wet")],
        "Soak": [_told("socks", "wetness", "dry", "wet"), _told("shirts", "color", "", "wet")],
    }
    assert len(_changes(FixedGenerator(changes), _steps("Wash the shirts.", "Soak the socks."))) == 3


def test_what_is_too_improbable_neither_holds_nor_ends_anything() -> None:
    wet, perhaps = _told("shirts", "wetness", "dry", "wet"), ("shirts", "wetness", "wet", "dry", 0.3)
    records = _changes(
        FixedGenerator({"Wash": [wet], "Air": [perhaps]}),
        _steps("Air the shirts.", "Wash the shirts.", "Air the shirts.", "Wash the shirts."),
    )
    assert [record.after for record in records] == ["wet"]


def test_values_hold_within_a_text() -> None:
    texts: list[str | Mapping[str, Any]] = [
        _steps("Wash the shirts."),
        "I washed the shirts.",
        _steps("Do not wash the shirts."),
    ]
    together = _read(FixedGenerator(), *texts)
    assert [len(records) for records in together] == [1, 1, 0]
    assert together == [_read(FixedGenerator(), text)[0] for text in texts]


def test_a_predicate_that_is_no_word_of_the_text_has_no_changes() -> None:
    (parsed,) = parsed_texts("The pasta, slowly, with a ladle.")
    pasta = Argument(lemma="pasta", role=Role.PATIENT, start=4, end=9)
    strained, stirred = (
        EventMention(action=Action(predicate=verb, object="pasta"), start=4, end=31, participants=[pasta], tools=[])
        for verb in ("strain", "ladle")
    )
    generator = FixedGenerator(default=[_told("pasta")])
    extractor = StateChangeExtractor(generator)
    assert extractor.read([evolve(parsed, records={EventMention: [strained]})]) == [[]]
    assert generator.seen == []
    (record,) = extractor.read([evolve(parsed, records={EventMention: [strained, stirred]})])[0]
    assert isinstance(record, StateChange)
    assert record.action == stirred.action


def test_nothing_is_loaded_for_texts_without_events() -> None:
    extractor = StateChangeExtractor()
    assert extractor.read(parsed_texts("The sky was blue.", _steps("Do not wash the shirt."))) == [[], []]
    assert extractor.read([]) == []
    assert extractor.generator is None
    assert pickle.loads(pickle.dumps(extractor)).settings == extractor.settings


def test_the_generator_of_the_settings_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    fixed = FixedGenerator()
    loaded: list[tuple[str, ...]] = []

    def load(*arguments: str) -> FixedGenerator:
        loaded.append(arguments)
        return fixed

    monkeypatch.setattr("kgscripts.extractors.changes.state_changes.load", load)
    extractor = StateChangeExtractor(settings=StateChangeSettings(model="elsewhere"))
    for text in ("The sky was blue.", "I washed the shirts.", "I washed the shirts."):
        extractor.read(parsed_texts(text))
    assert loaded == [("changes", "elsewhere", "cpu")]
    assert fixed.predicates == [["washed"]] * 2


def test_the_generator_and_the_reader_are_what_was_read_with() -> None:
    generator, reader = StateChangeExtractor(FixedGenerator()).networks
    assert (generator, reader) == (FixedGenerator().model, describe("reader"))
    assert StateChangeExtractor().networks == (describe("changes"), reader)


def test_a_procedure_of_500_steps_and_one_of_one() -> None:
    generator = FixedGenerator()
    long, short = _read(generator, _steps(*["Wash the shirts."] * 500), _steps("Wash the shirts."))
    assert [len(found) for found in generator.predicates] == [500, 1]
    assert len(long) == 1  # What the first step changes holds in the others.
    assert len(short) == 1


def test_a_sentence_of_many_words_is_read_whole() -> None:
    step = "Wash " + "the white shirts and " * 100 + "the towel."
    (record,) = _changes(FixedGenerator(default=[_told("towel")]), _steps(step))
    assert record.mentioned is not None
    assert step[record.mentioned.start : record.mentioned.end] == "towel"


def test_the_shipped_model_reads_documents_alike_alone_and_together() -> None:
    steps = [f"Put the {thing} into the sink and wash the {thing}." for thing in ("cup", "plate", "spoon") * 3]
    long = " ".join(f"I boiled the water, and poured it into pot number {number}." for number in range(60))
    texts = parsed_texts(_steps(*steps), "I washed the cup in the sink.", "The sky was blue.", long, _steps("Wait."))
    together = StateChangeExtractor().read(texts)
    assert together[0]
    assert together[1]
    assert not together[2]
    assert together == [StateChangeExtractor().read([text])[0] for text in texts]
