"""Chats, mails and posts of forums as people save them: what was written, without stamps, names, headers and quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attrs import frozen

from kgscripts.corpora.lines import line_spans, trimmed

_STAMP = r"\[?(?:\d{1,4}[./-]\d{1,2}(?:[./-]\d{2,4})?,?[ \t]+)?\d{1,2}:\d\d(?::\d\d)?(?:[ \u202f]?[ap]\.?m\.?)?\]?"
_MESSAGE = re.compile(
    rf"(?:{_STAMP}[ \t]*[–—-]?[ \t]*)?"
    r"(?:<(?P<nick>[^<>\s]{1,30})>|(?P<name>[^\W\d][\w.'’-]*(?:[ ][^\W\d][\w.'’-]*){0,2}):)"
    rf"[ \t]+(?:{_STAMP}[ \t]*)?",
    re.IGNORECASE,
)
"""The beginning of a message: ``[14/02, 09:12] Anouk: ``, ``09:12 <anouk> ``, ``Anouk: ``."""
_FEWEST = 4
_SHARE = 0.6
_HEADER = re.compile(r"(?:from|to|cc|bcc|subject|date|sent|reply-to)[ \t]*:[ \t]*(?P<value>.*)", re.IGNORECASE)
_QUOTE = re.compile(r">|(?:on\b.{4,80}|.{2,40})\bwrote[ \t]*:[ \t]*$", re.IGNORECASE)
_REPLY = re.compile(r"(?:re|fwd?)[ \t]*:|>?[ \t]*posted by\b|.{2,80}\bwrote[ \t]*:", re.IGNORECASE)
_SIGNATURE = re.compile(r"--[ \t]*")


@frozen
class Messages:
    """The spans of what was written, and the subject, "" without one."""

    spans: Sequence[tuple[int, int]]
    subject: str = ""


def messages_of(text: str, paragraphs: Sequence[tuple[int, int]]) -> Messages | None:
    """The messages of a chat, or the paragraphs of a mail or post; None if a text is none of these.

    In a chat, most lines begin with the name of one who writes again, and there are two of them or more. A mail begins
    with two headers or more; a post has quoted lines, and answers something. Of both, lines quoted with ">" and what is
    below a signature are left out.
    """
    lines = [
        [trimmed(text, begin + start, begin + end) for start, end in line_spans(text[begin:last])]
        for begin, last in paragraphs
    ]
    return _chat(text, [line for paragraph in lines for line in paragraph]) or _mail(text, lines)


_BEGINNING = re.compile(r"[ \t\[]*0{1,2}:")
_STAMPED = re.compile(rf"^[ \t]*{_STAMP}[ \t]+", re.MULTILINE | re.IGNORECASE)


def without_stamps(text: str) -> str:
    """A transcript without the times that most of its lines begin with, from 0:00 on; another text as it is."""
    lines = [line for line in text.splitlines() if line.strip()]
    stamped = [stamp for line in lines if (stamp := _STAMPED.match(line))]
    begins = bool(stamped) and _BEGINNING.match(stamped[0][0]) is not None
    if not begins or len(stamped) < max(_FEWEST, _SHARE * len(lines)) or any(map(_MESSAGE.match, lines)):
        return text
    return _STAMPED.sub("", text)


def _chat(text: str, lines: Sequence[tuple[int, int]]) -> Messages | None:
    begun = [_MESSAGE.match(text, *line) for line in lines]
    names = [(match["nick"] or match["name"]).lower() for match in begun if match]
    if len(names) < max(_FEWEST, _SHARE * len(lines)) or not 1 < len(set(names)) <= len(names) / 2:
        return None
    spans: list[tuple[int, int]] = []
    for line, match in zip(lines, begun, strict=True):
        if match:
            spans.append((match.end(), line[1]))
        elif spans:
            spans[-1] = spans[-1][0], line[1]
    return Messages([span for span in spans if span[0] < span[1]])


def _mail(text: str, paragraphs: Sequence[Sequence[tuple[int, int]]]) -> Messages | None:
    headers = [header for line in paragraphs[0] if (header := _HEADER.match(text, *line))] if paragraphs else []
    is_mail = len(headers) > 1 and len(headers) == len(paragraphs[0])
    lines = [line for paragraph in paragraphs for line in paragraph]
    quotes = sum(text.startswith(">", line[0]) for line in lines)
    is_post = 0 < quotes < len(lines) / 2 and any(_REPLY.match(text, *line) for line in lines)
    if not is_mail and not is_post:
        return None
    subjects = [header["value"] for header in headers if is_mail and header[0].lower().startswith("subject")]
    return Messages(list(_written(text, paragraphs[is_mail:])), subjects[0].strip() if subjects else "")


def _written(text: str, paragraphs: Sequence[Sequence[tuple[int, int]]]) -> Iterator[tuple[int, int]]:
    """The paragraphs without quoted lines, up to the signature."""
    for paragraph in paragraphs:
        begin: int | None = None
        end = 0
        for line in paragraph:
            is_signature = _SIGNATURE.fullmatch(text, *line) is not None
            if is_signature or _QUOTE.match(text, *line):
                if begin is not None:
                    yield begin, end
                    begin = None
                if is_signature:
                    return
                continue
            begin, end = line[0] if begin is None else begin, line[1]
        if begin is not None:
            yield begin, end
