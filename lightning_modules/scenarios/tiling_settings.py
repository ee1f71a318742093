"""Settings of the training of the published model of scenarios."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen, validators

from kgscripts.models.scenarios.topic_tiling import TilingSettings
from lightning_modules.settings import TrainingSettings, count, positive, share

_MOST_TOPICS = 10_000


@frozen(kw_only=True)
class TilingTrainingSettings(TrainingSettings):
    """All that decides the model beside its texts. Batches are of stories."""

    topics: int = field(default=200, validator=[*count, validators.le(_MOST_TOPICS)])
    """Of the LDA."""
    topic_iterations: int = field(default=1000, validator=count)
    """Of Gibbs sampling."""
    topic_prior: float = field(default=0.1, validator=positive)
    """Dirichlet parameter of each topic of a document, at the beginning; training adapts them."""
    word_prior: float = field(default=0.01, validator=positive)
    """Dirichlet parameter of the words of a topic."""
    minimum_documents: int = field(default=3, validator=[*count, validators.ge(3)])
    """In how many texts a word must occur to be known. Fewer than 3 are refused, since the words are published."""
    window: int = 2
    smoothing: int = 2
    threshold: float = 0.1
    """See `kgscripts.models.scenarios.topic_tiling.TilingSettings`."""
    hidden: int = field(default=100, validator=count)
    """Units of the hidden layer."""
    dropout: float = field(default=0.2, validator=share)
    epochs: int = field(default=200, validator=count)
    """The maximum number of epochs."""
    batch_size: int = field(default=16, validator=count)
    patience: int = field(default=10, validator=count)

    def __attrs_post_init__(self) -> None:
        self.tiling  # noqa: B018  (raises for values out of range)

    @property
    def tiling(self) -> TilingSettings:
        """The settings of the segmentation."""
        return TilingSettings(window=self.window, smoothing=self.smoothing, threshold=self.threshold)

    @property
    def phases(self) -> Mapping[str, int]:
        """See `TrainingSettings`."""
        return {"training": self.epochs}
