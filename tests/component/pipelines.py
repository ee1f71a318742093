"""Pipelines with the component, what they leave in a Doc, and what a build reads of the same text."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from kgscripts.building.inputs import text_input
from kgscripts.building.reading import Batch, DocumentReader
from kgscripts.component.annotations import plain
from kgscripts.extractors.registry import choose
from kgscripts.records.kinds import kind_name
from kgscripts.text.pipeline import COMPONENT, describe_pipeline, shipped_directory
from schemas.records import Document

EXAMPLES = sorted((Path(str(resources.files("kgscripts"))) / "examples/texts").glob("*.*[dt]"))
STORY = "I put the flour in a bowl.\nThen I mixed it with a wooden spoon. I did not open the oven."


@cache
def quick() -> Language:
    """The pipeline that ships, with the component, which gives events only."""
    nlp = spacy.load(shipped_directory())
    nlp.add_pipe(COMPONENT, config={"state_changes": False, "scenarios": False})
    return nlp


def records(doc: Doc) -> dict[str, list[Any]]:
    """The plain records of a Doc by their kinds, those without any left out."""
    return {kind: found for kind, found in doc.user_data[COMPONENT]["records"].items() if found}


def of_build(text: str, extractors: list[str]) -> dict[str, list[Any]]:
    """What a build with these extractors reads in the only document of a text, in the same form."""
    (document,) = (item for item in text_input(text, None).items() if isinstance(item, Document))
    reader = DocumentReader(choose(extractors, (), describe_pipeline), strict=True)
    versions = frozenset(chosen.version for chosen in reader.extractors)
    found: dict[str, list[Any]] = {}
    for reading in reader.read(Batch([document], versions)).readings:
        for record in reading.records:
            found.setdefault(kind_name(type(record)), []).append(plain(record, 0))
    return found
