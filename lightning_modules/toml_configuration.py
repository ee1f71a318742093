"""Configurations of training as TOML files; unknown settings are refused."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, TypeVar

import attrs
from attrs import frozen

from kgscripts.settings import settings_from
from lightning_modules.shipped import configuration_folder, shipped_configurations
from schemas.errors import ConfigurationError
from schemas.toml_files import read_toml

_Settings = TypeVar("_Settings", bound=attrs.AttrsInstance)


@frozen
class TomlConfiguration:
    """The values of a configuration, with their file. All methods raise ConfigurationError."""

    values: dict[str, Any]
    where: str

    @classmethod
    def read(cls, name_or_path: str | Path, package: str, known: Sequence[str]) -> TomlConfiguration:
        """A shipped configuration of a package by its name, or a TOML file, with no other values than those `known`."""
        where = str(name_or_path)
        shipped = shipped_configurations(package)
        path = Path(str(configuration_folder(package)), f"{where}.toml") if where in shipped else Path(where)
        values = read_toml(path, remedy=f"name a TOML file, or one of {', '.join(shipped)}")
        if unknown := sorted(set(values) - set(known)):
            remedy = f"known are {', '.join(known)}"
            raise ConfigurationError(f"unknown setting {', '.join(unknown)}", where=where, remedy=remedy)
        return cls(values, where)

    def text(self, name: str) -> str:
        """A value that is a text and not empty."""
        value = self.values.get(name)
        if not isinstance(value, str) or not value:
            raise ConfigurationError(f"{name} is missing or no text", where=self.where)
        return value

    def kind(self, kinds: Collection[str]) -> str:
        """What is trained, one of `kinds`."""
        kind = self.values.get("kind")
        if not isinstance(kind, str) or kind not in kinds:
            remedy = f"known are {', '.join(kinds)}"
            raise ConfigurationError(f"unknown kind {kind!r}", where=self.where, remedy=remedy)
        return kind

    def table(self, name: str) -> dict[str, Any]:
        """A table; empty if it is missing."""
        table = self.values.get(name, {})
        if not isinstance(table, dict):
            remedy = f"write [{name}] and its settings below"
            raise ConfigurationError(f"{name} is no table", where=self.where, remedy=remedy)
        return table

    def training(self, settings: type[_Settings]) -> _Settings:
        """The settings of the training."""
        return settings_from(settings, self.table("training"), f"{self.where} [training]")
