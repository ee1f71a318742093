"""The links of all Markdown documents lead to files and headings that exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.markdown_links import anchors, dead_links

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("docs", "exports", "kgscripts", "lightning_modules", "schemas", "tests")
TEXTS = ROOT / "tests" / "data" / "user_texts"
"""Inputs, and no documents."""
DOCUMENTS = sorted(
    path
    for path in [*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md"))]
    if TEXTS not in path.parents
)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_files_and_headings_that_exist(document: Path) -> None:
    assert dead_links(document) == []


def test_dead_links_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    lines = [
        "# A `code` title: *one*",
        "## Same",
        "## Same",
        "[a](other.md) [b](#same-1) [c](#same-2) [d](page.md#a-code-title-one)",
        "![e](gone.png) [f](https://example.org/#any) `[g](code.md)`",
    ]
    page.write_text("\n".join(lines), encoding="utf-8")
    assert anchors(page) == {"a-code-title-one", "same", "same-1"}
    assert dead_links(page) == ["other.md", "#same-2", "gone.png"]
