"""The evaluation of answers on OpenPI 2.0: which entities and which attributes of them change in a procedure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from attrs import frozen

from kgscripts.evaluation.result import Evaluation, Example, Figure, Role, System, shares
from kgscripts.models.changes.protocol import ChangeModel
from kgscripts.reproductions.openpi.schema import Answers, SchemaProcedure, StepAnswer, count_schemas
from kgscripts.reproductions.openpi.schema_files import SchemaGold
from schemas.changes import PredictedChange, ProcedureStep
from schemas.provenance import Exposure

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
    scores = count_schemas(gold.procedures.values(), answers).scores
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
