"""Whether the graph of a directory is the one that assembly would make, so that assembly can be skipped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import asdict, frozen

import kgscripts.assembly
import kgscripts.changes
import kgscripts.titles
import kgscripts.typicality
import schemas
from kgscripts.enrichers.protocol import Enricher
from kgscripts.extractors.registry import Chosen
from kgscripts.records.store import RecordStore
from kgscripts.text.lexicon import word_list_digests
from kgscripts.text.verb_objects import verb_objects_digest
from schemas.errors import GraphDirectoryError
from schemas.graph_directory import DISCARDED, read_file, write_durably
from schemas.script_graph import StoredGraph
from schemas.tables import TABLE_NAMES

if TYPE_CHECKING:
    from kgscripts.assembly.rules.packages import RulePackage

_FILE = "assembled.json"


@frozen
class Assembling:
    """Everything but the records that the graph depends on: if both are the same, the graph is the same."""

    extractors: Sequence[Chosen]
    enrichers: Sequence[Enricher]
    packages: Sequence[RulePackage]
    base_iri: str
    licence: str | None
    min_support: int

    def remember(self, directory: Path, store: RecordStore, graph: StoredGraph) -> None:
        """Note in the directory that `graph` was made of the records of `store`."""
        write_durably(directory / _FILE, json.dumps(self._facts(store, graph)).encode())

    def kept(self, directory: Path, store: RecordStore) -> StoredGraph | None:
        """The graph in `directory`, if it is complete and was made of the records of `store`; else None.

        Raises
        ------
        DamagedRecordsError
            If so, but a file of records is damaged.
        """
        try:
            known = json.loads(read_file(directory / _FILE))
            graph = StoredGraph.open(directory)
            if known != self._facts(store, graph):
                return None
            graph.check_digests()
        except (OSError, ValueError, RecursionError, GraphDirectoryError):
            return None
        # Behind the `try`: damaged records have to be read again, not only assembled.
        store.shards.verify()
        return graph

    def _facts(self, store: RecordStore, graph: StoredGraph) -> dict[str, str]:
        discarded = graph.directory / DISCARDED
        return {
            "of": self._digest(store),
            "build_id": graph.build_id,
            "discarded": hashlib.sha256(discarded.read_bytes()).hexdigest() if discarded.is_file() else "",
        }

    def _digest(self, store: RecordStore) -> str:
        content = [
            metadata.version("kgscripts"),
            _code(),
            store.digest(),
            [[item.version, [asdict(model) for model in item.models]] for item in self.extractors],
            [
                [item.version, [asdict(model) for model in item.networks], *map(dict, (item.reader_of, item.predicts))]
                for item in self.enrichers
            ],
            [[item.name, item.version] for item in self.packages],
            TABLE_NAMES,
            self.base_iri,
            self.licence,
            self.min_support,
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _code() -> str:
    """SHA-256 of the code of assembly, the packages and lists that it uses, and the types."""
    digest = hashlib.sha256((verb_objects_digest() + "".join(word_list_digests().values())).encode())
    for package in (kgscripts.assembly, kgscripts.changes, kgscripts.titles, kgscripts.typicality, schemas):
        for pattern in ("**/*.py", "data/*.tsv", "data/*.txt", "data/*.json"):
            for path in sorted(Path(package.__path__[0]).glob(pattern)):
                digest.update(path.read_bytes())
    return digest.hexdigest()
