"""Records -> script graph: a pure function of all records, the same bytes whatever the order they came in."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import evolve

from kgscripts.assembly.decompositions import AlignedSteps, decomposes_into, highest
from kgscripts.assembly.discards import DiscardLog, log_inputs
from kgscripts.assembly.evidence import Stated, write_evidence, write_models, write_relations
from kgscripts.assembly.instances import Instances, integers, write_instances
from kgscripts.assembly.knowledge import (
    Step,
    expressed_as,
    find_steps,
    has_sub_event,
    most_frequent_roles,
    scenarios_of,
    takes,
)
from kgscripts.assembly.names import Integers, Nodes
from kgscripts.assembly.nodes import Vocabulary, write_sources, write_steps, write_words
from kgscripts.assembly.order import Order, precedes, ranked
from kgscripts.assembly.predicted_tools import ToolPredictor, with_predictions
from kgscripts.assembly.relations import Column, Mentions, Relations, Said, distinct, pairs
from kgscripts.assembly.store import RecordStore
from schemas.manifest import Manifest
from schemas.provenance import Model
from schemas.records import Discard, DiscardReason
from schemas.script_graph import ScriptGraph, ScriptGraphWriter
from schemas.vocabulary import node_id


def assemble(
    store: RecordStore,
    directory: Path,
    *,
    base_iri: str,
    min_support: int = 1,
    predictor: ToolPredictor | None = None,
) -> ScriptGraph:
    """Make the graph of all records and put it into place.

    Knowledge that fewer than `min_support` sources tell stays out, nodes and relations alike. With a `predictor` the
    steps that decompose also get tools that nobody names, marked as predicted.

    Raises
    ------
    GraphDirectoryError
        If records are missing or damaged, or the graph cannot be written.
    """
    store.check()
    with ScriptGraphWriter(directory) as writer:
        with writer.discarded() as write_line:
            log = DiscardLog(write_line)
            names = log_inputs(store, log)
            found = write_instances(store, writer, names, log.add)
            models = store.models() if predictor is None else [*store.models(), predictor.model]
            _write_knowledge(found, store, writer, models, min_support, log, predictor)
        return writer.finish(
            Manifest(
                base_iri=base_iri,
                sources=len(names),
                characters=sum(source["characters"] for source in found.sources),
                sources_digest=hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest(),
                models={model.digest: f"{model.name} {model.version}" for model in models},
                configuration={"min_support": min_support, "predict_tools": predictor is not None},
                discards=dict(sorted(log.counts.items())),
            )
        )


def _write_knowledge(
    found: Instances,
    store: RecordStore,
    writer: ScriptGraphWriter,
    known_models: Sequence[Model],
    min_support: int,
    log: DiscardLog,
    predictor: ToolPredictor | None,
) -> None:
    words = Vocabulary.of(found)
    steps, mentions = _told(found, words)
    write_steps(writer, steps, words.scenarios, mentions, min_support)
    support = _support(found, words, mentions)
    write_words(writer, words, support, min_support)

    scenario_of_step = scenarios_of(steps)
    order = precedes(mentions, scenario_of_step, min_support)
    _log_contradictions(order.contradicted, steps, log)
    sources_of_scenario = write_sources(writer, found, words.scenarios)
    aligned = AlignedSteps.of(found, words.tools.place)
    steps_of_scenarios = has_sub_event(mentions, scenario_of_step, sources_of_scenario)

    def of_step(name: str, end: Nodes[Any], relations: Relations) -> Stated:
        return Stated(name, steps, end, relations, scenario_of_step[relations.start])

    stated = [
        Stated("HAS_SUB_EVENT", words.scenarios, steps, steps_of_scenarios, steps_of_scenarios.start),
        of_step("PRECEDES", steps, order.relations),
        of_step("DECOMPOSES_INTO", steps, decomposes_into(aligned, mentions)),
        of_step("EXPRESSED_AS", words.actions, expressed_as(mentions)),
        of_step("HAS_PARTICIPANT", words.entities, _participants(found, words, mentions)),
        of_step("USES", words.tools, _tools(found, words, aligned, mentions)),
    ]
    stated = [_supported(item, min_support, log) for item in stated]
    stated[0] = evolve(stated[0], relations=ranked(stated[0].relations, stated[1].relations))
    models = Nodes(known_models, lambda model: node_id("Model", model.name, model.name, model.digest))
    readers = _readers(found, store, models)
    if predictor is not None:
        tools = [
            (place, words.tools.values[place]) for place in np.flatnonzero(support["Tool"] >= min_support).tolist()
        ]
        abstract = np.unique(stated[2].relations.start)
        uses = with_predictions(stated[-1].relations, abstract, steps, tools, predictor, len(readers))
        stated[-1] = of_step("USES", words.tools, uses)
        readers.append([models.values.index(predictor.model)])
    statements = write_relations(writer, stated, words.scenarios)
    write_models(writer, models)
    write_evidence(writer, stated, statements, mentions.passage_ids, models, readers)


def _told(found: Instances, words: Vocabulary) -> tuple[Nodes[Step], Mentions]:
    """The steps, and all mentions with the places of what they tell."""
    source = integers(found.mention_source)
    action = words.actions.place[integers(found.mention_action)]
    scenario = np.append(words.scenarios.place, -1)[integers(found.source_scenario)]
    steps, step = find_steps(scenario[source], action, words.scenarios, words.actions)
    mentions = Mentions(
        source=source,
        passage=integers(found.mention_passage),
        passage_ids=pa.array(found.passages, pa.string()),
        extractor=integers(found.mention_extractor),
        score=np.array(found.mention_score, np.float64),
        position=np.array(found.mention_position, np.float64),
        action=action,
        step=step,
    )
    return steps, mentions


def _support(found: Instances, words: Vocabulary, mentions: Mentions) -> dict[str, Integers]:
    """In how many sources each action, entity and tool was read."""
    participant = words.entities.place[integers(found.participant_entity)]
    named = np.concatenate((integers(found.tool_tool), integers(found.steps.tool_tool)))
    of_steps = integers(found.steps.abstract)[integers(found.steps.tool_step)]
    tool, mention_of_tool = words.tools.place[named], np.concatenate((integers(found.tool_mention), of_steps))
    return {
        "Action": distinct(mentions.action, mentions.source, len(words.actions)),
        "Entity": distinct(participant, mentions.source[integers(found.participant_mention)], len(words.entities)),
        "Tool": distinct(tool, mentions.source[mention_of_tool], len(words.tools)),
    }


def _participants(found: Instances, words: Vocabulary, mentions: Mentions) -> Relations:
    mention = integers(found.participant_mention)
    entity = words.entities.place[integers(found.participant_entity)]
    relations = takes(Said.by(mention, mentions), entity, mentions)
    return most_frequent_roles(relations, mentions.step[mention], entity, integers(found.participant_role))


def _tools(found: Instances, words: Vocabulary, aligned: AlignedSteps, mentions: Mentions) -> Relations:
    """The tools that mentions name themselves, and those of abstract mentions that their concrete steps name."""
    told = Said.by(integers(found.tool_mention), mentions)
    by_steps = aligned.tools_said(mentions)
    tool = np.concatenate((words.tools.place[integers(found.tool_tool)], aligned.tool))
    relations = takes(told + by_steps, tool, mentions)
    _, _, row = pairs(mentions.step[(told + by_steps).mention], tool)
    log_probability = highest(row[len(told.mention) :], aligned.log_probability[aligned.tool_step], len(relations))
    columns: dict[str, Column] = {"log_probability": log_probability, "predicted": np.zeros(len(relations), np.bool_)}
    return evolve(relations, columns=relations.columns | columns)


def _supported(stated: Stated, min_support: int, log: DiscardLog) -> Stated:
    """The relations that enough sources tell; the others are logged."""
    keep = stated.relations.support >= min_support
    for row in np.flatnonzero(~keep).tolist():
        start, end = stated.start.ids[stated.relations.start[row]], stated.end.ids[stated.relations.end[row]]
        log.add(Discard(reason=DiscardReason.BELOW_SUPPORT, where=start, detail=f"{stated.name} {end}"))
    return evolve(stated, relations=stated.relations.where(keep), scenario=stated.scenario[keep])


def _log_contradictions(contradicted: list[Order], steps: Nodes[Step], log: DiscardLog) -> None:
    for order in contradicted:
        for start, end, support, against in zip(
            order.start.tolist(), order.end.tolist(), order.support.tolist(), order.against.tolist(), strict=True
        ):
            detail = f"PRECEDES {steps.ids[end]}, {support} sources for it and {against} against"
            log.add(Discard(reason=DiscardReason.CYCLE, where=steps.ids[start], detail=detail))


def _readers(found: Instances, store: RecordStore, models: Nodes[Model]) -> list[list[int]]:
    """For each extractor the places of its model and of the model that it reads with."""
    place = {(model.name, model.digest): number for number, model in enumerate(models.values)}
    return [
        sorted(
            {place[model.name, model.digest] for model in (store.readers[reader][0], store.readers[reader][1 + number])}
        )
        for reader, number in found.extractors.names()
    ]
