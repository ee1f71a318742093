"""Detection of a source's format from its first bytes; its name decides only where these are ambiguous."""

from __future__ import annotations

import re

from kgscripts.corpora.table_columns import has_known_header

_XML = re.compile(r"\s*<(?=[?!A-Za-z])")
_XML_ROOT = re.compile(r"<([A-Za-z_][\w.:-]*)")
_XML_PROLOGUE = (("<!--", re.compile("-->")), ("<?", re.compile(r"\?>")), ("<!DOCTYPE", re.compile(r"[\[>]")))
_XML_SUBSET_END = re.compile(r"\]\s*>")
_XML_FORMATS = {"data": "mcscript", "scripts": "descript"}
_HTML_DOCTYPE = re.compile(r"\s*<!doctype\s+html\b", re.IGNORECASE)
_HTML_ROOTS = ("html", "head", "body")
_HTML_SUFFIXES = (".html", ".htm", ".xhtml")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+\S")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_CONLLU = re.compile(r"1(?:-[0-9]+)?(?:\t[^\t]+){9}")
_COMMENTS = 50
"""The most lines before the first word of a treebank."""

_MARKDOWN_SUFFIXES = (".md", ".markdown")
_TEXT_SUFFIXES = (*_MARKDOWN_SUFFIXES, ".txt", ".text")
_JSON_ARRAY = re.compile(r"\s*\[\s*\{\s*\"")
_YAML_SUFFIXES = (".yaml", ".yml")
_SCRIPT = re.compile(r"\A\s*\{?\s*\"?scenario\"?:.*^\s*\"?steps\"?:", re.DOTALL | re.MULTILINE)
_JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")


def sniff_package(sample: bytes, name: str) -> str | None:
    """The format of a source that is no text itself but contains some; None for others."""
    if sample.startswith(b"%PDF-"):
        return "pdf"
    is_docx = name.lower().removesuffix(".gz").endswith(".docx") or b"word/" in sample
    return "docx" if sample.startswith(b"PK\x03\x04") and is_docx else None


def sniff(sample: bytes, name: str) -> str | None:
    """The format of a source with this beginning and name; None for XML in an unknown format.

    Scripts are recognised by their first key or the name, pages by their document type, root element or name, other XML
    by its root element, JSON lines and arrays by the brackets or the name, InScript by its word marks, tables by the
    name and, if it is one of pairs too, by their header, pairs by two or three columns, CoNLL-U by the ten columns of a
    first word or the name, Markdown by a heading or at least two list items; everything else is plain text.
    """
    text = sample.decode("utf-8", errors="replace")
    suffix = name.lower().removesuffix(".gz")
    lines = [line for line in re.split(r"\r\n?|\n", text) if line.strip()]
    first = lines[0] if lines else ""
    if first == "<end_of_story>" or (first.startswith("▁") and len(first.split(" ")) >= 6):
        return "inscript"
    if suffix.endswith(".conllu") or any(map(_CONLLU.fullmatch, lines[:_COMMENTS])):
        return "conllu"
    if suffix.endswith(_HTML_SUFFIXES) or _HTML_DOCTYPE.match(text):
        return "html"
    if _XML.match(text):
        root = _xml_root(text)
        if root.lower() in _HTML_ROOTS:
            return "html"
        known = _XML_FORMATS.get(root)
        if known or not suffix.endswith(_TEXT_SUFFIXES):
            return known
    if suffix.endswith(_YAML_SUFFIXES) or _SCRIPT.search(text):
        return "script"
    if suffix.endswith(".ttl"):
        return "p-plan"
    if suffix.endswith(".jsonld"):
        return "json-ld"
    if (
        suffix.endswith(_JSON_SUFFIXES)
        or _JSON_ARRAY.match(text)
        or (first.lstrip().startswith("{") and not suffix.endswith(_TEXT_SUFFIXES))
    ):
        return "jsonl"
    if suffix.endswith(_MARKDOWN_SUFFIXES):
        return "markdown"
    if suffix.endswith(".csv") or (suffix.endswith(".tsv") and has_known_header(lines)):
        return "table"
    if _is_pairs(lines, complete=text.endswith("\n")) or suffix.endswith(".tsv"):
        return "pairs"
    return "markdown" if _is_markdown(lines) else "text"


def _xml_root(text: str) -> str:
    """The name of the first element, behind comments, declarations and document type; "" if there is none."""
    at = text.find("<")
    while at >= 0:
        opening = next((item for item in _XML_PROLOGUE if text.startswith(item[0], at)), None)
        if opening is None:
            if root := _XML_ROOT.match(text, at):
                return root.group(1)
            at += 1
        else:
            end = opening[1].search(text, at + len(opening[0]))
            if end and end.group() == "[":
                end = _XML_SUBSET_END.search(text, end.end())
            if not end:
                return ""
            at = end.end()
        at = text.find("<", at)
    return ""


def _is_pairs(lines: list[str], *, complete: bool) -> bool:
    """Whether most lines have two or three columns (some may be malformed, and the last may be cut off)."""
    whole = lines if complete or len(lines) == 1 else lines[:-1]
    rows = sum(line.count("\t") in (1, 2) and not (line.startswith("\t") or _ITEM.match(line)) for line in whole)
    return bool(whole) and rows > len(whole) / 2


def _is_markdown(lines: list[str]) -> bool:
    if not lines:
        return False
    underlined = len(lines) > 1 and _UNDERLINE.fullmatch(lines[1]) is not None
    return bool(_HEADING.match(lines[0])) or underlined or sum(bool(_ITEM.match(line)) for line in lines) >= 2
