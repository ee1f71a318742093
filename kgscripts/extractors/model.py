"""What the built-in extractor is: its digest and its benchmark scores."""

from __future__ import annotations

import functools
import hashlib
import json
from importlib import resources
from typing import Any

from kgscripts.text.pipeline import SHIPPED
from schemas.provenance import BenchmarkScore, Model

NAME = "script-extractor"
VERSION = "1"
SCORES_FILE = "scores.json"
_OF_OTHERS = frozenset({"registry.py", "decomposition.py", "aligned_events.py", "tool_prediction.py", "told.py"})
"""Modules of the package that do not decide which events are read."""


@functools.cache
def rules_digest() -> str:
    """SHA-256 over the code and the lexicons that decide what is read, without the scores."""
    digest = hashlib.sha256()
    package = resources.files("kgscripts.extractors")
    files = [*package.iterdir(), *(package / "data").iterdir(), resources.files("kgscripts.text") / "syntax.py"]
    for file in sorted(files, key=lambda entry: entry.name):
        if file.is_file() and file.name.endswith((".py", ".txt")) and file.name not in _OF_OTHERS:
            content = file.read_bytes()
            digest.update(f"{file.name}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


def describe_extractor(syntax: Model) -> Model:
    """The extractor as it reads the parses of `syntax`."""
    return Model(
        name=NAME,
        version=VERSION,
        digest=hashlib.sha256(f"{rules_digest()} {syntax.digest}".encode()).hexdigest(),
        task="sub-event extraction",
        licence="Apache-2.0",
        scores=known_scores() if syntax.name == SHIPPED else [],
    )


def known_scores() -> list[BenchmarkScore]:
    """The scores that `kgscripts evaluate extraction` measured last for the shipped pipeline."""
    file = resources.files("kgscripts.extractors") / "data" / SCORES_FILE
    if not file.is_file():
        return []
    rows: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    return [BenchmarkScore(**row) for row in rows]
