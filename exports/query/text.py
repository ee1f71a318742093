"""Texts of queries: as they are given, cut into tokens for the guards, and shown at the place of an error."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from schemas.arguments import check_type
from schemas.errors import ConfigurationError, QueryError
from schemas.input_files import open_regular

_BEFORE, _AFTER = 60, 40
ONLY_READS = "queries only read; `kgscripts export` writes"


def line_of(text: str, line: int) -> str:
    """The line with a number, from 1; "" for a number that no line has: engines and servers may name any."""
    lines = text.split("\n")
    return lines[line - 1] if 1 <= line <= len(lines) else ""


def error_at(message: str, text: str, line: int, column: int, remedy: str | None = None) -> QueryError:
    """Return an error that shows its location in `text`: line and column, from 1 in code points, and a caret.

    A location that is not in `text` is left out.
    """
    content = line_of(text, line).replace("\t", " ")
    if not (1 <= line <= text.count("\n") + 1 and 1 <= column <= len(content) + 1):
        return QueryError(message, remedy=remedy)
    start = max(0, column - 1 - _BEFORE)
    shown = content[start : column + _AFTER]
    return QueryError(
        f"{message}\n  {shown}\n  {' ' * (column - 1 - start)}^", where=f"line {line}, column {column}", remedy=remedy
    )


MAX_CHARACTERS = 1 << 20
MAX_TOKENS = 10_000
"""Longer chains of operators or unions overflow the stack of parsers and optimizers (seen from 20,000 on)."""
MAX_DEPTH = 100

_LINE_ENDS = re.compile(r"\r\n?")
_NOT_A_LINE_END = re.compile(r"[^\n]")
_UNICODE_ESCAPE = re.compile(r"\\(?:\\|[uU](?:([0-9A-Fa-f]{4})|.?)|.)", re.DOTALL)
_OPENING = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(_OPENING.values())


@frozen
class Token:
    """A token: the name of the group of the language's pattern that matched, its text and its offset."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def word(self) -> str:
        """The keyword that this token may be, in upper case, or nothing; keywords have ASCII letters only."""
        return self.text.upper() if self.kind == "word" and self.text.isascii() else ""


@frozen
class Scan:
    """A query without comments, and its tokens. Lines and columns are those of the original text."""

    text: str
    tokens: tuple[Token, ...]

    def error(self, message: str, start: int, remedy: str | None = None) -> QueryError:
        """Return an error at the offset `start`."""
        return _error(self.text, message, start, remedy)


def scan(text: str, pattern: re.Pattern[str]) -> Scan:
    """Return the tokens of `text`, and the text with line feeds as line ends and spaces in place of comments.

    `pattern` matches every token of the language; its groups `space` and `comment` are no tokens.

    Raises
    ------
    QueryError
        If a character belongs to no token, a token holds one that is refused, or the text exceeds a limit.
    """
    check_type("the query", text, str, "give its text")
    if len(text) > MAX_CHARACTERS:
        raise QueryError(f"the query has more than {MAX_CHARACTERS:,} characters", remedy="split it into several")
    text = _LINE_ENDS.sub("\n", text)
    for refused in re.finditer(r"[\x00\ud800-\udfff]", text):
        raise _error(text, f"the character {_name(refused[0])} is not allowed in a query", refused.start())
    tokens: list[Token] = []
    pieces: list[str] = []
    start = 0
    while start < len(text):
        match = pattern.match(text, start)
        if match is None or match.end() == start:
            raise _error(text, *_unreadable(text, start))
        kind, content = str(match.lastgroup), match[0]
        if kind in ("space", "comment"):
            pieces.append(_NOT_A_LINE_END.sub(" ", content))
        else:
            token = Token(kind, content, start)
            _check_characters(text, token)
            tokens.append(token)
            pieces.append(content)
        start = match.end()
        if len(tokens) > MAX_TOKENS:
            raise _error(text, f"the query has more than {MAX_TOKENS:,} tokens", start, "split it into several")
    _check_depth(text, tokens)
    return Scan("".join(pieces), tuple(tokens))


def check_escapes(scanned: Scan, token: Token, allowed: str) -> None:
    r"""Refuse escapes in a string that engines read differently.

    `allowed` are the characters that may follow a backslash. Some engines decode ``\u0027`` before they look for the
    end of the string, and some do so after an escaped backslash too: escapes of quotes, backslashes and control
    characters other than NUL are refused, since the string would end elsewhere.

    Raises
    ------
    QueryError
        If there is one.
    """
    content = token.text
    for match in _UNICODE_ESCAPE.finditer(content):
        escape = match[0]
        if escape[1] in "uU":
            code = _code_point(content, match.start() + 1)
            if code is None:
                raise scanned.error("the escape is not complete", token.start + match.start(), r"write \uXXXX")
        elif escape[1] in allowed:
            code = _code_point(content, match.end()) if escape == "\\\\" else None
        else:
            raise scanned.error(
                f"the escape {escape!r} has no meaning", token.start + match.start(), r"write a backslash as \\"
            )
        if code is not None and _is_unsafe(code):
            raise scanned.error(
                f"an escape of {_name(chr(code))} is read differently by different engines",
                token.start + match.start(),
                r"""write \' or \" or \\ or \n""",
            )


def _code_point(content: str, start: int) -> int | None:
    """The code point that ``uXXXX`` or ``UXXXXXXXX`` at `start` stands for, or none."""
    digits = {"u": 4, "U": 8}.get(content[start : start + 1])
    if digits is None:
        return None
    match = re.compile(r"[0-9A-Fa-f]+").match(content, start + 1, start + 1 + digits)
    if match is None or len(match[0]) != digits or int(match[0], 16) > 0x10FFFF:
        return None
    return int(match[0], 16)


def _is_unsafe(code: int) -> bool:
    return code != 0 and (code < 0x20 or chr(code) in "'\"`\\" or 0xD800 <= code < 0xE000)


def _check_characters(text: str, token: Token) -> None:
    """Refuse, outside of strings and IRIs, characters that are invisible or that engines read differently."""
    if token.text.isascii() or token.kind in ("string", "iri"):
        return
    for offset, character in enumerate(token.text):
        category = unicodedata.category(character)
        if category[0] in "CZ" and character not in "\u200c\u200d":
            raise _error(text, f"the character {_name(character)} is not allowed here", token.start + offset)


def _check_depth(text: str, tokens: Iterable[Token]) -> None:
    expected: list[str] = []
    for token in tokens:
        if token.text in _OPENING:
            expected.append(_OPENING[token.text])
            if len(expected) > MAX_DEPTH:
                raise _error(text, f"brackets are nested more than {MAX_DEPTH} deep", token.start)
        elif token.text in _CLOSING and (not expected or expected.pop() != token.text):
            raise _error(text, f"nothing is closed by {token.text}", token.start)


def _unreadable(text: str, start: int) -> tuple[str, int]:
    character = text[start]
    if text.startswith("/*", start):
        return "the comment is not closed", start
    if character in "'\"`":
        return f"what {character} begins is not closed, or holds what it must not", start
    if character == "\\":
        return "a backslash cannot be used here: write the character itself", start
    return f"the character {_name(character)} cannot be used here", start


def _name(character: str) -> str:
    return character if character.isprintable() else f"U+{ord(character):04X}"


def _error(text: str, message: str, start: int, remedy: str | None = None) -> QueryError:
    line = text.count("\n", 0, start) + 1
    return error_at(message, text, line, start - (text.rfind("\n", 0, start) + 1) + 1, remedy)


_SUFFIXES = (".rq", ".sparql", ".cypher", ".cyp", ".cql")


def query_text(given: str) -> str:
    """Return the query: `given` itself, the content of the file with this name, or standard input for ``-``.

    Raises
    ------
    ConfigurationError
        If the file cannot be read or is no regular file, or the text is not UTF-8 or too long.
    """
    if given == "-":
        return _decoded(sys.stdin.buffer.read(MAX_CHARACTERS + 1), "standard input")
    # What has several lines is a query; what ends as a file does is meant as one, even if there is none.
    if "\n" not in given and (given.lower().endswith(_SUFFIXES) or _exists(given)):
        return _decoded(_content(given), given)
    try:
        given.encode()
    except UnicodeEncodeError as error:
        # Python's form of bytes of an argument that are not UTF-8.
        raise ConfigurationError(
            "the query is not in UTF-8", remedy="write it in a file in UTF-8 and name the file"
        ) from error
    return given


def _exists(given: str) -> bool:
    try:
        return Path(given).exists()
    except (OSError, ValueError):  # too long for a name, or with a NUL in it
        return False


def _content(name: str) -> bytes:
    """The first bytes of the file: at most one byte more than a query may have."""
    try:
        with open_regular(name) as stream:
            return stream.read(MAX_CHARACTERS + 1)
    except OSError as error:
        raise ConfigurationError(
            f"the query cannot be read ({error.strerror})", where=name, remedy="name a file, or - and a pipe"
        ) from error


def _decoded(content: bytes, where: str) -> str:
    if len(content) > MAX_CHARACTERS:
        raise ConfigurationError(f"the query has more than {MAX_CHARACTERS:,} bytes", where=where)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError("the query is not in UTF-8", where=where) from error
