"""Configurations of training: closed TOML files, the shipped ones with the scores that were published for them."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

from attrs import field, frozen, validators

from kgscripts.models.networks import network_settings
from kgscripts.models.settings import LanguageModelSettings, TransducerSettings, settings_from
from schemas.errors import ConfigurationError

_count = [validators.instance_of(int), validators.ge(1)]
_any_count = [validators.instance_of(int), validators.ge(0)]
_percent = [validators.instance_of(float), validators.ge(0.0), validators.le(100.0)]


@frozen(kw_only=True)
class TrainingSettings:
    """How a network is trained; the defaults are those of the released system."""

    likelihood_epochs: int = field(default=50, validator=_count)
    """The most epochs on the (marginal) likelihood."""
    hard_em_epochs: int = field(default=0, validator=_any_count)
    """The most epochs of hard EM after that, for a transducer (appendix A.3)."""
    patience: int = field(default=5, validator=_count)
    """Epochs without a gain on held-out pairs after which either of the two ends."""
    minimum_gain: float = field(default=0.01, validator=[validators.instance_of(float), validators.ge(0.0)])
    """Nats a pair that count as a gain."""
    learning_rate: float = field(default=1e-3, validator=[validators.instance_of(float), validators.gt(0.0)])
    """Of Adam."""
    batch_size: int = field(default=32, validator=_count)
    """Pairs a step."""
    max_tokens: int = field(default=50, validator=[validators.instance_of(int), validators.ge(2)])
    """Tokens a side; the rest is cut off. The start symbol counts on the concrete side."""
    minimum_count: int = field(default=3, validator=_count)
    """How often a word must occur to have an id of its own, where the vocabulary is made from the pairs."""
    seed: int = field(default=1931, validator=validators.instance_of(int))
    """Decides everything that is drawn."""


@frozen(kw_only=True)
class PublishedScores:
    """A row of Table 4 of the paper: percent, and nats a word."""

    oracle_match: float = field(validator=_percent)
    oracle_top5: float = field(validator=_percent)
    greedy_match: float = field(validator=_percent)
    greedy_top5: float = field(validator=_percent)
    surprisal: float = field(validator=[validators.instance_of(float), validators.gt(0.0)])


@frozen(kw_only=True)
class Configuration:
    """What is trained, how, and what was published for it."""

    name: str
    kind: str
    network: LanguageModelSettings
    training: TrainingSettings
    published: PublishedScores | None

    def __attrs_post_init__(self) -> None:
        if self.training.hard_em_epochs and not isinstance(self.network, TransducerSettings):
            remedy = "leave out hard_em_epochs, or train a transducer"
            raise ConfigurationError(f"a {self.kind} has no alignments for hard EM", where=self.name, remedy=remedy)


def shipped_configurations() -> list[str]:
    """The names of the configurations in the package."""
    folder = resources.files("lightning_modules.transducer") / "configs"
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml"))


def read_configuration(name_or_path: str | Path) -> Configuration:
    """A shipped configuration by its name, or a TOML file.

    Raises ConfigurationError for one that does not exist, that is no TOML, or that has anything unknown, missing or
    impossible in it.
    """
    if str(name_or_path) in shipped_configurations():
        resource = resources.files("lightning_modules.transducer") / "configs" / f"{name_or_path}.toml"
        return _configuration(resource.read_text(encoding="utf-8"), str(name_or_path))
    path = Path(name_or_path)
    if not path.is_file():
        remedy = f"name a TOML file, or one of {', '.join(shipped_configurations())}"
        raise ConfigurationError("no such configuration", where=str(name_or_path), remedy=remedy)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"no UTF-8: {error}", where=str(path)) from error
    return _configuration(text, str(path))


def _configuration(text: str, where: str) -> Configuration:
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"no TOML: {error}", where=where) from error
    known = ("name", "kind", "network", "training", "published")
    if unknown := sorted(set(values) - set(known)):
        remedy = f"known are {', '.join(known)}"
        raise ConfigurationError(f"unknown setting {', '.join(unknown)}", where=where, remedy=remedy)
    for name in ("name", "kind"):
        if not isinstance(values.get(name), str) or not values[name]:
            raise ConfigurationError(f"{name} is missing or no text", where=where)
    published = values.get("published")
    return Configuration(
        name=values["name"],
        kind=values["kind"],
        network=network_settings(values["kind"], _table(values, "network", where), f"{where} [network]"),
        training=settings_from(TrainingSettings, _table(values, "training", where), f"{where} [training]"),
        published=None
        if published is None
        else settings_from(PublishedScores, _table(values, "published", where), f"{where} [published]"),
    )


def _table(values: dict[str, Any], name: str, where: str) -> dict[str, Any]:
    table = values.get(name, {})
    if not isinstance(table, dict):
        raise ConfigurationError(f"{name} is no table", where=where, remedy=f"write [{name}] and its settings below")
    return table
