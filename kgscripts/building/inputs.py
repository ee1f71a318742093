"""The inputs of a build: files, objects of stores and texts in memory, identified by keys, their contents by
fingerprints.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BufferedRandom, BufferedReader
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from kgscripts.corpora.files import InputFile, find_files
from kgscripts.corpora.formats import check_format, documents_from_strings, read_source, version_of_readers
from kgscripts.corpora.scenarios.labels import scenario_of_folder, with_scenario
from kgscripts.corpora.source import source_of
from kgscripts.corpora.text_kinds import in_english
from kgscripts.distributed.object_stores import Fetched, Store, StoredObject, is_url
from schemas.arguments import items_of, shown
from schemas.errors import InputError
from schemas.input_files import open_input
from schemas.records import Discard, DiscardReason, Document

File = InputFile | StoredObject
Text = str | Mapping[str, Any] | Document


@frozen
class BuildInput:
    """An input before it is read. Its fingerprint is computed on demand, since that reads the file."""

    key: str
    fingerprint: Callable[[], str]
    items: Callable[[], Iterable[Document | Discard]]


def find_inputs(inputs: Sequence[str | Path]) -> list[File]:
    """All files and objects among paths and URLs, each once: those of folders and below URLs too.

    Raises what `find_files` and `Store.find` raise, and InputError for a URL without objects.
    """
    by_place: dict[str, File] = {}
    for argument in items_of("inputs", inputs):
        files: Sequence[File] = Store.at(argument).find() if is_url(argument) else find_files([argument])
        if not files:
            raise InputError("no object to read below this URL", where=argument, remedy="check it, and its bucket")
        for file in files:
            by_place.setdefault(place_key(place_of(file)), file)
    return list(by_place.values())


def place_of(file: File) -> str:
    """The URL or the path of a file, from which `file_at` makes it again."""
    return file.url if isinstance(file, StoredObject) else str(file.path.absolute())


def file_at(place: str, name: str) -> File:
    """The file or object with this path or URL."""
    return StoredObject(place) if is_url(place) else InputFile(Path(place), name)


def file_input(
    file: File,
    format: str | None,
    scenario: str = "",
    *,
    fetched: Fetched | None = None,
) -> BuildInput:
    """A file or an object of a store. Its key is its resolved path or its URL; its fingerprint changes with its
    content, the version of the readers and the options. `fetched` keeps the content of an object.

    Documents without a scenario get that of a folder, or `scenario` (see `with_scenario`). Documents in another
    language than English are discards.
    """
    version = version_of_readers()
    folder = scenario_of_folder(Path(file.path))
    opened = _Content(file, fetched or Fetched())
    return BuildInput(
        key=place_key(place_of(file)),
        fingerprint=lambda: f"{opened.sha256()} {format or ''} {version} {folder or scenario}".rstrip(),
        items=lambda: _taken(_items(opened, format), folder or scenario),
    )


def text_input(text: Text, format: str | None, scenario: str = "") -> BuildInput:
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
        fingerprint=lambda: f"{digest} {scenario}".rstrip(),
        items=lambda: _taken(items, scenario),
    )


def place_key(place: str) -> str:
    """A URL, or the resolved path as text; it may consist of any bytes."""
    try:
        if is_url(place):
            return place
        return os.fsencode(os.path.realpath(place)).decode("utf-8", "backslashreplace")
    except ValueError:  # NUL or half a surrogate pair: no file has such a name
        return place.encode("utf-8", "backslashreplace").decode("utf-8")


def _taken(items: Iterable[Document | Discard], scenario: str) -> Iterator[Document | Discard]:
    """The items, with a discard for each document in another language than English; the others get the scenario, if it
    is given."""
    for item in items:
        taken = in_english(item) if isinstance(item, Document) else item
        yield with_scenario(taken, scenario) if scenario and isinstance(taken, Document) else taken


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


@frozen
class _Content:
    """The bytes of a file, or of an object as it was when its digest was taken."""

    file: File
    fetched: Fetched

    @contextmanager
    def open(self, *, anew: bool = False) -> Iterator[BufferedReader | BufferedRandom]:
        """Raises InputError for a file that cannot be read, StoreError for an object."""
        if isinstance(self.file, StoredObject):
            yield self.fetched.fetch(self.file) if anew else self.fetched.opened(self.file)
            return
        if self.file.fault:
            raise InputError(self.file.fault)
        with open_input(self.file.path) as stream:
            yield stream

    def sha256(self) -> str:
        """The digest of the bytes, or the error if a file cannot be read."""
        try:
            with self.open(anew=True) as stream:
                return hashlib.file_digest(stream, "sha256").hexdigest()
        except InputError as error:
            return error.message
        except OSError as error:
            return f"cannot be read ({error.strerror})"


def _items(content: _Content, format: str | None) -> Iterator[Document | Discard]:
    """The documents of a file. A file that cannot be read becomes a discard, so that the other files are read."""
    check_format(format)
    try:
        with content.open() as stream:
            yield from read_source(source_of(content.file.name, stream), format)
    except InputError as error:
        yield Discard(reason=DiscardReason.UNREADABLE, where=content.file.name, detail=error.message)
