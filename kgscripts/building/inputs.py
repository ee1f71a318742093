"""The inputs of a build: files and texts in memory, identified by keys, their contents by fingerprints."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from kgscripts.corpora.files import InputFile
from kgscripts.corpora.formats import documents_from_strings, read_file
from kgscripts.corpora.languages import in_english
from kgscripts.corpora.scenarios.labels import scenario_of_folder, with_scenario
from kgscripts.corpora.tables import Columns
from schemas.arguments import shown
from schemas.errors import InputError
from schemas.input_files import open_regular
from schemas.records import Discard, DiscardReason, Document

Text = str | Mapping[str, Any] | Document

_MARK = " any language"
"""The end of the fingerprint of an input that is read in any language."""


@frozen
class BuildInput:
    """An input before it is read. Its fingerprint is computed on demand, since that reads the file."""

    key: str
    fingerprint: Callable[[], str]
    items: Callable[[], Iterable[Document | Discard]]


def file_input(
    file: InputFile,
    format: str | None,
    scenario: str = "",
    columns: Columns | None = None,
    *,
    any_language: bool = False,
) -> BuildInput:
    """A file. Its key is its resolved path; its fingerprint changes with the version of the readers and the options.

    Documents without a scenario get that of a folder, or `scenario` (see `with_scenario`). Documents in another
    language than English are discards, unless `any_language` is set.
    """
    version = metadata.version("kgscripts")
    folder = scenario_of_folder(file.path)
    return BuildInput(
        key=path_key(file.path),
        fingerprint=lambda: (
            f"{_sha256(file)} {format or ''} {version} {folder or scenario}{_shown(columns)}".rstrip()
            + _MARK * any_language
        ),
        items=lambda: _labelled(_understood(_items(file, format, columns), any_language), folder or scenario),
    )


def text_input(text: Text, format: str | None, scenario: str = "", *, any_language: bool = False) -> BuildInput:
    """A text in memory. Its key is its content, independent of the texts that come with it and of the options.

    Raises
    ------
    InputError
        If it is no text.
    """
    if not isinstance(text, str | Mapping | Document):
        raise InputError(f"a text is {shown(text)}", remedy="give strings, or mappings such as {'text': '...'}")
    items = [text] if isinstance(text, Document) else list(_parsed(text, format))
    content = "\n".join(
        f"{item.digest} {item.name}" if isinstance(item, Document) else f"{item.where} {item.detail}" for item in items
    )
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    return BuildInput(
        key=f"text:{digest}",
        fingerprint=lambda: f"{digest} {scenario}".rstrip() + _MARK * any_language,
        items=lambda: _labelled(_understood(items, any_language), scenario),
    )


def path_key(path: Path) -> str:
    """The resolved path as text; it may consist of any bytes."""
    try:
        return os.fsencode(os.path.realpath(path)).decode("utf-8", "backslashreplace")
    except ValueError:  # NUL or half a surrogate pair: no file has such a name
        return str(path).encode("utf-8", "backslashreplace").decode("utf-8")


def _understood(items: Iterable[Document | Discard], any_language: bool) -> Iterator[Document | Discard]:
    """The items, with a discard for each document in another language than English unless any is allowed."""
    for item in items:
        yield in_english(item) if isinstance(item, Document) and not any_language else item


def _labelled(items: Iterable[Document | Discard], scenario: str) -> Iterator[Document | Discard]:
    for item in items:
        yield with_scenario(item, scenario) if scenario and isinstance(item, Document) else item


def _parsed(text: str | Mapping[str, Any], format: str | None) -> Iterator[Document | Discard]:
    """The documents of a text; their name is its id, or else a digest of its content."""
    identifier = None if isinstance(text, str) else text.get("id")
    content = text if isinstance(text, str) else repr(sorted(text.items(), key=repr))
    label = f"text#{identifier or hashlib.sha256(content.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
    for item in documents_from_strings([text], format=format):
        if isinstance(item, Document):
            yield evolve(item, name=label + item.name.removeprefix("text#1"))
        else:
            yield evolve(item, where=label + item.where.removeprefix("text#1"))


def _shown(columns: Columns | None) -> str:
    return "".join(f" {key}={name}" for key, name in sorted((columns or {}).items()))


def _items(file: InputFile, format: str | None, columns: Columns | None) -> Iterator[Document | Discard]:
    """The documents of a file. A file that cannot be read becomes a discard, so that the other files are read."""
    try:
        if file.fault:
            raise InputError(file.fault)
        yield from read_file(file, format=format, columns=columns)
    except InputError as error:
        yield Discard(reason=DiscardReason.UNREADABLE, where=file.name, detail=error.message)


def _sha256(file: InputFile) -> str:
    """The digest of a file's bytes, or the error if it cannot be read."""
    try:
        if file.fault:
            return file.fault
        with open_regular(file.path) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        return f"cannot be read ({error.strerror})"
