"""What a build would spend, without reading: for extractors whose work costs money, or much time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from attrs import field, frozen

from kgscripts.building.inputs import find_inputs
from kgscripts.building.options import BuildOptions
from kgscripts.building.run import added
from schemas.records import Discard


@frozen
class Estimate:
    """The sources and words of the inputs, and what extractors would spend on them, by the names of these."""

    sources: int
    words: int
    spent: Mapping[str, Mapping[str, float]] = field(factory=dict)


def estimate_build(inputs: Sequence[str | Path], **options: Any) -> Estimate:
    """Estimate what a build of inputs would spend; nothing is sent, and nothing is written.

    `options` are those of `kgscripts.build_graph`. Sources that a graph has already count too; an extractor says what
    of them it has kept.

    Raises
    ------
    ConfigurationError, InputError, ModelError
        As `kgscripts.build_graph`.
    """
    build_options = BuildOptions(**options)
    chosen, _ = build_options.chosen()
    documents = (item for given in build_options.file_inputs(find_inputs(inputs)) for item in given.items())
    seen: set[str] = set()
    words = 0
    spent: dict[str, dict[str, float]] = {}
    for document in islice((item for item in documents if not isinstance(item, Discard)), build_options.limit):
        if document.digest in seen:
            continue
        seen.add(document.digest)
        words += len(document.text.split())
        for item in chosen:
            if numbers := item.extractor.estimate(document):
                spent[item.extractor.name] = added(spent.get(item.extractor.name, {}), numbers)
    return Estimate(len(seen), words, spent)
