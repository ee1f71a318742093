"""Settings of the training of the detector."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from lightning_modules.settings import TrainingSettings, count, not_negative, positive, share


@frozen(kw_only=True)
class DetectorTrainingSettings(TrainingSettings):
    """All that decides the detector beside its texts. Batches are of documents, which are made anew each epoch."""

    documents: int = field(default=1200, validator=count)
    """Of an epoch."""
    written_share: float = field(default=0.3, validator=share)
    """The share of the documents that are stories written for training."""
    long_share: float = field(default=0.2, validator=share)
    """The share of the documents that have long passages, half of them of stories of the corpus."""
    story_share: float = field(default=0.15, validator=share)
    """The share of the passages of other documents that are cut out of stories, if the scenario has some."""
    unlabelled_share: float = field(default=0.8, validator=share)
    """The share of the stories without a scenario that are used, with the scenario that their words speak for."""
    dropout: float = field(default=0.2, validator=share)
    """Of the features."""
    learning_rate: float = field(default=1e-2, validator=positive)
    weight_decay: float = field(default=1e-3, validator=not_negative)
    warm_up: float = field(default=0.3, validator=share)
    """The share of all steps until the highest learning rate; from there it falls linearly to zero."""
    epochs: int = field(default=25, validator=count)
    batch_size: int = field(default=12, validator=count)
    patience: int = field(default=25, validator=count)

    @property
    def phases(self) -> Mapping[str, int]:
        """See `TrainingSettings`."""
        return {"training": self.epochs}
