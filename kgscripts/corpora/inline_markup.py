"""Markup within lines, of Markdown and of HTML: its signs are no words, and what they enclose is text."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from kgscripts.corpora.markdown_tables import TABLE, without_tables

_TO = r"\([ \t]*(?:<[^<>\n]*>|(?:[^\s()<>]|\([^\s()]*\))*)(?:\s+(?:\"[^\"]*\"|'[^']*'))?[ \t]*\)"
"""The destination of a link, with an optional title."""
_IMAGE = re.compile(rf"!\[[^\[\]]*\](?:{_TO}|\[[^\[\]\n]*\])")
_LINK = re.compile(rf"(?<!\\)\[([^\[\]]*)\]{_TO}")
_BROKEN = re.compile(r"\]\((?:https?://|www\.|/|#)[^\s()]*\)?")
_DEFINITION = re.compile(r"^ {0,3}\[([^\[\]\n]+)\]:[ \t]*\S+[^\n]*$", re.MULTILINE)
_REFERENCE = re.compile(r"\[([^\[\]]+)\](?:\[([^\[\]\n]*)\])?")
_ADDRESS = re.compile(r"[ \t]?<?\b(?:https?://|www\.)[^\s<>\[\]]*[^\s<>\[\].,;:!?)\"'’”]>?")
_IN_LINE = re.compile(r"[^\r\n]")
_ANY = rf"(?:!\[[^\[\]]*\]{_TO}|\[(?:[^\[\]\n]|!\[[^\[\]]*\]{_TO})*\]{_TO})"
_ALONE = re.compile(rf"^[ \t]*(?:[-*+•|·>»]+[ \t]*)?(?:{_ANY}[ \t|·•,/–—-]*)+$", re.MULTILINE)
"""Lines of nothing but links: menus, "buy the book". A numbered one is a step all the same."""


def without_links(text: str) -> str:
    """The text with the words of its links, and without images, addresses and lines of nothing but links."""
    return _reduced(text, lambda _: "")


def with_covered_links(text: str) -> str:
    """The text with spaces in the place of what `without_links` removes, so that its length does not change."""
    return _reduced(text, lambda removed: _IN_LINE.sub(" ", removed))


def _reduced(text: str, cover: Callable[[str], str]) -> str:
    """The text with what `cover` gives of each piece in its place."""

    def whole(match: re.Match[str]) -> str:
        return cover(match[0])

    def words(match: re.Match[str]) -> str:
        start, end = match.start(1) - match.start(), match.end(1) - match.start()
        return cover(match[0][:start]) + match[1] + cover(match[0][end:])

    if "](" not in text and "][" not in text and "]:" not in text and "://" not in text and "www." not in text:
        return text
    text = _ALONE.sub(whole, text)
    text = _LINK.sub(words, _IMAGE.sub(whole, text))
    text = _BROKEN.sub(whole, text)
    if names := {_name(definition[1]) for definition in _DEFINITION.finditer(text)}:
        text = _REFERENCE.sub(
            lambda link: words(link) if _name(link[2] or link[1]) in names else link[0], _DEFINITION.sub(whole, text)
        )
    return _ADDRESS.sub(whole, text)


def _name(reference: str) -> str:
    return " ".join(reference.lower().split())


_SIGNS = r"(?:\*{1,3}(?!\*)|_{1,3}(?!_)|~~(?!~)|`{1,2}(?!`))+"
_MARKUP = re.compile(
    r"(?P<kept>(?:https?://|www\.)\S+|\]\([^\s()]*|&(?:amp;)?\w+=|^[ \t]*(?:`{3}|~{3}).*$"
    r"|^[ \t]*\*(?=[^\s*])(?![^*\n]*[^\s*]\*))"
    r"|(?P<entity>&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,31}\d{0,2});)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?P<tag></?(?:abbr|b|big|br|cite|code|del|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|tt"
    r"|u|wbr)(?:\s[^<>]{0,300})?/?>)"
    r"|\[\^[^\s\[\]]{1,40}\]:?|(?<=[\w.,;!?)])\[\d{1,3}\](?![(\[:\w])"  # footnotes
    rf"|(?<![\w*_~`]){_SIGNS}(?=[^\s*_~`])|(?<=[^\s*_~`]){_SIGNS}(?![\w*_~`])|(?<=[^\s*])\*\*(?=[^\s*])",
    re.MULTILINE | re.IGNORECASE,
)
"""`kept` is no markup: addresses, fences of code, and an asterisk that may be a bullet."""


_BARS = re.compile(r"\||^[-:| \t]+$", re.MULTILINE)


def without_markup(text: str) -> str:
    """The text without the signs of bold, italic, struck out and inline code, tags within lines and marks of footnotes,
    with the characters that entities stand for, lists in the
    place of tables, and without links (`without_links`)."""
    return without_links(without_tables(_MARKUP.sub(_without, text)))


def with_covered_markup(text: str) -> str:
    """The text with spaces in the place of what `without_markup` removes, so that its length does not change.

    It has no markup: `without_markup` changes nothing of it.
    """
    text = TABLE.sub(lambda table: _BARS.sub(lambda bars: " " * len(bars[0]), table[0]), text)
    covered = with_covered_links(_MARKUP.sub(lambda match: _without(match).ljust(len(match[0])), text))
    return covered if covered == text else with_covered_markup(covered)


def _without(match: re.Match[str]) -> str:
    """What is read of a piece of markup."""
    if match["kept"]:
        return match[0]
    if match["entity"] or match["escaped"]:
        sign = match["escaped"] or html.unescape(match[0])
        # A sign that is meant as it is would be markup where it stands alone.
        return (" " if sign.isspace() or sign in "*_`~<>[]()|\\#" else sign) if len(sign) == 1 else match[0]
    return " " if match["tag"] and match["tag"][1:3].lower() == "br" else ""
