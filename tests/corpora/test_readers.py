"""Each reader on small samples: titles, scenarios, passage kinds, and valid spans."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest

from kgscripts.corpora.formats import documents_from_strings, read_inputs
from schemas.errors import ConfigurationError, InputError
from schemas.records import Discard, DiscardReason, Document, PassageKind
from tests.corpora.documents import check_spans, passages, read

MCSCRIPT = """<?xml version='1.0' encoding='utf-8'?>
<data>
  <instance id="7" scenario="taking a bath">
    <text>I ran a bath. It was caf\u00e9-hot &amp; <b>deep</b>.</text>
    <questions><question id="0" text="Was it hot?"><answer correct="True" id="0" text="Yes"/></question></questions>
  </instance>
  <instance id="8"><text>First part.

  Second part.</text></instance>
</data>
"""
DESCRIPT = """<scripts><script id="1" source="2"><item slot="1" original="get towel" ></item>
<item slot="2" original=" say &quot;ready&quot; " ></item>
<item slot="3" original="" ></item>
</script><script id="2" source="2"><item slot="1" original="Fill the tub." ></item>
</script></scripts>
"""


def _one(folder: Path, name: str, data: bytes | str, format: str | None = None) -> Document:
    documents, discards = read(folder, name, data, format)
    assert not discards
    assert len(documents) == 1
    return documents[0]


class TestPlainText:
    def test_title_and_paragraphs(self, tmp_path: Path) -> None:
        text = "\n  Baking a cake \n\nWe baked\na cake.\n \t\n\nIt was good.  \n"
        document = _one(tmp_path, "a.txt", text)
        assert (document.format, document.title, document.text) == ("text", "Baking a cake", text)
        assert passages(document, PassageKind.PARAGRAPH) == ["We baked\na cake.", "It was good."]

    @pytest.mark.parametrize(
        "text",
        ["It rained.\n\nWe left.", "Short line\nWe left.", "Only one line", f"{'long ' * 17}line\n\nWe left."],
    )
    def test_no_title(self, tmp_path: Path, text: str) -> None:
        document = _one(tmp_path, "a.txt", text)
        assert document.title == ""
        assert passages(document)[0] == text.split("\n\n")[0]

    @pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
    def test_line_ends_stay_as_they_are(self, tmp_path: Path, end: str) -> None:
        text = end.join(["A title", "", "One", "two.", "", "Three."])
        document = _one(tmp_path, "a.txt", text)
        assert document.text == text
        assert document.title == "A title"
        assert passages(document) == [f"One{end}two.", "Three."]

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
    def test_encodings_with_a_mark(self, tmp_path: Path, encoding: str) -> None:
        text = "Caf\u00e9 \U0001f370 \u05e9\u05dc\u05d5\u05dd.\n\nMore."
        assert _one(tmp_path, "a.txt", text.encode(encoding)).text == text
        assert _one(tmp_path, "a.txt.gz", gzip.compress(text.encode(encoding))).text == text

    def test_a_few_nul_bytes_stay(self, tmp_path: Path) -> None:
        assert _one(tmp_path, "a.txt", "I washed\0the dishes. I\0dried them.").text.count("\0") == 2


class TestMarkdown:
    def test_how_to(self, tmp_path: Path) -> None:
        text = (
            "# How to cook pasta\n\nFor *two*.\n\n1. Boil water.\n2. Add salt\n   and pasta.\n\n   Stir.\n10) Drain.\n"
        )
        document = _one(tmp_path, "pasta.md", text)
        assert (document.format, document.title, document.text) == (
            "markdown",
            "How to cook pasta",
            text.replace("*", ""),
        )
        assert passages(document, PassageKind.STEP) == ["Boil water.", "Add salt\n   and pasta.", "Drain."]
        assert passages(document, PassageKind.PARAGRAPH) == ["For two.", "Stir."]

    def test_several_how_tos_in_one_file(self, tmp_path: Path) -> None:
        text = "Preface.\n\n# Make tea\n\n- Boil\n\n# Nothing here\n\n# Make toast #\n\n- Slice\n- Toast\n"
        documents, discards = read(tmp_path, "two.md", text)
        assert not discards
        assert [document.name for document in documents] == ["two.md#1", "two.md#2", "two.md#3"]
        assert [document.title for document in documents] == ["", "Make tea", "Make toast"]
        assert [passages(document) for document in documents] == [["Preface."], ["Boil"], ["Slice", "Toast"]]
        assert "".join(document.text for document in documents) == text

    def test_lists_of_things_are_not_steps(self, tmp_path: Path) -> None:
        text = "# Tea\n\n## Ingredients\n\n* water\n\n## Method\n\n* Boil it.\n\n**You will need:**\n\n- a cup\n"
        document = _one(tmp_path, "tea.md", text)
        assert document.title == "Tea"
        assert passages(document, PassageKind.STEP) == ["Boil it."]
        assert passages(document, PassageKind.NEEDS) == ["Ingredients\n\n* water", "You will need:\n\n- a cup"]
        assert passages(document, PassageKind.PARAGRAPH) == []

    def test_steps_as_headings_and_checkboxes(self, tmp_path: Path) -> None:
        text = "Tea\n===\n\n## Step 1: Boil the water ##\n\nLong enough.\n\n## 2. Pour\n\n- [ ] Wait\n- [x] Drink\n"
        document = _one(tmp_path, "tea", text)
        assert document.title == "Tea"
        assert passages(document, PassageKind.STEP) == ["Boil the water", "Pour", "Wait", "Drink"]

    def test_nested_items_quotes_and_skipped_blocks(self, tmp_path: Path) -> None:
        text = (
            "---\ntitle: x\n---\n# Tea\n\n- Prepare:\n    - 1. water\n    - cup\n- Pour\n\n"
            "> Quoted.\n\n```\n- code\n```\n\n<div>html</div>\n\n    Indented.\n"
        )
        (document,), (discard,) = read(tmp_path, "tea.md", text)
        assert (discard.reason, discard.where) == (DiscardReason.MARKUP, "tea.md:17")
        assert document.title == "Tea"
        assert passages(document, PassageKind.STEP) == ["Prepare:", "water", "cup", "Pour"]
        assert passages(document, PassageKind.PARAGRAPH) == ["Quoted.", "Indented."]

    def test_list_without_heading(self, tmp_path: Path) -> None:
        document = _one(tmp_path, "tea.txt", "How to make tea\r\n\r\n1. Boil water.\r\n2. Pour it.\r\n")
        assert (document.format, document.title) == ("markdown", "How to make tea")
        assert passages(document) == ["Boil water.", "Pour it."]


class TestJsonl:
    def test_text_and_steps(self, tmp_path: Path) -> None:
        lines = [
            '{"id": "a", "title": "T", "scenario": "baking a cake", "text": "One.\\n\\nTwo.", "more": 1}',
            "",
            '{"id": 2, "title": null, "steps": ["Boil water", "", " Pour "]}\r',
            '{"text": "\\ud83c\\udf70 cake", "id": "emoji \\n id"}',
        ]
        documents, discards = read(tmp_path, "s.jsonl", "\n".join(lines))
        assert not discards
        assert [document.name for document in documents] == ["s.jsonl#a", "s.jsonl#2", "s.jsonl#emoji id"]
        assert (documents[0].title, documents[0].scenario) == ("T", "baking a cake")
        assert passages(documents[0], PassageKind.PARAGRAPH) == ["One.", "Two."]
        assert documents[1].text == "Boil water\n\n Pour "
        assert passages(documents[1], PassageKind.STEP) == ["Boil water", "Pour"]
        assert documents[2].text == "\U0001f370 cake"


class TestPairs:
    def test_two_columns_with_header(self, tmp_path: Path) -> None:
        documents, discards = read(tmp_path, "p.tsv", "abstract\tconcrete\nMake tea.\tBoil water. Pour.\r\n\nGo\tWalk")
        assert not discards
        assert [document.name for document in documents] == ["p.tsv#2", "p.tsv#4"]
        assert documents[0].text == "Make tea.\nBoil water. Pour."
        assert passages(documents[0], PassageKind.ABSTRACT) == ["Make tea."]
        assert passages(documents[0], PassageKind.CONCRETE) == ["Boil water. Pour."]

    def test_cloze_template(self, tmp_path: Path) -> None:
        document = _one(tmp_path, "template", "make tea .\tboil the water .\t0 1 1 1\n")
        assert (document.format, document.text) == ("pairs", "make tea .\nboil the water .")


class TestXml:
    def test_mcscript(self, tmp_path: Path) -> None:
        documents, discards = read(tmp_path, "data.xml", MCSCRIPT)
        assert not discards
        assert [(d.name, d.scenario) for d in documents] == [("data.xml#7", "taking a bath"), ("data.xml#8", "")]
        assert documents[0].text == "I ran a bath. It was caf\u00e9-hot & deep."
        assert passages(documents[1], PassageKind.PARAGRAPH) == ["First part.", "Second part."]

    @pytest.mark.parametrize("encoding", ["iso-8859-1", "utf-16"])
    def test_declared_encodings(self, tmp_path: Path, encoding: str) -> None:
        data = MCSCRIPT.replace("utf-8", encoding).encode(encoding)
        assert "caf\u00e9" in read(tmp_path, "data.xml", data, "mcscript")[0][0].text

    def test_descript(self, tmp_path: Path) -> None:
        documents, discards = read(tmp_path, "taking a bath.new.xml.gz", gzip.compress(DESCRIPT.encode()))
        assert not discards
        assert {document.scenario for document in documents} == {"taking a bath"}
        assert passages(documents[0], PassageKind.STEP) == ["get towel", 'say "ready"']
        assert documents[1].name == "taking a bath.new.xml.gz#2"


class TestStrings:
    def test_strings_and_records(self) -> None:
        texts: list[str | dict[str, object]] = ["Baking\n\nWe baked.", "# Tea\n\n- Boil\n- Pour"]
        texts += [{"text": "I ran."}, {"id": "x", "steps": ["Sit"]}]
        items = list(documents_from_strings(texts))
        documents = [item for item in items if isinstance(item, Document)]
        assert [(d.name, d.format) for d in documents] == [
            ("text#1", "text"),
            ("text#2", "markdown"),
            ("text#3", "jsonl"),
            ("text#4", "jsonl"),
        ]
        for document in documents:
            check_spans(document)

    def test_a_named_format(self) -> None:
        items = list(documents_from_strings([MCSCRIPT], format="mcscript", name="stories"))
        assert [item.name for item in items if isinstance(item, Document)] == ["stories#1#7", "stories#1#8"]

    def test_unreadable_text_is_a_discard(self) -> None:
        bad: list[str | dict[str, object]] = ["", "\ud800", {"text": 3}, {}, {"text": "  "}, {"text": "\udfff"}]
        reasons = [item.reason for item in documents_from_strings(bad) if isinstance(item, Discard)]
        malformed, empty = DiscardReason.MALFORMED, DiscardReason.EMPTY
        assert reasons == [empty, malformed, malformed, malformed, empty, malformed]

    def test_unknown_format(self) -> None:
        with pytest.raises(ConfigurationError, match="jsonl"):
            list(documents_from_strings([""], format="word"))


def test_inputs_are_files_folders_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.txt").write_text("I ran.", encoding="utf-8")
    (tmp_path / "a" / "y.jsonl").write_text('{"id": 1, "text": "I sat."}', encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"I slept.")))
    found = list(read_inputs([str(tmp_path / "a"), "-"]))
    assert [item.name for item in found if isinstance(item, Document)] == ["x.txt", "y.jsonl#1", "standard input"]
    with pytest.raises(InputError, match="no such file"):
        read_inputs([str(tmp_path / "b")])
    with pytest.raises(ConfigurationError):
        read_inputs([str(tmp_path / "a")], "odt")
