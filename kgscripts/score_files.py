"""Files of benchmark scores, for what has no model card: extractors, enrichers, and spaCy pipelines."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path

from attrs import asdict

from schemas.errors import ModelError, RecordError
from schemas.output_files import write_lines
from schemas.provenance import BenchmarkScore


def scores_of_package(name: str) -> Path:
    """The file with the scores of a built-in extractor or enricher."""
    return Path(str(resources.files("kgscripts")), "data", "scores", f"{name}.json")


def scores_of_version(version: str) -> Path:
    """The file with the scores that a user has attached to a version of an extractor: in the folder for data of the
    user (`XDG_DATA_HOME`, else ``~/.local/share``)."""
    # Unlike `Path.home`, this gives a path to a process of nobody too, where there are no scores.
    base = os.environ.get("XDG_DATA_HOME", "") or os.path.expanduser("~/.local/share")  # noqa: PTH111
    return Path(base, "kgscripts", "scores", f"{version}.json")


def attached_scores(version: str) -> tuple[BenchmarkScore, ...]:
    """The scores that a user has attached to a version of an extractor. Raises ModelError for other content."""
    path = scores_of_version(version)
    return read_scores(path) if os.access(path, os.R_OK) else ()


def read_scores(path: Path) -> tuple[BenchmarkScore, ...]:
    """The scores in a file; none if there is no such file. Raises ModelError for other content."""
    try:
        return BenchmarkScore.from_rows(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, TypeError, RecursionError, RecordError) as error:
        raise ModelError(f"no scores: {error}", where=str(path), remedy="delete the file, and measure again") from error


def write_scores(path: Path, scores: Sequence[BenchmarkScore]) -> None:
    """Write scores, one a line. Raises StoreError if the file cannot be written."""
    rows = [json.dumps(asdict(score), ensure_ascii=False) for score in scores]
    write_lines(path, ["[", *(f"{row}," for row in rows[:-1]), *rows[-1:], "]"])


def merged_scores(old: Iterable[BenchmarkScore], new: Iterable[BenchmarkScore]) -> tuple[BenchmarkScore, ...]:
    """Old and new scores; a new one takes the place of that of the same dataset, split and metric."""
    return tuple({(score.dataset, score.split, score.metric): score for score in (*old, *new)}.values())
