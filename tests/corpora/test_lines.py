"""Lines of plain text: wrapped prose stays whole; steps, lists and lines without punctuation are passages."""

from __future__ import annotations

import textwrap
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kgscripts.building.reading import parse_documents
from kgscripts.corpora.formats import documents_from_strings
from kgscripts.corpora.lines import passages_of
from kgscripts.corpora.plain_text import paragraph_spans
from kgscripts.extractors.protocol import Parse, ParsedDocument
from kgscripts.extractors.sentences import SentenceExtractor
from schemas.records import Document, PassageKind, Sentence
from tests.corpora.documents import passages, read

PROSE = (
    "Yesterday I planted a tree with my sister Anna in our garden, which is small. First we dug a hole; it took us "
    "2 hours, since the soil was well-trodden. Then Anna put the tree into the hole and I held it. Mr. Brown from "
    "next door gave us a stake and 3 ties. Fill the hole slowly, he said, and step on the soil. In the end we watered "
    "the tree, and then we had a cup of tea.",
    "You need time for this. Bread takes flour, water, salt and 1 day. Mix everything in a bowl. Knead the dough and "
    "let it rest. (A warm place helps.) Step by step it rises. The next step is easy: bake it. I like it warm.",
)
STEPS = (
    "Dig a hole", "Put the tree in", "Fill the hole with soil", "Water the tree", "Drain the pasta", "Add salt",
    "Preheat the oven to 200 degrees", "Stir", "Let the dough rest for an hour", "Wash your hands", "Tie it to a stake",
    "Open the can with a can opener", "Remove the wheel and the tire", "Take a spade", "Turn off the light",
)  # fmt: skip


def _document(text: str) -> Document:
    (document,) = documents_from_strings([text], format="text")
    assert isinstance(document, Document)
    return document


def _texts(text: str, kind: PassageKind) -> list[str]:
    return passages(_document(text), kind)


@pytest.mark.parametrize("prose", PROSE)
@pytest.mark.parametrize("indent", ["", "    "])
def test_wrapped_prose_is_one_passage_at_any_width(prose: str, indent: str) -> None:
    for width in range(30, 101):
        text = textwrap.fill(prose, width, initial_indent=indent)
        assert _texts(text, PassageKind.PARAGRAPH) == [text.strip()], width


@given(st.lists(st.sampled_from(" ".join(PROSE).split()), min_size=12, max_size=60), st.integers(30, 100))
def test_any_words_that_end_in_a_full_stop_stay_joined_when_wrapped(words: list[str], width: int) -> None:
    text = textwrap.fill("The " + " ".join(words).rstrip(".,;:)") + ".", width)
    assert len(passages_of(text, paragraph_spans(text))) == 1


def test_wrapping_changes_no_sentence() -> None:
    found = []
    for width in (30, 37, 45, 60, 72, 80, 1000):
        document = _document(textwrap.fill(PROSE[0], width, break_on_hyphens=False))
        parses = tuple(Parse(item.passage, item.doc, item.offset) for item in parse_documents([document], None)[0])
        (records,) = SentenceExtractor().read([ParsedDocument(document, parses)])
        spans = [(item.start, item.end) for item in records if isinstance(item, Sentence)]
        found.append([" ".join(document.text[start:end].split()) for start, end in spans])
    assert len(found[0]) > 4
    assert all(sentences == found[0] for sentences in found)


@given(st.lists(st.sampled_from(STEPS), min_size=2, max_size=12), st.booleans(), st.sampled_from(["\n", "\r\n", "\r"]))
def test_lines_without_punctuation_are_as_many_steps(steps: list[str], lower: bool, end: str) -> None:
    written = [step.lower() if lower else step for step in steps]
    assert _texts(end.join(written), PassageKind.STEP) == written


@given(
    st.lists(st.sampled_from(STEPS), min_size=2, max_size=11),
    st.sampled_from(
        [
            "Step {}: ",
            "STEP {} - ",
            "step {}) ",
            "Step #{}. ",
            "Step {} ",
            "({}) ",
            "{}) ",
            "• ",
            "Stage {}:",
            "Step {}\n",
        ]
    ),
    st.sampled_from(["\n", "\n\n", ". "]),
)
@example(["Dig a hole", "Dig a hole"], "{}) ", "\n\n")
def test_markers_are_no_part_of_steps(steps: list[str], marker: str, between: str) -> None:
    if between == ". " and not marker.startswith("Step {}: "):
        between = "\n"
    text = between.join(marker.format(number) + step for number, step in enumerate(steps, 1))
    assert [step.rstrip(".") for step in _texts(text, PassageKind.STEP)] == steps


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("Step one: Dig.\nStep two: Fill.", ["Dig.", "Fill."]),
        ("First step: Dig a hole\nLast step - fill it", ["Dig a hole", "fill it"]),
        ("(a) Dig a hole\n    as deep as the pot\n(b) Fill it", ["Dig a hole\n    as deep as the pot", "Fill it"]),
        ("How to plant a tree\nDig a hole\nWater it", ["Dig a hole", "Water it"]),
        ("Dig a hole\n\nPut the tree in\n\nWater the tree", []),
    ],
)
def test_steps(text: str, steps: list[str]) -> None:
    document = _document(text)
    assert passages(document, PassageKind.STEP) == steps
    assert document.title == ("How to plant a tree" if text.startswith("How") else "")


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("You will need: spade, stake\n\nDig.", ["You will need: spade, stake"]),
        ("You'll need: a spade. Dig a hole.", ["You'll need: a spade."]),
        ("Tools: spade\nMaterials: soil\nDig a hole\nFill it", ["Tools: spade", "Materials: soil"]),
        ("Equipment\nspade\nstake\nDig a hole with it\nFill it", ["Equipment\nspade\nstake"]),
        ("What you need\n\n• spade\n• stake\n\nDig a hole.", ["What you need\n\n• spade\n• stake"]),
        (
            "Tools and materials needed:\nspade, stake,\nsoil\n\nDig.",
            ["Tools and materials needed:\nspade, stake,\nsoil"],
        ),
        ("Please bring: a spade, gloves\n\nDig.", ["Please bring: a spade, gloves"]),
        ("get: 50 bulbs, soil\n\nDig.", ["get: 50 bulbs, soil"]),
        ("Get a spade.\n\nDig.", []),
        ("You need to dig a hole.", []),
        ("Tools are useful.\n\nYou will need patience.", []),
        ("Ingredients\n\nMix the flour.", []),
    ],
)
def test_lists_of_needs(text: str, needs: list[str]) -> None:
    document = _document(text)
    assert passages(document, PassageKind.NEEDS) == needs
    assert not document.title


@given(st.text(alphabet="ab A1.):,(\n\r\t-•\u2028\u00a0", max_size=80), st.text("Step 1:You need\n,", max_size=40))
def test_any_text_gives_trimmed_passages_in_order(first: str, second: str) -> None:
    text = first + second
    last = 0
    for passage in passages_of(text, paragraph_spans(text)):
        assert last <= passage.start < passage.end <= len(text)
        assert text[passage.start : passage.end] == text[passage.start : passage.end].strip()
        last = passage.end


@pytest.mark.parametrize(
    "piece",
    [" ", "a ", "Step 1 ", "\t\n", "a\n", "- a\n", "You need ", "tools and ", "a, ", "((", "Step 1: ", "key: v\n"],
)
def test_reading_takes_time_in_proportion_to_length(piece: str, tmp_path: Path) -> None:
    start = time.process_time()
    for prefix in ("---\n", "Tools: ", "x"):
        read(tmp_path, "a.txt", prefix + piece * (75_000 // len(piece)), "text")
    assert time.process_time() - start < 20


class TestFrontMatter:
    @pytest.mark.parametrize("name", ["a.txt", "a.md", "a"])
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_scenario_and_title(self, tmp_path: Path, name: str, end: str) -> None:
        lines = [
            "---",
            "Scenario: 'planting a tree'",
            "title: My tree # draft",
            "tags:",
            "  - garden",
            "---",
            "",
            "I dug.",
        ]
        (document,), _ = read(tmp_path, name, end.join(lines))
        assert (document.scenario, document.title) == ("planting a tree", "My tree")
        assert passages(document) == ["I dug."]

    @pytest.mark.parametrize(
        "head",
        [
            "---\nscenario: x\n",
            "---\nWe dug a hole.\n---\n",
            "---\n---\n",
            "--- \n- a\n---\n",
            " ---\nscenario: x\n---\n",
            "---\n!!python/object:os.system {}\n---\n",
        ],
    )
    def test_anything_else_is_text(self, tmp_path: Path, head: str) -> None:
        (document,), _ = read(tmp_path, "a.txt", f"{head}\nI dug.")
        assert not document.scenario
        assert passages(document)[-1] == "I dug."

    def test_a_heading_of_the_first_level_is_the_title(self, tmp_path: Path) -> None:
        head = "---\ntitle: Front\nscenario: planting a tree\n---\n"
        (document,), _ = read(tmp_path, "a.md", head + "## Steps\n\n- Dig.\n")
        assert document.title == "Front"
        (document,), _ = read(tmp_path, "b.md", head + "# Top\n\n- Dig.\n")
        assert document.title == "Top"
        several, _ = read(tmp_path, "c.md", head + "# One\n\n- Dig.\n\n# Two\n\n- Fill.\n")
        assert [(each.title, each.scenario) for each in several] == [
            ("One", "planting a tree"),
            ("Two", "planting a tree"),
        ]
