"""For any content, readers only yield documents and discards, and every span is valid and in order."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from kgscripts.corpora.detokenizing import detokenize
from kgscripts.corpora.files import InputFile
from kgscripts.corpora.formats import documents_from_strings, formats, read_file
from kgscripts.corpora.inline_markup import without_markup
from kgscripts.corpora.lines import line_spans
from kgscripts.corpora.plain_text import paragraph_spans
from kgscripts.corpora.scenarios.labels import scenario_of
from kgscripts.corpora.sniffing import sniff
from kgscripts.corpora.text_kinds import other_kind
from schemas.records import Discard, Document
from tests.corpora.documents import check_spans

# Pieces with a meaning for some reader, and problematic characters.
_PIECES = st.sampled_from(
    [
        *[
            "\n",
            "\r\n",
            "\r",
            "\n\n",
            "\t",
            " ",
            "    ",
            "\0",
            "\u00a0",
            "\u2028",
            "\ufeff",
            "\x0c",
            "\ud800",
            "\U0001f370",
        ],
        *[
            "# ",
            "## Step 1: ",
            "- ",
            "1. ",
            "* ",
            "> ",
            "```\n",
            "---\n",
            "===\n",
            "[ ] ",
            "<b>",
            "|",
            "**",
            "[a]: b\n",
        ],
        *[
            "Boil water.",
            "cake",
            "Ingredients:",
            "caf\u00e9",
            '"',
            "0 1",
            '{"id": 1, "text": "x"}',
            "▁I none none none none none",
        ],
        *["<end_of_story>\n", "<data>", "<instance id='1'><text>", "</text></instance>", "</data>", "<scripts>"],
        *["<script id='1'>", "<item original='x'/>", "</script>", "</scripts>", "&amp;", "<!DOCTYPE a [", "]>"],
    ]
)
_TEXTS = st.lists(_PIECES | st.text(max_size=5), max_size=30).map("".join)


_FORMATS = st.sampled_from([None, *formats()])


@given(_TEXTS, _FORMATS)
@example("## Step 1: \x1f0", "markdown")
@example("\r\t", "table")
@example("## Step 1: \xa0\0", None)
@example("I ran. Step 2: \x85You will need: a spade\n\u2028\n- a pan", "text")
def test_any_text_in_any_format(text: str, format: str | None) -> None:
    items = list(documents_from_strings([text], format=format))
    assert items
    for item in items:
        if isinstance(item, Discard):
            assert item.where.startswith("text#1")
        else:
            check_spans(item)
            assert item.digest
            scenario_of(item)


_MARKS = st.sampled_from(
    [b"", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\xef\xbb\xbf", b"\x1f\x8b", b"\x1f\x8b\x08\0"]
)


@given(_MARKS, st.binary(max_size=100) | _TEXTS.map(lambda text: text.encode("utf-16-le", "replace")), _FORMATS)
def test_any_bytes_in_any_format(
    tmp_path_factory: pytest.TempPathFactory, mark: bytes, data: bytes, format: str | None
) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(mark + data)
    items = list(read_file(InputFile(path, "any"), format=format))
    assert items
    for item in items:
        if isinstance(item, Discard):
            assert item.where.startswith("any:")
        else:
            check_spans(item)


@given(_TEXTS)
def test_lines_and_paragraphs_cover_the_text(text: str) -> None:
    assert "".join(text[slice(*span)] for span in line_spans(text)) == text
    spans = paragraph_spans(text)
    between = [end for start, end in [(0, 0), *spans]], [start for start, _ in spans] + [len(text)]
    assert all(not text[end:start].strip() for end, start in zip(*between, strict=True))


@given(
    st.lists(st.sampled_from(["I", "did", "n't", ".", ",", '"', "``", "''", "`", "'s", "-LRB-", ")", "$", "a\\/b", ""]))
)
def test_tokens_are_found_again(tokens: list[str]) -> None:
    text, spans = detokenize(tokens)
    assert len(spans) == len(tokens)
    assert "".join(text[slice(*span)] for span in spans) == text.replace(" ", "")
    assert spans == sorted(spans)
    assert "  " not in text


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1), st.text(max_size=20))
def test_steps_are_lines_of_the_text(steps: list[str], title: str) -> None:
    assume(other_kind("\n".join(steps)) is None)
    assume(all(without_markup(step).strip() for step in steps))  # "[]()" says nothing
    record = {"id": 1, "title": title, "steps": steps}
    (document,) = documents_from_strings([json.loads(json.dumps(record))])
    assert isinstance(document, Document)
    plain = [without_markup(step) for step in steps]
    assert document.text == "\n".join(plain)
    assert [document.text[p.start : p.end] for p in document.passages] == [step.strip() for step in plain]


@given(st.binary(max_size=200), st.text(max_size=10))
def test_sniffing_never_fails(sample: bytes, name: str) -> None:
    assert sniff(sample, name) in (None, *formats())
