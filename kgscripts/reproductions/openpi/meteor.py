"""METEOR of predicted state changes, where NLTK and its WordNet data are installed.

NLTK's implementation of METEOR (Banerjee and Lavie 2005), on the words of both sentences without those of the template.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec

import numpy as np

from kgscripts.reproductions.openpi.scores import Score, best_scores, distinct_changes, empty_step, words_of


def meteor_scores(gold: Mapping[str, Sequence[str]], predictions: Mapping[str, Sequence[str]]) -> Score | None:
    """Precision, recall and F1 as in the official scores, by METEOR; None where NLTK or its WordNet is missing.

    The ids of the predictions are those of `gold`.
    """
    if find_spec("nltk") is None:
        return None
    # NLTK is no dependency of the package, and importing it takes a second.
    single_meteor_score = import_module("nltk.translate.meteor_score").single_meteor_score
    wordnet = import_module("nltk.corpus").wordnet
    try:
        wordnet.ensure_loaded()
    except LookupError:
        return None

    def meteor(answer: Sequence[str], guess: Sequence[str]) -> float:
        if not answer or not guess:
            return float(answer == guess)
        return float(single_meteor_score(answer, guess, wordnet=wordnet))

    steps = []
    for name, answers in gold.items():
        predicted = distinct_changes(predictions[name])
        if empty := empty_step(answers, predicted):
            steps.append(empty.exact)
            continue
        guesses = [words_of(sentence) for sentence in predicted]
        pairs = np.array([[meteor(words_of(answer), guess) for guess in guesses] for answer in answers])
        steps.extend(best_scores(pairs[None]))
    return Score(*map(float, np.mean(steps, axis=0)))
