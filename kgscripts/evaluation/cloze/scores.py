"""Scores of the cloze task: those of one model, and the published ones for comparison."""

from __future__ import annotations

from hashlib import file_digest
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from schemas.input_files import open_input
from schemas.provenance import BenchmarkScore, Direction, Exposure

_UNITS = {
    "oracle_match": "percent",
    "oracle_top5": "percent",
    "greedy_match": "percent",
    "greedy_top5": "percent",
    "surprisal": "nats",
    "word_surprisal": "nats",
    "mean_span_length": "words",
}
HEADINGS = {
    "oracle_match": "oracle match",
    "oracle_top5": "oracle top-5",
    "greedy_match": "greedy match",
    "greedy_top5": "greedy top-5",
    "surprisal": "surprisal",
    "word_surprisal": "word surprisal",
    "mean_span_length": "mean span",
}
"""The column headings of the scores, in the order of the paper's Table 4."""

LOWER_IS_BETTER = frozenset({"surprisal", "word_surprisal", "mean_span_length"})


@frozen(kw_only=True)
class ClozeScores:
    """Scores of one model: percent, nats per word, and tokens per span.

    In the first block the unknown word is a word like any other: predicting it for a gold word that is unknown to the
    model is correct. In the `_strict` scores it is wrong. `surprisal` is comparable with the published figures: it
    includes the alignment decisions that the released scorer counts; `word_surprisal` is that of the words alone.
    `mean_span_length` counts the start symbol like the released extraction, `mean_word_span_length` only words; both
    are None for a model without hard alignments. Surprisal is None if no gold word has a probability.
    """

    model: str
    context: str
    oracle_match: float
    oracle_top5: float
    greedy_match: float
    greedy_top5: float
    surprisal: float | None
    mean_span_length: float | None

    oracle_match_strict: float
    oracle_top5_strict: float
    greedy_match_strict: float
    greedy_top5_strict: float
    word_surprisal: float | None
    mean_word_span_length: float | None

    pairs: int
    blanks: int
    words: int
    """Hidden tokens."""
    candidates: int
    """Without the unknown word."""
    unknown_words: int
    """Hidden tokens whose gold word is not a candidate, or unknown to the model."""
    impossible_words: int
    """Unknown words to which the model gives no probability; surprisal excludes them."""
    seed: int

    def as_json(self) -> dict[str, Any]:
        """The scores, rounded to four decimals."""
        return {name: round(value, 4) if isinstance(value, float) else value for name, value in asdict(self).items()}

    def benchmark_scores(self, dataset: str, split: str, exposure: Exposure) -> tuple[BenchmarkScore, ...]:
        """The scores for a model card; each metric states which sides of a blank the model saw."""
        figures = asdict(self)
        return tuple(
            BenchmarkScore(
                dataset=dataset,
                split=split,
                metric=f"{name.replace('_', ' ')}, context {self.context}",
                value=figures[name],
                unit=unit,
                exposure=exposure,
                direction=Direction.LOWER if name in LOWER_IS_BETTER else Direction.HIGHER,
            )
            for name, unit in _UNITS.items()
            if figures[name] is not None
        )


@frozen(kw_only=True)
class PublishedScores:
    """A row of the paper's Table 4 (KidsCook, validation); `mean_span_length` is from its section 4.2."""

    model: str
    context: str = "left"
    oracle_match: float
    oracle_top5: float
    greedy_match: float
    greedy_top5: float
    surprisal: float
    word_surprisal: float | None = None
    mean_span_length: float | None = None


def _row(model: str, oracle: tuple[float, float], greedy: tuple[float, float], surprisal: float) -> PublishedScores:
    return PublishedScores(
        model=model,
        oracle_match=oracle[0],
        oracle_top5=oracle[1],
        greedy_match=greedy[0],
        greedy_top5=greedy[1],
        surprisal=surprisal,
        word_surprisal=_PUBLISHED_WORDS.get(model),
        mean_span_length=_PUBLISHED_SPANS.get(model),
    )


_PUBLISHED_WORDS = {"transducer, fixed transitions": 3.523}
"""The published surprisal minus ln 2 for each of the 5,661 hidden tokens and 4,603 blanks within the truncation."""
_PUBLISHED_SPANS = {"transducer, fixed transitions": 6.18, "transducer, parameterised": 16.61}
PUBLISHED = (
    _row("language model", (21.59, 52.32), (21.72, 43.33), 3.970),
    _row("seq2seq", (23.57, 53.38), (23.44, 45.76), 3.755),
    _row("seq2seq + attention", (24.52, 53.98), (24.57, 47.34), 3.780),
    _row("transducer, fixed transitions", (24.72, 55.09), (24.91, 47.80), 4.780),
    _row("transducer, parameterised", (23.81, 53.98), (24.00, 46.19), 3.547),
    _row("OpenAI GPT", (23.19, 42.43), (15.55, 32.86), 4.781),
    _row("OpenAI GPT, fine-tuned", (38.01, 63.69), (31.05, 57.05), 3.151),
)
"""Table 4 of Bisk et al. (NAACL 2019). All of these models see only the left side of a blank."""

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


def beaten(scores: ClozeScores, published: PublishedScores) -> list[str]:
    """The scores in which a model is better than a published one; none if they see different sides of a blank.

    Surprisal is compared without alignment decisions if the model has none and the published value without them is
    known.
    """
    if scores.context != published.context:
        return []
    better = []
    for name in ("oracle_match", "oracle_top5", "greedy_match", "greedy_top5", "surprisal"):
        ours, theirs = getattr(scores, name), getattr(published, name)
        if name == "surprisal" and published.word_surprisal is not None and ours == scores.word_surprisal:
            theirs = published.word_surprisal
        if ours is not None and (ours < theirs if name in LOWER_IS_BETTER else ours > theirs):
            better.append(name)
    return better
