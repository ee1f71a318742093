"""DOCX as word processors write it: controls, tracked changes, text boxes, tables, numbering; and its limits."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import lxml.etree
import pytest

from kgscripts.corpora import office
from schemas.records import DiscardReason, PassageKind
from tests.corpora.documents import passages, read

NAMES = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="m" xmlns:v="v"'
NUMBERING = f"""<w:numbering {NAMES}>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:lvl w:ilvl="0">
<w:numFmt w:val="none"/></w:lvl></w:lvlOverride></w:num></w:numbering>"""
STYLES = f"""<w:styles {NAMES}>
<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:styleId="Mine"><w:name w:val="My own"/><w:basedOn w:val="berschrift1"/></w:style>
<w:style w:styleId="Schritt"><w:name w:val="Schritt"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
</w:styles>"""


def packed(body: str, **parts: str) -> bytes:
    """A DOCX with this body."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f"<w:document {NAMES}><w:body>{body}</w:body></w:document>")
        for name, content in {"numbering": NUMBERING, "styles": STYLES, **parts}.items():
            archive.writestr(f"word/{name}.xml", content)
    return stream.getvalue()


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(content: str, number: int = 0, *, style: str = "", mark: str = "") -> str:
    """A paragraph of runs, or of a text; `number` is that of its list, `mark` what was done to its end."""
    numbered = f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{number}"/></w:numPr>' if number else ""
    runs = content if content.startswith("<") else run(content)
    properties = f'<w:pStyle w:val="{style}"/>{numbered}<w:rPr>{mark}</w:rPr>'
    return f"<w:p><w:pPr>{properties}</w:pPr>{runs}</w:p>"


def control(content: str, properties: str = "") -> str:
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"


def table(*rows: tuple[str, ...]) -> str:
    cells = [
        "".join(f"<w:tc>{cell if cell.startswith('<') else paragraph(cell)}</w:tc>" for cell in row) for row in rows
    ]
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def alternatives(choice: str, fallback: str) -> str:
    inner = f"<mc:Choice>{choice}</mc:Choice><mc:Fallback>{fallback}</mc:Fallback>"
    return f"<mc:AlternateContent>{inner}</mc:AlternateContent>"


BOX = f"<v:textbox><w:txbxContent>{paragraph('Dry it.')}</w:txbxContent></v:textbox>"
LINK = f'<w:hyperlink>{run("a ra")}</w:hyperlink><w:fldSimple w:instr="x">{run("g")}</w:fldSimple>'
FIELD = '<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>PAGEREF x</w:instrText></w:r>'
WIPE, DRY = paragraph("Wipe it.", 1), paragraph("Dry it.", 1)
ROW = f"<w:tr>{control(f'<w:tc>{WIPE}</w:tc>')}</w:tr>"
STEPS = {
    "a control around a paragraph": WIPE + control(DRY),
    "a control within one": WIPE + paragraph(run("Dry") + control(run(" it")) + run("."), 1),
    "an unfilled control": WIPE + control(paragraph("Click to enter text."), "<w:showingPlcHdr/>") + DRY,
    "a table of contents": control(
        paragraph("Steps 1"),
        '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj>',
    )
    + WIPE
    + DRY,
    "controls around rows and cells": f"<w:tbl>{control(ROW)}</w:tbl>{DRY}",
    "an insertion": WIPE + paragraph(run("Dry") + f"<w:ins>{run(' it')}</w:ins>" + run("."), 1),
    "an inserted paragraph": WIPE + f"<w:ins>{DRY}</w:ins>",
    "a deletion": WIPE + paragraph(f"<w:del><w:r><w:delText>Do not d</w:delText></w:r></w:del>{run('Dry it.')}", 1),
    "a moved step": f"<w:moveFrom>{DRY}</w:moveFrom>" + WIPE + paragraph(f"<w:moveTo>{run('Dry it.')}</w:moveTo>", 1),
    "a deleted end": WIPE + paragraph("Dry", 1, mark="<w:del/>") + paragraph("it.", 1),
    "a change of looks": WIPE + DRY.replace("<w:rPr></w:rPr></w:pPr>", '<w:pPrChange><w:pPr><w:pStyle w:val="Mine"/>'
                                            "</w:pPr></w:pPrChange></w:pPr>"),
    "a text box": WIPE + paragraph(f"<w:r>{alternatives(BOX, f'<w:pict>{BOX}</w:pict>')}</w:r>"),
    "a text box for old programs": WIPE + paragraph(f"<w:r>{alternatives('', BOX)}</w:r>"),
    "a text box between steps": paragraph(f"{run('Wipe it.')}<w:r><w:pict>{BOX}</w:pict></w:r>", 1),
    "a list in a cell": table((WIPE + DRY, "Be gentle.")).replace(paragraph("Be gentle."), "<w:p/>"),
    "a table in a table": table(("Cleaning", table(("1.", "Wipe it."), ("2.", "Dry it."))))
    .replace(paragraph("Cleaning"), "<w:p/>"),
    "typed numbers": paragraph("1. Wipe it.") + paragraph("Step 2: Dry it."),
    "typed numbers and line breaks": paragraph(f"{run('1. Wipe it.')}<w:r><w:br/></w:r>{run('2. Dry it.')}"),
    "a line break in a step": WIPE + paragraph(f"{run('Dry')}<w:r><w:br/></w:r>{run('it.')}", 1),
    "numbers of a style": paragraph("Wipe it.", style="Schritt") + paragraph("Dry it.", style="Schritt"),
    "hidden text": WIPE + paragraph(run("Secret.", "<w:vanish/>") + run("Dry it."), 1),
    "soft hyphens": WIPE + paragraph("D\u00adry it.", 1),
}  # fmt: skip


@pytest.mark.parametrize("body", STEPS.values(), ids=STEPS)
def test_steps_are_read_as_the_document_shows_them(body: str, tmp_path: Path) -> None:
    (document,), discards = read(tmp_path, "a.docx", packed(paragraph("How to clean", style="Mine") + body))
    assert not discards
    assert document.title == "How to clean"
    assert passages(document) == passages(document, PassageKind.STEP) == ["Wipe it.", "Dry it."]


def test_links_and_fields_are_part_of_a_step(tmp_path: Path) -> None:
    body = paragraph(f"{run('Wipe it with ')}{LINK}{FIELD}<w:r><w:footnoteReference/></w:r>{run('.')}", 1)
    (document,), _ = read(tmp_path, "a.docx", packed(body))
    assert passages(document) == ["Wipe it with a rag."]


def test_bullets_above_numbers_are_what_is_needed(tmp_path: Path) -> None:
    heading = paragraph("You will need", style="Mine")
    for steps in ([WIPE, DRY], [paragraph("wipe it", 1), paragraph("dry it", 1)]):
        (document,), _ = read(tmp_path, "a.docx", packed(heading + paragraph("a rag", 2) + "".join(steps)))
        assert [text.rstrip(".").lower() for text in passages(document, PassageKind.STEP)] == ["wipe it", "dry it"]
        assert passages(document, PassageKind.NEEDS)[0].endswith("\na rag")


def test_a_remark_between_steps_belongs_to_the_step_above(tmp_path: Path) -> None:
    body = paragraph("Instructions", style="Mine") + WIPE + paragraph("Be gentle.") + DRY
    (document,), _ = read(tmp_path, "a.docx", packed(body))
    assert passages(document, PassageKind.STEP) == ["Wipe it. Be gentle.", "Dry it."]


def test_lists_without_numbers_are_no_steps(tmp_path: Path) -> None:
    (document,), _ = read(tmp_path, "a.docx", packed(paragraph("I ran.", 2) + paragraph("I sat.", 3)))
    assert passages(document, PassageKind.PARAGRAPH) == ["I ran.", "I sat."]


def test_a_table_of_steps(tmp_path: Path) -> None:
    body = table(
        ("Step", "What to do", "Tools", "Minutes"), ("2", "Dry it.", "towel", "5"), ("1", "Wipe it.", "rag", "")
    )
    (document,), (discard,) = read(tmp_path, "a.docx", packed(body))
    assert passages(document, PassageKind.STEP) == ["Wipe it.", "Dry it."]
    assert [document.text[span.start : span.end] for span in document.declared.tools] == ["rag", "towel"]
    assert (discard.reason, discard.detail) == (DiscardReason.UNREAD_COLUMN, "not read: Minutes")


def many_files(count: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for number in range(count):
            archive.writestr(f"word/{number}", b"")
    return stream.getvalue()


TOO_LARGE = {
    "elements": packed("<w:p/>" * 1_000),
    "attributes": packed("<w:p " + " ".join(f'a{number}="1"' for number in range(1_000)) + "/>"),
    "elements of styles": packed("", styles=f"<w:styles {NAMES}>{'<w:style/>' * 1_000}</w:styles>"),
}


@pytest.mark.parametrize("data", TOO_LARGE.values(), ids=TOO_LARGE)
def test_what_is_too_large_for_a_tree_is_counted_before(
    data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[int] = []
    parse = lxml.etree.fromstring

    def recorded(data: bytes, parser: lxml.etree.XMLParser) -> lxml.etree._Element:
        parsed.append(len(data))
        return parse(data, parser)

    monkeypatch.setattr(office, "_MOST_MARKS", 900)
    monkeypatch.setattr(lxml.etree, "fromstring", recorded)
    documents, (discard,) = read(tmp_path, "a.docx", data)
    assert (documents, discard.reason) == ([], DiscardReason.TOO_LONG)
    assert max(parsed, default=0) < 2_000
    assert "split it" in discard.detail


def test_an_archive_of_many_files_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = many_files(10)
    monkeypatch.setattr(office, "_MOST_ENTRIES", 9)
    monkeypatch.setattr(zipfile, "ZipFile", None)
    _, (discard,) = read(tmp_path, "a.docx", data)
    assert "more than 9 files" in discard.detail


@pytest.mark.parametrize("body", ["<w:tbl>" * 9_000, "<w:p>&a;</w:p>", "<w:p", ""])
def test_a_body_that_cannot_be_read(body: str, tmp_path: Path) -> None:
    documents, (discard,) = read(tmp_path, "a.docx", packed(body))
    assert not documents
    assert discard.reason is (DiscardReason.UNDECODABLE if body else DiscardReason.EMPTY)


def test_too_many_paragraphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("MAX_PASSAGES", "MAX_RECORD_BYTES"):
        with monkeypatch.context() as limited:
            limited.setattr(office, limit, 1)
            _, (discard,) = read(tmp_path, "a.docx", packed(WIPE + DRY))
        assert discard.reason is DiscardReason.TOO_LONG
