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
from typing import TypeVar

from attrs import astuple, frozen

from kgscripts.evaluation.counting import Score, check_ids, score_of
from kgscripts.evaluation.result import Evaluation, Example, Figure, Role, System, shares
from kgscripts.reproductions.corpora.typed_json import read_typed
from kgscripts.reproductions.openpi.composer.protocol import ChangeModel
from schemas.changes import PredictedChange, ProcedureStep
from schemas.errors import InputError
from schemas.provenance import Exposure

_ARTICLES = ("the ", "a ", "an ")
_Cluster = TypeVar("_Cluster")

StepAnswer = Mapping[str, Sequence[str]]
"""The attributes that change in a step, by their entity."""
Answers = Mapping[str, Sequence[StepAnswer]]
"""The answer for each step, by the id of the procedure."""


def normalised(name: str) -> str:
    """The name in lower case, without one article at its beginning."""
    name = name.lower()
    article = next((article for article in _ARTICLES if name.startswith(article)), "")
    return name.removeprefix(article)


@frozen
class EntityCluster:
    """The names of a gold entity, and those of its attributes by their leading name, all as written."""

    entity_cluster: list[str]
    attribute_cluster: dict[str, list[str]]

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the entity as they are compared."""
        return frozenset(map(normalised, self.entity_cluster))

    @cached_property
    def attributes(self) -> Mapping[str, frozenset[str]]:
        """The names of attributes as they are compared, by the leading name of their cluster."""
        return _by_leading_name({name: frozenset(map(normalised, own)) for name, own in self.attribute_cluster.items()})


@frozen
class AttributeChange:
    """An attribute that changes, by a leading name."""

    attribute: str


@frozen
class State:
    """What changes of an entity, by its leading name, in each step (``step1``, ``step2``, ...)."""

    entity: str
    answers: dict[str, list[AttributeChange]]


@frozen
class SchemaProcedure:
    """The gold data of a procedure, as a file has them.

    Raises ValueError if leading names do not differ when they are normalised, or a change has no cluster or step.
    """

    goal: str
    steps: list[str]
    states: list[State]
    clusters: dict[str, EntityCluster]

    def __attrs_post_init__(self) -> None:
        if not self.steps or not all(map(str.strip, (self.goal, *self.steps))):
            raise ValueError("the goal or a step is missing")
        for state in self.states:
            if (cluster := self.entities.get(normalised(state.entity))) is None:
                raise ValueError(f"no cluster for the entity {state.entity!r}")
            if list(state.answers) != [f"step{number}" for number in range(1, len(self.steps) + 1)]:
                raise ValueError(f'the keys of "answers" are not step1 to step{len(self.steps)}, in this order')
            for change in (change for changes in state.answers.values() for change in changes):
                if normalised(change.attribute) not in cluster.attributes:
                    raise ValueError(f"no cluster for the attribute {change.attribute!r} of {state.entity!r}")

    @cached_property
    def entities(self) -> Mapping[str, EntityCluster]:
        """The clusters by their leading names, normalised."""
        return _by_leading_name(self.clusters)


def _by_leading_name(clusters: Mapping[str, _Cluster]) -> dict[str, _Cluster]:
    by_name = {normalised(name): cluster for name, cluster in clusters.items()}
    if len(by_name) < len(clusters) or not all(map(str.strip, by_name)):
        raise ValueError("the name of a cluster is empty or occurs twice, without case and article")
    return by_name


GOLD = "dev-data-reformatted-v4.json"
"""The gold file of a folder."""
PUBLISHED = {
    "davinci": "davinci",
    "chatgpt": "ChatGPT",
    "llama-65b": "LLaMA 65B",
    "llama-30b": "LLaMA 30B",
    "llama-7b": "LLaMA 7B",
}
"""The systems whose answers are published, by their name in the name of a file."""


def published_files(gold: Path) -> dict[str, Path]:
    """The published answers in a folder, by the name of their system; none beside a file."""
    files = {name: gold / "published-predictions" / f"dev_schema_{key}_1.json" for key, name in PUBLISHED.items()}
    return {name: file for name, file in files.items() if gold.is_dir() and file.exists()}


def read_schema_gold(path: Path) -> dict[str, SchemaProcedure]:
    """The gold procedures of a file, or of that of a folder, by id. Raises InputError for a file of another form."""
    file = path / GOLD if path.is_dir() else path
    remedy = "use the data of OpenPI 2.0 as published"
    procedures: dict[str, SchemaProcedure] = read_typed(file, dict[str, SchemaProcedure], remedy)
    if not procedures:
        raise InputError("no procedures", where=str(file), remedy=remedy)
    return procedures


def read_schema_answers(path: Path, gold: Mapping[str, SchemaProcedure]) -> Answers:
    """The answers of a system to all gold procedures: by their ids, for each step, attributes by entity.

    Raises InputError for a file of another form, for procedures that are missing or unknown, and for a wrong number of
    steps.
    """
    remedy = 'write {"ID": [{"entity": ["attribute", ...], ...}, ...], ...} with an object for each step'
    answers: dict[str, list[dict[str, list[str]]]] = read_typed(path, dict[str, list[dict[str, list[str]]]], remedy)
    try:
        check_ids(list(gold), answers)
    except InputError as error:
        raise InputError(error.message, where=str(path), remedy=error.remedy) from error
    for name, procedure in gold.items():
        if len(answers[name]) != len(procedure.steps):
            detail = f"answers for {len(answers[name])} steps of procedure {name}, but it has {len(procedure.steps)}"
            raise InputError(detail, where=str(path), remedy=remedy)
    return answers


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


def count_schemas(gold: Mapping[str, SchemaProcedure], answers: Answers) -> dict[str, Count]:
    """What each measure counts over all procedures. Each must have an answer for each of its steps."""
    counted = [count_schema(procedure, answers[name]) for name, procedure in gold.items()]
    return {name: sum((counts[name] for counts in counted), start=Count()) for name in MEASURES}


def count_schema(gold: SchemaProcedure, answer: Sequence[StepAnswer]) -> dict[str, Count]:
    """What each measure counts in one procedure."""
    return {name: measure(gold, answer) for name, measure in MEASURES.items()}


def _entities(gold: SchemaProcedure, answer: Sequence[StepAnswer]) -> Count:
    written = {entity for step in answer for entity in step}
    compared = set(map(normalised, written))
    known = frozenset[str]().union(*(cluster.names for cluster in gold.entities.values()))
    return Count(
        gold=len(gold.entities),
        found=sum(not written.isdisjoint(cluster.names) for cluster in gold.entities.values()),
        predicted=len(compared),
        right=len(compared & known),
    )


def _attributes(gold: SchemaProcedure, answer: Sequence[StepAnswer]) -> Count:
    recalled = sum(
        not set(attributes).isdisjoint(names)
        for cluster, step in product(gold.entities.values(), answer)
        for entity, attributes in step.items()
        if entity in cluster.names
        for names in cluster.attribute_cluster.values()
    )
    answered: set[tuple[str, str]] = set()
    right = 0
    for pair in _pairs(answer):
        leading = _leading_pair(gold, *pair)
        right += leading is not None and leading not in answered
        answered.add(pair)
    return Count(
        gold=sum(len(cluster.attributes) for cluster in gold.entities.values()),
        found=recalled,
        predicted=len(answered),
        right=right,
    )


def _entities_a_step(gold: SchemaProcedure, answer: Sequence[StepAnswer]) -> Count:
    entities = [normalised(entity) for step in answer for entity in step]
    changes = list(_changes(gold, answer))
    return Count(
        gold=len(changes),
        found=sum(entity in cluster.names for cluster, _, step in changes for entity in step),
        predicted=len(entities),
        right=sum(any(entity in cluster.names for cluster in gold.entities.values()) for entity in entities),
    )


def _attributes_a_step(gold: SchemaProcedure, answer: Sequence[StepAnswer]) -> Count:
    pairs = list(_pairs(answer))
    changes = list(_changes(gold, answer))
    recalled = sum(
        attribute in cluster.attributes[normalised(changed)]
        for cluster, attributes, step in changes
        for entity, answered in step.items()
        if entity in cluster.names
        for changed, attribute in product(attributes, answered)
    )
    return Count(
        gold=sum(len(attributes) * len(step) for _, attributes, step in changes),
        found=recalled,
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
    for name, cluster in gold.entities.items():
        if entity in cluster.names:
            for leading, names in cluster.attributes.items():
                if attribute in names:
                    return name, leading
    return None


def _changes(
    gold: SchemaProcedure, answer: Sequence[StepAnswer]
) -> Iterator[tuple[EntityCluster, list[str], StepAnswer]]:
    """For each entity and each step that changes it: its cluster, the attributes that change, and the answer."""
    for state in gold.states:
        for changes, step in zip(state.answers.values(), answer, strict=True):
            if changes:
                yield gold.entities[normalised(state.entity)], [change.attribute for change in changes], step


DATASET = "OpenPI 2.0"
_REPORTED = 32
"""Steps that a model is given at once, so that progress can be shown."""
_PARTS = ("F1", "precision", "recall")


def evaluate_schema(
    gold: Mapping[str, SchemaProcedure],
    answers: Answers,
    published: Mapping[str, Answers],
    *,
    split: str,
    system: str,
    source: str = "",
    exposure: Exposure | None = None,
) -> Evaluation:
    """Evaluate the answers of a system, and beside them answers that were published, by the name of their system."""
    own = System(name=system, source=source, figures=_figures(gold, answers))
    others = [
        System(name=name, role=Role.PUBLISHED, figures=_figures(gold, other)) for name, other in published.items()
    ]
    clusters = [cluster for procedure in gold.values() for cluster in procedure.entities.values()]
    return Evaluation(
        task="entities and attributes that change",
        dataset=DATASET,
        split=split,
        exposure=exposure,
        items={
            "procedures": len(gold),
            "steps": sum(len(procedure.steps) for procedure in gold.values()),
            "entities": len(clusters),
            "attributes": sum(len(cluster.attributes) for cluster in clusters),
        },
        systems=[own, *others],
        notes=["published: answers of language models as Zhang et al. (2023) published them, scored here."]
        if others
        else [],
        examples=_examples(gold, answers, system),
    )


def predict_schema(
    model: ChangeModel, gold: Mapping[str, SchemaProcedure], *, on_steps: Callable[[int], object]
) -> Answers:
    """All that a model predicts, each step with the goal as title and the earlier steps as context.

    Entities and attributes are in lower case. `on_steps` is called with the number of further steps that are done.
    """
    steps = [
        (name, ProcedureStep(text=text, context=tuple(procedure.steps[:place]), title=procedure.goal))
        for name, procedure in gold.items()
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


def _figures(gold: Mapping[str, SchemaProcedure], answers: Answers) -> tuple[Figure, ...]:
    """F1 of each measure, then their precision, then their recall."""
    scores = {name: count.score for name, count in count_schemas(gold, answers).items()}
    return shares({f"{name} {part}": getattr(score, part.lower()) for part in _PARTS for name, score in scores.items()})


def _examples(gold: Mapping[str, SchemaProcedure], answers: Answers, system: str) -> Iterator[Example]:
    for name, procedure in gold.items():
        for place, step in enumerate(procedure.steps):
            changes = {state.entity: state.answers[f"step{place + 1}"] for state in procedure.states}
            right = {entity: [change.attribute for change in own] for entity, own in changes.items() if own}
            yield Example(
                system=system,
                where=f"{procedure.goal}, step {place + 1}",
                text=step,
                gold=_shown(right),
                found=_shown(answers[name][place]),
            )


def _shown(answer: Mapping[str, Sequence[str]]) -> list[str]:
    return [f"{entity} ({', '.join(attributes)})" if attributes else entity for entity, attributes in answer.items()]
