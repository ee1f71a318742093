"""``kgscripts corpora stats scenarios`` and ``stats paraphrases``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs
from rich.table import Table

from kgscripts.corpora.descript_gold import ParaphraseStatistics, paraphrase_statistics, read_paraphrase_sets
from kgscripts.corpora.scenarios.documents import read_scenario_documents
from kgscripts.corpora.scenarios.statistics import PUBLISHED, corpus_statistics, distribution, scenario_counts
from schemas.terminal import console, echo, echo_json


def statistics(files: Sequence[Path], *, as_json: bool) -> None:
    """Print the statistics of documents with scenarios (section 3.3, Figure 2, Table 4)."""
    documents = [document for path in files for document in read_scenario_documents(path)]
    facts = attrs.asdict(corpus_statistics(documents))
    rows, spread = scenario_counts(documents), distribution(documents)
    if as_json:
        of_scenarios = [attrs.asdict(row) for row in rows]
        echo_json(
            {**facts, "distribution": attrs.asdict(spread), "by_scenario": of_scenarios, "paper": dict(PUBLISHED)}
        )
        return
    table = Table("", "", "paper", box=None)
    for name, value in facts.items():
        table.add_row(name.replace("_", " "), _number(value), _number(PUBLISHED.get(name)))
    console().print(table)
    echo("")
    table = Table("documents with", *(str(number) for number in range(6)), "more", box=None)
    for name, counts in (("segments", spread.segments), ("scenarios", spread.scenarios)):
        more = sum(count for number, count in counts.items() if number > 5)
        table.add_row(name, *(f"{counts.get(number, 0):,}" for number in range(6)), f"{more:,}")
    console().print(table)
    echo("")
    table = Table("scenario", "documents", "sentences", "segments", "a segment", box=None)
    for row in rows:
        counts_of_row = (row.documents, row.sentences, row.segments)
        table.add_row(row.scenario, *(f"{count:,}" for count in counts_of_row), f"{row.sentences_per_segment:.1f}")
    console().print(table)


def paraphrase_table(files: Sequence[Path], *, as_json: bool) -> None:
    """Print the sizes of DeScript's gold paraphrase sets, a scenario a row."""
    rows = paraphrase_statistics([one for path in files for one in read_paraphrase_sets(path)])
    if as_json:
        echo_json([attrs.asdict(row) for row in rows])
        return
    names = [field.name for field in attrs.fields(ParaphraseStatistics)]
    table = Table("scenario", "sequences", "descriptions", "sets", "events", "a set", "single", box=None)
    for row in rows:
        table.add_row(row.scenario, *(_number(getattr(row, name)) for name in names[1:]))
    console().print(table)


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"
