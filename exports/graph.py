"""The graph and the script of a user: what is asked of them most is a method, imported when it is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
from attrs import frozen

from kgscripts.scripts import types
from schemas.arguments import check_number, check_texts, check_type
from schemas.errors import ConfigurationError, without_extra
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.script_graph import StoredGraph
from schemas.tables import TABLE_NAMES

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from kgscripts.planning.plan import Plan
    from kgscripts.search.entries import Answer
    from schemas.results import ExportReport, Table


@frozen(kw_only=True, repr=False)
class Script(types.Script):
    """A script that shows itself and makes its plan."""

    def __str__(self) -> str:
        """The script as `kgscripts show` prints it."""
        from exports.views.script_tree import script_text

        return script_text(self)

    def _repr_html_(self) -> str:
        from exports.views.notebook import script_html

        return script_html(self)

    def plan(self, *, likely: bool = False) -> Plan:
        """The script as a plan: what must hold before each step, and what it changes.

        Only certain changes count; with `likely`, the others too. The passages of the plan are those of the script:
        read it with ``evidence=1`` to have them.

        Raises
        ------
        InputError
            If the order of the steps has a circle.
        """
        from kgscripts.planning.scripts import plan_of_script

        return plan_of_script(self, likely=likely)

    def to_frame(self) -> pd.DataFrame:
        """One row for each step, in order, numbered from 1; parts are lists of labels."""
        import pandas as pd

        numbers = ("rank", "support", "probability", "mean_position", "typicality", "usual", "essential", "optional")
        parts = ("tools", "participants", "changes", "decomposes_into", "alternatives")
        rows = [
            {
                "step": step.label_text,
                **{name: getattr(step, name) for name in numbers},
                **{name: [part.label for part in getattr(step, name)] for name in parts},
            }
            for step in self.steps
        ]
        index = pd.RangeIndex(1, len(rows) + 1, name="number")
        return pd.DataFrame(rows, index=index, columns=["step", *numbers, *parts])

    def to_networkx(self) -> nx.MultiDiGraph:
        """The script in networkx: nodes are IRIs with `type` and `label`, the key of an edge is its relation type.

        Edges have `support` and `probability`, and what else the relation has, such as `role`. A PRECEDES edge that
        only follows from steps that are left out has neither.
        """
        import networkx as nx

        result = nx.MultiDiGraph(label=self.label)
        result.add_node(self.iri, type="Scenario", label=self.label, support=self.support)
        for need in self.needs:
            _add(result, self.iri, "NEEDS", [need], "Tool" if need.is_tool else "Entity")
        for step in self.steps:
            _add(result, self.iri, "HAS_SUB_EVENT", [step], "SubEvent")
        for start, end in self.order:
            result.add_edge(start, end, "PRECEDES", type="PRECEDES")
        for pair in self.precedes:
            names = ("support", "probability", "lower", "required")
            numbers = {name: getattr(pair, name) for name in names}
            result.add_edge(pair.before, pair.after, "PRECEDES", type="PRECEDES", **numbers)
        for step in self.steps:
            _add(result, step.iri, "USES", step.tools, "Tool")
            _add(result, step.iri, "HAS_PARTICIPANT", step.participants, "Entity")
            _add(result, step.iri, "CHANGES", step.changes, "StateChange")
            _add(result, step.iri, "DECOMPOSES_INTO", step.decomposes_into, "SubEvent")
            _add(result, step.iri, "ALTERNATIVE_TO", step.alternatives, "SubEvent")
            _add(result, step.iri, "CLOSE_MATCH", step.matches, "SubEvent")
            for name, parts in step.further.items():
                _add(result, step.iri, name, parts, RELATION_TYPES[name].ends[0][1])
        return result


@frozen(repr=False)
class ScriptGraph(StoredGraph):
    """A graph on disk, and what is asked of it. Tables are read when asked for; nothing is held in memory."""

    def _repr_html_(self) -> str:
        from exports.views.notebook import graph_html

        return graph_html(self)

    def script(
        self, name: str, *, limit: int | None = None, min_support: int = 1, all_steps: bool = False, evidence: int = 0
    ) -> Script:
        """The script of a scenario, as ``kgscripts show`` prints it.

        Parameters
        ----------
        name:
            Its label, another name of the same activity ("make tea" for "making tea"), or its IRI, in any case.
        limit:
            The largest number of steps, the most important ones; 0 for no limit. By default 30, and none for a scenario
            of one or two texts.
        min_support:
            Steps in fewer sources are left out.
        all_steps:
            All steps, also unusual ones; `limit` has no effect then.
        evidence:
            The most passages of each step, and of each of its parts.

        Raises
        ------
        QueryError
            If no scenario or several scenarios have this name; the remedy has the nearest names.
        """
        check_type("name", name, str, "give the name of a scenario")
        check_texts(name=name)
        for argument, number in (("limit", limit), ("min_support", min_support), ("evidence", evidence)):
            if number is not None:
                check_number(argument, number, least=1 if argument == "min_support" else 0)
        from kgscripts.scripts.reading import read_script

        limit = 0 if all_steps else limit
        read = read_script(self, name, limit=limit, min_support=min_support, usual=not all_steps, evidence=evidence)
        return Script(**{item.name: getattr(read, item.name) for item in attrs.fields(types.Script)})

    def query(
        self, sparql: str | None = None, *, cypher: str | None = None, parameters: Mapping[str, object] | None = None
    ) -> Table:
        """The result of a query in SPARQL or in Cypher; the first query builds a store in the graph directory.

        `parameters` are values by name, in place of the defaults of the query. See `exports.query.sparql.run_query` and
        `exports.cypher.cypher.run_query`.

        Raises
        ------
        QueryError
            If the query does not parse, would write, exceeds a limit, or fails.
        StoreError
            If the store cannot be written or read.
        ConfigurationError
            If there is not exactly one query, or the parameters are no values by name.
        """
        if sparql is not None and cypher is None:
            from exports.query.sparql import run_query as run_sparql

            return run_sparql(self, sparql, parameters=parameters)
        if cypher is not None and sparql is None:
            from exports.cypher.cypher import run_query as run_cypher

            return run_cypher(self, cypher, parameters=parameters)
        raise ConfigurationError(
            "a query is either in SPARQL or in Cypher",
            remedy="graph.query('SELECT ...') or graph.query(cypher='MATCH ...', parameters={...})",
        )

    def search(self, question: str, *, kind: str | None = None, limit: int = 5) -> Answer:
        """The steps, tools and scenarios that a question is about, the best of each kind; see `kgscripts.search`.

        The first search makes indexes in the graph directory.

        Raises
        ------
        ConfigurationError
            If the question has no word, or there is no such kind (``step``, ``tool``, ``scenario``).
        StoreError
            If an index cannot be written or read.
        """
        from kgscripts.search.searching import search

        return search(self, question, kind=kind, limit=limit)

    def to_frames(self) -> dict[str, pd.DataFrame]:
        """One pandas data frame for each node type and relation type, by the type's name.

        The columns are those of `select` and `rows`: `id` first for nodes, `from_id` and `to_id` for relations, then
        the properties. `iri` gives the IRI of an id, which queries return. Columns have Arrow types, so that integers
        with missing values stay integers.

        Raises
        ------
        ConfigurationError
            If pandas is not installed: it is in the extra `frames`.
        """
        try:
            import pandas as pd
        except ModuleNotFoundError as error:
            raise without_extra(error) or error from error
        return {name: self.table(name).to_pandas(types_mapper=pd.ArrowDtype) for name in TABLE_NAMES}

    def to_networkx(self) -> nx.MultiDiGraph:
        """The graph in networkx: nodes are their IRIs, the key of an edge is its relation type.

        Nodes and edges carry their `type` and their properties; a property without a value is left out. `graph.graph`
        holds `base_iri` and `build_id`.
        """
        import networkx as nx

        from exports.neo4j.property_graph import ENDS, KEY, node_batches, relation_batches

        result = nx.MultiDiGraph(base_iri=self.manifest.base_iri, build_id=self.build_id)
        for label in NODE_TYPES:
            for batch in node_batches(self, label):
                result.add_nodes_from((row.pop(KEY), {"type": label, **_known(row)}) for row in batch.to_pylist())
        for name in RELATION_TYPES:
            for batch in relation_batches(self, name):
                result.add_edges_from(
                    (row.pop(ENDS[0]), row.pop(ENDS[1]), name, {"type": name, **_known(row)})
                    for row in batch.to_pylist()
                )
        return result


def _known(row: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in row.items() if value is not None}


def _add(graph: nx.MultiDiGraph, start: str, relation: str, parts: Iterable[types.Part], node_type: str) -> None:
    """Add an edge for each part, with the properties of the part that are single values."""
    for part in parts:
        graph.add_node(part.iri, type=node_type, label=part.label)
        values = {item.name: getattr(part, item.name) for item in attrs.fields(type(part))}
        known = {name: value for name, value in values.items() if isinstance(value, str | int | float)}
        properties = {name: value for name, value in known.items() if name not in ("iri", "label")}
        graph.add_edge(start, part.iri, relation, type=relation, **properties)


def everyday() -> ScriptGraph:
    """The graph of the scripts of everyday activities that ship, which a language model wrote.

    It is unpacked at its first use. Raises GraphDirectoryError if there is no room in the user's folder of caches.
    """
    from kgscripts.everyday_scripts.graph import everyday_graph

    return ScriptGraph.open(everyday_graph())


def export(graph: StoredGraph, target: str | Path, **options: str | bool | None) -> ExportReport:
    """Write a graph to a target, identified by its suffix or scheme: ``kgscripts.export(graph, "graph.ttl.gz")``.

    `options` are those of ``kgscripts export``: `database`, `prune`, `replace_graph`, `indexes`, `dry_run`. Passwords
    are taken from the environment.

    Raises ConfigurationError if no exporter fits the target or there is no such option, and StoreError if the target
    cannot be written or the server refuses.
    """
    from exports.targets import ExportOptions
    from exports.targets import export as write

    if unknown := sorted(options.keys() - (known := {"database", "prune", "replace_graph", "indexes", "dry_run"})):
        raise ConfigurationError(f"export has no option {unknown[0]}", remedy=f"it has {', '.join(sorted(known))}")
    return write(graph, target, ExportOptions(**options))  # type: ignore[arg-type]
