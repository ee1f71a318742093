"""The shapes of the word-level networks, which every checkpoint has."""

from __future__ import annotations

from attrs import field, frozen, validators

_size = [validators.instance_of(int), validators.ge(1)]
_share = [validators.instance_of(float), validators.ge(0.0), validators.lt(1.0)]
_flag = validators.instance_of(bool)


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
