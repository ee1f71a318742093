"""Links of texts, and lines of the page around a text, are no steps."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.corpora.boilerplate import is_boilerplate
from kgscripts.corpora.formats import documents_from_strings
from kgscripts.corpora.inline_markup import with_covered_links, without_links
from schemas.records import Document, PassageKind
from tests.corpora.documents import passages, read
from tests.titles.test_texts import PAGE as LINES
from tests.titles.test_texts import PROSE

PIECES = (
    "[bike](/bikes)",
    "![a](b.png)",
    "[",
    "](http://x.org)",
    "https://x.org/a?b=(1)",
    "<",
    ">",
    "word",
    " ",
    "\n",
    "]: b",
)

PAGE = """# How to fix a flat tire

By Jane Doe

Last Updated: March 3, 2024

![a bike](https://example.org/bike.png)

4.8 from 123 votes

[buy book](https://shop.example.org/book?id=1&x=(2))

1. Turn the [bike](/bikes "Bikes") upside down.
2. Print this recipe
3. Remove the wheel with [tire levers][levers].
4. Put a patch on the hole (see https://example.org/patch).
5. [Pump up](#pump) the tire.

We use cookies to improve your visit.

Share this on Facebook

- [Home](/) | [About](/about)
- [![chain](c.png) Related: fix a chain](https://example.org/chain)

[levers]: https://example.org/levers
"""
STEPS = [
    "Turn the bike upside down.",
    "Remove the wheel with tire levers.",
    "Put a patch on the hole (see).",
    "Pump up the tire.",
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fill the [pot](https://example.org/pot) with water.", "Fill the pot with water."),
        ("Fill the [pot](<a b> 'Pots') with water.", "Fill the pot with water."),
        ("Fill it ![pot](pot.png) up.", "Fill it  up."),
        ("[buy book](https://example.org)", ""),
        ("* [Home](/) | [About](/about) | [Buy](x)", ""),
        ("1. [Fill](/fill) the pot.\n2. [Boil it](/boil)", "1. Fill the pot.\n2. Boil it"),
        ("buy book](https://example.org) now", "buy book now"),
        ("Use [this pot][1] or [that].\n\n[1]: https://example.org\n", "Use this pot or [that].\n\n\n"),
        ("Read https://example.org/a_b. Then cook.", "Read. Then cook."),
        ("Read <https://example.org/a>, then cook.", "Read, then cook."),
        ("See www.example.org and cook.", "See and cook."),
        ("I cut [it] (the bread) in half: see [a](b).", "I cut [it] (the bread) in half: see a."),
        ("[x] Fill the pot.\n[ ] Boil it.", "[x] Fill the pot.\n[ ] Boil it."),
        ("No link at all.", "No link at all."),
    ],
)
def test_links(text: str, expected: str) -> None:
    assert without_links(text) == expected


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_no_address_is_left(text: str) -> None:
    assert "http://x.org" not in without_links(text)


@given(
    st.lists(st.sampled_from(["word", "https://x.org/a?b=(1)", "![a](b.png)", "[word](/bikes)", "<", "\n"]), min_size=1)
)
def test_the_words_of_a_text_stay(pieces: list[str]) -> None:
    """Those of a line with other words than links."""
    text = " ".join(["word", *pieces]).replace("\n", "\nword")
    assert without_links(text).count("word") == text.count("word")


@pytest.mark.parametrize(
    "line",
    [
        "Last Updated",
        "Last updated on 3 May 2023",
        "Published: 2024-05-03",
        "By Jane Doe",
        "by Jean-Luc van Dam | May 3, 2024",
        "Written by Jane",
        "Photo credit: Jane",
        "Share this",
        "SHARE THIS ARTICLE",
        "Share on Facebook",
        "Follow us on Instagram!",
        "Print this recipe",
        "Print Recipe",
        "Jump to Recipe",
        "This website uses cookies to give you the best experience.",
        "We use cookies and similar technologies.",
        "Accept all cookies",
        "By continuing to use this site, you accept our cookies.",
        "4.8 from 123 votes",
        "4.5/5 (20 ratings)",
        "★★★★☆ (12)",
        "12 Comments",
        "Rate this recipe",
        "Leave a comment",
        "Was this article helpful?",
        "Did you make this recipe?",
        "© 2024 Example Ltd. All rights reserved.",
        "This post may contain affiliate links",
        "Advertisement",
        "Privacy Policy",
    ],
)
def test_lines_of_a_page(line: str) -> None:
    assert is_boilerplate(line)
    assert is_boilerplate(f"**{line}**")
    (document,) = documents_from_strings([f"Turn the bike upside down.\n\n{line}\n\nRemove the wheel."])
    assert isinstance(document, Document)
    assert [document.text[part.start : part.end] for part in document.passages] == [
        "Turn the bike upside down.",
        "Remove the wheel.",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Print the boarding pass",
        "print recipe",
        "Review recipe.",
        "Share it with your friends",
        "By bus",
        "By the river we stopped.",
        "Posted the letter",
        "Posted it on the board",
        "We use cookies as decoration",
        "Save the dough for later",
        "Rate the hotel",
        "Comment on the weather",
        "Read more books",
        "5 eggs",
        "Like the recipe says",
        "Did you close the door?",
        "Sign up for the course",
        "I updated my phone",
        "last night",
        "",
    ],
)
def test_lines_of_a_text(line: str) -> None:
    assert not is_boilerplate(line)


@pytest.mark.parametrize("name", ["a.md", "a.txt"])
def test_only_the_steps_of_a_page_are_read(tmp_path: Path, name: str) -> None:
    (document,), discards = read(tmp_path, name, PAGE)
    assert not discards
    assert document.title == "How to fix a flat tire"
    assert [document.text[part.start : part.end] for part in document.passages] == STEPS
    assert {part.kind for part in document.passages} == {PassageKind.STEP}
    assert "](" not in document.text


def test_records() -> None:
    record = {"steps": ["Turn the [bike](/b) over.", "Print this recipe", "[buy book](https://example.org)"]}
    first, second = documents_from_strings([record, {"text": "By Jane Doe\nI saw [it](/b) and ran."}])
    assert isinstance(first, Document)
    assert isinstance(second, Document)
    assert [first.text[part.start : part.end] for part in first.passages] == ["Turn the bike over."]
    assert [second.text[part.start : part.end] for part in second.passages] == ["I saw it and ran."]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_covered_links_leave_every_other_character_at_its_place(text: str) -> None:
    covered = with_covered_links(text)
    assert len(covered) == len(text)
    assert all(new == old or (new == " " and old != "\n") for new, old in zip(covered, text, strict=True))


def test_what_is_covered_is_what_is_left_out() -> None:
    assert "".join(with_covered_links(PAGE).split()) == "".join(without_links(PAGE).split())
    assert with_covered_links("a [big pan](https://x.org) ![i](x)") == "a  big pan" + " " * 24


def test_lines_of_the_page_are_no_steps_in_html(tmp_path: Path) -> None:
    pytest.importorskip("trafilatura")
    around = [*LINES[:2], PROSE, *LINES[2:]]
    html = "".join(f"<p>{line}</p>" for lines in around for line in lines.split("\n\n"))
    page = f"<html><body><article><h1>How to wash a car</h1>{html}</article></body></html>"
    (document,), _ = read(tmp_path, "a.html", page)
    assert passages(document) == [PROSE.strip()]
