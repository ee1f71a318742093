"""Records -> script graph: a pure function of all records, the same bytes in any number of partitions and threads.

The stages are names -> enrich -> clusters -> enrich -> rules. Assembly itself runs no network: what networks say of
assembled rows are records, which enrichers give (`kgscripts.enrichers.protocol`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from attrs import define, field, frozen

from kgscripts.assembly.counting import Relation
from kgscripts.assembly.engine import Engine
from kgscripts.assembly.rules import network_readers, step_pairs
from kgscripts.assembly.rules import relations as rules
from kgscripts.assembly.tables.alternatives import find_alternatives
from kgscripts.assembly.tables.changes import write_changes
from kgscripts.assembly.tables.close_matches import find_close_matches
from kgscripts.assembly.tables.clusters import find_steps
from kgscripts.assembly.tables.corrections import CorrectionRules
from kgscripts.assembly.tables.mentions import find_mentions, load_records, view
from kgscripts.assembly.tables.neighbours import find_optional
from kgscripts.assembly.tables.order import find_order, rank_steps
from kgscripts.assembly.tables.salience import salience_ranks, usual_steps
from kgscripts.assembly.tables.typicality import find_typicality
from kgscripts.assembly.writing.broader import write_broader
from kgscripts.assembly.writing.discards import DiscardLog
from kgscripts.assembly.writing.evidence import Readers, write_models, write_nodes, write_realizations, write_relations
from kgscripts.assembly.writing.passages import write_texts
from kgscripts.enrichers.protocol import Enricher, Stage, enrich
from kgscripts.records.corrections import read_corrections
from kgscripts.records.kinds import kind_name
from kgscripts.records.store import RecordStore
from schemas.graph_directory import NEXT
from schemas.graph_writer import ScriptGraphWriter
from schemas.interrupts import passing_on_interrupts
from schemas.manifest import Manifest
from schemas.records import (
    ActionVector,
    Decomposition,
    EventMention,
    PredictedTool,
    Record,
    Segment,
    StateChange,
    StepCluster,
)
from schemas.script_graph import ScriptGraph


@frozen
class Assembled:
    """A graph, and what it is made of: versions of extractors, and records of enrichers by subject and version."""

    graph: ScriptGraph
    versions: frozenset[str]
    enriched: frozenset[tuple[str, str]]


def assemble(
    store: RecordStore,
    directory: Path,
    versions: Sequence[str],
    *,
    base_iri: str,
    licence: str | None = None,
    min_support: int = 1,
    enrichers: Sequence[Enricher] = (),
    memory: int | None = None,
    partitions: int = 1,
) -> Assembled:
    """Make the graph of all documents as the extractors with these `versions` read them, and put it into place.

    Knowledge with the support of fewer than `min_support` sources stays out, nodes and relations alike. `memory` is in
    bytes, by default a quarter of the machine's. The graph does not depend on it, nor on the number of `partitions` in
    which rules are computed, one after another, as an engine on several machines would.

    Raises
    ------
    GraphDirectoryError
        If records are missing or damaged, or the graph cannot be written.
    """
    store.readings.check(versions)
    with passing_on_interrupts(), ScriptGraphWriter(directory) as writer:
        scratch = directory.absolute() / NEXT / "scratch"
        with (
            writer.discarded() as write_line,
            Engine(
                scratch, memory=memory, partitions=partitions, min_support=min_support, records=_size(store.folder)
            ) as engine,
        ):
            assembly = _Assembly(
                store, writer, engine, sorted(versions), enrichers, min_support, DiscardLog(write_line)
            )
            assembly.run()
            manifest = assembly.manifest(base_iri, licence)
        return Assembled(writer.finish(manifest), frozenset(versions), frozenset(assembly.enriched))


@define
class _Assembly:
    """One run; `readers` are the extractors in the order of their versions, then the enrichers."""

    store: RecordStore
    writer: ScriptGraphWriter
    engine: Engine
    versions: Sequence[str]
    enrichers: Sequence[Enricher]
    min_support: int
    log: DiscardLog
    enriched: set[tuple[str, str]] = field(factory=set, init=False)
    readers: Readers = field(init=False)

    def run(self) -> None:
        """Write every table of the graph but those that stay empty."""
        engine = self.engine
        kinds = list(dict.fromkeys(kind for rule in rules.RELATIONS for kind in rule(()).kinds))
        load_records(engine, self.store, self.versions, kinds)
        self.log.inputs(self.store.inputs)
        self.log.readings(engine)
        self.readers = self._find_readers(kinds)
        extractors = self.readers.extractors
        corrections = CorrectionRules(engine, [item for item in read_corrections(self.store) if not item.withdrawn])
        corrections.rename_things()
        find_mentions(engine, extractors)
        corrections.find_links()
        self.log.without_event(engine)
        self._enrich(Stage.NAMES)
        write_texts(engine, self.writer, kinds)
        find_steps(engine, self._version_that_gives(StepCluster))
        corrections.reject_steps()
        find_typicality(engine, self._version_that_gives(ActionVector))
        engine.run(usual_steps())
        relations = self._count()
        self._enrich(Stage.CLUSTERS)
        engine.drop("participant", "named_tool", "mention", "mention_change")
        for relation in relations:
            self._merge(relation)
        find_order(engine, extractors)
        find_alternatives(engine)
        find_close_matches(engine, self._version_that_gives(ActionVector))
        pairs = [rule(extractors) for rule in step_pairs.RELATIONS]
        for relation in pairs:
            engine.run(*relation.by_document(extractors))
        find_optional(engine)
        engine.drop("ordered_mention")
        for relation in pairs:
            self._merge(relation)
        rank_steps(engine)
        self.log.relations(engine, relations)
        relations += pairs
        self._read_by_networks()
        corrections.finish(relations)
        engine.run(salience_ranks())
        write_nodes(engine, self.writer)
        write_broader(engine, self.writer)
        write_changes(engine, self.writer)
        write_realizations(engine, self.writer, extractors)
        write_relations(engine, self.writer, relations, self.readers)
        write_models(self.writer, self.readers)
        corrections.write(self.writer, self.log)

    def _find_readers(self, kinds: Sequence[type[Record]]) -> Readers:
        known = self.store.extractors.all()
        models = [known[version].models for version in self.versions]
        models += [enricher.networks for enricher in self.enrichers]
        tables = (f"{kind_name(kind)}_record" for kind in (EventMention, Segment, Decomposition, StateChange, *kinds))
        query = " UNION ".join(f"SELECT reader FROM {table}" for table in tables)
        return Readers(models=models, extractors=sorted(self.engine.values(query)) or [0])

    def _version_that_gives(self, kind: type[Record]) -> str | None:
        """The version of the enricher that gives records of a kind."""
        return next((enricher.version for enricher in self.enrichers if enricher.gives is kind), None)

    def _count(self) -> list[Relation]:
        """Count the cases of all relations but PRECEDES, and the totals that they are relative to."""
        readers = self.readers.extractors
        counted = [rule(readers) for rule in rules.RELATIONS]
        for relation in counted:
            self.engine.run(*relation.by_document(readers))
        for total in (*rules.TOTALS, *(total for relation in counted for total in relation.totals)):
            if total in rules.TOTALS:
                self.engine.run(total.by_document)
            self.engine.run(total.merged)
            self.engine.drop(total.by_document.table)
        return counted

    def _merge(self, relation: Relation) -> None:
        self.engine.run(relation.merged(self.readers.extractors))
        self.engine.drop(f"{relation.table}_part")

    def _enrich(self, stage: Stage) -> None:
        """Run the enrichers of a stage on what they have not read before.

        ``<kind>_of`` is then the subject of each target, and ``<kind>_file`` the records.
        """
        for enricher in self.enrichers:
            if enricher.stage is stage:
                rows = self.engine.table(enricher.query)
                candidates = self.engine.values(enricher.candidates)
                found = enrich(self.store, enricher, rows, candidates)
                self.engine.add(f"{kind_name(enricher.gives)}_of", found)
                view(self.engine, f"{kind_name(enricher.gives)}_file", self.store, enricher.gives)
                self.enriched |= {(subject, enricher.version) for subject in found["subject"].to_pylist()}

    def _read_by_networks(self) -> None:
        """Add predicted tools to USES, and to other relations the readers that are enrichers."""
        for number, enricher in enumerate(self.enrichers, len(self.versions)):
            if enricher.gives is PredictedTool:
                self.engine.execute(f"ALTER TABLE uses ADD COLUMN reader_{number} DOUBLE")
                self.engine.execute(rules.predicted_uses(number, enricher.version))
            elif enricher.gives is StepCluster:
                network_readers.read_by_merger(self.engine, number)
            elif enricher.gives is ActionVector:
                network_readers.read_by_vectors(self.engine, number)

    def manifest(self, base_iri: str, licence: str | None) -> Manifest:
        """The manifest of the graph, without its tables."""
        (sources,) = self.engine.values("SELECT count(*) FROM document")
        (characters,) = self.engine.values("SELECT coalesce(sum(characters), 0)::BIGINT FROM document")
        digest = hashlib.sha256()
        for batch in self.engine.rows("SELECT digest FROM document ORDER BY document"):
            digest.update("".join(f"{item}\n" for item in batch["digest"].to_pylist()).encode())
        extractors = sorted(self.store.extractors.all()[version].name for version in self.versions)
        return Manifest(
            base_iri=base_iri,
            licence=licence,
            sources=sources,
            characters=characters,
            sources_digest=digest.hexdigest(),
            models={model.digest: f"{model.name} {model.version}" for _, model in self.readers.distinct()},
            configuration={
                "min_support": self.min_support,
                "extractors": " ".join(extractors),
                "enrichers": " ".join(sorted(enricher.name for enricher in self.enrichers)),
            },
            discards=dict(sorted(self.log.counts.items())),
        )


def _size(folder: Path) -> int:
    """The bytes of all files of records."""
    return sum(path.stat().st_size for path in folder.glob("*/*.parquet"))
