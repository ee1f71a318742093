"""Opened sources: UTF-8 bytes, decompressed and recoded where necessary, read in chunks of bounded size.

The encoding of bytes that are not UTF-8 is guessed: that of Western European languages, or none.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from attrs import frozen

from kgscripts.corpora.files import InputFile
from schemas.errors import InputError
from schemas.input_files import open_input
from schemas.records import Discard, DiscardReason

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


_WESTERN = ["cp1252"]
"""Windows-1252, which has all letters of Latin-1. Other encodings with one byte a character are not guessed: nearly any
bytes are valid in each of them."""
_MOST_BYTES = 64 * 1024
_CONTEXT = 1_000
"""The bytes before the first that is not ASCII that are judged too: a few bytes alone say little."""
UNCHANGED = (b"%PDF-", b"PK\x03\x04")
"""The beginnings of formats that are no text, whose bytes have to stay as they are."""


def western_encoding(data: bytes) -> str | None:
    """Windows-1252 (or Latin-1) if `charset-normalizer` sees no disorder in the first bytes; else None."""
    if b"\0" in data:
        return None
    from charset_normalizer import from_bytes

    best = from_bytes(data[:_MOST_BYTES], cp_isolation=_WESTERN).best()
    return None if best is None else best.encoding


class Utf8Check:
    """Passes chunks of bytes on as UTF-8. If the first that are not ASCII are Western, all from there on are recoded.

    A text that has any valid sequence of UTF-8 before is UTF-8 with damage, and stays as it is.
    """

    def __init__(self) -> None:
        self._decoder: codecs.IncrementalDecoder | None = codecs.getincrementaldecoder("utf-8")()
        self._passes = False
        self.encoding = ""

    def leave(self) -> None:
        """Pass everything on unchanged."""
        self._passes = True

    def recoded(self, chunk: bytes) -> bytes:
        """The next bytes as UTF-8; an empty chunk is the end."""
        if self._passes or self._decoder is None:
            return chunk
        if self.encoding:
            return self._decoder.decode(chunk, final=not chunk).encode("utf-8")
        pending, _ = self._decoder.getstate()
        try:
            text = self._decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            if error.reason == "unexpected end of data":  # UTF-8 that is cut off
                self._passes = True
                return pending + chunk
            return self._decided(pending + chunk, error.start)
        if not text.isascii():
            self._passes = True
            pending, _ = self._decoder.getstate()
            return text.encode("utf-8") + pending
        return text.encode("utf-8")

    def _decided(self, data: bytes, fault: int) -> bytes:
        if (
            data[:fault].isascii()
            and not is_binary(data)
            and (encoding := western_encoding(data[max(0, fault - _CONTEXT) :]))
        ):
            self.encoding = encoding
            self._decoder = codecs.getincrementaldecoder(encoding)("replace")
            return self._decoder.decode(data).encode("utf-8")
        self._passes = True
        return data


MAX_RECORD_BYTES = 4 * 1024 * 1024
"""The longest document that is read, in bytes of UTF-8: longer than nearly every novel. This bounds memory."""

MAX_PASSAGES = 100_000
"""The most passages of a document, and lines of a text that is one document: twice as many as in a long novel."""

MAX_SENTENCES = 150_000
"""The most sentences of a document, by their final punctuation: one for every 28 bytes of the longest text. Stories
have one for every 75 to 110 bytes, short recipes for every 48. Every model takes time for each sentence."""

_SENTENCE_END = re.compile(r"[.!?]+(?=[\s\"'”’)\]A-Z]|\Z)")
_LONGEST_DETAIL = 500
_CHUNK = 64 * 1024
_GZIP = b"\x1f\x8b"
# UTF-32 before UTF-16: its mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_XML_ENCODING = re.compile(rb"\s*<\?xml[^>]*\bencoding\b")
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b")) + b"\x7f"


class DamagedSourceError(Exception):
    """The bytes cannot be decompressed or decoded beyond `line`, the last readable line; `message` says so."""

    def __init__(self, detail: str, line: int) -> None:
        super().__init__(detail)
        self.detail = detail
        self.message = f"cannot be read beyond this line: {detail}"
        self.line = line


class _Utf8(io.RawIOBase):
    """Bytes as UTF-8 without byte order mark: decompresses gzip, and recodes UTF-16 and UTF-32 with a mark, and what is
    Western European instead of UTF-8. XML that names its encoding, PDF and zip files stay as they are.
    """

    def __init__(self, raw: IO[bytes], strict: bool) -> None:
        self._raw: IO[bytes] | gzip.GzipFile = raw
        self._decoder: codecs.IncrementalDecoder | None = None
        self._pending = b""
        self._started = False
        self._line = 1
        self._check = Utf8Check()
        if strict:
            self._check.leave()
        self._marked = ""

    @property
    def encoding(self) -> str:
        """The encoding from which the bytes so far were recoded, "" if they are as they were."""
        return self._marked or self._check.encoding

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        try:
            while not self._pending and self._fill():
                pass
        except (EOFError, OSError, zlib.error, UnicodeDecodeError) as error:
            raise DamagedSourceError(str(error), self._line) from error
        piece = self._pending[: len(view)]
        self._pending = self._pending[len(piece) :]
        self._line += piece.count(b"\n")
        view[: len(piece)] = piece
        return len(piece)

    def _fill(self) -> bool:
        """Read another chunk; False at the end."""
        chunk = self._raw.read(_CHUNK) if self._started else self._start()
        if self._decoder is not None:
            self._pending = self._decoder.decode(chunk, final=not chunk).encode("utf-8")
        else:
            self._pending = self._check.recoded(chunk)
        return bool(chunk)

    def _start(self) -> bytes:
        self._started = True
        head = self._raw.read(4)
        if head.startswith(_GZIP):
            self._raw.seek(0)
            self._raw = gzip.GzipFile(fileobj=self._raw, mode="rb")
            head = self._raw.read(4)
        encoding = next((encoding for mark, encoding in _MARKS if head.startswith(mark)), None)
        if encoding:
            self._decoder = codecs.getincrementaldecoder(encoding)()
            self._marked = encoding
        chunk = head + self._raw.read(_CHUNK)
        if chunk.startswith((*UNCHANGED, codecs.BOM_UTF8)) or _XML_ENCODING.match(chunk):
            self._check.leave()
        return chunk.removeprefix(codecs.BOM_UTF8)


@frozen
class Source:
    """A source open for reading once, from its beginning."""

    name: str
    stream: io.BufferedReader
    _utf8: _Utf8

    @property
    def encoding(self) -> str:
        """The encoding from which the bytes so far were recoded to UTF-8, "" if they are as they were."""
        return self._utf8.encoding

    def sample(self) -> bytes:
        """The first bytes, up to 64 KiB, without consuming them."""
        return self.stream.peek(_CHUNK)

    def discard(self, reason: DiscardReason, line: int, detail: str) -> Discard:
        """A discard for the record that begins at this line, from 1."""
        return Discard(reason=reason, where=f"{self.name}:{line}", detail=detail[:_LONGEST_DETAIL])

    def damaged(self, error: DamagedSourceError) -> Discard:
        """A discard for what cannot be read any more."""
        return self.discard(DiscardReason.UNDECODABLE, error.line, error.message)

    def label(self, record: object) -> str:
        """The name of one of the source's records: ``stories.jsonl#12``."""
        return f"{self.name}#{' '.join(str(record).split())[:80]}"


@contextmanager
def open_source(file: InputFile, *, strict: bool = False) -> Iterator[Source]:
    """Open a file, as `source_of` does. Raises InputError where that fails."""
    with open_input(file.path) as raw:
        yield source_of(file.name, raw, strict=strict)


def source_of(name: str, raw: IO[bytes], *, strict: bool = False) -> Source:
    """A source that reads these bytes; `strict` guesses no encoding, which would hide faults of gold data."""
    utf8 = _Utf8(raw, strict)
    return Source(name, io.BufferedReader(utf8, _CHUNK), utf8)


def is_binary(sample: bytes) -> bool:
    """Whether over a tenth and over four are control characters: pictures, archives, UTF-16 without a mark."""
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    return controls > max(4, len(sample) // 10)


def text_lines(source: Source) -> Iterator[tuple[int, str | Discard]]:
    """Yield the number (from 1) and text of each line, without its end; a discard for a line too long or not UTF-8."""
    number = 0
    while line := source.stream.readline(MAX_RECORD_BYTES + 2):
        number += 1
        if len(line) > MAX_RECORD_BYTES and not line.endswith(b"\n"):
            # In pieces, since the rest of the line may not fit into memory.
            while (rest := source.stream.readline(_CHUNK)) and not rest.endswith(b"\n"):
                pass
            yield number, source.discard(DiscardReason.TOO_LONG, number, too_long("a line"))
            continue
        try:
            yield number, line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8")
        except UnicodeDecodeError as error:
            yield number, source.discard(DiscardReason.UNDECODABLE, number, not_utf8(error))


def numbered_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the location (``name:line``) and text of each line that is not blank; the first fault is an error.

    Raises InputError for a file that is missing or damaged, and for a line that is too long or not UTF-8.
    """
    with open_source(InputFile(path, path.name), strict=True) as source:
        try:
            for number, line in text_lines(source):
                if isinstance(line, Discard):
                    raise InputError(line.detail, where=line.where)
                if line.strip():
                    yield f"{path.name}:{number}", line
        except DamagedSourceError as error:
            where = f"{path.name}:{error.line}"
            raise InputError(error.message, where=where, remedy="get the file again") from error


def whole_text(source: Source) -> str | Discard:
    """The whole source as one text, with its line ends; a discard where it is too long or not UTF-8."""
    data = source.stream.read(MAX_RECORD_BYTES + 1)
    if len(data) > MAX_RECORD_BYTES:
        return source.discard(DiscardReason.TOO_LONG, 1, too_long("a text"))
    if max(data.count(b"\n"), data.count(b"\r")) > MAX_PASSAGES:
        return source.discard(DiscardReason.TOO_LONG, 1, f"a text of more than {MAX_PASSAGES:,} lines; split it")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return source.discard(DiscardReason.UNDECODABLE, line, not_utf8(error))


def has_too_many_sentences(text: str) -> bool:
    """Whether a text ends more than `MAX_SENTENCES` times in final punctuation."""
    # Each end takes a character at least, so that most texts need not be searched.
    return len(text) > MAX_SENTENCES and sum(1 for _ in _SENTENCE_END.finditer(text)) > MAX_SENTENCES


def too_long(what: str) -> str:
    """The detail of a discard for length."""
    return f"{what} of more than {MAX_RECORD_BYTES:,} bytes; split it"


def not_utf8(error: UnicodeDecodeError) -> str:
    """The detail of a discard for encoding."""
    bad = error.object[error.start]
    return f"byte 0x{bad:02x} is not UTF-8; convert the file to UTF-8, or to UTF-16 with a byte order mark"
