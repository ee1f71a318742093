"""The catalogue of supported corpora, with the files of those that can be downloaded."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from importlib import resources
from pathlib import PurePosixPath
from urllib.parse import quote

from attrs import frozen

from schemas.errors import ConfigurationError

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
