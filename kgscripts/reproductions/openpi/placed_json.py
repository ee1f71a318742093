"""The values of a JSON file with their places in it, so that each error names one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

from attrs import frozen

from kgscripts.corpora.json_records import encodable
from schemas.errors import InputError
from schemas.input_files import open_input


@frozen
class Placed:
    """A value, its place for messages, and what to do about an error there. Every method raises InputError."""

    value: object
    where: str
    remedy: str

    def refuse(self, detail: str) -> NoReturn:
        """Raise an error about this value."""
        raise InputError(detail, where=self.where, remedy=self.remedy)

    def within(self, value: object, what: str) -> Placed:
        """A value in this one, which `what` names."""
        return Placed(value, f"{self.where}, {what}", self.remedy)

    def members(self, what: str) -> dict[str, Placed]:
        """The values of an object by their key; `what` names one of them, before its key."""
        if not isinstance(self.value, dict):
            self.refuse("not a JSON object")
        return {self._text(key): self.within(value, f"{what} {key!r}".lstrip()) for key, value in self.value.items()}

    def get(self, key: str) -> Placed:
        """The value under a key of an object; None if it is missing."""
        if not isinstance(self.value, dict):
            self.refuse("not a JSON object")
        return self.within(self.value.get(key), key)

    def elements(self, what: str) -> list[Placed]:
        """The values of a list; `what` names one of them, before its number from 1."""
        if not isinstance(self.value, list):
            self.refuse("not a list")
        return [self.within(value, f"{what} {number}") for number, value in enumerate(self.value, start=1)]

    def text(self) -> str:
        """A string that is not blank."""
        text = self._text(self.value)
        return text if text.strip() else self.refuse("empty")

    def texts(self) -> tuple[str, ...]:
        """The strings of a list, which may be blank."""
        return tuple(each._text(each.value) for each in self.elements("item"))

    def _text(self, value: object) -> str:
        if not isinstance(value, str):
            self.refuse("not a string")
        try:
            return encodable("text", value)
        except InputError as error:
            self.refuse(error.message)


def read_json(path: Path, remedy: str) -> Placed:
    """The value of a JSON file in UTF-8. Raises InputError for a file that cannot be read, and for a key that occurs
    twice in an object."""
    with open_input(path) as file:
        try:
            value = json.loads(file.read().decode("utf-8"), object_pairs_hook=_distinct)
        except json.JSONDecodeError as error:
            where = f"{path}:{error.lineno}"
            raise InputError(f"not JSON: {error.msg} at column {error.colno}", where=where, remedy=remedy) from error
        except (ValueError, RecursionError, OSError) as error:
            raise InputError(f"cannot be read: {error}", where=str(path), remedy=remedy) from error
    return Placed(value, str(path), remedy)


def _distinct(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} occurs twice in an object")
        found[key] = value
    return found
