"""The tables of nodes, and of the relations that tie texts to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from attrs import frozen

from kgscripts.assembly.instances import Instances, integers
from kgscripts.assembly.knowledge import Step
from kgscripts.assembly.names import Integers, Nodes
from kgscripts.assembly.relations import Mentions, distinct, pairs
from kgscripts.assembly.shards import ACTION_PARTS
from kgscripts.assembly.tables import batches, taken
from kgscripts.corpora.scenarios import concept_scheme
from schemas.records import Action
from schemas.script_graph import ScriptGraphWriter
from schemas.vocabulary import node_id


@frozen
class Vocabulary:
    """The nodes that texts share."""

    scenarios: Nodes[str]
    actions: Nodes[Action]
    entities: Nodes[str]
    tools: Nodes[str]

    @classmethod
    def of(cls, found: Instances) -> Vocabulary:
        """Those that the instances name."""
        actions = [Action(**dict(zip(ACTION_PARTS, parts, strict=True))) for parts in found.actions.names()]
        return cls(
            scenarios=_named("Scenario", found.scenarios.names()),
            actions=Nodes(actions, lambda action: node_id("Action", action.label, *action.key)),
            entities=_named("Entity", found.entities.names()),
            tools=_named("Tool", found.tools.names()),
        )


def _named(node_type: str, names: list[str]) -> Nodes[str]:
    return Nodes(names, lambda name: node_id(node_type, name, name))


def write_sources(writer: ScriptGraphWriter, found: Instances, scenarios: Nodes[str]) -> Integers:
    """Write Source, Scenario and ABOUT; the number of sources about each scenario."""
    rows = sorted(found.sources, key=lambda row: str(row["id"]))
    names = list(rows[0]) if rows else ["id"]
    writer.write("Source", batches("Source", {name: [row[name] for row in rows] for name in names}))
    listed = {concept.label: list(concept.alternative_labels) for concept in concept_scheme()}
    numbers = integers(found.source_scenario)
    support = np.bincount(scenarios.place[numbers[numbers >= 0]], minlength=len(scenarios))
    columns: Mapping[str, Any] = {
        "id": scenarios.ids,
        "label": scenarios.values,
        "alternative_labels": [listed.get(label, []) for label in scenarios.values],
        "listed": [label in listed for label in scenarios.values],
        "support": support,
    }
    writer.write("Scenario", batches("Scenario", columns))
    ends = sorted(
        (str(source["id"]), scenarios.ids[scenarios.place[number]])
        for source, number in zip(found.sources, found.source_scenario, strict=True)
        if number >= 0
    )
    starts, targets = [start for start, _ in ends], [end for _, end in ends]
    writer.write("ABOUT", batches("ABOUT", {"from_id": starts, "to_id": targets, "confidence": np.ones(len(starts))}))
    return support


def write_words(
    writer: ScriptGraphWriter, words: Vocabulary, support: Mapping[str, Integers], min_support: int
) -> None:
    """Write Action, Entity and Tool, as far as enough sources name them."""
    columns: dict[str, Any] = {
        "id": words.actions.ids,
        "label": [action.label for action in words.actions.values],
        **{part: [getattr(action, part) or None for action in words.actions.values] for part in ACTION_PARTS},
    }
    _write_supported(writer, "Action", columns, support["Action"], min_support)
    for name, nodes in (("Entity", words.entities), ("Tool", words.tools)):
        _write_supported(writer, name, {"id": nodes.ids, "label": nodes.values}, support[name], min_support)


def write_steps(
    writer: ScriptGraphWriter, steps: Nodes[Step], scenarios: Nodes[str], mentions: Mentions, min_support: int
) -> None:
    """Write SubEvent and REALIZES, as far as enough sources tell the step."""
    support = distinct(mentions.step, mentions.source, len(steps))
    columns = {
        "id": steps.ids,
        "label": [step.label for step in steps.values],
        "scenario": [scenarios.id_of(step.scenario) for step in steps.values],
        "mentions": np.bincount(mentions.step, minlength=len(steps)),
        "replaces": [[]] * len(steps),
    }
    _write_supported(writer, "SubEvent", columns, support, min_support)
    told = support[mentions.step] >= min_support
    passage, step, row = pairs(mentions.passage[told], mentions.step[told])
    highest = np.zeros(len(passage))
    np.maximum.at(highest, row, mentions.score[told])
    realizes = {
        "from_id": (mentions.passage_ids, passage),
        "to_id": (pa.array(steps.ids, pa.string()), step),
        "score": (pa.array(highest), np.arange(len(highest))),
    }
    writer.write("REALIZES", taken("REALIZES", realizes))


def _write_supported(
    writer: ScriptGraphWriter, name: str, columns: Mapping[str, Any], support: Integers, min_support: int
) -> None:
    keep: npt.NDArray[np.bool_] = support >= min_support
    table = batches(name, {**columns, "support": support})
    if keep.all():
        writer.write(name, table)
    else:
        whole = pa.Table.from_batches(list(table))
        writer.write(name, whole.filter(pa.array(keep)).to_batches())
