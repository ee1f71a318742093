"""Changes of one step rewritten for another: nouns that only one of the steps has are exchanged.

"Combine apricots in a blender." with the change "location of apricots was on counter before and in blender afterwards"
gives, for "Mix the eggs in a bowl.", "location of eggs was on counter before and in bowl afterwards".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import attrs
import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from kgscripts.models.stored_vectors import SCALE
from kgscripts.text.passages import MAX_CHARACTERS
from kgscripts.text.pipeline import load_pipeline
from schemas.changes import Change

_NOUNS = ("NOUN", "PROPN")
_NEEDLESS = ("parser", "senter")
_WORD = re.compile(r"[\w'-]+")


@frozen
class Noun:
    """A noun of a step, in lower case."""

    form: str
    lemma: str


def nouns_of(texts: Sequence[str]) -> Iterator[tuple[Noun, ...]]:
    """The nouns of each text, by the pipeline that ships; those of the words in the first `MAX_CHARACTERS`."""
    nlp = load_pipeline()
    disabled = [name for name in _NEEDLESS if name in nlp.pipe_names]
    for doc in nlp.pipe(map(_beginning, texts), batch_size=64, disable=disabled):
        yield tuple(Noun(token.lower_, token.lemma_.lower()) for token in doc if token.pos_ in _NOUNS)


def _beginning(text: str) -> str:
    """What can be parsed of a text, without a part of a word at its end."""
    return text if len(text) <= MAX_CHARACTERS else text[:MAX_CHARACTERS].rpartition(" ")[0]


def words_of(change: Change) -> frozenset[str]:
    """The words of all parts of a change, in lower case."""
    text = f"{change.attribute} {change.entity} {change.before} {change.after}"
    return frozenset(_WORD.findall(text.lower()))


def substitutes(
    known: Sequence[Noun], new: Sequence[Noun], vectors: Mapping[str, NDArray[np.float32]], least: float
) -> dict[str, str]:
    """Forms and lemmas of nouns of a known step -> the form of the noun of the new step that replaces them.

    Nouns that both steps have are kept. Of the others, the most similar two are exchanged first, and each only once.

    Parameters
    ----------
    vectors:
        Vector of each lemma, (384,), of length `SCALE`.
    least:
        The least cosine of two nouns that are exchanged.
    """
    shared = {noun.lemma for noun in known} & {noun.lemma for noun in new}
    old = list({noun.lemma: noun for noun in known if noun.lemma not in shared}.values())
    others = list({noun.lemma: noun for noun in new if noun.lemma not in shared}.values())
    if not old or not others:
        return {}
    cosines = np.stack([vectors[noun.lemma] for noun in old]) @ np.stack([vectors[noun.lemma] for noun in others]).T
    replacements: dict[str, str] = {}
    while cosines.max() >= least * SCALE * SCALE:
        row, column = np.unravel_index(int(cosines.argmax()), cosines.shape)
        replacements |= dict.fromkeys((old[row].lemma, old[row].form), others[column].form)
        cosines[row, :] = cosines[:, column] = -np.inf
    return replacements


def substituted(change: Change, replacements: Mapping[str, str]) -> Change:
    """The change with the words of its entity and its values replaced."""

    def replaced(text: str) -> str:
        return _WORD.sub(lambda word: replacements.get(word[0].lower(), word[0]), text)

    if not replacements:
        return change
    return attrs.evolve(
        change, entity=replaced(change.entity), before=replaced(change.before), after=replaced(change.after)
    )
