"""The shapes of the word-level networks: unknown settings are refused, and every checkpoint has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import attrs
from attrs import field, frozen, validators

from schemas.errors import ConfigurationError

_size = [validators.instance_of(int), validators.ge(1)]
_share = [validators.instance_of(float), validators.ge(0.0), validators.lt(1.0)]
_flag = validators.instance_of(bool)

_Settings = TypeVar("_Settings", bound=attrs.AttrsInstance)


@frozen(kw_only=True)
class LanguageModelSettings:
    """A decoder alone; the defaults are those of the released system."""

    embedding_size: int = field(default=100, validator=_size)
    """Size of the word vectors, that of GloVe's vectors if these are used."""
    train_embeddings: bool = field(default=False, validator=_flag)
    """Whether the word vectors are trained, too."""
    hidden_size: int = field(default=128, validator=_size)
    """Size of the LSTM states."""
    emission_hidden: int = field(default=100, validator=_size)
    """Size of the hidden layer before the vocabulary."""
    dropout: float = field(default=0.5, validator=_share)
    """Share of the hidden layers' units that training drops."""


@frozen(kw_only=True)
class SequenceToSequenceSettings(LanguageModelSettings):
    """Encoder and decoder."""

    bidirectional: bool = field(default=False, validator=_flag)
    """Whether the encoder reads both ways; its states are projected back to `hidden_size`."""
    attention: bool = field(default=False, validator=_flag)
    """Whether words are predicted from an attention context too (Luong et al. 2015, "general")."""


@frozen(kw_only=True)
class TransducerSettings(LanguageModelSettings):
    """Encoder, decoder and latent monotonic alignments."""

    bidirectional: bool = field(default=False, validator=_flag)
    """Whether the encoder reads both ways; its states are projected back to `hidden_size`."""
    transitions: str = field(default="fixed", validator=validators.in_(("fixed", "parameterised")))
    """Whether the shift probability is one number or a network's (appendix A.1)."""
    shift_probability: float = field(
        default=0.5, validator=[validators.instance_of(float), validators.gt(0.0), validators.lt(1.0)]
    )
    """The shift probability of fixed transitions."""


def settings_from(cls: type[_Settings], values: Mapping[str, Any], where: str) -> _Settings:
    """Settings of a class from names and values.

    Raises ConfigurationError, with `where` the values come from, for an unknown name or an impossible value.
    """
    names = [attribute.name for attribute in attrs.fields(cls)]
    required = [attribute.name for attribute in attrs.fields(cls) if attribute.default is attrs.NOTHING]
    if unknown := sorted(set(values) - set(names)):
        remedy = f"known are {', '.join(names)}"
        raise ConfigurationError(f"unknown setting {', '.join(unknown)}", where=where, remedy=remedy)
    if missing := [name for name in required if name not in values]:
        raise ConfigurationError(f"missing setting {', '.join(missing)}", where=where)
    try:
        return cls(**values)
    except (TypeError, ValueError) as error:
        # attrs puts attribute, options and value behind the sentence.
        raise ConfigurationError(str(error.args[0] if error.args else error), where=where) from error
