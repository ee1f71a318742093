"""Enrichers: networks that give records about assembled rows, kept under a digest of their input.

The protocol, the enrichers that are installed, the choice of a build, and what a manifest keeps for later assemblies.
"""

from __future__ import annotations

import hashlib
import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import attrs
import pyarrow as pa
from attrs import AttrsInstance

from kgscripts.devices import CPU, check_device
from kgscripts.models.registry import describe, shipped_models
from kgscripts.plugins import Plugins
from kgscripts.records.shards import Reading, write_shard
from kgscripts.records.store import RecordStore
from kgscripts.settings import NoSettings, devices_of, models_of, version_of
from schemas.errors import ConfigurationError
from schemas.provenance import BenchmarkScore, Model
from schemas.records import Record

_LOG = logging.getLogger(__name__)
_REQUESTS_A_COMMIT = 256


class Enricher(ABC):
    """Gives records about rows of tables of assembly. The same content is never computed twice.

    Other packages add theirs by the entry point group ``kgscripts.enrichers``, which names a subclass that can be made
    without arguments. Import large packages and load weights in `enrich`.

    `settings` are an instance of an attrs class of its own, with the defaults (`kgscripts.settings`). For a build with
    other settings, it is made with the argument `settings`, as extractors are.

    `query` selects the rows: `target`, a number that the rules know, and `content`, a list of texts. Apart from
    `candidates`, `content` is the only input of `enrich`. The enricher runs as soon as the tables of its queries are
    made. Rules find its records in the table ``<kind>_of``, with the column `target`.
    """

    name: ClassVar[str]
    rules: ClassVar[str]
    """Version of the code on which the records depend."""
    task: ClassVar[str]
    """Its task, in a few words."""
    by_default: ClassVar[bool] = True
    """Whether builds have it by default."""
    requires: ClassVar[tuple[str, ...]] = ()
    """Names of enrichers that it requires."""
    reads: ClassVar[tuple[type[Record], ...]] = ()
    """Kinds of records without which it has nothing to do: a build whose extractors do not give them leaves it out."""
    gives: ClassVar[type[Record]]
    query: ClassVar[str]
    candidates: ClassVar[str] = "SELECT '' WHERE false"
    """A query of one text in each row; the texts are candidates for all rows. By default there are none."""
    reader_of: ClassVar[Mapping[str, str]] = {}
    """The relation types of which it is a reader, each with a query of the relations that it has read: `start` and
    `end`, numbers of nodes, and `score`."""
    predicts: ClassVar[Mapping[str, str]] = {}
    """The relation types, with a property `predicted`, to which it adds relations, each with a query of `start`, `end`,
    `probability` and other properties."""
    settings: AttrsInstance = NoSettings()
    """What a build can set; names of models are no part of the version."""

    def __init__(self, settings: AttrsInstance | None = None) -> None:
        if settings is not None:
            self.settings = settings

    @property
    def networks(self) -> tuple[Model, ...]:
        """The models that it runs, found without loading their weights: those that its settings name."""
        return tuple(describe(model, task) for task, model in models_of(self.settings).values())

    def scores(self) -> Sequence[BenchmarkScore]:
        """How good it is, apart from the scores of its networks."""
        return ()

    @abstractmethod
    def enrich(self, contents: Sequence[Sequence[str]], candidates: Sequence[str]) -> list[Sequence[Record]]:
        """The records of each row. They depend on its content and the candidates, not on the other rows."""

    @property
    def version(self) -> str:
        """SHA-256 of the name, the rules, the networks and the settings."""
        content: list[object] = [self.name, self.rules, [model.digest for model in self.networks]]
        if settings := version_of(self.settings):
            content.append(settings)
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def subject_of(version: str, candidates: Sequence[str], content: Sequence[str]) -> str:
    """The subject under which a store keeps what an enricher of this version gives for a row."""
    shared = hashlib.sha256(json.dumps(list(candidates)).encode()).hexdigest()
    return hashlib.sha256(json.dumps([version, shared, content]).encode()).hexdigest()


def enrich(store: RecordStore, enricher: Enricher, rows: pa.Table, candidates: Sequence[str]) -> pa.Table:
    """Enrich the rows that have no records yet.

    Return for each `target` the `subject` under which the store keeps its records.
    """
    version = enricher.version
    store.extractors.add(version, enricher.name, "enricher", enricher.networks)
    contents = {subject_of(version, candidates, content): content for content in rows["content"].to_pylist()}
    keys = {tuple(content): key for key, content in contents.items()}
    # In the order of their content, so that the order of the rows does not matter.
    lacking = sorted((key for key in contents if not store.readings.has(key, version)), key=contents.__getitem__)
    _LOG.info("enricher %s: %d rows of %d are new", enricher.name, len(lacking), len(contents))
    for start in range(0, len(lacking), _REQUESTS_A_COMMIT):
        block = lacking[start : start + _REQUESTS_A_COMMIT]
        enriched = enricher.enrich([contents[key] for key in block], candidates)
        readings = [Reading(key, version, records) for key, records in zip(block, enriched, strict=True)]
        # Meanwhile, assembly uses the files of all records.
        store.commit([write_shard(store.folder, readings)], merge=False)
    subjects = [keys[tuple(content)] for content in rows["content"].to_pylist()]
    return pa.table({"target": rows["target"], "subject": pa.array(subjects, pa.string())})


ENRICHERS = Plugins(
    "kgscripts.enrichers",
    Enricher,  # type: ignore[type-abstract]
    "enricher",
    ("rules", "task", "gives", "query", "networks"),
)


def with_records(enrichers: Iterable[Enricher], kinds: Collection[type[Record]]) -> list[Enricher]:
    """The enrichers that have something to do if extractors give these kinds of records."""
    return [item for item in enrichers if set(item.reads) <= set(kinds)]


def choose_enrichers(
    named: Iterable[str | Enricher] | None,
    without: Collection[str] = (),
    also: Collection[str] = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Enricher]:
    """The enrichers of a build, by name.

    Parameters
    ----------
    named:
        Names of installed ones, or enrichers themselves; None for all that builds have by default. Enrichers that
        require a named one are added.
    without:
        Names that are left out, with all that require them.
    also:
        Names of further ones.
    settings:
        The settings of those that are named, by their names.

    Raises
    ------
    ConfigurationError
        If a name is unknown, or two enrichers have one.
    ModelError
        If one cannot be loaded.
    """
    settings = settings or {}
    enrichers: dict[str, Enricher] = {}
    for item in (*(ENRICHERS.names() if named is None else named), *also):
        enricher = ENRICHERS.open(item, settings.get(item)) if isinstance(item, str) else item
        if enrichers.setdefault(enricher.name, enricher) is not enricher and not isinstance(item, str):
            raise ConfigurationError(f"two enrichers have the name {enricher.name!r}", remedy="leave one of them out")
    if named is None:
        enrichers = {name: item for name, item in enrichers.items() if item.by_default or name in also}
    else:
        brought = (ENRICHERS.open(name, settings.get(name)) for name in ENRICHERS.names() if name not in enrichers)
        enrichers |= {item.name: item for item in brought if item.requires and item.by_default}
    kept = {name: item for name, item in enrichers.items() if name not in without}
    # Again and again, since what requires one that is left out is left out itself.
    while lacking := [name for name, item in kept.items() if not kept.keys() >= set(item.requires)]:
        for name in lacking:
            del kept[name]
    return [kept[name] for name in sorted(kept)]


def kept_settings(enrichers: Iterable[Enricher]) -> dict[str, str | int | float | bool]:
    """The settings of enrichers by ``NAME.SETTING``.

    Other models than the default are kept by their digest, since a path means nothing on another machine.
    """
    result: dict[str, str | int | float | bool] = {}
    for enricher in enrichers:
        settings = enricher.settings
        result |= {f"{enricher.name}.{name}": value for name, value in version_of(settings).items()}
        defaults = {item.name: item.default for item in attrs.fields(type(settings))}
        for name, (task, model) in models_of(settings).items():
            digest = describe(model, task).digest
            if digest != describe(defaults[name], task).digest:
                result[f"{enricher.name}.{name}"] = digest
    return result


def enrichers_of(
    configuration: Mapping[str, Any], where: str, settings: Mapping[str, Mapping[str, Any]] | None = None
) -> list[Enricher]:
    """The enrichers of the graph in the directory `where`, with the settings in its manifest. `settings` give the paths
    of its models that do not ship, and devices that replace those of the graph.

    Raises
    ------
    ConfigurationError
        If an enricher is not installed, or a model or device is not found: without them the graph would become another
        one. If other `settings` are given.
    ModelError
        If an enricher or a model cannot be loaded.
    """
    wanted = ENRICHERS.of_graph(str(configuration.get("enrichers") or ""), where)
    given = {
        f"{name}.{setting}": value for name, values in (settings or {}).items() for setting, value in values.items()
    }
    enrichers = []
    for name in wanted:
        values = {key.rpartition(".")[2]: value for key, value in configuration.items() if key.startswith(f"{name}.")}
        defaults = ENRICHERS.open(name).settings
        for setting, (task, _) in models_of(defaults).items():
            full = f"{name}.{setting}"
            if setting in values:
                values[setting] = _with_digest(values[setting], full, task, given.pop(full, None), where)
        for setting in devices_of(defaults):
            full = f"{name}.{setting}"
            values[setting] = _device(given.pop(full, values.get(setting, CPU)), full, where)
        enrichers.append(ENRICHERS.open(name, values, where))
    if given:
        raise ConfigurationError(
            f"{min(given)} is neither a model of the graph that does not ship nor a device",
            where=where,
            remedy="leave it out: a graph keeps its settings until `kgscripts build-graph` is given others",
        )
    return enrichers


def _with_digest(digest: object, setting: str, task: str, given: Any, where: str) -> Any:
    """The model with that digest: the given one, or the name of one that ships."""
    for model, of_task in [(name, "") for name in shipped_models()] if given is None else [(given, task)]:
        if describe(model, of_task).digest == digest:
            return model
    what = "a model that does not ship" if given is None else f"another model than {given}"
    raise ConfigurationError(
        f"the graph was made with {what}, of the digest {digest}",
        where=where,
        remedy=f"name the checkpoint with this digest: --set {setting}=DIR",
    )


def _device(device: Any, setting: str, where: str) -> str:
    try:
        check_device(str(device))
    except ConfigurationError as error:
        remedy = f"--set {setting}=cpu makes the graph on the CPU, where numbers differ a little"
        raise ConfigurationError(error.message, where=where, remedy=remedy) from error
    return str(device)
