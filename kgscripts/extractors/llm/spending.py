"""What asking costs: estimates of tokens, and the limit of a build, which all of its processes share."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path

from attrs import define, field
from filelock import FileLock

CHARACTERS_A_TOKEN = 4
"""English has about four characters a token in the vocabularies of today's models. Used where no server has counted."""


def estimated_tokens(*texts: str) -> int:
    """About how many tokens texts have."""
    return sum(-(-len(text) // CHARACTERS_A_TOKEN) for text in texts)


@define
class Budget:
    """A limit of tokens, shared by all copies of it that are pickled to other processes of this machine."""

    limit: int
    _folder: str = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="kgscripts-llm-")
        # Only the process that made it removes it.
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def reserve(self, tokens: int) -> bool:
        """Take so many tokens; False, and none are taken, if fewer are left."""
        with self._locked():
            used = self._used()
            if used + tokens > self.limit:
                return False
            self._write(used + tokens)
            return True

    def give_back(self, tokens: int) -> None:
        """Give back tokens that were not used; a negative number takes more."""
        with self._locked():
            self._write(self._used() - tokens)

    def _locked(self) -> FileLock:
        return FileLock(Path(self._folder, "lock"))

    def _used(self) -> int:
        path = Path(self._folder, "used")
        return int(path.read_text()) if path.exists() else 0

    def _write(self, used: int) -> None:
        Path(self._folder, "used").write_text(str(used))
