"""The evaluation of predicted state changes on OpenPI (Tandon et al., EMNLP 2020, section 6).

Beside the official scores (`scores`): one-to-one and cluster scores (`matching`), the official ones by topic, modality
and position, the types of errors, and the published figures.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib.util import find_spec

from attrs import define

from kgscripts.evaluation.result import Evaluation, Example, Figure, System, counts, shares
from kgscripts.reproductions.openpi.answers import steps_of
from kgscripts.reproductions.openpi.change_template import parse_change
from kgscripts.reproductions.openpi.matching import MatchedScores, is_relational, match_step
from kgscripts.reproductions.openpi.reading import OpenPIStep
from kgscripts.reproductions.openpi.scores import (
    METRICS,
    Score,
    StepScores,
    check_ids,
    distinct_changes,
    mean_scores,
    meteor_scores,
    pair_scores,
    score_step,
    stems_of,
)
from kgscripts.reproductions.published import published_systems
from schemas.changes import Change
from schemas.errors import InputError
from schemas.results import Table

(PUBLISHED,) = published_systems("state-changes")
"""GPT-2 on the test split (tables 4 and 5)."""
PUBLISHED_ERRORS = {
    "attribute": "826 (51 %)",
    "entity": "964 (59 %)",
    "adjective": "989 (41 %)",
    "relational_phrase": "456 (17 %)",
    "wrong": "1,622",
}
"""On the dev split, as the paper prints them (Table 6)."""


_ROUGE = METRICS.index("rouge")


@define(kw_only=True)
class ErrorCounts:
    """Numbers of predictions with an error, each compared with the gold answer that has the highest ROUGE.

    A prediction can have several errors. A value, before or after, that differs is a wrong adjective or a wrong
    relational phrase, as the gold answer has it ("hot", "in the oven").
    """

    predictions: int = 0
    attribute: int = 0
    entity: int = 0
    adjective: int = 0
    relational_phrase: int = 0
    wrong: int = 0
    """Predictions with an error of any of these types."""
    without_gold: int = 0
    """Predictions for steps without a gold answer; not among `wrong`."""
    unreadable: int = 0
    """Predictions that are no sentence of the template; not among `wrong`."""


def count_errors(gold: Mapping[str, Sequence[str]], predictions: Mapping[str, Sequence[str]]) -> ErrorCounts:
    """Count the errors of all predictions, whose ids are those of `gold`."""
    counts = ErrorCounts()
    for name, answers in gold.items():
        readable = [(answer, change) for answer in answers if (change := _change(answer))]
        predicted = distinct_changes(predictions[name])
        counts.predictions += len(predicted)
        closest = pair_scores([answer for answer, _ in readable], predicted)[_ROUGE].argmax(axis=0) if readable else ()
        for index, sentence in enumerate(predicted):
            change = _change(sentence)
            if change is None:
                counts.unreadable += 1
            elif not readable:
                counts.without_gold += 1
            else:
                _compare(counts, readable[closest[index]][1], change)
    return counts


def _change(sentence: str) -> Change | None:
    try:
        return parse_change(sentence)
    except InputError:
        return None


def _compare(counts: ErrorCounts, gold: Change, predicted: Change) -> None:
    attribute, entity, before, after = (
        stems_of(getattr(gold, part)) != stems_of(getattr(predicted, part))
        for part in ("attribute", "entity", "before", "after")
    )
    value, relational = before or after, is_relational(gold.before or gold.after)
    counts.attribute += attribute
    counts.entity += entity
    counts.adjective += value and not relational
    counts.relational_phrase += value and relational
    counts.wrong += attribute or entity or value


UNSEEN_TOPICS = ("Health",)
"""The topics of which OpenPI has steps in its test split only."""
_LAST_POSITION = 6
_NAMES = {"exact": "exact", "bleu": "BLEU", "rouge": "ROUGE"}
_PARTS = ("precision", "recall", "F1")

Answers = Mapping[str, Sequence[str]]


def evaluate_changes(
    gold: Answers,
    predictions: Answers,
    steps: Mapping[str, OpenPIStep] | None = None,
    *,
    dataset: str,
    split: str,
    system: str = "predictions",
    source: str = "",
    unseen: Collection[str] = UNSEEN_TOPICS,
) -> Evaluation:
    """Evaluate predictions, sentences by the id of their step, on gold answers.

    Parameters
    ----------
    gold, predictions:
        The sentences of each step, by id (``URL||NUMBER``).
    steps:
        The steps by id, to group scores by topic and modality; None if unknown.
    dataset, split:
        What the gold answers are called.
    system, source:
        What gave the predictions; see `System`.
    unseen:
        The topics that the model was not trained on.

    Raises
    ------
    InputError
        If the ids of gold answers and predictions differ (it names them), there are none, or a step is unknown.
    """
    check_ids(gold, predictions)
    known = steps_of(gold, steps) if steps else []
    matched = {name: match_step(answers, predictions[name]) for name, answers in gold.items()}
    official = {name: scores.official for name, scores in matched.items()}
    means = MatchedScores(*map(mean_scores, zip(*matched.values(), strict=True)))
    meteor = meteor_scores(gold, predictions)
    figures = (
        *_figures(means.official),
        *_figures(means.one_to_one, ", one to one"),
        *_figures(means.clusters, ", clusters"),
        # In a part, since model cards shall not depend on what is installed.
        *(() if meteor is None else shares(_named("METEOR", meteor), "all steps")),
        *_by_topic(official, known, unseen),
        *_by_modality(gold, predictions, known),
        *_grouped([(f"step {position}", official[name]) for name in gold if (position := _position(name))]),
    )
    found = count_errors(gold, predictions)
    return Evaluation(
        task="state changes",
        dataset=dataset,
        split=split,
        items={
            "steps": len(gold),
            "gold answers": sum(map(len, gold.values())),
            "distinct predictions": found.predictions,
        },
        systems=[System(name=system, source=source, figures=figures), PUBLISHED],
        tables={"errors, against the gold answer with the highest ROUGE": _error_table(found)},
        notes=_notes(found, has_meteor=meteor is not None),
        examples=_examples(gold, predictions, steps or {}, system),
    )


def _named(name: str, score: Score, suffix: str = "") -> dict[str, float]:
    return {f"{name} {part}{suffix}": value for part, value in zip(_PARTS, score, strict=True)}


def _figures(scores: StepScores, suffix: str = "", part: str = "") -> tuple[Figure, ...]:
    return tuple(
        figure for metric in METRICS for figure in shares(_named(_NAMES[metric], getattr(scores, metric), suffix), part)
    )


def _by_topic(scores: Mapping[str, StepScores], steps: Sequence[OpenPIStep], unseen: Collection[str]) -> list[Figure]:
    labelled = [(step.topic, scores[step.id]) for step in steps if step.topic]
    exposed = [("unseen topics" if topic in unseen else "seen topics", score) for topic, score in labelled]
    return _grouped(exposed) + _grouped(labelled)


def _by_modality(gold: Answers, predictions: Answers, steps: Sequence[OpenPIStep]) -> list[Figure]:
    """The scores on the answers of each modality, over the steps that have some, as in the paper's Table 4."""
    labelled = []
    for step in steps:
        modality = {answer.sentence: answer.modality for answer in step.answers}
        for name in dict.fromkeys(filter(None, modality.values())):
            chosen = [answer for answer in gold[step.id] if modality.get(answer) == name]
            if chosen:
                labelled.append((name.replace("_", " "), score_step(chosen, predictions[step.id])))
    return _grouped(labelled)


def _position(name: str) -> str:
    """The number at the end of an id; "" if there is none."""
    number = name.rpartition("||")[2]
    if not (number.isascii() and number.isdigit()):
        return ""
    return number if int(number[:9]) < _LAST_POSITION else f"{_LAST_POSITION} and later"


def _grouped(scores: Sequence[tuple[str, StepScores]]) -> list[Figure]:
    """The means over the steps of each part, F1 first, and their numbers."""
    groups: dict[str, list[StepScores]] = {}
    for part, score in scores:
        groups.setdefault(part, []).append(score)
    figures: list[Figure] = []
    for part, found in sorted(groups.items()):
        own = (*_figures(mean_scores(found), part=part), *counts({"steps": len(found)}, part))
        figures += sorted(own, key=lambda figure: not figure.metric.endswith(("F1", "steps")))
    return figures


def _error_table(errors: ErrorCounts) -> Table:
    """As in Table 6; shares are of the predictions with an error."""
    rows = []
    for name, published in PUBLISHED_ERRORS.items():
        count = getattr(errors, name)
        label = "any of these" if name == "wrong" else f"wrong {name.replace('_', ' ')}"
        rows.append((label, count, None if name == "wrong" else round(count / (errors.wrong or 1), 2), published))
    return Table(columns=("error", "predictions", "share", "published: GPT-2 on dev"), rows=rows)


def _notes(errors: ErrorCounts, *, has_meteor: bool) -> list[str]:
    compared = (
        (errors.without_gold, "for steps without a gold answer"),
        (errors.unreadable, "that are no sentence of the template"),
    )
    notes = [f"Not compared for errors: {count:,} predictions {reason}." for count, reason in compared if count]
    if has_meteor:
        return notes
    # NLTK's own command for data that no package has.
    remedy = "python -m nltk.downloader wordnet" if find_spec("nltk") else "pip install 'kgscripts[meteor]'"
    return [*notes, f"No METEOR: {remedy}"]


def _examples(gold: Answers, predictions: Answers, steps: Mapping[str, OpenPIStep], system: str) -> Iterator[Example]:
    """Each step with its gold answers, and its predictions with the ROUGE of the most similar answer."""
    for name, answers in gold.items():
        predicted = distinct_changes(predictions[name])
        best = pair_scores(answers, predicted)[-1].max(axis=0) if answers else [0.0] * len(predicted)
        yield Example(
            system=system,
            where=name,
            text=steps[name].text if name in steps else "",
            gold=answers,
            found=[f"{score:.2f} {sentence}" for sentence, score in zip(predicted, best, strict=True)],
        )
