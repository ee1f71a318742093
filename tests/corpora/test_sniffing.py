"""Formats are detected from the content; the name decides only where the content is ambiguous."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.corpora.sniffing import sniff

PROLOGUE = st.lists(
    st.sampled_from(
        [
            "<?xml version='1.0'?>",
            "<?a > <scripts> ?>",
            "<!-- <scripts> -->",
            "<!---->",
            "<!DOCTYPE data>",
            '<!DOCTYPE data SYSTEM "a">',
            '<!DOCTYPE data [<!ENTITY a "b">] >',
            "\n",
            " ",
            "<!-- ]> ?> -->",
        ]
    )
)


@pytest.mark.parametrize(
    ("content", "name", "format"),
    [
        ("I ran.\n", "a", "text"),
        ("I ran.\n", "a.txt", "text"),
        ("I ran.\n", "a.md", "markdown"),
        ("I ran.\n", "a.md.gz", "markdown"),
        ("# Tea\n", "a.txt", "markdown"),
        ("Tea\n---\n", "a", "markdown"),
        ("Make tea\n\n* a\n* b\n", "a.txt", "markdown"),
        ("Make tea\n\n1) a\n2) b\n", "", "markdown"),
        ("I have\n- one remark.\n", "a.txt", "text"),
        ("#hashtag\n", "a", "text"),
        ('  {"id": 1}\n', "a.data", "jsonl"),
        ("{aside} I ran.\n", "a.txt", "text"),
        ("a b\tc d\n", "a.txt", "pairs"),
        ("a\tb\t1\nc\td\t0\n", "", "pairs"),
        ("no tab\na\tb\nc\td\n", "", "pairs"),
        ("no tab\n", "a.tsv", "pairs"),
        ("\tIndented by a tab.\nI ran.\n", "a.txt", "text"),
        ("<data>\n", "a.txt", "mcscript"),
        ('<?xml version="1.0"?>\n<!-- <scripts> --><data>\n', "", "mcscript"),
        ('<?xml version="1.0"?><!DOCTYPE data [<!ENTITY a "b">]><data>\n', "", "mcscript"),
        ("\n<scripts><script id='1'>", "a.xml", "descript"),
        ("<html>\n", "a.html", "html"),
        ("Tea.\n", "a.HTM.gz", "html"),
        ("<!doctype html>\n<p>Tea", "a", "html"),
        ("<?xml version='1.0'?>\n<!-- <data> --><html>", "a.xml", "html"),
        ("<letter>\n", "a.xml", None),
        ("{", "a.jsonld", "json-ld"),
        ('[{"id": 1}]', "a", "jsonl"),
        ("[x] done\n", "a.txt", "text"),
        ("a,b\n", "a.csv", "table"),
        ("scenario\tstep\n", "a.tsv", "table"),
        ("<?xml version='1.0'?>", "a.xml", None),
        ("<p>Tea</p>\n", "a.md", "markdown"),
        ("<sighs> I ran.\n", "a.txt", "text"),
        ("<3 this cake\n", "a", "text"),
        ("▁I @ScrPart_bather_bath single none none 0 \n", "bath", "inscript"),
        ("<end_of_story>\n", "bath", "inscript"),
        ("", "a", "text"),
    ],
)
def test_formats(content: str, name: str, format: str | None) -> None:
    assert sniff(content.encode(), name) == format


@given(PROLOGUE, st.sampled_from(["<data>", "<scripts a='b'>", "<html>", "<3", ""]))
def test_the_root_is_behind_the_prologue(prologue: list[str], root: str) -> None:
    """As it is when a regular expression, which takes quadratic time, removes the prologue."""
    text = f"<?xml?>{''.join(prologue)}{root}"
    rest = re.sub(r"(?s)<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", "", text)
    known = re.match(r"\s*<(data|scripts|html)\b", rest)
    expected = {"data": "mcscript", "scripts": "descript", "html": "html"}[known.group(1)] if known else None
    assert sniff(text.encode(), "a.xml") == expected


@pytest.mark.parametrize("opening", ["<?", "<!--", "<!DOCTYPE a [", "<!DOCTYPE "])
def test_a_prologue_without_end_has_no_root(opening: str) -> None:
    assert sniff(f"<?xml?>{opening * 8000}<data>".encode(), "a.xml") is None
