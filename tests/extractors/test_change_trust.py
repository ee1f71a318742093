"""Which candidates of state changes are read, and what the words of a step speak against."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.extractors.changes.change_candidates import candidates_of
from kgscripts.extractors.changes.change_ratings import RatingWeights
from kgscripts.extractors.changes.change_trust import Read, described, trusted
from kgscripts.extractors.changes.change_wording import Wording
from kgscripts.reproductions.openpi.units import Nouns, Unit
from kgscripts.text.pipeline import load_pipeline
from schemas.changes import Change, Level, PredictedChange, ProcedureStep
from schemas.records import Action, Argument, EventMention, Role
from tests.extractors.fixed_weights import BY_MODEL, BY_VERB, by_model
from tests.extractors.parses import parsed_document

Parts = tuple[str, str, str, str]

LEAST = {Level.CERTAIN: 0.9, Level.LIKELY: 0.5}


def _change(parts: Parts) -> Change:
    entity, attribute, before, after = parts
    return Change(entity=entity, attribute=attribute, before=before, after=after)


def _predicted(parts: Parts, probability: float = 0.9) -> PredictedChange:
    logarithm = math.log(probability) if probability else -math.inf
    return PredictedChange(change=_change(parts), log_probability=logarithm)


def _units(*texts: str, title: str = "", mentions: Mapping[int, Sequence[EventMention]] | None = None) -> list[Unit]:
    """Consecutive steps, a line apart."""
    units: list[Unit] = []
    start = 0
    for number, text in enumerate(texts):
        step = ProcedureStep(text=text, context=texts[:number], title=title)
        units.append(Unit(start, start + len(text), text, step, tuple((mentions or {}).get(number, ()))))
        start += len(text) + 1
    return units


def _read(
    *steps: tuple[str, Sequence[PredictedChange]],
    weights: RatingWeights = BY_MODEL,
    least: Mapping[Level, float] = LEAST,
    title: str = "",
) -> list[list[Read]]:
    units = _units(*(text for text, _ in steps), title=title)
    return list(trusted(units, [predicted for _, predicted in steps], Nouns(), weights, least))


def _parts(read: Sequence[Read]) -> list[Parts]:
    return [
        (item.rated.change.entity, item.rated.change.attribute, item.rated.change.before, item.rated.change.after)
        for item in read
    ]


@pytest.mark.parametrize(
    ("step", "parts"),
    [
        ("Mix oil and vinegar.", ("oil", "wetness", "dry", "wet")),
        ("Bake it for forty minutes.", ("minute", "temperature", "cold", "hot")),
        ("Put the clean shirt on.", ("shirt", "cleanliness", "dirty", "clean")),
        ("Dry the dog.", ("dog", "wetness", "dry", "wet")),
        ("Switch the lamp off.", ("lamp", "power", "off", "on")),
        ("Roughen the rubber.", ("rubber", "texture", "rough", "smooth")),
        ("Unfold the board.", ("board", "shape", "flat", "folded")),
        ("Put the pot away.", ("pot", "location", "on table", "in sink")),
        ("Swallow some water.", ("water", "location", "in cup", "in water")),
        ("Take the shirts out of the drum.", ("shirt", "location", "in basket", "in drum")),
        ("Scrape the wax off the base.", ("wax", "location", "in lantern", "on base")),
        ("Tip the water out of the saucers.", ("saucer", "wetness", "dry", "wet")),
        ("Scrape the algae off the glass.", ("glass", "cleanliness", "clean", "dirty")),
        ("Change the plaster when it gets wet.", ("plaster", "wetness", "dry", "wet")),
        ("If the skin is red, see a doctor.", ("skin", "color", "pale", "purple")),
        ("Rub jelly on the edges so they do not dry out.", ("edge", "wetness", "wet", "dry")),
    ],
)
def test_what_the_step_speaks_against(step: str, parts: Parts) -> None:
    assert Wording(step).speaks_against(_change(parts))


@pytest.mark.parametrize(
    ("step", "parts"),
    [
        ("Wash the dirty dog.", ("dog", "cleanliness", "dirty", "clean")),
        ("Dry the dog.", ("dog", "wetness", "wet", "dry")),
        ("Switch the lamp on.", ("lamp", "power", "off", "on")),
        ("Tighten the nuts.", ("nut", "state", "loose", "tight")),
        ("Unlock the door.", ("door", "state", "locked", "unlocked")),
        ("Put the pot into the sink.", ("pot", "location", "", "in sink")),
        ("Take the cup off the shelf and put it on the table.", ("cup", "location", "on shelf", "on table")),
        ("Lift the shirt out of the drum and put it back into the drum.", ("shirt", "location", "", "in drum")),
        ("Take the lid off the pot.", ("lid", "location", "on pot", "off pot")),
        ("Hose the mud off the car.", ("car", "cleanliness", "dirty", "clean")),
        ("When the kettle whistles, pour the water into a cup.", ("water", "location", "in kettle", "in cup")),
        ("Stir the mixture until it is smooth.", ("mixture", "texture", "lumpy", "smooth")),
        ("Do not wait, dry the dog.", ("dog", "wetness", "wet", "dry")),
    ],
)
def test_what_the_step_does_not_speak_against(step: str, parts: Parts) -> None:
    assert not Wording(step).speaks_against(_change(parts))


@pytest.mark.parametrize(
    ("probability", "level"),
    [
        (0.9, Level.CERTAIN),
        (0.73, Level.CERTAIN),
        (0.71, Level.LIKELY),
        (0.51, Level.LIKELY),
        (0.49, None),
        (0.0, None),
    ],
)
def test_the_level_is_that_of_the_probability(probability: float, level: Level | None) -> None:
    (read,) = _read(("Wash the pots.", [_predicted(("pots", "cleanliness", "dirty", "clean"), probability)]))
    assert [item.rated.level for item in read] == ([level] if level else [])
    assert [item.rated.probability for item in read] == ([by_model(probability)] if level else [])


def test_what_the_words_speak_against_counts_with_its_weight() -> None:
    wet = _predicted(("dog", "wetness", "dry", "wet"))
    weights = RatingWeights(-5.0, {"pair": 10.0, "contradicted": -9.0})
    assert _read(("Dry the dog.", [wet]), weights=weights) == [[]]
    assert len(_read(("Spray the dog.", [wet]), weights=weights)[0]) == 1


def test_of_an_attribute_there_is_one_change_and_the_most_probable_one_comes_first() -> None:
    predictions = [
        _predicted(("pot", "location", "", "on stove"), 0.4),
        _predicted(("pot", "location", "", "in cupboard"), 0.5),
        _predicted(("big pots", "wetness", "dry", "wet"), 0.8),
        _predicted(("pot", "moisture", "wet", "dry"), 0.75),
    ]
    (read,) = _read(("Take the pot from the sink and put it on the stove.", predictions))
    assert _parts(read) == [("big pot", "wetness", "dry", "wet"), ("pot", "location", "", "in cupboard")]
    assert [item.rated.probability for item in read] == [by_model(1 - 0.2 * 0.25), by_model(1 - 0.6 * 0.5)]


def test_what_an_earlier_step_has_brought_about_is_no_change_as_long_as_it_holds() -> None:
    wet = ("dog", "wetness", "dry", "wet")
    dry = ("dog", "moisture", "wet", "dry")
    first, second, third, fourth = _read(
        ("Spray the dog.", [_predicted(wet)]),
        ("Rinse the big dogs.", [_predicted(("big dogs", "state", "dry", "soaked"))]),
        ("Dry the dog.", [_predicted(dry)]),
        ("Spray it.", [_predicted(wet)]),
    )
    assert (_parts(first), _parts(second)) == ([wet], [])
    assert (_parts(third), _parts(fourth)) == ([("dog", "wetness", "wet", "dry")], [wet])


@pytest.mark.parametrize(
    ("earlier", "probability"),
    [(("cat", "wetness", "dry", "wet"), 0.9), (("dog", "cleanliness", "dirty", "wet"), 0.9), (None, 0.4)],
)
def test_other_things_and_what_was_not_read_leave_a_change_new(earlier: Parts | None, probability: float) -> None:
    wet = ("dog", "wetness", "dry", "wet")
    read = _read(("Spray it.", [_predicted(earlier or wet, probability)]), ("Spray the dog.", [_predicted(wet)]))
    assert _parts(read[1]) == [wet]


def test_a_place_that_the_text_does_not_mention_is_no_value_before() -> None:
    cup, pan, lid = (_predicted((thing, "location", "on table", "in sink")) for thing in ("cup", "pan", "lid"))
    wet = _predicted(("table", "state", "on fire", "burnt"))
    assert _parts(_read(("Put the pan into the sink.", [pan]))[0]) == [("pan", "location", "", "in sink")]
    same = _read(("Put the cup from the table into the sink.", [cup, wet]))
    assert ("cup", "location", "on table", "in sink") in _parts(same[0])
    context = _read(("Clear the table.", []), ("Put the lid into the sink.", [lid]))
    assert _parts(context[1]) == [("lid", "location", "on table", "in sink")]
    title = _read(("Put the cup into the sink.", [cup]), title="How to clear a table")
    assert _parts(title[0]) == [("cup", "location", "on table", "in sink")]


def _wipe(text: str, start: int = 0) -> EventMention:
    noun = text.index("table")
    return EventMention(
        action=Action(predicate="wipe", object="table"),
        start=start + text.index("ipe") - 1,
        end=start + noun + len("table"),
        participants=[Argument(lemma="table", role=Role.PATIENT, start=start + noun, end=start + noun + 5)],
    )


def test_a_change_by_a_verb_belongs_to_the_event_of_the_verb() -> None:
    text = "Wipe the table."
    mention = _wipe(text)
    units = _units(text, mentions={0: [mention]})
    cold = _predicted(("table", "temperature", "hot", "cold"))
    ((*read,),) = trusted(units, [[cold]], Nouns(), BY_VERB, LEAST)
    assert ("table", "cleanliness", "dirty", "clean") in _parts(read)
    assert {item.mention for item in read} == {mention}
    assert not {"temperature"} & {item.rated.change.attribute for item in read}
    ((only,),) = trusted(units, [[cold]], Nouns(), BY_MODEL, LEAST)
    assert (_parts([only]), only.mention) == ([("table", "temperature", "hot", "cold")], None)


def test_what_is_known_of_a_candidate() -> None:
    parsed = parsed_document([load_pipeline()("The table is old."), load_pipeline()("Wipe the table.")])
    nouns = Nouns()
    for parse in parsed.parses:
        nouns.add(parse)
    start = parsed.document.text.index("Wipe")
    texts = ("The table is old.", "Wipe the table.", "Wipe it.")
    units = _units(*texts, mentions={1: [_wipe(texts[1], start)]})
    clean, spoon = ("table", "cleanliness", "dirty", "clean"), ("spoon", "wetness", "dry", "wet")
    predictions = [
        [_predicted(clean, 0.2)],
        [_predicted(clean, 0.5), _predicted(spoon, 0.1)],
        [_predicted(clean, 0.9), _predicted(spoon, 0.9)],
    ]
    first, second, third = (
        {(item.candidate.change.entity, item.candidate.change.attribute): item.features for item in found}
        for found in described(units, predictions, nouns)
    )
    of_table, of_spoon = ("table", "cleanliness"), ("spoon", "wetness")
    assert [found[of_table]["earlier"] for found in (first, second, third)] == pytest.approx([0.0, 0.2, 0.5])
    assert [found[of_spoon]["earlier"] for found in (second, third)] == pytest.approx([0.0, 0.1])
    assert [found[of_table]["in text"] for found in (first, second, third)] == [1, 1, 1]
    assert [found[of_spoon]["in text"] for found in (second, third)] == [0, 0]
    assert [found[of_table]["in step"] for found in (first, second, third)] == [1, 1, 0]
    assert ["verb" in found[of_table] for found in (first, second, third)] == [False, True, False]


def test_a_more_probable_value_ends_what_earlier_steps_may_have_brought_about() -> None:
    wet, dry = ("dog", "wetness", "dry", "wet"), ("dog", "wetness", "wet", "dry")

    def earlier(*probabilities: float) -> float:
        steps = [wet, dry, wet]
        units = _units(*["It."] * 3)
        predictions = [[_predicted(parts, odds)] for parts, odds in zip(steps, (*probabilities, 0.9), strict=True)]
        *_, last = described(units, predictions, Nouns())
        return last[0].features["earlier"]

    assert earlier(0.4, 0.3) == pytest.approx(0.4)
    assert earlier(0.3, 0.4) == 0


def test_no_steps_have_no_changes() -> None:
    assert list(trusted([], [], Nouns(), BY_MODEL, LEAST)) == []


_WORDS = st.text(max_size=12) | st.sampled_from(["the pots", "wetness", "location", "wet", "dry", "in the sink"])
_LEVELS = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(lambda pair: (max(pair), min(pair)))


@given(
    st.text(max_size=60) | st.just("Put the pots into the sink."),
    st.lists(st.tuples(_WORDS, _WORDS, _WORDS, _WORDS, st.floats(0, 1)), max_size=6),
    _LEVELS,
)
@settings(max_examples=60)
def test_what_is_read_was_a_candidate_with_the_probability_of_its_level(
    text: str, rows: list[tuple[str, str, str, str, float]], levels: tuple[float, float]
) -> None:
    predictions = [_predicted((entity or "x", attribute, *rest), odds) for entity, attribute, *rest, odds in rows]  # type: ignore[arg-type]
    least = dict(zip(Level, levels, strict=True))
    units = _units(text or "x", text or "x")
    once, again = trusted(units, [predictions, predictions], Nouns(), BY_MODEL, least)
    candidates = {
        (item.change.entity, item.change.attribute, item.change.after): item
        for item in candidates_of(predictions, (), text, 0, {})
    }
    for read in (once, again):
        probabilities = [item.rated.probability for item in read]
        assert probabilities == sorted(probabilities, reverse=True)
        for entity, attribute, before, after in _parts(read):
            candidate = candidates[entity, attribute, after]
            assert before in (candidate.change.before, "")
        for item in read:
            is_certain = item.rated.probability >= least[Level.CERTAIN]
            assert is_certain == (item.rated.level is Level.CERTAIN)
            assert least[Level.LIKELY] <= item.rated.probability <= 1
    pairs = [(item.rated.change.entity, item.rated.change.attribute) for item in once]
    assert len(set(pairs)) == len(pairs)
    assert not again, "what is true after a step is no change of the next one"
