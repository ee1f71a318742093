"""Settings of the training of the step merger and of the encoder of steps."""

from __future__ import annotations

from attrs import frozen

from lightning_modules.settings import LINEAR, TrainingSettings, count, not_negative, positive, schedule_of, share


@frozen(kw_only=True)
class StepTrainingSettings(TrainingSettings):
    """All that decides the network beside its scenarios. Batches are of pairs of actions."""

    hidden: int = count(32)
    dropout: float = share(0.1)
    pairs: int = count(12_000)
    """At most this many pairs of an annotation are drawn."""
    narrative_weight: float = not_negative(0.5)
    """What a scenario of stories counts for, against one of descriptions: their labels agree less."""
    learning_rate: float = positive(1e-2)
    weight_decay: float = not_negative(1e-2)
    schedule: str = schedule_of(LINEAR)
    warm_up: float = share(0.2)
    epochs: int = count(6)
    batch_size: int = count(2048)
    patience: int = count(6)


@frozen(kw_only=True)
class EncoderTrainingSettings(TrainingSettings):
    """All that decides the encoder beside its steps. A batch is of one scenario."""

    layers: int = count(4)
    rank: int = count(16)
    temperature: float = positive(0.07)
    learning_rate: float = positive(1.5e-3)
    weight_decay: float = not_negative(1e-2)
    schedule: str = schedule_of(LINEAR)
    warm_up: float = share(0.1)
    epochs: int = count(8)
    batch_size: int = count(96)
    patience: int = count(8)
    gradient_clip: float | None = 1.0
