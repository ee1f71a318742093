"""What the words of corrections name, and the segments that they change, against naive implementations."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kgscripts.assembly.tables.corrected_segments import Told, corrected
from kgscripts.assembly.tables.order import positions_of
from kgscripts.assembly.tables.words import action_of, names_source, spans_of
from schemas.corrections import NO_SCENARIO, Correction

_WORDS = st.lists(st.sampled_from(["put", "on", "the", "kettle", "up", "in", "of", "out"]), min_size=1, max_size=6)


@given(_WORDS)
def test_an_action_has_the_label_that_a_person_gave_it(words: list[str]) -> None:
    assert action_of(" ".join(words)).label == " ".join(words)


def test_words_are_divided_as_in_the_actions_of_texts() -> None:
    for words, key in {
        "stir": ("stir", "", "", "", ""),
        "warm tea pot": ("warm", "", "tea pot", "", ""),
        "put kettle on stove": ("put", "", "kettle", "on", "stove"),
        "put on hat": ("put", "on", "hat", "", ""),
        "sit on chair": ("sit", "", "", "on", "chair"),
        "turn on": ("turn", "on", "", "", ""),
        "get up": ("get", "up", "", "", ""),
        "pour out water into sink": ("pour", "out", "water", "into", "sink"),
        "wait for minute": ("wait", "", "", "for", "minute"),
        "go away from stove": ("go", "away", "", "from", "stove"),
    }.items():
        assert action_of(words).key == key


def test_passages_are_found_in_any_case_and_spacing() -> None:
    text = "Fill the  kettle.\nBoil it. Fill the kettle (twice)!"
    assert [text[slice(*span)] for span in spans_of("fill the kettle", text)] == ["Fill the  kettle", "Fill the kettle"]
    assert [text[slice(*span)] for span in spans_of("kettle. ... BOIL", text)] == ["kettle.\nBoil"]
    assert [text[slice(*span)] for span in spans_of("fill … (twice)", text)] == [text[:-1]]
    assert not list(spans_of("boil ... the pot", text))
    assert not list(spans_of(" ... ", text))
    # Many gaps take no more time than few.
    assert not list(spans_of(" ... ".join(["a"] * 100 + ["c"]), "a b " * 20_000))


def test_sources_are_named_by_name_file_or_digest() -> None:
    digest = "0123456789abcdef" * 4
    for words in ("tea.jsonl#3", "tea.jsonl", "0123456789", digest):
        assert names_source(words, "Tea.jsonl#3", digest)
    for words in ("tea", "tea.jsonl#", "0123456", "123456789a", "a" * 70):
        assert not names_source(words, "Tea.jsonl#3", digest)


_TEXT = "ab cd ab. ef gh"
_PASSAGES = st.sampled_from(["", "ab", "cd ab", "ab ... ef", "gh", "zz"])
_SCENARIOS = st.sampled_from(["tea", "soup", NO_SCENARIO])


@given(
    st.lists(st.tuples(st.integers(0, 14), st.integers(1, 15), st.sampled_from(["tea", "bath"])), max_size=4),
    st.lists(st.tuples(_PASSAGES, _SCENARIOS), max_size=5),
)
def test_each_character_is_about_what_the_last_correction_says(
    told: list[tuple[int, int, str]], given_: list[tuple[str, str]]
) -> None:
    segments = [Told(start, end, scenario, 3) for start, end, scenario in told if start < end]
    corrections = {
        number: Correction(kind="about", thing="x", other=passage, scenario=scenario, author="a", time="2026-01-01")
        for number, (passage, scenario) in enumerate(given_)
    }
    about: list[set[str]] = [
        {item.scenario for item in segments if item.start <= place < item.end} for place in range(len(_TEXT))
    ]
    owner: list[int | None] = [None] * len(_TEXT)
    whole = [number for number, item in corrections.items() if not item.other][-1:]
    for number in (*whole, *(number for number, item in corrections.items() if item.other)):
        item = corrections[number]
        for start, end in spans_of(item.other, _TEXT) if item.other else [(0, len(_TEXT))]:
            for place in range(start, end):
                about[place] = {item.scenario} - {NO_SCENARIO}
                owner[place] = number
    found, applied = corrected(_TEXT, segments, corrections)
    for place, character in enumerate(_TEXT):
        if not character.isspace():
            assert {item.scenario for item in found if item.start <= place < item.end} == about[place]
    assert {owner[place] for place, character in enumerate(_TEXT) if character.strip()} - {None} == applied
    assert all(
        _TEXT[item.start : item.end].strip() == _TEXT[item.start : item.end] for item in found if not item.reader
    )


def test_a_step_that_no_source_tells_is_placed_by_its_orders() -> None:
    # 1 follows 0, 2 follows 1; 3 precedes 4; nothing is known of 5.
    assert positions_of([0.25, None, None, None, 0.75, None], [0, 1, 3], [1, 2, 4]) == [0.25, 0.25, 0.25, 0.75, 0.75, 1]
