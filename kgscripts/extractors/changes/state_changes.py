"""State changes (OpenPI, Tandon et al. 2020) of the steps of a procedure, and of sentences with events, by a model.

A change belongs to the event of its step that brings it about: the one whose verb says so (`kgscripts.changes.verbs`),
else one whose words have the same head as the entity, else the event nearest to the entity, else the first. Changes of
location belong to events of placing, moving and taking.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import define, field, frozen, validators

from kgscripts.changes.attributes import attributes_digest
from kgscripts.changes.verbs import verbs_digest
from kgscripts.extractors.changes.change_ratings import LEAST, ratings_digest, shipped_ratings
from kgscripts.extractors.changes.change_trust import Read, trusted
from kgscripts.extractors.changes.change_words import head
from kgscripts.extractors.changes.state_change_units import Nouns, Unit, read_units
from kgscripts.extractors.protocol import PARSE, Extractor, ParsedDocument
from kgscripts.models.registry import describe, load
from kgscripts.settings import device_setting, model_setting
from kgscripts.text.lexicon import verbs, word_list, word_list_digests
from kgscripts.text.pipeline import describe_pipeline
from kgscripts.text.verb_objects import verb_objects_digest
from schemas.changes import Level, PredictedChange
from schemas.provenance import Model
from schemas.records import Discard, EventMention, Record, Role, Span, StateChange

if TYPE_CHECKING:
    from kgscripts.models.changes.protocol import ChangeModel

_TASK = "state-changes"
_LOCATION = word_list("attributes of place")


_probability = [validators.ge(0.0), validators.le(1.0)]


@frozen(kw_only=True)
class StateChangeSettings:
    """The settings of the extractor of state changes."""

    model: str = model_setting(_TASK)
    """The model: the name of one that ships, or the directory of a checkpoint."""
    least_certain: float = field(default=LEAST[Level.CERTAIN], validator=_probability)
    """The least probability of changes of the level `certain`."""
    least_likely: float = field(default=LEAST[Level.LIKELY], validator=_probability)
    """The least probability of changes of the level `likely`; less probable ones are not read."""
    device: str = device_setting()
    """Where its network runs: cpu, cuda, cuda:N or mps."""


@define
class StateChangeExtractor(Extractor):
    """Gives the state changes of whole procedures, of any text with events, and of the concrete side of pairs.

    The model of the settings is loaded for the first step, unless one is given.
    """

    name = "state-changes"
    rules = "3"
    task = "state changes of steps"
    requires = (PARSE, EventMention)
    gives = (StateChange, Discard)
    cost = "state-change model (MiniLM encoder)"
    licence = "Apache-2.0"

    model: ChangeModel | None = None
    settings: StateChangeSettings = field(factory=StateChangeSettings, kw_only=True)

    @property
    def data(self) -> Mapping[str, str]:
        """The word lists, and the pipeline whose tables give the lemmas of entities and attributes."""
        return {
            **word_list_digests(),
            "verb_objects.tsv": verb_objects_digest(),
            "attributes": attributes_digest(),
            "verbs": verbs_digest(),
            "ratings": ratings_digest(),
            "lemmas": describe_pipeline().digest,
        }

    @property
    def networks(self) -> tuple[Model, ...]:
        """The model of state changes."""
        return (self.model.model if self.model is not None else describe(self.settings.model, _TASK),)

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        """See `Extractor`."""
        found = [read_units(document) for document in documents]
        steps = [unit.step for units in found for unit in units.units]
        predictions: Iterator[list[PredictedChange]] = iter(())
        if steps:
            if self.model is None:
                self.model = load(_TASK, self.settings.model, self.settings.device)
            predictions = iter(self.model.considered(steps))
        least = {Level.CERTAIN: self.settings.least_certain, Level.LIKELY: self.settings.least_likely}
        result: list[Sequence[Record]] = []
        for units in found:
            own = [next(predictions) for _ in units.units]
            read = trusted(units.units, own, units.nouns, shipped_ratings(), least)
            records = [
                record
                for unit, changes in zip(units.units, read, strict=True)
                for record in _records(unit, changes, units.nouns)
            ]
            result.append([*records, *units.discards])
        return result


def _records(unit: Unit, read: Sequence[Read], nouns: Nouns) -> list[StateChange]:
    """The records of a unit in text order."""
    found = []
    for item in read:
        change = item.rated.change
        mentioned = nouns.last(head(change.entity), unit.end)
        mention = item.mention or _brought_about_by(unit, change.entity, change.attribute, mentioned)
        record = StateChange(
            entity=change.entity,
            attribute=change.attribute,
            before=change.before,
            after=change.after,
            action=mention.action if mention else None,
            start=mention.start if mention else unit.start,
            end=mention.end if mention else unit.end,
            mentioned=mentioned,
            probability=item.rated.probability,
            level=item.rated.level,
        )
        found.append(record)
    return sorted(found, key=lambda record: (record.start, record.end))


def _brought_about_by(unit: Unit, entity: str, attribute: str, mentioned: Span | None) -> EventMention | None:
    """The mention of an event that brings a change about; None if the unit has none."""
    of_entity = head(entity)
    is_location = head(attribute) in _LOCATION
    near = mentioned if mentioned is not None and mentioned.start >= unit.start else None

    def distance(mention: EventMention) -> tuple[bool, bool, bool, int, int]:
        return (
            of_entity not in _heads(mention),
            of_entity != _head_of(mention.action.object) and of_entity not in _patients(mention),
            _moves(mention) != is_location,
            max(mention.start - near.end, near.start - mention.end, 0) if near else 0,
            mention.start,
        )

    return min(unit.mentions, key=distance, default=None)


def _heads(mention: EventMention) -> set[str]:
    """The heads of all nouns of an event."""
    words = [mention.action.object, mention.action.prepositional_object]
    words += [argument.lemma for argument in mention.participants]
    words += [tool.lemma for tool in mention.tools if not tool.inferred]
    return {_head_of(word) for word in words if word}


def _patients(mention: EventMention) -> set[str]:
    return {_head_of(item.lemma) for item in mention.participants if item.role is Role.PATIENT}


def _head_of(lemma: str) -> str:
    return lemma.rpartition(" ")[-1]


def _moves(mention: EventMention) -> bool:
    return any(mention.action.predicate in verbs(label) for label in ("placing", "moving", "grasping"))
