"""The options of a build, each declared once, and the extractors and enrichers that they choose.

The Typer options of ``kgscripts build-graph`` and ``split-reading``, the keys of a TOML file, the arguments of
`kgscripts.build_graph` and the table of docs/guide/building.md follow the fields of `BuildOptions`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
from attrs import field, frozen

from kgscripts.building.build import Progress
from kgscripts.building.declared_options import options_of
from kgscripts.building.inputs import BuildInput, File, Text, file_input, text_input
from kgscripts.building.settings import Settings, check_settings, on_device, with_settings
from kgscripts.corpora.scenarios.labels import resolve
from kgscripts.devices import CPU
from kgscripts.distributed.object_stores import Fetched
from kgscripts.enrichers.protocol import ENRICHERS, Enricher, choose_enrichers, with_records
from kgscripts.everyday_scripts import NAME as EVERYDAY
from kgscripts.extractors.protocol import Extractor
from kgscripts.extractors.registry import Chosen, choose, default_extractors, installed_extractors
from kgscripts.text.pipeline import describe_pipeline
from schemas.arguments import bytes_of
from schemas.errors import ConfigurationError
from schemas.manifest import check_licence
from schemas.provenance import Model
from schemas.vocabulary import check_base_iri

if TYPE_CHECKING:
    from spacy.tokens import Doc
else:
    # The types of all fields are read when the module is imported, and importing spaCy takes long.
    Doc = Any

_PREDICTED = "predicted-tools"
"""The name of the enricher that predicts tools."""


@frozen(kw_only=True)
class BuildOptions:
    """The options of a build; a new one needs no more than a field here, and the code that uses it.

    In Python, `memory` is a number of bytes, and `extractors` may hold extractors themselves.

    Raises
    ------
    ConfigurationError
        If one is of another type or outside its range, or settings are none that an extractor or enricher has.
    """

    device: str = field(default=CPU, metadata={"metavar": "cpu|cuda|mps"})
    """The device of the networks; by default cpu."""
    format: str | None = None
    """Format of the inputs (text, markdown, jsonl, pairs, mcscript, descript, inscript, conllu, html, json-ld, table,
    docx, pdf); by default detected from the content."""
    scenario: str | None = None
    """Scenario of the texts whose label, title or folder names none."""
    scenarios: str | None = field(default=None, metadata={"metavar": "given|detected|both"})
    """Scenarios of labels and titles, of a model, or both; by default a model detects those of texts that name none."""
    scenario_list: str | Path | None = None
    """Detect these scenarios too: lines with a name, or with {"scenario": "...", "sentences": ["..."]}."""
    limit: int | None = None
    """The maximum number of sources."""
    min_support: int = 1
    """The least support, in sources; by default 1."""
    strict: bool = False
    """Stop at the first bad record or failing extractor."""
    jobs: int = field(default=1, metadata={"short": "-j"})
    """Number of processes for reading; by default 1."""
    spacy_model: str | None = None
    """An installed spaCy pipeline instead of the shipped one."""
    extractors: Iterable[str | Extractor | Enricher] | None = None
    """Use these extractors only (see `kgscripts extractors list`)."""
    also: Iterable[str] = ()
    """Use these too, such as those on request (llm); `everyday` adds the scripts that ship of what the texts tell."""
    without: Iterable[str] = ()
    """Leave out these extractors."""
    predict_tools: bool = False
    """Add tools that no text names, marked as predicted."""
    corrections: str | Path | None = None
    """Corrections, one JSON object per line; DIR keeps them."""
    memory: int | None = field(default=None, metadata={"metavar": "SIZE", "parser": partial(bytes_of, "--memory")})
    """Memory for assembly, e.g. 2GB; by default a quarter of the machine's."""
    base_iri: str | None = field(default=None, metadata={"metavar": "IRI"})
    """The beginning of all IRIs; DIR keeps its own, at first https://w3id.org/kgscripts/data/."""
    licence: str | None = field(default=None, metadata={"metavar": "IRI"})
    """The licence of the graph, stated in its RDF, or "" for none; DIR keeps it."""
    settings: Settings | None = None
    """Settings of extractors and enrichers by their names: {"state-changes": {"model": "DIR"}}."""

    def __attrs_post_init__(self) -> None:
        for name, option in options_of(type(self)).items():
            # Iterators end after their first use.
            object.__setattr__(self, name, option.checked(getattr(self, name)))
        if "\0" in (self.scenario or ""):
            raise ConfigurationError("scenario has a NUL character", remedy="give it in words")
        if self.base_iri is not None:
            check_base_iri(self.base_iri)
        if self.licence:
            check_licence(self.licence)
        if self.memory is not None:
            from kgscripts.assembly.engine import check_memory

            check_memory(self.memory)

    @property
    def with_everyday(self) -> bool:
        """Whether texts are read together with the scripts that ship of their activities."""
        return EVERYDAY in self.also and EVERYDAY not in self.without

    def changed(self) -> dict[str, Any]:
        """The options that have another value than by default."""
        return {
            item.name: value for item in attrs.fields(type(self)) if (value := getattr(self, item.name)) != item.default
        }

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
        chosen = choose(extractors, without, lambda: parser or describe_pipeline(self.spacy_model))
        return chosen, with_records(enrichers, {kind for item in chosen for kind in item.extractor.gives})

    def file_inputs(self, files: Iterable[File]) -> list[BuildInput]:
        """Files and objects of stores as inputs."""
        label, fetched = self._label(), Fetched()
        return [file_input(file, self.format, label, fetched=fetched) for file in files]

    def text_inputs(self, texts: Iterable[Text]) -> list[BuildInput]:
        """Texts in memory as inputs."""
        return [text_input(text, self.format, self._label()) for text in texts]

    def _label(self) -> str:
        return "" if self.scenario is None else resolve(self.scenario)

    def _split(
        self, settings: Mapping[str, Mapping[str, Any]]
    ) -> tuple[list[str | Extractor], list[str], list[Enricher]]:
        """The extractors and the names that are left out, and the enrichers among both."""
        installed = ENRICHERS.names()
        extractors: list[str | Extractor] = [*default_extractors()]
        of_enrichers: list[str | Enricher] | None = None
        if self.extractors is not None:
            extractors = [item for item in self.extractors if not isinstance(item, Enricher) and item not in installed]
            of_enrichers = [
                item for item in self.extractors if not isinstance(item, Extractor) and item not in extractors
            ]
        also = [name for name in self.also if name != EVERYDAY]
        left_out = [name for name in self.without if name != EVERYDAY]
        extractors += [name for name in also if name not in installed and name not in extractors]
        names = [name for name in installed_extractors() if name in extractors] + installed
        settings = on_device(settings, [name for name in names if name not in left_out], self.device)
        also = [name for name in also if name in installed] + ([_PREDICTED] if self.predict_tools else [])
        enrichers = choose_enrichers(of_enrichers, left_out, also, settings)
        without = [name for name in left_out if name not in installed]
        return with_settings(extractors, without, settings), without, enrichers


@frozen
class BuildArguments(BuildOptions):
    """What `kgscripts.build_graph` takes: the options, and what is read and written."""

    inputs: str | Path | Sequence[str | Path] = ()
    """Files and folders, and URLs of object stores: s3://bucket/stories/."""
    output: str | Path = "graph"
    """The graph directory."""
    texts: Iterable[Text] = field(default=(), kw_only=True)
    """Texts in memory: strings, or mappings like a record of JSON lines."""
    docs: "Iterable[Doc] | None" = field(default=None, kw_only=True)
    """Parsed spaCy Docs instead of inputs and texts: docs=nlp.pipe(texts). They are read as they come, with the parse
    that they have; spacy_model names the pipeline that parsed them."""
    progress: Callable[[Progress], None] | None = field(default=None, kw_only=True)
    """Called with what is done."""
