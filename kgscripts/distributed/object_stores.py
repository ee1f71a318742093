"""Objects of S3 and of the other stores that pyarrow reaches, by their URLs.

Credentials come from where the libraries of the stores look for them: environment, profiles, roles. They are never part
of a URL, and no URL with any is accepted.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from io import BufferedRandom
from pathlib import PurePosixPath
from typing import IO, Any, Self

import pyarrow as pa
from attrs import frozen

from schemas.errors import ConfigurationError, KGScriptsError, StoreError
from schemas.interrupts import within
from schemas.secrets import hidden, keep_secret

_SCHEMES = ("s3", "gs", "abfs", "abfss", "hdfs")
_URL = re.compile(r"(?P<scheme>[a-z0-9]+)://(?P<authority>[^/]+)(?:/(?P<key>.*))?", re.DOTALL)
_ATTEMPTS = 6
"""Of a request that the store does not answer; the pauses between them add up to about twenty seconds."""
_READINGS = 3
"""Of an object that changes while it is fetched."""
_CHUNK = 32 << 20
LISTING_SECONDS = 120.0
"""The time limit of a list of objects; S3 lists about a million in it."""
_FAULTS = (
    ("NO_SUCH_BUCKET", "there is no such bucket", "check the URL"),
    (
        "ACCESS_DENIED|INVALID_ACCESS_KEY_ID|SIGNATURE_DOES_NOT_MATCH|ExpiredToken|UNRECOGNIZED_CLIENT|status 40[13]",
        "no access",
        "set credentials in the environment, as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile",
    ),
    (
        "NETWORK_CONNECTION|SLOW_DOWN|UNAVAILABLE|INTERNAL_FAILURE|THROTTLING|TIMEOUT|status (5|429)",
        "the store does not answer",
        "try again later: what is finished stays so; AWS_ENDPOINT_URL names another server than that of Amazon",
    ),
)


def is_url(place: object) -> bool:
    """Whether an argument is a URL, not a path."""
    return isinstance(place, str) and "://" in place


@frozen
class StoredObject:
    """An object of a store: its URL, and its size in bytes if it is known."""

    url: str
    size: int = 0

    @property
    def name(self) -> str:
        """What it is called in a graph: its URL."""
        return self.url

    @property
    def path(self) -> PurePosixPath:
        """The folders of its URL, from the bucket on."""
        return PurePosixPath("/") / self.url.partition("://")[2]

    def fetch(self, into: IO[bytes]) -> None:
        """Write its content into an empty file.

        Raises
        ------
        StoreError
            If there is no such object, no access, no answer, or the object changes all the time.
        """
        files, path = _opened(self.url)
        for _ in range(_READINGS):
            with _named(self.url), files.open_input_stream(path) as stream:
                before = stream.metadata()
                while chunk := stream.read(_CHUNK):
                    with _on_disk(into):
                        into.write(chunk)
            # Ranges of one version: an object is replaced as a whole, and has another tag then.
            with _named(self.url), files.open_input_stream(path) as stream:
                if stream.metadata() == before:
                    into.seek(0)
                    return
            into.seek(0)
            into.truncate()
        raise StoreError("the object changes while it is read", where=self.url, remedy="try again when it is complete")


@frozen
class Store:
    """What lies under a URL. Raises StoreError where it cannot be reached."""

    url: str

    @classmethod
    def at(cls, url: str) -> Self:
        """What lies under this URL; raises ConfigurationError if it is none of a store."""
        _parts(url)
        return cls(url.rstrip("/"))

    def find(self) -> list[StoredObject]:
        """All objects below the URL, in the order of files of a folder; if there are none, that with the URL itself.

        Hidden ones, and those in hidden folders, are left out.
        """
        from pyarrow.fs import FileSelector, FileType

        files, path = _opened(self.url)
        with _named(self.url):
            try:
                # pyarrow follows a store that repeats the token of a page without end.
                below = within(LISTING_SECONDS, lambda: files.get_file_info(FileSelector(path, recursive=True)))
            except TimeoutError:
                raise StoreError(
                    f"the list of objects did not end within {LISTING_SECONDS:g} seconds",
                    where=self.url,
                    remedy="name a folder below it, or see the log of the store",
                ) from None
            except FileNotFoundError:
                info = files.get_file_info(path)
                return [StoredObject(self.url, info.size)] if info.type == FileType.File else []
        objects = [(info.path[len(path) :].strip("/"), info.size) for info in below if info.type == FileType.File]
        names = sorted((name.split("/"), size) for name, size in objects)
        return [
            StoredObject(f"{self.url}/{'/'.join(parts)}", size)
            for parts, size in names
            if not any(part.startswith(".") for part in parts)
        ]

    def read(self, name: str) -> bytes | None:
        """The content of a small object below the URL; None if there is none."""
        files, path = _opened(f"{self.url}/{name}")
        with _named(f"{self.url}/{name}"):
            try:
                with files.open_input_stream(path) as stream:
                    content: bytes = stream.read()
                    return content
            except FileNotFoundError:
                return None

    def write(self, name: str, content: bytes) -> None:
        """Put an object below the URL; it is there as a whole, or not at all."""
        files, path = _opened(f"{self.url}/{name}")
        with _named(f"{self.url}/{name}"), files.open_output_stream(path) as stream:
            stream.write(content)


class Fetched:
    """The object that was fetched last, in an unnamed file, so that one download identifies it and is read."""

    def __init__(self) -> None:
        self._url = ""
        self._file: BufferedRandom | None = None

    def fetch(self, file: StoredObject) -> BufferedRandom:
        """The content of an object as it is now; the one before is dropped. Raises what `StoredObject.fetch` raises."""
        self.drop()
        self._file = tempfile.TemporaryFile(prefix="kgscripts-")  # noqa: SIM115 - it outlives this call
        file.fetch(self._file)
        self._url = file.url
        return self._file

    def opened(self, file: StoredObject) -> BufferedRandom:
        """The content of an object as it was fetched last."""
        if self._file is None or self._url != file.url:
            return self.fetch(file)
        self._file.seek(0)
        return self._file

    def drop(self) -> None:
        """Delete the content."""
        self._url = ""
        if self._file is not None:
            self._file.close()


def _parts(url: str) -> re.Match[str]:
    parts = _URL.fullmatch(url)
    scheme = parts["scheme"] if parts else ""
    if parts is None or scheme not in _SCHEMES:
        # What is no URL of a store may be one with a password.
        raise ConfigurationError(
            f"not a URL of an object store: {url.partition('://')[0][:20]}://...",
            remedy=f"give s3://BUCKET/PREFIX ({', '.join(_SCHEMES)}); `wget` fetches pages, and a path has no ://",
        )
    user, at, _ = parts["authority"].rpartition("@")
    # In an address of abfs, what stands before the @ is the container.
    if (at and scheme in ("s3", "gs")) or ":" in user or re.search(r"\?[^/]*=", url):
        raise ConfigurationError(
            "the URL holds a user, a password or options",
            where=f"{scheme}://...",
            remedy="leave them out: credentials and AWS_ENDPOINT_URL are set in the environment",
        )
    return parts


def _opened(url: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it."""
    parts = _parts(url)
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""
    with _named(url):
        files, base = _connected(parts["scheme"], parts["authority"], endpoint, _ATTEMPTS)
    return files, f"{base.rstrip('/')}/{parts['key'] or ''}".rstrip("/")


@cache
def _connected(scheme: str, authority: str, endpoint: str, attempts: int) -> tuple[Any, str]:
    from pyarrow import fs

    if scheme != "s3":
        opened: tuple[Any, str] = fs.FileSystem.from_uri(f"{scheme}://{authority}/")
        return opened
    options: dict[str, Any] = {}
    if endpoint:
        protocol, _, host = endpoint.rpartition("://")
        options = {"endpoint_override": host.rstrip("/"), "scheme": protocol or "https"}
    else:
        with suppress(OSError):  # The next request says what is wrong with the bucket.
            options = {"region": fs.resolve_s3_region(authority)}
    retrying = fs.AwsStandardS3RetryStrategy(max_attempts=attempts)
    # Small objects are then put by one request.
    return fs.S3FileSystem(
        allow_delayed_open=True, background_writes=False, retry_strategy=retrying, **options
    ), authority


@contextmanager
def _named(url: str) -> Iterator[None]:
    """Errors of a store as StoreError, without what the store answered beyond its kind."""
    try:
        yield
    # It says more than could be said here.
    except KGScriptsError:
        raise
    except FileNotFoundError as error:
        raise StoreError("there is no such object", where=url, remedy="check the URL") from error
    except (OSError, pa.ArrowException, ValueError) as error:
        text = str(error)
        # Names of objects come before.
        said = text[max(0, text.find("AWS Error")) :]
        for pattern, message, remedy in _FAULTS:
            if re.search(pattern, said):
                raise StoreError(message, where=url, remedy=remedy) from None
        kind = re.match("AWS Error .*? operation", said)
        shown = kind[0] if kind else said.partition("\n")[0]
        # AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, which an answer may repeat.
        keep_secret(*(value for name, value in os.environ.items() if name.startswith("AWS_SE")))
        raise StoreError(f"cannot be read or written ({hidden(shown)[:200]})", where=url) from None


@contextmanager
def _on_disk(file: IO[bytes]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        place = file.name if isinstance(file.name, str) else tempfile.gettempdir()
        raise StoreError(
            f"cannot be written: {error.strerror}",
            where=place,
            remedy="make room there, or set TMPDIR to another folder",
        ) from error
