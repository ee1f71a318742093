"""Check a graph: the digests of its files, its references, and the SHACL shapes over its RDF."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from exports.query.sparql import embedded_store
from exports.rdf.mapping import qualified_ids
from exports.rdf.shapes import Violation
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.kept_stores import use_store
from schemas.script_graph import StoredGraph
from schemas.tables import TABLE_NAMES
from schemas.type_declarations import ValueType
from schemas.vocabulary import ID_PREFIXES

SAMPLE = 1000
"""Default number of nodes of each type that are checked: pySHACL takes some milliseconds per node."""
_NODES_A_CALL = 500
_QUALIFIED = tuple(name for name, kind in RELATION_TYPES.items() if kind.properties and not kind.has_statement)


@frozen(kw_only=True)
class TypeCheck:
    """The number of a type's `rows` that were checked against the shapes."""

    type: str
    checked: int
    rows: int


@frozen(kw_only=True)
class ValidationReport:
    """What was checked, and the violations; `references` is the number of all references.

    `shapes` is None if they were not checked, since pySHACL is not installed.
    """

    shapes: tuple[TypeCheck, ...] | None
    references: int
    violations: tuple[Violation, ...]

    @property
    def conforms(self) -> bool | None:
        """Whether the graph is valid; None if no violation was found, but the shapes were not checked."""
        if self.violations:
            return False
        return None if self.shapes is None else True


def validate(
    graph: StoredGraph,
    sample: int | None = SAMPLE,
    progress: Callable[[str], None] | None = None,
    *,
    closed: bool = False,
) -> ValidationReport:
    """Check the digest of every file, every reference between rows, and the shapes of `sample` nodes a type (or all).

    The sample is spread evenly over a type's nodes. With `closed` a node has no property that its shape does not name.
    `progress` is called with the name of what is being checked. Shapes are checked if pySHACL is installed (extra
    `shacl`).

    Raises
    ------
    GraphDirectoryError
        If a file is not the one that the manifest names, or is damaged.
    """
    report_progress = progress or (lambda _: None)
    report_progress("files")
    graph.check_digests()
    report_progress("references")
    references, violations = _dangling(graph)
    violations += _replaced_nodes(graph)
    checks = None
    if find_spec("pyshacl") is not None:
        report_progress("store")
        checks, against_shapes = _check_shapes(graph, sample, report_progress, closed)
        violations += against_shapes
    return ValidationReport(shapes=checks, references=references, violations=tuple(violations))


def _check_shapes(
    graph: StoredGraph, sample: int | None, progress: Callable[[str], None], closed: bool
) -> tuple[tuple[TypeCheck, ...], list[Violation]]:
    from exports.rdf.shacl import ShapesOver

    shapes = use_store(lambda: embedded_store(graph), lambda path: ShapesOver(path, closed=closed))
    checks: list[TypeCheck] = []
    violations: list[Violation] = []
    for name in (*NODE_TYPES, *_QUALIFIED):
        progress(name)
        rows = graph.manifest.rows(name)
        count = rows if sample is None else min(sample, rows)
        for nodes in _chosen(graph, name, count):
            violations += shapes.violations(name if name in NODE_TYPES else "QualifiedRelation", nodes)
            if name == "SubEvent":
                violations += shapes.violations("Replaced", shapes.replaced_by(nodes))
            if name == "Passage":
                # With focus nodes pySHACL does not follow sh:node from a passage to its selector.
                violations += shapes.violations("Span", [f"{node}.selector" for node in nodes])
        checks.append(TypeCheck(type=name, checked=count, rows=rows))
    return tuple(checks), violations


def _chosen(graph: StoredGraph, name: str, count: int) -> Iterator[list[str]]:
    """The IRIs of `count` of a type's rows, spread evenly."""
    rows = graph.manifest.rows(name)
    chosen = np.arange(count, dtype=np.int64) * rows // max(count, 1)
    before = 0
    for batch in graph.batches(name):
        here = chosen[(chosen >= before) & (chosen < before + batch.num_rows)] - before
        before += batch.num_rows
        taken = batch.take(pa.array(here))
        column = taken.column
        ids = column("id") if name in NODE_TYPES else qualified_ids(name, column("from_id"), column("to_id"))
        iris = [graph.iri(identifier) for identifier in ids.to_pylist()]
        for start in range(0, len(iris), _NODES_A_CALL):
            yield iris[start : start + _NODES_A_CALL]


def _dangling(graph: StoredGraph) -> tuple[int, list[Violation]]:
    """Return the number of references, and a violation for each to a node that does not exist."""
    followed = 0
    violations: dict[tuple[str, str, str], Violation] = {}
    known = {node_type: graph.select(node_type, ["id"])["id"] for node_type in ID_PREFIXES}
    for name in TABLE_NAMES:
        references = [(node_type, column) for node_type in known for column in _reference_columns(name, node_type)]
        for batch in graph.batches(name) if references else ():
            for node_type, column in references:
                targets = batch.column(column)
                targets = targets.filter(pc.starts_with(targets, f"{ID_PREFIXES[node_type]}/"))
                followed += len(targets)
                for missing in pc.unique(targets.filter(pc.invert(pc.is_in(targets, known[node_type])))).to_pylist():
                    violations[name, column, missing] = Violation(
                        node=graph.iri(missing), path=None, message=f"{name}.{column} names it, but it is not there"
                    )
    return followed, list(violations.values())


def _replaced_nodes(graph: StoredGraph) -> Iterator[Violation]:
    """Find the ids that a step replaces although they still name a node."""
    known = graph.select("SubEvent", ["id"])["id"]
    for batch in graph.batches("SubEvent"):
        replaced = pc.list_flatten(batch.column("replaces"))
        for identifier in replaced.filter(pc.is_in(replaced, known)).to_pylist():
            yield Violation(
                node=graph.iri(identifier), path=None, message="SubEvent.replaces: is replaced, but it is there"
            )


def _reference_columns(name: str, node_type: str) -> list[str]:
    """The columns of a type's table that may name nodes of `node_type`."""
    properties = NODE_TYPES[name].properties if name in NODE_TYPES else RELATION_TYPES[name].properties
    columns = [item.name for item in properties if item.type is ValueType.NODE]
    if name in RELATION_TYPES:
        starts, ends = zip(*RELATION_TYPES[name].ends, strict=True)
        columns += ["from_id"] * (node_type in starts) + ["to_id"] * (node_type in ends)
    return columns
