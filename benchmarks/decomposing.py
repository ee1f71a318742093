"""``build-graph`` on pairs: KidsCook's training corpus, aligned and decomposed, by one job and by two."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.building import EXAMPLES, SHARED, build
from benchmarks.measure import Row, at_most, measure


def rows() -> Iterator[Row]:
    """Measure both."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus = pairs(folder)
        one = measure(build, corpus, None, folder / "one", 1)
        two = measure(build, corpus, None, folder / "two", 2)
    yield at_most("build of the pair corpus, 2 jobs", two.seconds, 180, "s", f"1 job: {one.seconds:.0f} s")
    yield at_most("build of pairs: memory", one.peak_mib, 3072, "MiB")
    if one.value != two.value:
        raise RuntimeError("one job and two jobs built different graphs")


def pairs(folder: Path) -> Path:
    """KidsCook's training pairs with their steps, written into `folder`, or the shipped pairs."""
    from kgscripts.corpora.pairs.loading import load_pairs

    released = SHARED / "corpora" / "kidscook" / "train.freq.pkl.gz"
    if not released.is_file():
        return EXAMPLES / "pairs.tsv"
    file = folder / "pairs.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        for pair in load_pairs([released], strict=False).pairs:
            steps = [" ".join(step) for step in pair.step_tokens]
            lines.write(json.dumps({"abstract": " ".join(pair.abstract), "concrete": steps}) + "\n")
    return file
