"""What becomes of an answer: quotes are held against the text, roles and lemmas against the word lists."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.building.reading import BatchReading
from kgscripts.extractors.llm.pieces import pieces_of
from kgscripts.extractors.llm.quotes import Quotes
from kgscripts.extractors.llm.schema import problem, schema
from kgscripts.text.pipeline import load_pipeline
from schemas.changes import Level
from schemas.records import (
    Discard,
    DiscardReason,
    Document,
    EventMention,
    Need,
    Passage,
    PassageKind,
    Role,
    Segment,
    Span,
    StateChange,
    ToolRole,
)
from tests.extractors.llm.reading import extractor, read, records
from tests.extractors.llm.stub_server import Request, completion, for_request, serving

NONE = {"particle": "", "object": "", "preposition": "", "prepositional_object": ""}


def _event(quote: str, predicate: str, tools: Mapping[str, str] | None = None, **action: str) -> dict[str, Any]:
    used = [{"quote": words, "role": role} for words, role in (tools or {}).items()]
    return {"quote": quote, "action": {"predicate": predicate, **NONE, **action}, "participants": [], "tools": used}


def _change(quote: str, entity: str, attribute: str, before: str, after: str) -> dict[str, str]:
    return {"quote": quote, "entity": entity, "attribute": attribute, "before": before, "after": after}


def _read(folder: Path, text: str, **answer: Any) -> BatchReading:
    """What is read in a text about which the model gives this answer."""
    given = {"events": [], "changes": [], "needs": [], **answer}
    scenarios = given.pop("scenarios", [])

    def answering(request: Request) -> Any:
        content = for_request(given, request)
        return completion({**content, "scenarios": scenarios} if "scenarios" in content else content)

    with serving(answering) as stub:
        return read(extractor(stub, folder), text)


def _of(kind: type, found: BatchReading) -> list[Any]:
    return [record for record in records(found) if isinstance(record, kind)]


def test_an_event_has_the_lemmas_and_spans_that_the_rules_would_give_it(tmp_path: Path) -> None:
    text = "Then he took the frying pans out of the old cupboard with tongs."
    event = _event(
        "took the frying pans out of the old cupboard with tongs",
        "took",
        {"tongs": "instrument"},
        object="the frying pans",
        preposition="out of",
        prepositional_object="the old cupboard",
    )
    event["participants"] = [{"quote": "he", "role": "agent"}, {"quote": "the old cupboard", "role": "place"}]
    (found,) = _of(EventMention, _read(tmp_path, text, events=[event]))
    assert found.action.label == "take frying pan out of cupboard"
    assert text[found.start : found.end] == "took the frying pans out of the old cupboard with tongs"
    assert [(item.lemma, item.role) for item in found.participants] == [
        ("frying pan", Role.PATIENT),
        ("cupboard", Role.PLACE),
    ]
    ((tool,),) = [found.tools]
    assert (tool.lemma, tool.role, tool.inferred) == ("tongs", ToolRole.INSTRUMENT, False)
    assert found.score == 0.5


def test_a_tool_that_the_text_names_before_is_inferred(tmp_path: Path) -> None:
    text = "I took a big knife. I cut the onions."
    event = _event("I cut the onions", "cut", {"knife": "instrument"}, object="the onions")
    (found,) = _of(EventMention, _read(tmp_path, text, events=[event]))
    (tool,) = found.tools
    assert tool.inferred
    assert text[tool.start : tool.end] == "knife"
    assert text[found.start : found.end] == "cut the onions"


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (_event("I peeled the potatoes", "peeled", object="potatoes"), DiscardReason.NOT_IN_TEXT),
        (_event("I cut the onions", "sliced", object="the onions"), DiscardReason.NOT_IN_TEXT),
        (_event("I cut the onions", "cut", object="the carrots"), DiscardReason.NOT_IN_TEXT),
        (_event("I cut the onions", "cut", object="onion"), DiscardReason.NOT_IN_TEXT),
        (_event("", "cut"), DiscardReason.NOT_IN_TEXT),
        (_event("I cut the onions", "the", object="onions"), DiscardReason.NOT_LISTED),
        (_event("The onions were fresh", "were"), DiscardReason.NOT_LISTED),
        (_event("I like them", "like"), DiscardReason.STATIVE),
    ],
    ids=["event", "verb", "object", "part of a word", "nothing", "no verb", "copula", "state"],
)
def test_an_event_that_the_text_does_not_tell_is_a_discard(
    event: dict[str, Any], reason: DiscardReason, tmp_path: Path
) -> None:
    found = _read(tmp_path, "I cut the onions. The onions were fresh. I like them.", events=[event])
    (discard,) = records(found)
    assert isinstance(discard, Discard)
    assert discard.reason is reason
    assert discard.detail.startswith("llm: ")
    spent = found.spent["llm"]
    assert spent.get("quotes held", 0) < spent["quotes"] or reason is not DiscardReason.NOT_IN_TEXT


def test_invented_parts_are_left_out_and_the_event_stays(tmp_path: Path) -> None:
    event = _event(
        "Pour the water",
        "Pour",
        {"kettle": "container", "water": "instrument"},
        object="water",
        particle="out",
        preposition="into",
        prepositional_object="sink",
    )
    found = _read(tmp_path, "Pour the water. Later there is a kettle.", events=[event])
    (mention,) = _of(EventMention, found)
    assert (mention.action.label, mention.tools) == ("pour water", ())
    assert sorted(item.reason for item in _of(Discard, found)) == sorted(
        [DiscardReason.NOT_IN_TEXT] * 4 + [DiscardReason.NOT_LISTED]
    )
    assert (found.spent["llm"]["quotes"], found.spent["llm"]["quotes held"]) == (8, 4)


def test_the_same_words_twice_are_two_events_and_a_third_time_an_invention(tmp_path: Path) -> None:
    event = _event("Stir the soup", "Stir", object="the soup")
    found = _read(tmp_path, "Stir the soup. Wait. Stir the soup.", events=[event] * 3)
    assert [item.start for item in _of(EventMention, found)] == [0, 21]
    assert [item.reason for item in _of(Discard, found)] == [DiscardReason.NOT_IN_TEXT]


def test_two_things_of_one_action_are_two_events(tmp_path: Path) -> None:
    quote = "Chop the onions and the carrots"
    events = [_event(quote, "Chop", object="onions"), _event(quote, "Chop", object="carrots")]
    found = _of(EventMention, _read(tmp_path, f"{quote}.", events=events))
    assert [item.action.label for item in found] == ["chop onion", "chop carrot"]


def test_a_change_belongs_to_its_event_and_has_the_words_of_the_vocabulary(tmp_path: Path) -> None:
    text = "Open the shut window. Put the lamp on the desk."
    open_, put = "Open the shut window", "Put the lamp on the desk"
    found = _read(
        tmp_path,
        text,
        events=[_event(open_, "Open", object="window")],
        changes=[
            _change(open_, "window", "state", "shut", "opened"),
            _change(put, "the lamp", "location", "", "on the desk"),
            _change(put, "the lamp", "location", "", "on the moon"),
            _change(put, "the lamp", "karma", "", "good"),
            _change(put, "the genie", "location", "", "on the desk"),
        ],
    )
    first, second = _of(StateChange, found)
    assert (first.entity, first.attribute, first.before, first.after) == ("window", "openness", "closed", "open")
    assert first.action is not None
    assert first.action.label == "open window"
    assert first.mentioned == Span(start=14, end=20)
    assert (first.probability, first.level) == (0.5, Level.LIKELY)
    assert (second.after, second.action, text[second.start : second.end]) == ("on desk", None, put)
    assert sorted(item.reason for item in _of(Discard, found)) == sorted(
        [DiscardReason.NOT_IN_TEXT] * 2 + [DiscardReason.NOT_LISTED]
    )


def test_needs_have_the_thing_alone_and_the_amount(tmp_path: Path) -> None:
    text = "# How to bake bread\n\nYou will need:\n\n- 2 cups of flour\n- a large bowl\n\n1. Mix.\n"
    needs = [
        {"quote": "2 cups of flour", "amount": "2 cups", "role": None},
        {"quote": "a large bowl", "amount": "", "role": "container"},
        {"quote": "a mixer", "amount": "", "role": "appliance"},
    ]
    found = _read(tmp_path, text, needs=needs)
    assert [(item.lemma, item.amount, item.role) for item in _of(Need, found)] == [
        ("flour", "2 cups", None),
        ("bowl", "", ToolRole.CONTAINER),
    ]
    assert [item.reason for item in _of(Discard, found)] == [DiscardReason.NOT_IN_TEXT]


def test_scenarios_are_those_of_the_list_and_only_of_texts_without_one(tmp_path: Path) -> None:
    text = "I put the batter into the oven. I cut the cake."
    events = [_event("I cut the cake", "cut", object="cake")]
    scenarios = [{"quote": "the batter", "scenario": "baking a cake"}, {"quote": "oven", "scenario": "flying a dragon"}]
    found = _read(tmp_path, text, events=events, scenarios=scenarios)
    (segment,) = _of(Segment, found)
    assert (segment.scenario, segment.start, segment.end, segment.confidence) == ("baking a cake", 0, len(text), 0.5)
    assert [item.reason for item in _of(Discard, found)] == [DiscardReason.UNKNOWN_SCENARIO]
    titled = _read(tmp_path, f"# How to bake a cake\n\n{text}", events=events, scenarios=scenarios)
    assert not _of(Segment, titled)


def test_quotes_are_found_as_whole_words_whatever_their_case_and_blanks() -> None:
    text = "The panther sat. The  Pan\nwas hot. The pan fell."
    quotes = Quotes(text, 0, len(text))

    def found(quote: str, number: int = 0) -> str:
        span = quotes.find(quote, None, number)
        return text[span.start : span.end] if span else ""

    assert found("The pan") == "The pan"
    assert found("the pan") == "The  Pan"
    assert found("the pan", 1) == "The pan"
    assert found("pan was") == "Pan\nwas"
    assert not found("the pan", 2)
    assert not found("pa")
    assert not found("...")
    assert Quotes(text, 0, 7).find("The pan") is None, "the word goes on behind the piece"
    assert (quotes.asked, quotes.held) == (7, 4)


@given(st.text("ab A\n.", max_size=60), st.integers(0, 60), st.integers(1, 60))
def test_every_stretch_of_whole_words_is_a_quote(text: str, start: int, length: int) -> None:
    quote = text[start : start + length]
    span = Quotes(text, 0, len(text)).find(quote)
    edges = [text[max(0, place - 1) : place + 1] for place in (start, start + len(quote))]
    if any(map(str.isalnum, quote)) and not any(len(edge) == 2 and edge.isalnum() for edge in edges):
        assert span is not None
        assert text[span.start : span.end].split() == quote.split()
    elif span is not None:
        assert text[span.start : span.end].lower().split() == quote.lower().split()


@given(st.lists(st.text("ab .\n", min_size=1, max_size=80), max_size=8), st.integers(80, 120))
def test_pieces_cover_the_words_of_all_passages_once(texts: list[str], characters: int) -> None:
    text, passages = "", []
    for part in texts:
        passages.append(Passage(kind=PassageKind.STEP, start=len(text), end=len(text) + len(part)))
        text += part + "\n\n"
    document = Document(name="one", format="text", text=text, passages=passages)
    parts = [part for piece in pieces_of(document, characters) for part in piece.parts]
    assert parts == sorted(parts)
    assert "".join(text[start:end] for start, end in parts).replace(".", "").split() or not any(map(str.isalnum, text))
    assert sum(text[start:end].count("a") for start, end in parts) == text.count("a")
    for piece in pieces_of(document, characters):
        assert piece.end - piece.start <= characters
        halves = piece.halves(text)
        if halves is not None:
            assert halves[0].end <= halves[1].start
            assert sum(text[half.start : half.end].count("a") for half in halves) == text[
                piece.start : piece.end
            ].count("a")


def test_the_schema_follows_the_records_and_is_strict() -> None:
    def objects(node: Any) -> list[Mapping[str, Any]]:
        inner = [item for value in node.values() for item in objects(value)] if isinstance(node, dict) else []
        return ([node] if isinstance(node, dict) and node.get("type") == "object" else []) + inner

    wanted = schema(scenarios=True)
    assert list(wanted["properties"]) == ["events", "changes", "needs", "scenarios"]
    found = objects(wanted)
    assert len(found) == 8
    assert all(item["additionalProperties"] is False for item in found)
    assert all(item["required"] == list(item["properties"]) for item in found)
    event = wanted["properties"]["events"]["items"]["properties"]
    assert list(event) == ["quote", "action", "participants", "tools"]
    assert event["tools"]["items"]["properties"]["role"]["enum"] == [role.value for role in ToolRole]
    assert "scenarios" not in schema(scenarios=False)["properties"]


def test_the_check_of_an_answer_agrees_with_a_validator_of_json_schema() -> None:
    import jsonschema

    wanted = schema(scenarios=False)
    good = {"events": [_event("a", "b", {"c": "instrument"})], "changes": [], "needs": []}
    variants: list[Any] = [good, {**good, "needs": [{"quote": "a", "amount": "", "role": None}]}]
    variants += [None, [], {}, {**good, "x": 1}, {**good, "needs": [{"quote": 1, "amount": "", "role": None}]}]
    variants += [{**good, "needs": [{"quote": "a", "amount": "", "role": None}] * number} for number in (32, 33)]
    variants += [{**good, "needs": [{"quote": "", "amount": "", "role": "queen"}]}, {**good, "events": [None]}]
    for value in variants:
        valid = jsonschema.Draft202012Validator(wanted).is_valid(value)
        assert (problem(value, wanted) == "") == valid, value


def test_forms_of_verbs_that_the_parser_takes_for_other_words_have_the_lemmas_of_our_lists() -> None:
    from kgscripts.extractors.llm.words import verb_form_lemma

    load_pipeline()
    forms = {"drained": "drain", "cut": "cut", "cutting": "cut", "took": "take", "puts": "put", "stirred": "stir"}
    assert {form: verb_form_lemma(form) for form in forms} == forms
    assert verb_form_lemma("xyzzy") == ""
    assert verb_form_lemma("the") == ""
