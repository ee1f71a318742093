"""Records -> script graph: a pure function of all records, the same bytes in any number of partitions and threads.

A plan of steps says what is computed and in which order (`kgscripts.assembly.step`). Assembly itself runs no network:
enrichers (`kgscripts.enrichers`) run networks on its rows and give their results as records.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Sequence
from pathlib import Path

from attrs import field, frozen

from kgscripts.assembly.engine import Engine
from kgscripts.assembly.rules import relations
from kgscripts.assembly.rules.corrected_relations import revised
from kgscripts.assembly.rules.packages import RulePackage
from kgscripts.assembly.step import AssemblyPlan, Step, made_by, tables_in
from kgscripts.assembly.tables import (
    additions,
    alternatives,
    close_matches,
    clusters,
    corrections,
    enriched,
    mentions,
    needs,
    order,
    records,
    typicality,
    written,
)
from kgscripts.assembly.tables.titles import STEP_TEXTS
from kgscripts.assembly.writing import changes as written_changes
from kgscripts.assembly.writing import corrections as written_corrections
from kgscripts.assembly.writing import evidence, passages
from kgscripts.assembly.writing.discards import DiscardLog
from kgscripts.assembly.writing.evidence import Readers
from kgscripts.enrichers.protocol import Enricher, kept_settings
from kgscripts.records.corrections import read_corrections
from kgscripts.records.kinds import kind_name
from kgscripts.records.store import RecordStore
from schemas.corrections import Correction, CorrectionKind
from schemas.graph_directory import NEXT
from schemas.graph_writer import ScriptGraphWriter
from schemas.interrupts import passing_on_interrupts
from schemas.logs import phase
from schemas.manifest import Manifest
from schemas.records import ActionVector, Decomposition, EventMention, Need, Record, Segment, StateChange, StepCluster
from schemas.script_graph import StoredGraph

_LOG = logging.getLogger(__name__)


@frozen
class Assembled:
    """A graph, and what it is made of: versions of extractors, and records of enrichers by subject and version."""

    graph: StoredGraph
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
    packages: Sequence[RulePackage] = (),
    memory: int | None = None,
    partitions: int = 1,
) -> Assembled:
    """Make the graph of all documents from the records of the extractors with these `versions`, and put it into place.

    Nodes and relations with a support of fewer than `min_support` sources are left out. `memory` is in bytes, by
    default a quarter of the machine's. The graph depends neither on it nor on the number of `partitions`, which are
    computed one after another.

    Raises
    ------
    GraphDirectoryError
        If records are missing or damaged, or the graph cannot be written.
    """
    store.readings.check(versions)
    with phase(_LOG, f"assembling {directory}"), passing_on_interrupts(), ScriptGraphWriter(directory) as writer:
        scratch = directory.absolute() / NEXT / "scratch"
        with (
            writer.discarded() as write_line,
            Engine(
                scratch, memory=memory, partitions=partitions, min_support=min_support, records=_size(store.folder)
            ) as engine,
        ):
            records.load_records(engine, store, versions, _kinds(packages))
            corrected = [item for item in read_corrections(store) if not item.withdrawn]
            readers = _readers(engine, store, versions, enrichers, packages)
            log = DiscardLog(write_line)
            assembly = Assembly(store, writer, log, readers, corrected, enrichers, packages)
            corrections.add_functions(engine, corrected)
            assembly.log.inputs(store.inputs)
            assembly.log.failures(store.failures.all(versions))
            assembly.plan().run(engine)
            manifest = assembly.manifest(base_iri, licence, min_support)
        return Assembled(writer.finish(manifest), frozenset(versions), frozenset(assembly.enriched))


def _kinds(packages: Iterable[RulePackage]) -> list[type[Record]]:
    """The kinds of records of extractors that rules use."""
    further = (kind for package in packages for relation in package.relations(()) for kind in relation.kinds)
    return list(dict.fromkeys((*records.KINDS, *further)))


def _readers(
    engine: Engine,
    store: RecordStore,
    versions: Sequence[str],
    enrichers: Sequence[Enricher],
    packages: Sequence[RulePackage],
) -> Readers:
    """The extractors, ordered by version, then the enrichers."""
    known = store.extractors.all()
    versions = sorted(versions)
    models = [known[version].models for version in versions] + [enricher.networks for enricher in enrichers]
    kinds = set(_kinds(packages)) - set(records.KINDS) | {EventMention, Need, Segment, Decomposition, StateChange}
    query = " UNION ".join(
        f"SELECT x.reader FROM {kind_name(kind)}_file f JOIN extractor x ON x.version = f.extractor" for kind in kinds
    )
    return Readers(versions, models, sorted(engine.values(query)) or [0])


@frozen
class Assembly:
    """The steps of one run, which makes a graph. The run fills `enriched` and `sources`."""

    store: RecordStore
    writer: ScriptGraphWriter
    log: DiscardLog
    readers: Readers
    corrections: Sequence[Correction] = ()
    enrichers: Sequence[Enricher] = ()
    packages: Sequence[RulePackage] = ()
    enriched: set[tuple[str, str]] = field(factory=set, init=False)
    sources: dict[str, int | str] = field(factory=dict, init=False)

    def plan(self) -> AssemblyPlan:
        """The steps that write the tables of the graph, except those that stay empty."""
        steps = (step for section in self.sections().values() for step in section)
        return AssemblyPlan(steps, given=records.given(_kinds(self.packages)))

    def sections(self) -> dict[str, list[Step]]:
        """The steps, grouped by their purpose."""
        readers = self.readers.extractors
        counted = [rule(readers) for rule in relations.RELATIONS]
        counted += [relation for package in self.packages for relation in package.relations(readers)]
        pairs = [rule(readers) for rule in relations.PAIRS_OF_STEPS]
        every = [*counted, *pairs]
        given = {item.gives for item in self.enrichers}
        numbers = dict(enumerate(self.enrichers, len(self.readers.versions)))
        of_kind = {kind: [each for each in self.corrections if each.kind is kind] for kind in CorrectionKind}
        rejected = [item for item in every if item.name in {each.relation for each in of_kind[CorrectionKind.REJECT]}]
        rejected = [relation for relation in rejected if relation.name != corrections.ORDER]
        added = [item for item in every if item.name in additions.RELATIONS and of_kind[CorrectionKind.ADD]]
        has_roles = bool(of_kind[CorrectionKind.TOOL_ROLE])
        totals = (*relations.TOTALS, *(total for relation in counted for total in relation.totals))
        further = [kind for kind in _kinds(self.packages) if kind not in records.KINDS]
        return {
            "Records": records.steps(_kinds(self.packages)),
            "Corrections": corrections.steps(self.corrections, self.store),
            "Names and mentions": mentions.steps(readers),
            "Enrichers": enriched.steps(self.store, self.enrichers, self.enriched),
            "Passages": passages.steps(self.writer, further),
            "Steps": [
                *clusters.steps(by_words=StepCluster not in given),
                *written.steps(),
                *typicality.steps(has_vectors=ActionVector in given),
                made_by(typicality.usual_steps()),
                *needs.steps(readers),
            ],
            "Rules of other packages": [
                *(made_by(rule) for package in self.packages for rule in package.tables),
                *(
                    evidence.write_step(self.writer, name, query)
                    for package in self.packages
                    for name, query in package.nodes.items()
                ),
            ],
            "Counts": [
                *(made_by(*relation.by_document(readers), name=f"count {relation.name}") for relation in counted),
                *(made_by(total.by_document) for total in relations.TOTALS),
                *(made_by(total.merged) for total in totals),
                *(made_by(relation.merged(readers)) for relation in counted),
            ],
            "Pairs of steps": [
                *order.steps(readers),
                *alternatives.steps(),
                *close_matches.steps(has_vectors=ActionVector in given),
                *(made_by(*relation.by_document(readers), name=f"count {relation.name}") for relation in pairs),
                *(made_by(relation.merged(readers)) for relation in pairs),
            ],
            "Discards": self.log.steps(every, added),
            "Revisions": [
                *revised(every, numbers, rejected, added, has_roles=has_roles),
                made_by(typicality.salience_ranks()),
                made_by(STEP_TEXTS),
            ],
            "The graph": [
                *evidence.node_steps(self.writer),
                evidence.step(self.writer),
                *written_changes.steps(self.writer),
                evidence.realization_step(self.writer, readers),
                *evidence.relation_steps(self.writer, every, self.readers),
                evidence.model_step(self.writer, self.readers),
                *written_corrections.steps(self.corrections, rejected, added, has_roles, self.writer, self.log),
                Step("count sources", (), tables_in(_SOURCES) | tables_in(_DIGESTS), self._count_sources),
            ],
        }

    def _count_sources(self, tables: Engine) -> None:
        (row,) = tables.table(_SOURCES).to_pylist()
        digest = hashlib.sha256()
        for batch in tables.rows(_DIGESTS):
            digest.update("".join(f"{item}\n" for item in batch["digest"].to_pylist()).encode())
        self.sources.update(row, digest=digest.hexdigest())

    def manifest(self, base_iri: str, licence: str | None, min_support: int) -> Manifest:
        """The manifest of the graph without its tables, after the plan has run."""
        extractors = sorted(self.store.extractors.all()[version].name for version in self.readers.versions)
        return Manifest(
            base_iri=base_iri,
            licence=licence,
            sources=int(self.sources["sources"]),
            characters=int(self.sources["characters"]),
            sources_digest=str(self.sources["digest"]),
            models={model.digest: f"{model.name} {model.version}" for _, model in self.readers.distinct()},
            configuration={
                "min_support": min_support,
                "extractors": " ".join(extractors),
                "enrichers": " ".join(sorted(enricher.name for enricher in self.enrichers)),
                "rules": " ".join(sorted(package.name for package in self.packages)),
                **kept_settings(self.enrichers),
            },
            discards=dict(sorted(self.log.counts.items())),
        )


_SOURCES = "SELECT count(*) AS sources, coalesce(sum(characters), 0)::BIGINT AS characters FROM document"
_DIGESTS = "SELECT digest FROM document ORDER BY document"


def _size(folder: Path) -> int:
    """The size of all files of records, in bytes."""
    return sum(path.stat().st_size for path in folder.glob("*/*.parquet"))
