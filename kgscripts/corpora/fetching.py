"""The corpora that can be downloaded, and their download, which verifies checksums."""

from __future__ import annotations

import json
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from functools import cache
from importlib import resources
from pathlib import Path, PurePosixPath
from urllib.parse import quote

import httpx
from attrs import frozen

from schemas.addresses import check_address, without_user
from schemas.errors import ConfigurationError, InputError, StoreError
from schemas.graph_directory import file_digest
from schemas.http_clients import http_client
from schemas.secrets import hidden

GITHUB = "https://raw.githubusercontent.com"


@frozen
class RemoteFile:
    """A file at a commit of a GitHub repository, and the relative path under which it is stored locally."""

    file: str
    repository: str
    commit: str
    path: str
    sha256: str
    bytes: int

    def url(self, base_url: str = GITHUB) -> str:
        """Its URL on GitHub, or on a mirror with the same paths."""
        return f"{base_url.rstrip('/')}/{quote(f'{self.repository}/{self.commit}/{self.path}')}"


@frozen
class Corpus:
    """A corpus; `files` is empty where only its authors distribute it."""

    name: str
    title: str
    licence: str
    homepage: str
    files: tuple[RemoteFile, ...]

    @property
    def bytes(self) -> int:
        """Total size of the files."""
        return sum(file.bytes for file in self.files)


@cache
def corpora() -> tuple[Corpus, ...]:
    """All corpora, in the order of the catalogue."""
    data = resources.files("kgscripts.corpora").joinpath("data")
    files: dict[str, list[RemoteFile]] = {}
    for line in data.joinpath("sources.jsonl").read_text("utf-8").splitlines():
        remote = RemoteFile(**json.loads(line))
        files.setdefault(PurePosixPath(remote.file).parts[0], []).append(remote)
    catalogue = tomllib.loads(data.joinpath("corpora.toml").read_text("utf-8"))
    return tuple(Corpus(name=name, files=tuple(files.get(name, ())), **facts) for name, facts in catalogue.items())


def select(names: list[str]) -> list[Corpus]:
    """The corpora with these names, each once; ``all`` selects every corpus that can be downloaded.

    Raises ConfigurationError for an unknown name, and for a corpus that only its authors distribute.
    """
    known = {corpus.name: corpus for corpus in corpora()}
    fetchable = [corpus for corpus in corpora() if corpus.files]
    chosen: list[Corpus] = []
    for name in names:
        if name != "all" and name not in known:
            raise ConfigurationError(f"no corpus {name!r}", remedy=f"one of {', '.join(known)}, all")
        if name != "all" and not known[name].files:
            raise ConfigurationError(
                f"{name} cannot be fetched: only its authors distribute it",
                where=known[name].homepage,
                remedy="download it there, and pass its folder as an input",
            )
        chosen += fetchable if name == "all" else [known[name]]
    return list(dict.fromkeys(chosen))


ATTEMPTS = 4
"""The number of attempts in one call."""

_PAUSE = 1.0  # seconds before the second attempt; before the third, twice that
_TIMEOUT = 30.0  # seconds without a byte


class Outcome(StrEnum):
    """Whether a file was downloaded or already present."""

    PRESENT = "present"
    FETCHED = "fetched"


@frozen
class Fetched:
    """A file that exists now, with the right content."""

    remote: RemoteFile
    path: Path
    outcome: Outcome


def fetch(
    files: Iterable[RemoteFile],
    into: Path,
    *,
    base_url: str = GITHUB,
    on_bytes: Callable[[int], None] = lambda _: None,
) -> Iterator[Fetched]:
    """Download files into a folder; yield each one once it is complete.

    A file that already exists with the right SHA-256 is not requested. An interrupted transfer is tried again.
    `on_bytes` is called with the number of bytes that have arrived since its last call; the number is negative where
    some have to be fetched again.

    Raises InputError for content with another digest, StoreError where the server refuses or cannot be reached or
    the disk cannot be written, ConfigurationError for an invalid base URL.
    """
    check_address(base_url, ("https", "http"), "mirror", "name a mirror that requires no user")
    # The size of a packed answer would be another one than that of the file.
    headers = {"User-Agent": "kgscripts", "Accept-Encoding": "identity"}
    with http_client(base_url, headers=headers, timeout=_TIMEOUT, follow_redirects=True) as client:
        for remote in files:
            try:
                yield _fetch_file(client, remote, into / remote.file, remote.url(base_url), on_bytes)
            except httpx.InvalidURL as error:
                raise ConfigurationError(f"not a base URL: {error}", where=without_user(base_url)) from error
            except OSError as error:
                raise StoreError(
                    f"cannot be written: {error.strerror}",
                    where=str(error.filename or into / remote.file),
                    remedy="free some space, or name another folder by --into",
                ) from error


def _fetch_file(
    client: httpx.Client, remote: RemoteFile, target: Path, url: str, on_bytes: Callable[[int], None]
) -> Fetched:
    if target.exists():
        if file_digest(target) != remote.sha256:
            raise InputError(
                "another file has this name and is not overwritten",
                where=str(target),
                remedy="move it away, or name another folder by --into",
            )
        on_bytes(remote.bytes)
        return Fetched(remote, target, Outcome.PRESENT)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _transfer(client, remote, part, url, on_bytes)
            break
        except httpx.RequestError as error:
            if attempt == ATTEMPTS:
                raise StoreError(
                    f"cannot be fetched: {hidden(str(error)) or type(error).__name__}",
                    where=without_user(url),
                    remedy="run the command again",
                ) from None
            time.sleep(_PAUSE * attempt)
    if file_digest(part) != remote.sha256:
        part.unlink(missing_ok=True)
        raise InputError(
            f"wrong content: not the {remote.bytes:,} bytes with SHA-256 {remote.sha256}",
            where=without_user(url),
            remedy="nothing was kept; run the command again, with another --base-url if the error persists",
        )
    part.replace(target)
    return Fetched(remote, target, Outcome.FETCHED)


def _transfer(client: httpx.Client, remote: RemoteFile, part: Path, url: str, on_bytes: Callable[[int], None]) -> None:
    """Download a file, as far as it has the right size. Raises httpx.RequestError where another attempt may succeed."""
    have = 0
    with part.open("wb") as file, client.stream("GET", url) as response:
        if response.status_code == 429 or response.status_code >= 500:
            raise httpx.TransportError(f"the server answers {response.status_code} {response.reason_phrase}")
        if response.status_code != 200:
            raise StoreError(
                f"the server answers {response.status_code} {hidden(response.reason_phrase)}",
                where=without_user(url),
                remedy="check --base-url and the network's proxy",
            )
        # It is another file: without its content, its digest is wrong anyway.
        if int(response.headers.get("content-length", remote.bytes)) != remote.bytes:
            return
        try:
            for chunk in response.iter_bytes():
                file.write(chunk)
                have += len(chunk)
                on_bytes(len(chunk))
                if have > remote.bytes:
                    return
            if have < remote.bytes:
                raise httpx.RemoteProtocolError("the server closed the connection before the end")
        except httpx.RequestError:
            # The next attempt counts them again.
            on_bytes(-have)
            raise
