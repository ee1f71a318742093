"""Conformance of texts with the written script of their scenario: what each text does, leaves out, adds and does in
another order.

A text conforms to a script if it tells every essential step, and no step before one that must precede it. The shares
are those of conformance checking (van der Aalst, Adriansyah and van Dongen 2012): *fitness* of what the script
requires, *precision* of what the text tells.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import attrs
import networkx as nx
from attrs import field, frozen

from kgscripts.corpora.scripts.reader import FORMAT
from kgscripts.scripts.names import column
from kgscripts.scripts.reading import read_script
from kgscripts.scripts.types import Script, Step
from schemas.errors import QueryError
from schemas.json_schema import json_schema
from schemas.script_graph import StoredGraph


@frozen(kw_only=True)
class Disorder:
    """A step that a text tells before another one that must precede it (labels)."""

    told_first: str
    should_precede: str


@frozen(kw_only=True)
class TextConformance:
    """How one text follows the script; steps are labels, in the order of the script or of the text.

    `fitness` is the share of the essential steps that it tells, `precision` the share of its steps that are steps of
    the script; None where there are no such steps.
    """

    source: str
    told: tuple[str, ...] = field(converter=tuple[str, ...])
    left_out: tuple[str, ...] = field(converter=tuple[str, ...])
    added: tuple[str, ...] = field(converter=tuple[str, ...])
    out_of_order: tuple[Disorder, ...] = field(converter=tuple[Disorder, ...])
    fitness: float | None
    precision: float | None


@frozen(kw_only=True)
class StepConformance:
    """A step with the number of texts that tell it (`texts`); `written` is whether the script has it."""

    iri: str
    label: str
    written: bool
    essential: bool
    texts: int


@frozen(kw_only=True)
class Conformance:
    """How the texts of a scenario follow its written script: text by text, and step by step."""

    scenario: str
    scripts: tuple[str, ...] = field(converter=tuple[str, ...])
    texts: tuple[TextConformance, ...] = field(converter=tuple[TextConformance, ...])
    steps: tuple[StepConformance, ...] = field(converter=tuple[StepConformance, ...])

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON; `conformance_schema` describes it."""
        return attrs.asdict(self)


def conformance_schema() -> dict[str, Any]:
    """The JSON Schema of `Conformance.to_dict` and of ``kgscripts compare DIR SCENARIO --json``."""
    return {**json_schema(Conformance), "title": "The conformance of texts with a script of kgscripts"}


def conformance_of(graph: StoredGraph, scenario: str) -> Conformance:
    """Compare the texts of a scenario with its written script.

    Raises
    ------
    QueryError
        If no scenario or several scenarios have this name, or the graph has no script or no text of it.
    """
    script = read_script(graph, scenario)
    steps = {step.iri: step for step in script.steps}
    order = _told(graph, script)
    names = {row["id"]: row for row in graph.rows("Source", ("id", "name", "format"), {"id": order})}
    written = {source for source, row in names.items() if row["format"] == FORMAT}
    if not written:
        raise QueryError(
            f"no written script of {script.label!r} is in the graph",
            where=str(graph.directory),
            remedy="build it with --also everyday, or with a script of your own as an input",
        )
    if len(written) == len(order):
        raise QueryError(
            f"no text of {script.label!r} is in the graph", where=str(graph.directory), remedy="add texts to the build"
        )
    texts = sorted((source for source in order if source not in written), key=lambda source: names[source]["name"])
    direct = nx.DiGraph([(pair.before, pair.after) for pair in script.precedes if pair.required])
    required = set(nx.transitive_closure_dag(direct).edges)
    return Conformance(
        scenario=script.label,
        scripts=sorted(names[source]["name"] for source in written),
        texts=[_text(names[source]["name"], order[source], steps, required) for source in texts],
        steps=[
            StepConformance(
                iri=step.iri,
                label=step.label_text,
                written=step.written,
                essential=step.essential,
                texts=sum(step.iri in order[source] for source in texts),
            )
            for step in script.steps
        ],
    )


def _told(graph: StoredGraph, script: Script) -> dict[str, list[str]]:
    """The steps (IRIs) that each source of a scenario tells, by the source's id, in the order of first mentions."""
    by_id = {step.iri.removeprefix(graph.manifest.base_iri): step.iri for step in script.steps}
    links = list(graph.rows("REALIZES", ("from_id", "to_id"), {"to_id": by_id}))
    passages = {
        row["id"]: row
        for row in graph.rows("Passage", ("id", "source", "start"), {"id": set(column(links, "from_id"))})
    }
    by_source: dict[str, list[str]] = defaultdict(list)
    for link in sorted(links, key=lambda link: (passages[link["from_id"]]["start"], link["to_id"])):
        told = by_source[passages[link["from_id"]]["source"]]
        if by_id[link["to_id"]] not in told:
            told.append(by_id[link["to_id"]])
    return dict(by_source)


def _text(
    name: str, told: Sequence[str], steps: Mapping[str, Step], required: Collection[tuple[str, str]]
) -> TextConformance:
    place = {iri: number for number, iri in enumerate(told)}
    essential = [step for step in steps.values() if step.written and step.essential]
    known = [iri for iri in told if steps[iri].written]
    return TextConformance(
        source=name,
        told=[step.label_text for step in steps.values() if step.iri in place and step.written],
        left_out=[step.label_text for step in essential if step.iri not in place],
        added=[steps[iri].label_text for iri in told if not steps[iri].written],
        out_of_order=[
            Disorder(told_first=steps[later].label_text, should_precede=steps[earlier].label_text)
            for number, later in enumerate(told)
            for earlier in told[number + 1 :]
            if (earlier, later) in required
        ],
        fitness=sum(step.iri in place for step in essential) / len(essential) if essential else None,
        precision=len(known) / len(told) if told else None,
    )
