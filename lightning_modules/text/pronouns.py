"""Fits the weights of pronoun resolution on InScript: `python -m lightning_modules.text.pronouns INSCRIPT`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from kgscripts.corpora.inscript import GoldStory
from kgscripts.evaluation.inscript import read_stories
from kgscripts.extractors.antecedents import NUMBERS, Discourse
from kgscripts.extractors.nouns import is_noun, noun_lemma
from kgscripts.extractors.predicates import Frame, frames_of
from kgscripts.extractors.pronouns import FILE
from kgscripts.extractors.repairs import repaired
from kgscripts.text.pipeline import load_pipeline
from schemas.terminal import echo

if TYPE_CHECKING:
    from spacy.tokens import Doc

_PENALTY = 1.0
"""Half the weight of the sum of squares of the weights, against one for the log likelihood of a pronoun."""
_STEPS = 400
BIAS = "bias"


@frozen
class Choice:
    """The candidates of a pronoun, by what speaks for each, and which are right; none, if it has no antecedent."""

    candidates: Sequence[Mapping[str, float]]
    right: Sequence[bool]


def choices(parsed: Iterable[tuple[GoldStory, Doc]]) -> Iterator[Choice]:
    """The object pronouns of stories whose antecedent is among the candidates, and those that have none.

    The chain of a pronoun says what it stands for; a pronoun without a chain stands for no noun.
    """
    for story, doc in parsed:
        doc = repaired(doc, is_step=False)
        chains = {word.start: word.chain for word in story.words}
        discourse = Discourse()
        discourse.enter(doc)
        nouns: dict[int, set[str]] = {}
        for token in doc:
            chain = chains.get(token.idx)
            if chain is not None and is_noun(token):
                nouns.setdefault(chain, set()).add(_head(noun_lemma(token)))
        last: Frame | None = None
        for frame in frames_of(doc):
            before, last = last, frame if frame.objects else last
            if len(frame.objects) != 1 or frame.objects[0].lower_ not in NUMBERS or is_noun(frame.objects[0]):
                continue
            pronoun = frame.objects[0]
            chain = chains.get(pronoun.idx)
            discourse.read(pronoun.i)
            found = discourse.features(frame, pronoun, before)
            names = nouns.get(chain, set()) if chain is not None else set()
            right = [{_head(name) for name in entity.names} <= names for entity, _ in found]
            if any(right) or chain is None:
                yield Choice([values for _, values in found], right)
            if any(right):
                entity = next(entity for (entity, _), is_right in zip(found, right, strict=True) if is_right)
                discourse.refer(entity, pronoun.lower_)
                frame.stands_for = entity.nouns


def _head(name: str) -> str:
    return name.rsplit(" ", 1)[-1]


def fit(examples: Sequence[Choice]) -> dict[str, float]:
    """The weights of greatest penalised likelihood, where "none" competes with the candidates of each pronoun."""
    names = sorted({name for example in examples for values in example.candidates for name in values})
    tables = [
        np.array([[values.get(name, 0.0) for name in names] + [1.0] for values in example.candidates])
        for example in examples
        if example.candidates
    ]
    targets = [np.array(example.right) for example in examples if example.candidates]
    weights = np.zeros(len(names) + 1)
    for step in range(_STEPS):
        gradient = _PENALTY * weights
        for table, right in zip(tables, targets, strict=True):
            odds = np.exp(np.clip(table @ weights, -30, 30))
            expected = odds / (1 + odds.sum())
            wanted = odds * right / (odds * right).sum() if right.any() else np.zeros(len(odds))
            gradient -= table.T @ (wanted - expected)
        weights -= gradient * (4.0 / len(tables)) / (1 + step / 100)
    return {name: round(float(weight), 3) for name, weight in zip([*names, BIAS], weights, strict=True)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit the weights on the training part of InScript."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inscript", type=Path, help="the folder with one folder a split")
    parser.add_argument("-o", "--output", type=Path, default=Path("kgscripts/extractors/data") / FILE)
    options = parser.parse_args(arguments)
    stories = read_stories(options.inscript / "train")
    examples = list(choices(zip(stories, load_pipeline().pipe(story.document.text for story in stories), strict=True)))
    weights = fit(examples)
    options.output.write_text(json.dumps(weights, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    echo(f"{len(examples):,} pronouns: {options.output}")


if __name__ == "__main__":
    main()
