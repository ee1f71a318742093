"""The published scores of the cloze task, and where those of a model are better."""

from __future__ import annotations

from hashlib import file_digest
from pathlib import Path

from kgscripts.evaluation.result import Figure, Role, System, shares
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


_PUBLISHED_WORDS = {"transducer, fixed transitions": 3.523}
"""The published surprisal minus ln 2 for each of the 5,661 hidden tokens and 4,603 blanks within the truncation."""
_PUBLISHED_SPANS = {"transducer, fixed transitions": 6.18, "transducer, parameterised": 16.61}


def _row(name: str, oracle: tuple[float, float], greedy: tuple[float, float], surprisal: float) -> System:
    values = [round(value / 100, 4) for value in (*oracle, *greedy)]
    figures = [*shares(dict(zip(MATCHES, values, strict=True))), nats(SURPRISAL, surprisal)]
    if name in _PUBLISHED_WORDS:
        figures.append(nats(WORD_SURPRISAL, _PUBLISHED_WORDS[name]))
    if name in _PUBLISHED_SPANS:
        figures.append(mean_span(_PUBLISHED_SPANS[name]))
    return System(name=name, role=Role.PUBLISHED, setting=context("left"), figures=figures)


PUBLISHED = (
    _row("language model", (21.59, 52.32), (21.72, 43.33), 3.970),
    _row("seq2seq", (23.57, 53.38), (23.44, 45.76), 3.755),
    _row("seq2seq + attention", (24.52, 53.98), (24.57, 47.34), 3.780),
    _row("transducer, fixed transitions", (24.72, 55.09), (24.91, 47.80), 4.780),
    _row("transducer, parameterised", (23.81, 53.98), (24.00, 46.19), 3.547),
    _row("OpenAI GPT", (23.19, 42.43), (15.55, 32.86), 4.781),
    _row("OpenAI GPT, fine-tuned", (38.01, 63.69), (31.05, 57.05), 3.151),
)
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
