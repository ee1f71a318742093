"""``kgscripts corpora stats openpi``: the tables of OpenPI's paper."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs
from rich.table import Table

from kgscripts.corpora.openpi.reading import read_openpi
from kgscripts.corpora.openpi.statistics import (
    PUBLISHED,
    PUBLISHED_TOPICS,
    OpenPIStatistics,
    TopicStatistics,
    openpi_statistics,
    split_sources,
    topic_statistics,
    word_sequences,
)
from kgscripts.text.pipeline import lemmas_of_tokens, load_pipeline
from schemas.terminal import console, echo, echo_json, printable, progress_bar

_SPLITS_A_TABLE = 3
"""As many as fit 80 characters."""
_SHARES = (
    "steps_without_changes",
    "unmentioned_entities",
    "frequent_attributes",
    "attributes_of_most",
    "relational_phrases",
)
_LABELS = {
    "changes_per_step_with_image": "with image, per step with any",
    "changes_per_step_without_image": "without image, per step with any",
    "frequent_attributes": "51 most frequent attributes",
    "attributes_of_most": "attributes of 80 % of changes",
    "adjective_length": "words of an adjective phrase",
    "relational_length": "words of a relational phrase",
}


def statistics(arguments: Sequence[Path], *, fetched: Path, as_json: bool) -> None:
    """Print the statistics of the splits, and the topics of all of them."""
    splits = {str(path): read_openpi(path) for path in split_sources(arguments, fetched=fetched)}
    steps = [step for split in splits.values() for step in split]
    words = word_sequences(steps)
    with progress_bar() as progress:
        lemmas = progress.track(lemmas_of_tokens(load_pipeline(), words), total=len(words), description="lemmas")
        lemmas_of = dict(zip(words, lemmas, strict=True))
    rows = {name: openpi_statistics(split, lemmas_of) for name, split in splits.items()}
    topics = topic_statistics(steps)
    if as_json:
        echo_json(
            {
                "splits": [{"file": name, **attrs.asdict(row)} for name, row in rows.items()],
                "topics": {topic: attrs.asdict(row) for topic, row in topics.items()},
                "paper": dict(PUBLISHED),
                "paper_topics": {topic: attrs.asdict(row) for topic, row in PUBLISHED_TOPICS.items()},
            }
        )
        return
    for first in range(0, len(rows), _SPLITS_A_TABLE):
        _print_splits(dict(list(rows.items())[first : first + _SPLITS_A_TABLE]))
        echo("")
    _print_topics(topics)


def _print_splits(rows: dict[str, OpenPIStatistics]) -> None:
    table = Table("", *(printable(Path(name).name) for name in rows), "paper", box=None)
    for field in attrs.fields(OpenPIStatistics):
        values = [getattr(row, field.name) for row in rows.values()]
        label = _LABELS.get(field.name, field.name.replace("_", " "))
        table.add_row(label, *(_cell(field.name, value) for value in (*values, PUBLISHED.get(field.name))))
    console().print(table)


def _print_topics(topics: dict[str, TopicStatistics]) -> None:
    table = Table("topic", "procedures", "changes", "with image", "without", box=None)
    for topic in dict.fromkeys((*PUBLISHED_TOPICS, *topics)):
        cells = [
            " / ".join(
                _cell(field.name, getattr(row.get(topic), field.name, None)) for row in (topics, PUBLISHED_TOPICS)
            )
            for field in attrs.fields(TopicStatistics)
        ]
        table.add_row(printable(topic), *cells)
    console().print(table)
    echo("Ours / Table 3 of the paper, which includes the test split.")


def _cell(name: str, value: float | None) -> str:
    if value is None or (not value and "image" in name):
        return "-"
    if name in _SHARES:
        return f"{100 * value:.1f} %"
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"
