"""How the texts of a build are read: its options, and the extractors and enrichers that they choose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen

from kgscripts.building.inputs import BuildInput, File, Text, file_input, text_input
from kgscripts.building.settings import Settings, check_settings, on_device, with_settings
from kgscripts.corpora.scenarios.labels import resolve
from kgscripts.corpora.table_columns import Columns
from kgscripts.corpora.tables import check_columns
from kgscripts.devices import CPU
from kgscripts.distributed.object_stores import Fetched
from kgscripts.enrichers.protocol import ENRICHERS, Enricher, choose_enrichers, with_records
from kgscripts.extractors.protocol import Extractor
from kgscripts.extractors.registry import Chosen, choose, default_extractors, installed_extractors
from schemas.arguments import check_texts, check_type, items_of
from schemas.errors import ConfigurationError
from schemas.provenance import Model

_PREDICTED = "predicted-tools"
"""The name of the enricher that predicts tools."""


def _items(given: Iterable[Any] | None) -> tuple[Any, ...] | None:
    return None if given is None else tuple(items_of("extractors", given))


def _names(given: Iterable[str]) -> tuple[str, ...]:
    return tuple(items_of("without", given))


def _added(given: Iterable[str]) -> tuple[str, ...]:
    return tuple(items_of("also", given))


@frozen(kw_only=True)
class ReadingOptions:
    """The options of `kgscripts.build_graph` that say how texts are read.

    Raises
    ------
    ConfigurationError
        If one is of another type, or settings are none that an extractor or enricher has.
    """

    format: str | None = None
    columns: Columns | None = None
    scenario: str | None = None
    scenarios: str | None = None
    scenario_list: str | Path | None = None
    strict: bool = False
    any_language: bool = False
    spacy_model: str | None = None
    extractors: Sequence[str | Extractor | Enricher] | None = field(default=None, converter=_items)
    also: Sequence[str] = field(default=(), converter=_added)
    without: Sequence[str] = field(default=(), converter=_names)
    predict_tools: bool = False
    settings: Settings | None = None
    device: str = CPU

    def __attrs_post_init__(self) -> None:
        check_texts(format=self.format, scenario=self.scenario, scenarios=self.scenarios, spacy_model=self.spacy_model)
        if "\0" in (self.scenario or ""):
            raise ConfigurationError("scenario has a NUL character", remedy="give it in words")
        check_type("any_language", self.any_language, bool, "give True or False")
        check_columns(self.columns)
        check_type("device", self.device, str, "give the name of a device, such as cuda")

    def chosen(self, parser: Model | None = None) -> tuple[list[Chosen], list[Enricher]]:
        """The extractors, each after those that it requires, and the enrichers. `parser` has parsed the texts, if they
        come with their parse.

        Raises
        ------
        ConfigurationError
            If extractors are unknown or do not fit together, or settings are none of theirs.
        ModelError
            If a model does not exist, is damaged, or is for another task.
        """
        settings = check_settings(self.settings, self.extractors or ())
        extractors, without, enrichers = self._split(settings)
        if self.scenarios is not None or self.scenario_list is not None:
            from kgscripts.building.scenario_modes import for_build
            from kgscripts.models.scenarios.list import read_scenario_list

            added = read_scenario_list(self.scenario_list) if self.scenario_list is not None else []
            extractors, without = for_build(self.scenarios, added, extractors, without)
        chosen = choose(extractors, without, lambda: parser or _describe_parser(self.spacy_model))
        return chosen, with_records(enrichers, {kind for item in chosen for kind in item.extractor.gives})

    def file_inputs(self, files: Iterable[File]) -> list[BuildInput]:
        """Files and objects of stores as inputs."""
        label, fetched = self._label(), Fetched()
        return [
            file_input(file, self.format, label, self.columns, any_language=self.any_language, fetched=fetched)
            for file in files
        ]

    def text_inputs(self, texts: Iterable[Text]) -> list[BuildInput]:
        """Texts in memory as inputs."""
        return [text_input(text, self.format, self._label(), any_language=self.any_language) for text in texts]

    def _label(self) -> str:
        return "" if self.scenario is None else resolve(self.scenario)

    def _split(
        self, settings: Mapping[str, Mapping[str, Any]]
    ) -> tuple[list[str | Extractor], list[str], list[Enricher]]:
        """The extractors and the names that are left out, and the enrichers among both."""
        installed = ENRICHERS.names()
        kept: list[str | Extractor] = [*default_extractors()]
        of_enrichers: list[str | Enricher] | None = None
        if self.extractors is not None:
            kept = [item for item in self.extractors if not isinstance(item, Enricher) and item not in installed]
            of_enrichers = [item for item in self.extractors if not isinstance(item, Extractor) and item not in kept]
        kept += [name for name in self.also if name not in installed and name not in kept]
        names = [name for name in installed_extractors() if name in kept] + installed
        settings = on_device(settings, [name for name in names if name not in self.without], self.device)
        also = [name for name in self.also if name in installed] + ([_PREDICTED] if self.predict_tools else [])
        enrichers = choose_enrichers(of_enrichers, self.without, also, settings)
        without = [name for name in self.without if name not in installed]
        return with_settings(kept, without, settings), without, enrichers


def _describe_parser(spacy_model: str | None) -> Model:
    from kgscripts.text.pipeline import describe_pipeline

    return describe_pipeline(spacy_model)
