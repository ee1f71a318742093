"""Fits the weights of pronoun resolution: `kgscripts train pronouns`.

They are fitted on the coreference chains of InScript's training part, on stories with marked pronouns that were written
for this (``data/pronouns.txt``), and on the stories for development (`kgscripts.evaluation.events.marked_texts`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen
from scipy.optimize import minimize

from kgscripts.corpora.inscript import GoldStory, read_stories
from kgscripts.evaluation.events.marked_texts import MarkedText, marked_texts
from kgscripts.extractors.events.nouns import is_noun, noun_lemma
from kgscripts.extractors.events.predicates import Frame, frames_of
from kgscripts.extractors.fitted_weights import BIAS
from kgscripts.extractors.parse_repair.repairs import repaired
from kgscripts.extractors.pronouns.antecedent_features import features_of, need_of
from kgscripts.extractors.pronouns.antecedents import Discourse
from kgscripts.extractors.pronouns.pronouns import guessed, is_relative
from kgscripts.extractors.realis.narration import Narration
from kgscripts.text.pipeline import load_pipeline
from schemas.output_files import write_lines

if TYPE_CHECKING:
    from spacy.tokens import Doc

_PENALTY = 2.0
"""Half the weight of the sum of squares of the weights, against one for the log likelihood of a pronoun."""
_OF_STORY = 4.0
"""The number of pronouns of InScript for which one of the stories counts."""
_STORIES = (
    ("pronouns.txt", "kgscripts.training.text"),
    ("objects.development.txt", "kgscripts.evaluation"),
    ("pronoun_objects.development.txt", "kgscripts.evaluation"),
)
"""Files with marked texts, and the packages that have them."""
Weights = Mapping[str, float]


@frozen
class Choice:
    """The candidates of a pronoun, by what speaks for each, and which are right; none, if it has no antecedent."""

    candidates: Sequence[Mapping[str, float]]
    right: Sequence[bool]
    weight: float = 1.0


def choices(parsed: Iterable[tuple[GoldStory, Doc]], weights: Weights | None = None) -> Iterator[Choice]:
    """The object pronouns of InScript's stories whose antecedent is among the candidates, and those that have none.

    The chain of a pronoun has its antecedent; a pronoun without a chain has none. The pronouns before it refer to what
    is right, or, with `weights`, to what these say.
    """
    for story, doc in parsed:
        chains = {word.start: word.chain for word in story.words}
        nouns: dict[int, set[str]] = {}
        for token in doc:
            chain = chains.get(token.idx)
            if chain is not None and is_noun(token):
                nouns.setdefault(chain, set()).add(_head(noun_lemma(token)))

        def answer(frame: Frame) -> set[str] | None:
            chain = chains.get(frame.mention.idx)  # noqa: B023
            return nouns.get(chain, set()) if chain is not None else None  # noqa: B023

        for choice, chained in _choices(doc, answer, set.issubset, weights):
            if any(choice.right) or not chained:
                yield choice


def story_choices(parsed: Iterable[tuple[MarkedText, Doc]], weights: Weights | None = None) -> Iterator[Choice]:
    """The same for the pronouns among the marked objects of stories; one with the mark "-" has no antecedent."""
    for text, doc in parsed:

        def answer(frame: Frame) -> set[str] | None:
            label = text.labels.get(frame.verb.idx)  # noqa: B023
            return {_head(name) for name in label.split(";")} if label is not None else None

        for choice, marked in _choices(doc, answer, set.__eq__, weights):
            if marked:
                yield Choice(choice.candidates, choice.right, _OF_STORY)


def _choices(
    doc: Doc,
    answer: Callable[[Frame], set[str] | None],
    fits: Callable[[set[str], set[str]], bool],
    weights: Weights | None,
) -> Iterator[tuple[Choice, bool]]:
    """The choices of a text, and whether each has an answer: the heads that those of a candidate have to fit."""
    doc = repaired(doc, is_step=False)
    discourse = Discourse()
    discourse.enter(doc)
    last: Frame | None = None
    for frame in frames_of(doc, Narration.ONCE):
        before, last = last, frame if frame.objects else last
        need = "" if is_relative(frame) else need_of(frame)
        if not need:
            continue
        names = answer(frame)
        discourse.read(frame.mention.i)
        found = features_of(discourse, frame, need, before)
        right = [names is not None and fits({_head(name) for name in entity.names}, names) for entity, _ in found]
        yield Choice([values for _, values in found], right), names is not None
        if weights is None:
            entity = next((entity for (entity, _), is_right in zip(found, right, strict=True) if is_right), None)
        else:
            entity = guessed(found, weights)
        if entity is not None:
            discourse.refer(entity, frame.mention.lower_)
            frame.guess, last = entity.nouns, frame


def _head(name: str) -> str:
    return name.strip().rsplit(" ", 1)[-1]


def fit(examples: Sequence[Choice]) -> dict[str, float]:
    """The weights of greatest penalised likelihood, where "none" competes with the candidates of each pronoun."""
    examples = [example for example in examples if example.candidates]
    names = sorted({name for example in examples for values in example.candidates for name in values})
    table = np.array(
        [[*(values.get(name, 0.0) for name in names), 1.0] for example in examples for values in example.candidates]
    )
    sizes = [len(example.candidates) for example in examples]
    starts, owner = np.cumsum([0, *sizes[:-1]]), np.repeat(np.arange(len(examples)), sizes)
    right = np.array([float(is_right) for example in examples for is_right in example.right])
    answered = np.add.reduceat(right, starts) > 0
    importance = np.array([example.weight for example in examples])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        odds = np.exp(np.clip(table @ weights, -30, 30))
        total = 1 + np.add.reduceat(odds, starts)
        correct = np.where(answered, np.add.reduceat(odds * right, starts), 1.0)
        gradient = table.T @ (
            (odds / total[owner] - answered[owner] * odds * right / correct[owner]) * importance[owner]
        )
        likelihood = float(importance @ (np.log(correct) - np.log(total)))
        return _PENALTY / 2 * float(weights @ weights) - likelihood, gradient + _PENALTY * weights

    weights = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B").x
    return {name: round(float(weight), 3) for name, weight in zip([*names, BIAS], weights, strict=True)}


def train_pronouns(inscript: Path, out: Path, limit: int | None = None) -> int:
    """Fit the weights on the training part of InScript, at most `limit` stories, and on the stories with marks.

    They are fitted first with the right antecedents of the pronouns before, then with those that the weights find.
    Writes them, and returns the number of pronouns. Raises InputError for what cannot be read.
    """
    nlp = load_pipeline()
    stories = read_stories(inscript / "train")[:limit]
    marked = [text for file in _STORIES for text in marked_texts(*file)]
    chained = list(zip(stories, nlp.pipe(story.document.text for story in stories), strict=True))
    parsed = list(zip(marked, nlp.pipe(text.text for text in marked), strict=True))
    weights = fit([*choices(chained), *story_choices(parsed)])
    examples = [*choices(chained, weights), *story_choices(parsed, weights)]
    write_lines(out, [json.dumps(fit(examples), indent=1, sort_keys=True)])
    return len(examples)
