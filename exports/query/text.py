"""The text of a query on the command line: the query itself, a file with it, or standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from exports.query.scan import MAX_CHARACTERS
from schemas.errors import ConfigurationError
from schemas.input_files import open_regular

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
