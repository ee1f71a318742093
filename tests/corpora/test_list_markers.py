"""Lists with any marker, tables and markup within lines, in plain text and in Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.corpora.formats import documents_from_strings
from kgscripts.corpora.inline_markup import with_covered_markup, without_markup
from schemas.records import Discard, DiscardReason, Document, PassageKind

TITLE = "How to descale a kettle"
STEPS = ["Pour vinegar into the kettle.", "Boil the vinegar.", "Rinse the kettle with water."]
MARKERS = [
    *(
        "{n}.",
        "{n}. ",
        "{n}) ",
        "{n})",
        "{n}.) ",
        "{n} - ",
        "{n} – ",
        "{n}- ",
        "{n}-",
        "{n}/ ",
        "{n}/",
        "{n}: ",
        "{n}:",
    ),
    *("({n}) ", "({n})", "[{n}] ", "[{n}]", "#{n} ", "{n} ", "{n}.\t", "{c}", "{c} ", "Step {n} - ", "Step {n}: "),
    *("{a}) ", "{a})", "({a}) ", "{a}. ", "{A}. ", "{A}) ", "{r}. ", "{r}) ", "{R}. ", "{n}\n", "{n}.\n", "-\n{n}\n"),
    *(
        "•",
        "• ",
        "–",
        "– ",
        "-",
        "- ",
        "*",
        "* ",
        "+ ",
        "✓ ",
        "✓",
        "➤ ",
        "→ ",
        "-> ",
        "✅ ",
        "▪️ ",
        "☐ ",
        "- [ ] ",
        "[ ] ",
    ),
]


def _read(text: str, format: str | None) -> Document:
    (document,) = documents_from_strings([text], format=format)
    assert isinstance(document, Document)
    return document


def _passages(document: Document, kind: PassageKind) -> list[str]:
    return [document.text[item.start : item.end] for item in document.passages if item.kind is kind]


def _marked(marker: str, place: int) -> str:
    roman = "i" * (place + 1)
    letter = "abc"[place]
    return marker.format(n=place + 1, a=letter, A=letter.upper(), r=roman, R=roman.upper(), c="①②③"[place])


@pytest.mark.parametrize("marker", MARKERS)
@pytest.mark.parametrize("between", ["\n", "\n\n"])
@pytest.mark.parametrize("below_title", ["\n", "\n\n"])
@pytest.mark.parametrize("format", [None, "text", "markdown"])
def test_each_item_of_a_list_is_a_step(marker: str, between: str, below_title: str, format: str | None) -> None:
    items = between.join(_marked(marker, place) + step for place, step in enumerate(STEPS))
    document = _read(f"{TITLE}{below_title}{items}\n", format)
    assert (document.title, _passages(document, PassageKind.STEP)) == (TITLE, STEPS)
    assert len(document.passages) == len(STEPS)


@pytest.mark.parametrize("numbers", [(1, 2, 1), (1, 3, 7), (4, 5, 6), (10, 20, 30)])
@pytest.mark.parametrize("marker", ["{}.", "{}. ", "{}/ ", "[{}] ", "{} - "])
@pytest.mark.parametrize("format", ["text", "markdown"])
def test_numbers_may_have_gaps_and_items_may_be_wrapped(numbers: tuple[int, ...], marker: str, format: str) -> None:
    items = [
        marker.format(number) + step.replace(" the ", " the\n   ") for number, step in zip(numbers, STEPS, strict=True)
    ]
    document = _read("\n".join([TITLE, "", *items]), format)
    assert [" ".join(step.split()) for step in _passages(document, PassageKind.STEP)] == STEPS


@pytest.mark.parametrize(
    "prose",
    [
        "He paid\n12 dollars for it and went home.\n",
        "A. Smith wrote it.\n",
        "It took us\n2 - 3 hours to get there.\n",
        "1.5 cups were enough for us.\n",
        "He said: - no.\nThen he left.\n",
    ],
)
@pytest.mark.parametrize("format", ["text", "markdown"])
def test_prose_is_no_list(prose: str, format: str) -> None:
    assert _passages(_read(prose, format), PassageKind.STEP) == []


_HEADINGS = [
    *("Things You'll Need", "Things You’ll Need:", "What you need", "You will need:", "You'll need", "Materials"),
    *("EQUIPMENT", "Supplies (for two)", "Ingredients:", "Tools", "**What You’ll Need:**", "Materials needed", "Gear"),
    *("Things you need for this project:", "Shopping list", "What do you need?"),
]


@pytest.mark.parametrize("heading", _HEADINGS)
@pytest.mark.parametrize("marker", ["- ", "-", "• ", "•", "{n}. ", "{n}.", "", "✓ "])
@pytest.mark.parametrize("format", ["text", "markdown"])
def test_a_list_right_below_its_heading_is_what_is_needed(heading: str, marker: str, format: str) -> None:
    items = [marker.format(n=place) + item for place, item in enumerate(["Algae scraper", "Bucket", "Siphon hose"], 1)]
    steps = "Instructions\nUnplug the heater. Scrape the glass with the scraper.\n"
    document = _read("\n".join(["How to Clean a Fish Tank", heading, *items, steps]), format)
    assert document.title == "How to Clean a Fish Tank"
    assert _passages(document, PassageKind.NEEDS) == ["\n".join([heading.strip("*"), *items])]
    assert _passages(document, PassageKind.STEP) == []
    assert _passages(document, PassageKind.PARAGRAPH) == ["Unplug the heater. Scrape the glass with the scraper."]


@pytest.mark.parametrize("format", [None, "markdown"])
def test_lone_marks_make_no_headings(format: str | None) -> None:
    text = f"{TITLE}\nTools\n- Cup\n- Sponge\nInstructions\n-\n-\n1\n{STEPS[0]}\n-\n2\n{STEPS[1]}\n-\n3\n{STEPS[2]}\n"
    document = _read(text, format)
    assert _passages(document, PassageKind.NEEDS) == ["Tools\n- Cup\n- Sponge"]
    assert _passages(document, PassageKind.STEP) == STEPS


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "table",
    [
        "| Step | Action | Tool |\n|---|:--:|---|\n| 1 | Boil the *milk*. | pot |\n| 2 | Stir it. | spoon |\n",
        "Instructions | Equipment\n--- | ---\nBoil the milk. | pot\nStir it | spoon\n",
        "| No. | Tools | What to do |\n|-|-|-|\n| | pot | Boil the milk |\n| | spoon | Stir it. |\n",
    ],
)
@pytest.mark.parametrize("format", ["text", "markdown"])
def test_a_row_of_a_table_is_a_step_with_its_tools(table: str, end: str, format: str) -> None:
    document = _read(f"How to boil milk\n\n{table}\nEnjoy.\n".replace("\n", end), format)
    assert _passages(document, PassageKind.STEP) == ["Boil the milk using pot.", "Stir it using spoon."]


def test_a_table_of_needed_things_is_a_list_and_other_tables_stay() -> None:
    document = _read("# Bread\n\n| Ingredient | Amount |\n|---|---|\n| flour | 2 cups |\n\n1. Mix it.\n", "markdown")
    assert _passages(document, PassageKind.NEEDS) == ["Ingredient\n\n- 2 cups flour"]
    advice = "| Do | Don't |\n|---|---|\n| wear gloves | dig in frost |\n| water | |\n"
    assert without_markup(advice) == "- wear gloves\n- water\n"
    other = "| Size | Weight |\n|---|---|\n| 3 | 4 |\n"
    assert without_markup(other) == other


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("**Scrub** the grill with a *brush*.", "Scrub the grill with a brush."),
        ("Rinse the ~~old~~ `tray` __with__ _water_.", "Rinse the old tray with water."),
        ("<b>Empty</b> the ash&nbsp;bin &amp; <span class='x'>pot</span>.", "Empty the ash bin & pot."),
        ("Pour it[^1] out.[2]", "Pour it out."),
        ("**Step 1:** Oil the [grill](https://x.org/_a_) ![i](b_c_.png)", "Step 1: Oil the grill "),
        (r"1\. Pour it", "1. Pour it"),
        ("snake_case, 2*3*4 and ____", "snake_case, 2*3*4 and ____"),
    ],
)
def test_markup_within_a_line_is_no_word(marked: str, plain: str) -> None:
    assert without_markup(marked) == plain
    assert without_markup(with_covered_markup(marked)) == with_covered_markup(marked)


_PIECES = st.sampled_from(
    [
        *("**", "*", "_", "~~", "`", "```", "<b>", "<br>", "&amp;", "&#42;", "\\", "[^1]:", "[a](b)", "http://a.b/_c_"),
        *("word", "1.", "|", "Step", "\n", " ", "]: b", "|-|-|\n", "- "),
    ]
)


@given(st.lists(_PIECES, max_size=12).map("".join))
def test_covered_markup_is_as_long_and_has_no_markup(text: str) -> None:
    covered = with_covered_markup(text)
    assert len(covered) == len(text)
    assert without_markup(covered) == covered


def test_blocks_of_html_that_are_not_read_are_discards() -> None:
    text = f"# {TITLE}\n\n<table>\n<tr><td>Pour vinegar</td></tr>\n</table>\n\n1. {STEPS[0]}\n\n<!-- no word -->\n"
    discard, document = documents_from_strings([text], format="markdown")
    assert isinstance(discard, Discard)
    assert (discard.reason, discard.where) == (DiscardReason.MARKUP, "text#1:3")
    assert isinstance(document, Document)
