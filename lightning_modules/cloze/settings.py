"""Settings of the masked model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import field, frozen, validators

from kgscripts.settings import settings_from
from lightning_modules.settings import TrainingSettings, count, not_negative, positive, share
from schemas.toml_files import read_toml

CONFIGURATION = Path(__file__).with_name("masked.toml")
"""The settings of the model that ships."""


@frozen(kw_only=True)
class MaskedSettings(TrainingSettings):
    """All that decides the result beside the pairs. Batches are of clozes, one a pair and epoch."""

    encoder: str = field(validator=validators.instance_of(str))
    """Name or folder of the encoder."""
    rank: int = field(validator=count)
    """Of the adapters."""
    dropout: float = field(validator=share)
    """In the word head."""
    learning_rate: float = field(validator=positive)
    weight_decay: float = field(validator=not_negative)
    warm_up: float = field(validator=share)
    """The share of all steps until the highest learning rate; from there it falls linearly to zero."""
    epochs: int = field(validator=count)
    """The maximum number of epochs."""
    left_share: float = field(validator=share)
    """The share of clozes that show only the left side of the blank."""
    scattered_share: float = field(validator=share)
    """The share of clozes whose hidden words are scattered over the text."""
    gradient_clip: float | None = 1.0

    @property
    def phases(self) -> Mapping[str, int]:
        """See `TrainingSettings`."""
        return {"adapting": self.epochs}

    @classmethod
    def read(cls, path: Path) -> MaskedSettings:
        """The settings of a TOML file. Raises ConfigurationError for unknown, missing and wrong settings, and for an
        unreadable file."""
        values = read_toml(path, remedy=f"see {CONFIGURATION.name} of the package")
        return settings_from(cls, values, str(path))
