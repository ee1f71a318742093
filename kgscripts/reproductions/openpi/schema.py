"""Scores of the schema of a procedure: the entities and attributes that change (OpenPI 2.0, Zhang et al. 2023).

A gold entity is a cluster of names, and has clusters of names of its attributes. Each cluster has a leading name. Names
are compared in lower case and without an article at their beginning (`normalised`). *Entities* and *attributes* are
counted over the procedure, *entities a step* and *attributes a step* step by step.

The counts are those of the published evaluator, whose peculiarities are kept:

- Recall compares answered names as written: "the pan" can be right, but finds nothing. Over the procedure, gold names
  of attributes are compared as written too.
- Right (precision), a step: an answer is right if its entity or attribute is one of the procedure, whatever the step.
- Right, entities: each distinct name counts, also if several name one gold entity.
- Found (recall), attributes: a gold attribute counts once for each step and each answered name of its entity.
- Right, attributes: predicted are distinct pairs of entity and attribute, but a pair that is right counts each time
  that it is answered, until the leading names of its clusters have been answered.
- Found, entities a step: each answered name of the entity counts.
- Gold, attributes a step: the gold attributes of an entity in a step count once for each entity that is answered for
  the step; none counts where no entity is answered. Found: each answered attribute counts, for each answered name of
  its entity and each gold attribute.

Unlike there, procedures are paired by their id, not by their order in the files, precision and recall are at most 1,
where the counts alone could give more, and a score with nothing to divide by is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from operator import add
from pathlib import Path

from attrs import astuple, field, frozen

from kgscripts.evaluation.result import Evaluation, Example, Figure, Role, System, shares
from kgscripts.models.changes.protocol import ChangeModel
from kgscripts.reproductions.openpi.scores import Score, score_of
from schemas.changes import PredictedChange, ProcedureStep
from schemas.provenance import Exposure

_ARTICLES = ("the ", "a ", "an ")

StepAnswer = Mapping[str, Sequence[str]]
"""The attributes that change in a step, by their entity."""
Answers = Mapping[str, Sequence[StepAnswer]]
"""The answer for each step, by the id of the procedure."""


def normalised(name: str) -> str:
    """The name in lower case, without one article at its beginning."""
    name = name.lower()
    article = next((article for article in _ARTICLES if name.startswith(article)), "")
    return name.removeprefix(article)


@frozen(kw_only=True)
class EntityCluster:
    """The names of a gold entity, and those of its attributes by their leading name, all as written."""

    name: str
    names: tuple[str, ...] = field(converter=tuple[str, ...])
    attributes: Mapping[str, tuple[str, ...]]

    @cached_property
    def normalised_names(self) -> frozenset[str]:
        """The names as they are compared."""
        return frozenset(map(normalised, self.names))

    @cached_property
    def normalised_attributes(self) -> Mapping[str, frozenset[str]]:
        """The names of attributes as they are compared, by the leading name of their cluster."""
        return {normalised(name): frozenset(map(normalised, names)) for name, names in self.attributes.items()}


@frozen(kw_only=True)
class Changes:
    """The attributes of an entity that change in each step; both by the leading name of their cluster."""

    entity: str
    steps: tuple[tuple[str, ...], ...] = field(converter=tuple[tuple[str, ...], ...])


@frozen(kw_only=True)
class SchemaProcedure:
    """The gold data of a procedure. Leading names of its clusters differ when they are normalised."""

    id: str
    goal: str
    steps: tuple[str, ...] = field(converter=tuple[str, ...])
    clusters: tuple[EntityCluster, ...] = field(converter=tuple[EntityCluster, ...])
    changes: tuple[Changes, ...] = field(converter=tuple[Changes, ...])


@frozen(kw_only=True)
class SchemaGold:
    """The procedures of a gold file, by id; `overgenerated` if its clusters have names that a language model added."""

    path: Path
    procedures: Mapping[str, SchemaProcedure]
    overgenerated: bool


@frozen
class Count:
    """How many gold items there are and are found, how many predicted items there are and are right."""

    gold: int = 0
    found: int = 0
    predicted: int = 0
    right: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(*map(add, astuple(self), astuple(other)))

    @property
    def score(self) -> Score:
        """Precision, recall and F1; 0 where there is nothing to divide by, and 1 at most."""
        return score_of(_share(self.right, self.predicted), _share(self.found, self.gold))


def _share(count: int, total: int) -> float:
    return min(1.0, count / (total or 1))


def count_schemas(gold: Iterable[SchemaProcedure], answers: Answers) -> dict[str, Count]:
    """What each measure counts over all procedures. Each must have an answer for each of its steps."""
    counted = [count_schema(procedure, answers[procedure.id]) for procedure in gold]
    return {name: sum((counts[name] for counts in counted), start=Count()) for name in MEASURES}


def count_schema(gold: SchemaProcedure, answer: Sequence[StepAnswer]) -> dict[str, Count]:
    """What each measure counts in one procedure."""
    return {name: measure(gold, answer) for name, measure in MEASURES.items()}


def _entities(gold: SchemaProcedure, answer: Sequence[StepAnswer]) -> Count:
    written = {entity for step in answer for entity in step}
    compared = set(map(normalised, written))
    known = frozenset[str]().union(*(cluster.normalised_names for cluster in gold.clusters))
    return Count(
        gold=len(gold.clusters),
        found=sum(not written.isdisjoint(cluster.normalised_names) for cluster in gold.clusters),
        predicted=len(compared),
        right=len(compared & known),
    )


def _attributes(gold: SchemaProcedure, answer: Sequence[StepAnswer]) -> Count:
    found = sum(
        not set(attributes).isdisjoint(names)
        for cluster, step in product(gold.clusters, answer)
        for entity, attributes in step.items()
        if entity in cluster.normalised_names
        for names in cluster.attributes.values()
    )
    answered: set[tuple[str, str]] = set()
    right = 0
    for pair in _pairs(answer):
        leading = _leading_pair(gold, *pair)
        right += leading is not None and leading not in answered
        answered.add(pair)
    return Count(
        gold=sum(len(cluster.attributes) for cluster in gold.clusters),
        found=found,
        predicted=len(answered),
        right=right,
    )


def _entities_a_step(gold: SchemaProcedure, answer: Sequence[StepAnswer]) -> Count:
    entities = [normalised(entity) for step in answer for entity in step]
    changes = list(_changes(gold, answer))
    return Count(
        gold=len(changes),
        found=sum(entity in cluster.normalised_names for cluster, _, step in changes for entity in step),
        predicted=len(entities),
        right=sum(any(entity in cluster.normalised_names for cluster in gold.clusters) for entity in entities),
    )


def _attributes_a_step(gold: SchemaProcedure, answer: Sequence[StepAnswer]) -> Count:
    pairs = list(_pairs(answer))
    changes = list(_changes(gold, answer))
    found = sum(
        attribute in cluster.normalised_attributes[normalised(changed)]
        for cluster, attributes, step in changes
        for entity, answered in step.items()
        if entity in cluster.normalised_names
        for changed, attribute in product(attributes, answered)
    )
    return Count(
        gold=sum(len(attributes) * len(step) for _, attributes, step in changes),
        found=found,
        predicted=len(pairs),
        right=sum(_leading_pair(gold, *pair) is not None for pair in pairs),
    )


MEASURES = {
    "entities": _entities,
    "attributes": _attributes,
    "entities a step": _entities_a_step,
    "attributes a step": _attributes_a_step,
}
"""What is counted, in the order in which it is printed."""


def _pairs(answer: Sequence[StepAnswer]) -> Iterator[tuple[str, str]]:
    """Each answered entity and attribute, normalised."""
    for step in answer:
        for entity, attributes in step.items():
            yield from product([normalised(entity)], map(normalised, attributes))


def _leading_pair(gold: SchemaProcedure, entity: str, attribute: str) -> tuple[str, str] | None:
    """The normalised leading names of the first clusters that an answered entity and attribute belong to."""
    for cluster in gold.clusters:
        if entity in cluster.normalised_names:
            for leading, names in cluster.normalised_attributes.items():
                if attribute in names:
                    return normalised(cluster.name), leading
    return None


def _changes(
    gold: SchemaProcedure, answer: Sequence[StepAnswer]
) -> Iterator[tuple[EntityCluster, tuple[str, ...], StepAnswer]]:
    """For each entity and each step that changes it: its cluster, the attributes that change, and the answer."""
    clusters = {normalised(cluster.name): cluster for cluster in gold.clusters}
    for changes in gold.changes:
        for attributes, step in zip(changes.steps, answer, strict=True):
            if attributes:
                yield clusters[normalised(changes.entity)], attributes, step


DATASET = "OpenPI 2.0"
SETTING = "overgenerated"
"""The setting of scores on clusters with the names that a language model added."""
_REPORTED = 32
"""Steps that a model is given at once, so that progress can be shown."""
_PARTS = ("F1", "precision", "recall")
_NOTES = {
    SETTING: "overgenerated: the gold clusters also have the names that a language model added to them.",
    Role.PUBLISHED: "published: answers of language models as Zhang et al. (2023) published them, scored here.",
}


@frozen(kw_only=True)
class Answered:
    """The answers of a system, with its name, role and source as in `System`."""

    name: str
    answers: Answers
    role: Role = Role.MODEL
    source: str = ""


def evaluate_schema(
    gold: Sequence[SchemaGold], answered: Sequence[Answered], *, split: str, exposure: Exposure | None = None
) -> Evaluation:
    """Evaluate answers on gold files of the same procedures, as `read_schema_gold` gives them.

    Each system has its scores once for each gold file. Examples are of the first system and the first file.
    """
    procedures = list(gold[0].procedures.values())
    clusters = [cluster for procedure in procedures for cluster in procedure.clusters]
    systems = [
        System(
            name=each.name,
            role=each.role,
            setting=SETTING if file.overgenerated else "",
            source=each.source,
            figures=_figures(file, each.answers),
        )
        for file in gold
        for each in answered
    ]
    used = {kind for system in systems for kind in (system.setting, system.role)}
    return Evaluation(
        task="entities and attributes that change",
        dataset=DATASET,
        split=split,
        exposure=exposure,
        items={
            "procedures": len(procedures),
            "steps": sum(len(procedure.steps) for procedure in procedures),
            "entities": len(clusters),
            "attributes": sum(len(cluster.attributes) for cluster in clusters),
        },
        systems=systems,
        notes=[note for kind, note in _NOTES.items() if kind in used],
        examples=_examples(procedures, answered[0]),
    )


def predict_schema(
    model: ChangeModel, procedures: Iterable[SchemaProcedure], *, on_steps: Callable[[int], object]
) -> Answers:
    """All that a model predicts, each step with the goal as title and the earlier steps as context.

    Entities and attributes are in lower case. `on_steps` is called with the number of further steps that are done.
    """
    steps = [
        (procedure.id, ProcedureStep(text=text, context=procedure.steps[:place], title=procedure.goal))
        for procedure in procedures
        for place, text in enumerate(procedure.steps)
    ]
    answers: dict[str, list[StepAnswer]] = {}
    for start in range(0, len(steps), _REPORTED):
        batch = steps[start : start + _REPORTED]
        predicted = model.predict([step for _, step in batch])
        for (name, _), changes in zip(batch, predicted, strict=True):
            answers.setdefault(name, []).append(_answer(changes))
        on_steps(len(batch))
    return answers


def _answer(changes: Iterable[PredictedChange]) -> StepAnswer:
    answer: dict[str, list[str]] = {}
    for change in (predicted.change for predicted in changes):
        attributes = answer.setdefault(change.entity.lower(), [])
        if change.attribute and change.attribute.lower() not in attributes:
            attributes.append(change.attribute.lower())
    return answer


def _figures(gold: SchemaGold, answers: Answers) -> tuple[Figure, ...]:
    """F1 of each measure, then their precision, then their recall."""
    counts = count_schemas(gold.procedures.values(), answers)
    scores = {name: count.score for name, count in counts.items()}
    return shares({f"{name} {part}": getattr(score, part.lower()) for part in _PARTS for name, score in scores.items()})


def _examples(procedures: Iterable[SchemaProcedure], answered: Answered) -> Iterator[Example]:
    for procedure in procedures:
        for place, step in enumerate(procedure.steps):
            gold = {changes.entity: changes.steps[place] for changes in procedure.changes if changes.steps[place]}
            yield Example(
                system=answered.name,
                where=f"{procedure.goal}, step {place + 1}",
                text=step,
                gold=_shown(gold),
                found=_shown(answered.answers[procedure.id][place]),
            )


def _shown(answer: Mapping[str, Sequence[str]]) -> list[str]:
    return [f"{entity} ({', '.join(attributes)})" if attributes else entity for entity, attributes in answer.items()]
