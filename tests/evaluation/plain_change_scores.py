"""OpenPI's official scores read plainly from their description, pair by pair: what the package's own are compared with.

As in the released evaluator, each comparison normalises both sentences anew, precision and recall compare each
pair once each, every metric does all of this for itself, and stems of words are kept.
"""

from __future__ import annotations

import math
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from nltk.stem.porter import PorterStemmer

from kgscripts.reproductions.openpi.scores import StepScores, mean_scores, score_step

Metric = Callable[[list[str], list[str]], float]
Scores = tuple[float, float, float]

_TEMPLATE = ("and", "was", "is", "before", "afterwards", "after", "of")
_STEMMER = PorterStemmer()


def plain_scores(
    gold: Mapping[str, Sequence[str]], predictions: Mapping[str, Sequence[str]]
) -> tuple[Scores, Scores, Scores]:
    """Precision, recall and F1 by exact match, BLEU-2 and ROUGE-L, each averaged over the steps."""
    stems: dict[str, str] = {}
    results = []
    for metric in (exact, bleu, rouge):
        steps = [step_scores(gold[name], predictions[name], metric, stems) for name in gold]
        results.append(tuple(sum(step[part] for step in steps) / len(steps) for part in range(3)))
    first, second, third = results
    return first, second, third  # type: ignore[return-value]


def step_scores(gold: Sequence[str], predicted: Sequence[str], metric: Metric, stems: dict[str, str]) -> Scores:
    """Precision, recall and F1 of one step."""
    if len(predicted) == 1 and predicted[0].lower().strip().startswith("there will be no change"):
        predicted = []
    if not gold and not predicted:
        return 1.0, 1.0, 1.0
    if not gold:
        return 0.0, 1.0, 0.0
    if not predicted:
        return 1.0, 0.0, 0.0
    kept = sorted(set(predicted))
    precision = sum(max(_match(answer, guess, metric, stems) for answer in gold) for guess in kept) / len(kept)
    recall = sum(max(_match(answer, guess, metric, stems) for guess in kept) for answer in gold) / len(gold)
    both = precision + recall
    return (precision, recall, 2 * precision * recall / both) if both else (0.0, 0.0, 0.0)


def _match(gold: str, predicted: str, metric: Metric, stems: dict[str, str]) -> float:
    answer, guess = _normalised(gold, stems), _normalised(predicted, stems)
    if not answer and not guess:
        return 1.0
    return metric(answer, guess) if answer and guess else 0.0


def _normalised(sentence: str, stems: dict[str, str]) -> list[str]:
    kept = "".join(char for char in sentence.strip().lower() if char not in string.punctuation)
    found = []
    for word in kept.split():
        if word not in _TEMPLATE:
            if word not in stems:
                stems[word] = _STEMMER.stem(word)
            found.append(stems[word])
    return found


def exact(gold: list[str], predicted: list[str]) -> float:
    """1 for equal stems."""
    return float(gold == predicted)


def bleu(gold: list[str], predicted: list[str]) -> float:
    """Cumulative BLEU-2 of the COCO caption scorer."""
    product = 1.0
    for order in (1, 2):
        answer, guess = _ngrams(gold, order), _ngrams(predicted, order)
        correct = sum(min(count, answer[gram]) for gram, count in guess.items())
        product *= (correct + 1e-15) / (max(0, len(predicted) - order + 1) + 1e-9)
    ratio = (len(predicted) + 1e-15) / (len(gold) + 1e-9)
    return math.sqrt(product) * (math.exp(1 - 1 / ratio) if ratio < 1 else 1)


def _ngrams(words: list[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[start : start + order]) for start in range(len(words) - order + 1))


def rouge(gold: list[str], predicted: list[str]) -> float:
    """ROUGE-L with beta 1.2, by the whole table of longest common subsequences."""
    table = [[0] * (len(predicted) + 1) for _ in range(len(gold) + 1)]
    for row, answer in enumerate(gold, 1):
        for column, guess in enumerate(predicted, 1):
            same = answer == guess
            table[row][column] = (
                table[row - 1][column - 1] + 1 if same else max(table[row - 1][column], table[row][column - 1])
            )
    common = table[-1][-1]
    if not common:
        return 0.0
    precision, recall = common / len(predicted), common / len(gold)
    return (1 + 1.2**2) * precision * recall / (recall + 1.2**2 * precision)


def official_scores(gold: Mapping[str, Sequence[str]], predictions: Mapping[str, Sequence[str]]) -> StepScores:
    """The package's own: the means over the steps of `gold`, by id."""
    return mean_scores(score_step(answers, predictions[name]) for name, answers in gold.items())
