"""DOCX and PDF: what is read of them, and what is wrong with them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from schemas.records import DiscardReason, PassageKind
from tests.corpora.documents import passages, read

docx = pytest.importorskip("docx")  # writes DOCX; nothing reads with it
pytest.importorskip("pypdf")


def word(*parts: tuple[str, str], title: str = "") -> bytes:
    """A DOCX of paragraphs: each has a style and a text."""
    document = docx.Document()
    document.core_properties.title = title
    for style, text in parts:
        document.add_paragraph(text, style=style or None)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def pdf(*lines: str) -> bytes:
    """A PDF of one page with these lines."""
    return pdf_of_pages(lines)


def pdf_of_pages(*pages: Sequence[str], title: str = "", more: bytes = b"") -> bytes:
    """A PDF of pages of lines; `more` is content of each page."""
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        f"<</Title({title})>>".encode(),
    ]
    for number, lines in enumerate(pages):
        shown = " ".join(f"({line}) Tj T*" for line in lines)
        content = f"BT /F1 12 Tf 72 720 Td 14 TL {shown} ET".encode() + more
        own = f"/Contents {6 + 2 * number} 0 R/Resources<</Font<</F1 3 0 R>>>>"
        objects.append(f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]{own}>>".encode())
        objects.append(b"<</Length %d>>stream\n%b\nendstream" % (len(content), content))
    data = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    offsets = []
    for number, item in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, item)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return (
        data
        + b"xref\n0 %d\n0000000000 65535 f \n%btrailer<</Size %d/Root 1 0 R/Info 4 0 R>>\nstartxref\n%d\n%%%%EOF"
        % (
            *(size, table),
            *(size, len(data)),
        )
    )


def test_a_how_to_in_word(tmp_path: Path) -> None:
    data = word(
        ("Title", "How to Plant a Tree"),
        ("", "It is best done in spring."),
        ("Heading 1", "Tools"),
        ("List Bullet", "spade"),
        ("List Bullet", "bucket"),
        ("Heading 1", "Steps"),
        ("List Number", "Dig a hole."),
        ("List Number", "Put the tree in the hole."),
    )
    for name in ("a.docx", "a.bin"):
        (document,), _ = read(tmp_path, name, data)
        assert document.title == "How to Plant a Tree"
        assert passages(document, PassageKind.STEP) == ["Dig a hole.", "Put the tree in the hole."]
        assert [document.text[span.start : span.end] for span in document.declared.tools] == ["spade", "bucket"]


def test_prose_and_tables_in_word(tmp_path: Path) -> None:
    document = docx.Document()
    document.core_properties.title = "A day"
    document.add_paragraph("I got up.")
    document.add_table(1, 2).cell(0, 0).text = "I made tea."
    stream = io.BytesIO()
    document.save(stream)
    (found,), _ = read(tmp_path, "a.docx", stream.getvalue())
    assert found.title == "A day"
    assert passages(found) == ["I got up.", "I made tea."]


def bomb(name: str, content: bytes = b"0" * 70_000_000) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return stream.getvalue()


ENTITIES = b'<!DOCTYPE a [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]><w:document>&b;</w:document>'
BAD: dict[str, tuple[str, bytes, DiscardReason]] = {
    "zip bomb": ("a.docx", bomb("word/document.xml"), DiscardReason.UNDECODABLE),
    "no document in it": ("a.docx", bomb("a.txt", b"x"), DiscardReason.UNDECODABLE),
    "not a DOCX within": ("a.docx", bomb("word/document.xml", b"<a"), DiscardReason.UNDECODABLE),
    "entities": ("a.docx", bomb("word/document.xml", ENTITIES), DiscardReason.UNDECODABLE),
    "DOCX cut off": ("a.docx", word(("", "I ran."))[:-400], DiscardReason.UNDECODABLE),
    "other zip archive": ("a.zip", bomb("a.txt", b"x" * 9), DiscardReason.UNDECODABLE),
    "empty DOCX": ("a.docx", word(), DiscardReason.EMPTY),
    "not a zip archive": ("a.docx", b"PK\x03\x04" + b"word/" * 99, DiscardReason.UNDECODABLE),
    "PDF without text": ("a.pdf", pdf(), DiscardReason.EMPTY),
    "PDF header only": ("a.pdf", b"%PDF-1.7\n", DiscardReason.UNDECODABLE),
    "PDF cut off": ("a.pdf", pdf("I ran.")[:200], DiscardReason.UNDECODABLE),
    "PDF in circles": ("a.pdf", pdf("x").replace(b"/Kids[5 0 R]", b"/Kids[2 0 R]"), DiscardReason.UNDECODABLE),
}


@pytest.mark.parametrize(("name", "data", "reason"), BAD.values(), ids=BAD)
def test_bad_packages_are_set_aside(name: str, data: bytes, reason: DiscardReason, tmp_path: Path) -> None:
    documents, (discard,) = read(tmp_path, name, data)
    assert not documents
    assert discard.reason is reason


def test_the_text_layer_of_a_pdf(tmp_path: Path) -> None:
    (document,), _ = read(tmp_path, "a.pdf", pdf("How to make tea", "1. Boil the wa-", "ter.", "2. Pour it."))
    assert document.format == "pdf"
    assert passages(document, PassageKind.STEP) == ["Boil the water.", "Pour it."]
    _, (discard,) = read(tmp_path, "b.pdf", pdf())
    assert "no text layer" in discard.detail


HEAD = "Bicycles 2021"
BROKEN: dict[str, tuple[Sequence[Sequence[str]], str]] = {
    "heads and feet": (
        [
            (HEAD, "How to wash", "1. Wipe it with", "Page 1 of 3"),
            (HEAD, "a rag.", "2. Rinse it.", "Page 2 of 3"),
            (HEAD, "3. Dry it.", "Page 3 of 3"),
        ],
        "",
    ),
    "page numbers": (
        [("How to wash", "1. Wipe it with a", "- 1 -"), ("rag.", "2. Rinse it.", "3. Dry it.", "- 2 -")],
        "",
    ),
    "a number on the second page only": (
        [("How to wash", "1. Wipe it with a rag."), ("2. Rinse it.", "3. Dry it.", "2")],
        "",
    ),
    "a title in the properties": (
        [(HEAD, "1. Wipe it with a rag.", "2. Rinse it."), (HEAD, "3. Dry it.")],
        "How to wash",
    ),
    "a title that is the head": (
        [("How to wash", "1. Wipe it with a rag.", "2. Rinse it."), ("How to wash", "3. Dry it.")],
        "",
    ),
    "a title of a program": (
        [("How to wash", "1. Wipe it with a rag.", "2. Rinse it."), ("3. Dry it.",)],
        "Microsoft Word - wash.doc",
    ),
    "a word over two pages": ([("How to wash", "1. Wipe it with a r-"), ("ag.", "2. Rinse it.", "3. Dry it.")], ""),
    "numbers on lines of their own": (
        [("How to wash", "1.", "Wipe it with a rag.", "2."), ("Rinse it.", "3.", "Dry it.")],
        "",
    ),
    "a step a page": (
        [("How to wash", "Step 1", "Wipe it with a rag."), ("Step 2", "Rinse it."), ("Step 3", "Dry it.")],
        "",
    ),
}


@pytest.mark.parametrize(("pages", "title"), BROKEN.values(), ids=BROKEN)
def test_steps_of_a_pdf_go_on_over_pages(pages: Sequence[Sequence[str]], title: str, tmp_path: Path) -> None:
    (document,), discards = read(tmp_path, "a.pdf", pdf_of_pages(*pages, title=title))
    assert not discards
    assert document.title == "How to wash"
    steps = [" ".join(step.split()) for step in passages(document, PassageKind.STEP)]
    assert steps == ["Wipe it with a rag.", "Rinse it.", "Dry it."]


@pytest.mark.parametrize(
    ("limit", "value", "says"),
    [
        ("MOST_PAGES", 1, "more than 1 pages"),
        ("MOST_CONTENT", 90, "90 bytes of content"),
        ("MAX_RECORD_BYTES", 9, "text of"),
    ],
)
def test_a_pdf_beyond_a_limit(
    limit: str, value: int, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"kgscripts.corpora.pdf.{limit}", value)
    documents, (discard,) = read(tmp_path, "a.pdf", pdf_of_pages(["I ran."], ["I sat."]))
    assert (documents, discard.reason) == ([], DiscardReason.TOO_LONG)
    assert says in discard.detail


def test_content_that_takes_long_to_parse(tmp_path: Path) -> None:
    _, (discard,) = read(tmp_path, "a.pdf", pdf_of_pages(["I ran."], more=b"0 0 m " * 99_999))
    assert discard.reason is DiscardReason.TOO_LONG
    assert "print it anew" in discard.detail


def test_the_remedy_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgscripts.corpora.pdf.find_spec", lambda _: None)
    _, (discard,) = read(tmp_path, "a.pdf", pdf("I ran."))
    assert "pip install 'kgscripts[pdf]'" in discard.detail
