"""Small files that people write line by line: the first fault ends reading, with its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kgscripts.corpora.inputs import InputFile
from kgscripts.corpora.source import DamagedSourceError, open_source, text_lines
from schemas.errors import InputError
from schemas.records import Discard


def numbered_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Place (``name:line``) and text of each line that is not blank.

    Raises InputError for a file that is missing or damaged, and for a line that is too long or not UTF-8.
    """
    with open_source(InputFile(path, path.name)) as source:
        try:
            for number, line in text_lines(source):
                if isinstance(line, Discard):
                    raise InputError(line.detail, where=line.where)
                if line.strip():
                    yield f"{path.name}:{number}", line
        except DamagedSourceError as error:
            where = f"{path.name}:{error.line}"
            detail = f"cannot be read beyond here: {error.detail}"
            raise InputError(detail, where=where, remedy="get the file again") from error
