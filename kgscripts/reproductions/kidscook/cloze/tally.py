"""The scores of a model over cloze templates, accumulated, and the published scores beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import file_digest
from pathlib import Path

from attrs import define, field

from kgscripts.evaluation.result import Figure, System, counts, shares
from kgscripts.models.cloze import ClozeModel
from kgscripts.reproductions.kidscook.cloze.filling import Candidates, ClozeItem, Guess
from kgscripts.reproductions.published import published_systems
from schemas.input_files import open_input
from schemas.provenance import Direction, Unit

SURPRISAL, WORD_SURPRISAL, MEAN_SPAN = "surprisal", "word surprisal", "mean span length"
MATCHES = ("oracle match", "oracle top5", "greedy match", "greedy top5")
"""In the order of the paper's Table 4."""
STRICT = "unknown word never right"
"""The part of the figures in which predicting the unknown word is wrong."""


def nats(metric: str, value: float) -> Figure:
    """A surprisal, in nats a hidden token."""
    return Figure(metric=metric, value=value, unit=Unit.NATS, direction=Direction.LOWER)


def mean_span(value: float, part: str = "") -> Figure:
    """The mean number of concrete tokens in a span."""
    return Figure(metric=MEAN_SPAN, value=value, unit=Unit.WORDS, direction=Direction.LOWER, part=part)


def context(name: str) -> str:
    """How a system is measured that sees the ``left`` side of a blank, or ``both``."""
    return f"context {name}"


PUBLISHED = published_systems("cloze")
"""Table 4 of Bisk et al. (NAACL 2019), and mean spans of section 4.2. All see only the left side of a blank."""

_PUBLISHED_TEMPLATES = "4be771224556e6925577fe6db8e8c204db0f1321361018788853ae39e2f92e33"
_PUBLISHED_WHITELIST = "d410786055d442014b48ed67965088311e43f3d5e6ed45d3f16ec2d9e26a269b"
"""SHA-256 of KidsCook's valid.template.tsv and approved.5.txt, as released."""


def is_published_task(templates: Path, whitelist: Path | None) -> bool:
    """Whether these are the files on which the published scores were measured."""
    wanted = {templates: _PUBLISHED_TEMPLATES, whitelist: _PUBLISHED_WHITELIST}
    return all(path is not None and _digest(path) == digest for path, digest in wanted.items())


def _digest(path: Path) -> str:
    with open_input(path) as file:
        return file_digest(file, "sha256").hexdigest()


def beaten(system: System, published: System) -> list[str]:
    """The metrics in which a model is better than a published one; none if they see different sides of a blank.

    Surprisal is compared without the decisions of alignments if the published value without them is known.
    """
    if system.setting != published.setting:
        return []
    better = []
    for metric in (*MATCHES, SURPRISAL):
        ours, theirs = system.get(metric), published.get(metric)
        if metric == SURPRISAL:
            theirs = published.get(WORD_SURPRISAL) or theirs
        if ours is not None and theirs is not None and (ours < theirs if metric == SURPRISAL else ours > theirs):
            better.append(metric)
    return better


_IMPOSSIBLE = float("-inf")


@define
class Tally:
    """The sums over all pairs for one model."""

    candidates: Candidates
    _counts: Counter[str] = field(factory=Counter)
    _word_nats: float = 0.0

    def add(self, item: ClozeItem, oracle: Sequence[Guess], choices: Sequence[Guess], greedy: Sequence[Guess]) -> None:
        """Add a pair: predictions given gold words, given own words within each blank, and of the greedy setup."""
        unknown = self.candidates.unknown
        self._counts["pairs"] += 1
        self._counts["words"] += len(item.blanks)
        for guess in oracle:
            self._counts["unknown_words"] += guess.gold == unknown
            if guess.gold_log_probability == _IMPOSSIBLE:
                self._counts["impossible_words"] += 1
            else:
                self._word_nats -= guess.gold_log_probability
        for setup, guesses in (("oracle", oracle), ("greedy", greedy)):
            hits = [guess.gold in guess.top and guess.gold_log_probability > _IMPOSSIBLE for guess in guesses]
            known = [guess.gold != unknown for guess in guesses]
            self._counts[f"{setup}_top5"] += sum(hits)
            self._counts[f"{setup}_top5_strict"] += sum(map(min, hits, known))
        first = {blank.start: number for number, blank in reversed(list(enumerate(item.blanks)))}
        for start, end in item.slots:
            self._counts["blanks"] += 1
            words = slice(first[start], first[start] + end - start)
            for setup, guesses in (("oracle", choices[words]), ("greedy", greedy[words])):
                matches = all(guess.choice == guess.gold for guess in guesses)
                self._counts[f"{setup}_match"] += matches
                self._counts[f"{setup}_match_strict"] += matches and all(guess.gold != unknown for guess in guesses)

    def add_path(self, item: ClozeItem, path: Sequence[int]) -> None:
        """Add the spans of a Viterbi path: the concrete tokens that one abstract token emitted, if any.

        As in the released extraction, the start symbol is emitted by the first abstract token.
        """
        self._counts["aligned"] += len(item.concrete)
        self._counts["starts"] += 1
        self._counts["word_spans"] += len(set(path))
        self._counts["spans"] += len({0, *path})

    def system(self, model: ClozeModel) -> System:
        """The figures over all added pairs: shares, nats a hidden token, and tokens a span.

        The unknown word is a word like any other: predicting it for a gold word that is unknown to the model is right.
        In the part `STRICT` it is wrong. There is no surprisal if no gold word has a probability; `word surprisal` is
        there since published surprisal may count the decisions of an alignment too. `mean span length` counts the start
        symbol, as the released extraction does, and exists for models with hard alignments only.
        """
        number = self._counts
        words, possible = number["words"], number["words"] - number["impossible_words"]
        figures: list[Figure] = []
        for part, suffix in (("", ""), (STRICT, "_strict")):
            values = {
                f"{setup} {metric}": number[f"{setup}_{metric}{suffix}"] / total
                for setup in ("oracle", "greedy")
                for metric, total in (("match", number["blanks"]), ("top5", words))
            }
            figures += shares(values, part)
        if possible:
            surprisal = self._word_nats / possible
            figures += [nats(SURPRISAL, surprisal), nats(WORD_SURPRISAL, surprisal)]
        if number["spans"]:
            figures.append(mean_span((number["aligned"] + number["starts"]) / number["spans"]))
            figures.append(mean_span(number["aligned"] / number["word_spans"], "without the start symbol"))
        figures += counts({"unknown words": number["unknown_words"], "impossible words": number["impossible_words"]})
        return System(name=model.name, setting=context(model.context), figures=figures)

    def items(self) -> dict[str, int]:
        """How much was measured."""
        return {
            "pairs": self._counts["pairs"],
            "blanks": self._counts["blanks"],
            "hidden tokens": self._counts["words"],
            "candidates": len(self.candidates.words),
        }
