"""Texts of the corpora that are set aside as no prose, as no English, or as lines around a text: each is a mistake.

Read are all documents of `corpora/`, its recipes and procedures in other formats, and every step by itself.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.building import SHARED
from benchmarks.measure import Row, at_most
from kgscripts.corpora.boilerplate import is_boilerplate
from kgscripts.corpora.files import find_files
from kgscripts.corpora.formats import read_file
from kgscripts.corpora.languages import other_language
from kgscripts.corpora.openpi import read_openpi
from kgscripts.corpora.text_kinds import other_kind
from schemas.records import Discard, DiscardReason, PassageKind

_REASONS = (DiscardReason.MARKUP, DiscardReason.CODE, DiscardReason.LOG, DiscardReason.TABLE)
_NO_TEXTS = (".html", ".json", ".py", "alignments.tsv")
"""The ends of the names of files in the corpora that are markup, data, code and tables."""
_ALSO_CHINESE = "mykitchen101-com.html"
"""A saved page whose ingredients and steps are in English and in Chinese."""
_STEPS = frozenset({PassageKind.STEP, PassageKind.ABSTRACT, PassageKind.CONCRETE})


def rows() -> Iterator[Row]:
    """For each corpus its texts, and of these the mistakes, which are printed."""
    corpora = SHARED / "corpora"
    if not corpora.is_dir():
        yield Row("texts set aside by mistake", "not measured: no corpora")
        return
    files = Counter[str]()
    wrong = 0
    for folder in sorted(path for path in corpora.iterdir() if path.is_dir()):
        texts = list(dict.fromkeys(_other_texts(folder)))
        steps: list[str] = []
        for item in (item for file in find_files([folder]) for item in read_file(file)):
            if not isinstance(item, Discard):
                texts.append(item.text)
                steps += (item.text[part.start : part.end] for part in item.passages if part.kind in _STEPS)
            elif item.reason in _REASONS:
                name = item.where.rpartition(":")[0]
                files[f"{Path(name).suffix or name}: {item.reason.value}"] += 1
                wrong += not name.endswith(_NO_TEXTS)
        mistakes = [*filter(_is_set_aside, texts), *filter(_is_set_aside_alone, steps)]
        for text in mistakes:
            print(f"{folder.name}: {text[:200]!r}", file=sys.stderr)
        what = f"set aside by mistake, {folder.name}: {len(texts):,} texts, {len(steps):,} steps"
        yield at_most(what, len(mistakes), 0, "texts")
    yield at_most("files set aside by mistake", wrong, 0, "files")
    yield Row("files set aside", ", ".join(f"{name} {count:,}" for name, count in sorted(files.items())))


def _is_set_aside(text: str) -> bool:
    return other_kind(text) is not None or other_language(text) != ""


def _is_set_aside_alone(step: str) -> bool:
    return _is_set_aside(step) or is_boilerplate(step)


def _other_texts(folder: Path) -> Iterator[str]:
    """The texts of a corpus that no format of a build reads: whole, and by steps."""
    if folder.name == "openpi":
        for part in ("train", "dev"):
            for step in read_openpi(folder / "gold" / part):
                yield step.text
                yield "\n".join([*step.context, step.text])
    elif folder.name == "openpi-c":
        for path in sorted(folder.glob("*.jsonl")):
            yield from (json.loads(line)["query"] for line in path.read_text(encoding="utf-8").splitlines())
    elif folder.name == "captaincook":
        for recording in json.loads((folder / "recordings.json").read_text(encoding="utf-8")).values():
            steps = [step["description"].partition("-")[2] for step in recording["steps"]]
            yield from (*steps, "\n".join(steps))
    elif folder.name == "recipe-pages":
        for line in (folder / "pages.jsonl").read_text(encoding="utf-8").splitlines():
            page = json.loads(line)
            for key in ("ingredients", "instructions", "equipment") if page["file"] != _ALSO_CHINESE else ():
                parts = page.get(key) or []
                yield from (*parts, "\n".join(parts))
