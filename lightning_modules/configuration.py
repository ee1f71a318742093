"""What is trained, and how: shipped configurations and TOML files, and single settings of the command line."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from attrs import frozen

from kgscripts.models.registry import shipped_models
from kgscripts.settings import settings_from, toml_value
from schemas.errors import ConfigurationError
from schemas.input_files import read_toml

_CONFIGS = Path(str(resources.files("lightning_modules") / "configs"))
_TASKS = read_toml(_CONFIGS / "tasks.toml")
KINDS: Mapping[str, Mapping[str, str]] = {task: facts["kinds"] for task, facts in _TASKS.items()}
"""Task -> kind of model -> the class of its settings."""
DEFAULTS: Mapping[str, str] = {task: facts["default"] for task, facts in _TASKS.items()}
"""Task -> the configuration that its shipped model was trained with."""

_TABLES = ("network", "training")


@frozen(kw_only=True)
class Configuration:
    """What is trained, and how: the model's name on its card, its kind (see `KINDS`), and the settings of its training.

    `network` are the settings of a network that has its own.
    """

    name: str
    kind: str
    training: Any
    network: Any = None


def shipped_configurations(task: str) -> list[str]:
    """The names of the configurations of a task that ship."""
    return sorted(path.stem for path in (_CONFIGS / task).glob("*.toml"))


def read_configuration(
    task: str, name_or_path: str | Path = "", changes: Mapping[str, Any] | None = None
) -> Configuration:
    """A shipped configuration of a task by its name, by default that of the shipped model, or a TOML file.

    A file has the ``name`` and the ``kind`` of the model, and below ``[training]`` the settings that differ from the
    defaults of the kind; word-level networks have further ones below ``[network]``. `changes` are settings that replace
    those of the file: ``epochs``, or ``network.hidden_size``.

    Raises ConfigurationError for one that does not exist, that is no TOML, or that has anything unknown or impossible.
    """
    name = str(name_or_path) or DEFAULTS[task]
    shipped = shipped_configurations(task)
    path = _CONFIGS / task / f"{name}.toml" if name in shipped else Path(name)
    values = read_toml(path, remedy=f"name a TOML file, or one of {', '.join(shipped)}")
    tables = {table: values.pop(table, {}) for table in _TABLES}
    for table, content in tables.items():
        if not isinstance(content, dict):
            remedy = f"write [{table}] and its settings below"
            raise ConfigurationError(f"{table} is no table", where=name, remedy=remedy)
    for setting, value in (changes or {}).items():
        table, _, setting_name = setting.rpartition(".")
        if (table or "training") not in tables:
            remedy = "write a setting of the training as it is, and network.NAME for one of the network"
            raise ConfigurationError(f"unknown setting {setting}", where=name, remedy=remedy)
        tables[table or "training"][setting_name] = value
    if unknown := sorted(set(values) - {"name", "kind"}):
        remedy = f"known are name, kind, {', '.join(f'[{table}]' for table in _TABLES)}"
        raise ConfigurationError(f"unknown setting {', '.join(unknown)}", where=name, remedy=remedy)
    for text in ("name", "kind"):
        if not isinstance(values.get(text), str) or not values[text]:
            raise ConfigurationError(f"{text} is missing or no text", where=name, remedy=f'write {text} = "..."')
    kind = values["kind"]
    if kind not in KINDS[task]:
        remedy = f"known are {', '.join(KINDS[task])}"
        raise ConfigurationError(f"unknown kind {kind!r}", where=name, remedy=remedy)
    module, _, settings = KINDS[task][kind].partition(":")
    training = settings_from(
        getattr(importlib.import_module(module), settings), tables["training"], f"{name} [training]"
    )
    network = _network(kind, training, tables["network"], name) if task == "transducer" else None
    if tables["network"] and network is None:
        raise ConfigurationError("unknown setting network", where=name, remedy="leave it out")
    return Configuration(name=values["name"], kind=kind, training=training, network=network)


def name_of_trained(name: str, out: Path) -> str:
    """The name on the card of a model that is trained into a directory.

    Models that ship keep their names for themselves: another one that is trained with the same configuration has the
    name of its directory.
    """
    shipped, out = shipped_models(), out.resolve()
    taken = {*shipped, *(read_toml(file)["name"] for file in _CONFIGS.glob("*/*.toml"))}
    if name in taken and out not in {path.resolve() for path in shipped.values()}:
        return f"own {out.name}" if out.name in taken else out.name
    return name


def read_settings(texts: Iterable[str]) -> dict[str, Any]:
    """Settings of texts ``NAME=VALUE``. Raises ConfigurationError for other texts."""
    settings = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals):
            remedy = "write NAME=VALUE, such as learning_rate=0.001"
            raise ConfigurationError(f"{text} is no setting", where="--set", remedy=remedy)
        settings[name.replace("-", "_")] = toml_value(value)
    return settings


def _network(kind: str, training: Any, values: Mapping[str, Any], where: str) -> Any:
    from kgscripts.reproductions.kidscook.networks.networks import network_settings

    if training.hard_em_after and kind != "transducer":
        remedy = "leave out hard_em_after, or train a transducer"
        raise ConfigurationError(f"a {kind} has no alignments for hard EM", where=where, remedy=remedy)
    return network_settings(kind, values, f"{where} [network]")
