"""Front matter: lines ``key: value`` between ``---`` lines at the beginning of a text."""

from __future__ import annotations

import re

from attrs import frozen

from kgscripts.corpora.lines import line_spans

_FENCE = re.compile(r"---[ \t]*(?:\r\n?|\n|$)")
_END = re.compile(r"(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|$)")
_FIELD = re.compile(r"([^\W\d][\w -]{0,40}):(?:[ \t]+([^\r\n]*))?(?:\r\n?|\n|$)")
_OTHER = re.compile(r"(?:[ \t]+\S[^\r\n]*|[ \t]*#[^\r\n]*|-[ \t][^\r\n]*|[ \t]*)(?:\r\n?|\n|$)")
"""Comments, lists and indented lines, which values of other keys consist of."""
_COMMENT = re.compile(r"[ \t]#.*")


@frozen
class FrontMatter:
    """The content of front matter; `end` is the start of the text after it, 0 without front matter."""

    end: int = 0
    title: str = ""
    scenario: str = ""


def front_matter(text: str) -> FrontMatter:
    """The front matter of a text. A block with other lines than those of YAML, or without an end, is text.

    ``title`` and ``scenario`` are read, in any case and with or without quotes; other keys are ignored.
    """
    lines = line_spans(text)
    if not _FENCE.fullmatch(text, *next(lines, (0, 0))):
        return FrontMatter()
    fields: dict[str, str] = {}
    for start, end in lines:
        if _END.fullmatch(text, start, end):
            return FrontMatter(end, fields.get("title", ""), fields.get("scenario", "")) if fields else FrontMatter()
        field = _FIELD.fullmatch(text, start, end)
        if field:
            fields.setdefault(field[1].strip().lower(), _value((field[2] or "").strip()))
        elif not _OTHER.fullmatch(text, start, end):
            break
    return FrontMatter()


def _value(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1].strip()
    return "" if value.startswith("#") else _COMMENT.sub("", value).strip()
