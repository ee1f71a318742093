"""State changes in an open vocabulary, by a model of OpenPI (Tandon et al. 2020): `--also open-changes`.

The model reads steps with those before them, whatever their events; its probabilities are not calibrated, so that all
its changes are *likely* ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from kgscripts.changes.attributes import attributes_digest
from kgscripts.extractors.changes.words import head, normalised
from kgscripts.extractors.protocol import PARSE, Extractor, ParsedDocument
from kgscripts.models.registry import describe, load
from kgscripts.reproductions.openpi.units import Unit, read_units
from kgscripts.settings import device_setting, model_setting
from kgscripts.text.lexicon import word_list_digests
from kgscripts.text.pipeline import describe_pipeline
from schemas.changes import Change, Level, PredictedChange
from schemas.provenance import Model
from schemas.records import Discard, EventMention, Record, StateChange

if TYPE_CHECKING:
    from kgscripts.reproductions.openpi.composer.protocol import ChangeModel

_TASK = "state-changes"


@frozen(kw_only=True)
class OpenChangeSettings:
    """The settings of the extractor of changes in an open vocabulary."""

    model: str = model_setting(_TASK)
    """The model: the name of one that ships, or the directory of a checkpoint."""
    device: str = device_setting()
    """Where its network runs: cpu, cuda, cuda:N or mps."""


@define
class OpenChangeExtractor(Extractor):
    """Gives the changes that a model of OpenPI predicts for the steps, or the sentences with events, of a text."""

    name = "open-changes"
    rules = "1"
    task = "state changes of steps in an open vocabulary"
    requires = (PARSE, EventMention)
    gives = (StateChange, Discard)
    cost = "change model (MiniLM encoder)"
    licence = "MIT"

    model: ChangeModel | None = None
    settings: OpenChangeSettings = field(factory=OpenChangeSettings, kw_only=True)

    @property
    def data(self) -> Mapping[str, str]:
        """The word lists, the vocabulary of attributes, and the pipeline whose tables give the lemmas of entities."""
        return {
            **word_list_digests(),
            "attributes": attributes_digest(),
            "lemmas": describe_pipeline().digest,
        }

    @property
    def networks(self) -> tuple[Model, ...]:
        """The model of the settings."""
        return (describe(self.settings.model, _TASK) if self.model is None else self.model.model,)

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        """See `Extractor`."""
        texts = [read_units(document) for document in documents]
        steps = [unit.step for text in texts for unit in text.units]
        if steps and self.model is None:
            self.model = load(_TASK, self.settings.model, self.settings.device)
        predictions = iter(self.model.predict(steps) if self.model is not None else ())
        return [
            [*(record for unit in text.units for record in _records(unit, next(predictions))), *text.discards]
            for text in texts
        ]


def _records(unit: Unit, predictions: Sequence[PredictedChange]) -> Iterator[StateChange]:
    """The records of a unit; of each attribute of an entity, the most probable one."""
    known: set[tuple[str, str]] = set()
    for prediction in predictions:
        change = normalised(prediction.change)
        if change is None or (change.entity, change.attribute) in known:
            continue
        known.add((change.entity, change.attribute))
        mention = _brings_about(unit, change)
        yield StateChange(
            entity=change.entity,
            attribute=change.attribute,
            before=change.before,
            after=change.after,
            action=mention.action if mention else None,
            start=mention.start if mention else unit.start,
            end=mention.end if mention else unit.end,
            mentioned=None,
            probability=min(1.0, math.exp(prediction.log_probability)),
            level=Level.LIKELY,
        )


def _brings_about(unit: Unit, change: Change) -> EventMention | None:
    """The first event of a unit whose words have the head of the entity, or else its first one; None if it has none."""
    entity = head(change.entity)

    def has_entity(mention: EventMention) -> bool:
        names = [mention.action.object, mention.action.prepositional_object]
        names += [thing.lemma for thing in mention.participants] + [tool.lemma for tool in mention.tools]
        return entity in (name.rpartition(" ")[2] for name in names)

    return next(filter(has_entity, unit.mentions), next(iter(unit.mentions), None))
