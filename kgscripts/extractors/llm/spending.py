"""What asking costs: tokens and prices, and the limit of a build, which all of its processes share."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import define, field, frozen
from filelock import FileLock

from schemas.errors import ConfigurationError
from schemas.input_files import read_toml

CHARACTERS_A_TOKEN = 4
"""English has about four characters a token in the vocabularies of today's models. Used where no server has counted."""


def estimated_tokens(*texts: str) -> int:
    """About how many tokens texts have."""
    return sum(-(-len(text) // CHARACTERS_A_TOKEN) for text in texts)


@frozen
class Price:
    """The price of a model for a million tokens."""

    input: float
    output: float
    currency: str

    def of(self, prompt_tokens: int, answer_tokens: int) -> float:
        """What so many tokens cost."""
        return (prompt_tokens * self.input + answer_tokens * self.output) / 1e6


def read_price(path: str, model: str) -> Price | None:
    """The price of a model in a file with a table for each: ``["NAME"]``, ``input``, ``output``, ``currency``.

    None without a file.

    Raises
    ------
    ConfigurationError
        If the file cannot be read or has no price of the model.
    """
    if not path:
        return None
    prices: Mapping[str, Any] = read_toml(Path(path), remedy="name a TOML file with prices")
    row = prices.get(model)
    try:
        if not isinstance(row, dict):
            raise TypeError
        found = Price(float(row["input"]), float(row["output"]), str(row.get("currency", "USD")))
        if not (0 <= found.input < float("inf") and 0 <= found.output < float("inf")):
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise ConfigurationError(
            f"it has no price of the model {model!r}",
            where=path,
            remedy=f'write ["{model}"], and below it input = and output =, for a million tokens',
        ) from None
    return found


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
