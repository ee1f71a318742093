"""Read the steps of scripts with their parts and the passages behind them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from attrs import asdict, evolve

from kgscripts.changes.derived import derived_effects
from kgscripts.scripts.causes import readers_of
from kgscripts.scripts.names import Row, column
from kgscripts.scripts.types import (
    ENOUGH,
    Change,
    DerivedChange,
    Evidence,
    Match,
    Part,
    Participant,
    Step,
    StepCorrection,
    Tool,
    is_added,
)
from schemas.changes import Level
from schemas.graph_types import RELATION_TYPES
from schemas.records import OF_PLACE
from schemas.script_graph import StoredGraph
from schemas.type_declarations import installed_relation_types

_OF_STEPS = ("rank", "mean_position", "typicality", "usual", "essential", "essential_probability", "optional")
_NAMES = ("label", "label_text")
_WRITTEN = ("wordings", "conditions", "variants", "left_out_of", "parts")
_KNOWLEDGE = ("from_id", "to_id", "support", "probability", "statement")
_FURTHER = {
    "USES": ("role", "predicted", "inferred", "pmi"),
    "HAS_PARTICIPANT": ("role",),
    "DECOMPOSES_INTO": ("position",),
    "CHANGES": ("level", "pmi"),
    "CLOSE_MATCH": ("similarity",),
    "NEEDS": ("role", "declared", "used", "amount", "instead", "optional", "usual"),
}
"""The columns of relations that are read besides `_KNOWLEDGE`."""


def with_derived(step: Step) -> Step:
    """The step with what follows from its certain changes."""
    certain = [change for change in step.changes if change.level is Level.CERTAIN]
    effects = [DerivedChange(**asdict(effect), follows_from=change.iri) for effect, change in derived_effects(certain)]
    return evolve(step, derived=effects)


def read_steps(graph: StoredGraph, relations: Mapping[str, Row], most: int, *, readers: bool = False) -> list[Step]:
    """The steps whose HAS_SUB_EVENT rows are `relations`, by their ids and in their order.

    Each step and each of its parts has at most `most` passages as evidence, and with `readers` the models behind it.
    """
    steps = list(relations)
    uses, takes_part = parts_of(graph, "USES", steps), parts_of(graph, "HAS_PARTICIPANT", steps)
    changes, concrete = changes_of(graph, steps), parts_of(graph, "DECOMPOSES_INTO", steps)
    alternatives, matches = alternatives_of(graph, steps), matches_of(graph, steps)
    further = {
        item.name: parts_of(graph, item.name, steps)
        for item in installed_relation_types()
        if item.ends[0][0] == "SubEvent"
    }
    wordings = parts_of(graph, "EXPRESSED_AS", steps)
    nodes = {row["id"]: row for row in graph.rows("SubEvent", ("id", *_NAMES, *_WRITTEN), {"id": steps})}
    corrections, durations = corrections_of(graph, steps), durations_of(graph, steps)
    statements = {row["statement"] for row in relations.values()}
    for related in (uses, takes_part, changes, concrete, alternatives, matches, *further.values()):
        statements |= {row["statement"] for step in steps for row in related.get(step, ())}
    evidence = evidence_of(graph, statements, most)
    read_by = readers_of(graph, statements) if readers else {}

    def known(row: Row) -> dict[str, Any]:
        return {**common(graph, row, evidence), "read_by": read_by.get(row["statement"], ())}

    def parts(rows: Iterable[Row]) -> list[Part]:
        return [Part(**known(row)) for row in rows]

    return [
        Step(
            **known({**row, **{name: nodes[step][name] for name in _NAMES}}),
            **{name: row[name] for name in _OF_STEPS},
            written=bool(row["written"]),
            wordings=nodes[step]["wordings"] or [wording["label"] for wording in wordings.get(step, ())],
            **_listed(nodes[step], _WRITTEN[1:]),
            durations=durations.get(step, ()),
            tools=[
                Tool(**known(tool), **{name: tool[name] for name in ("role", "predicted", "inferred")})
                for tool in uses.get(step, ())
            ],
            participants=[Participant(**known(entity), role=entity["role"]) for entity in takes_part.get(step, ())],
            changes=[
                Change(
                    **known(change),
                    **{name: change[name] for name in ("entity", "attribute", "before", "after")},
                    level=Level(change["level"]),
                )
                for change in changes.get(step, ())
            ],
            decomposes_into=parts(concrete.get(step, ())),
            alternatives=parts(alternatives.get(step, ())),
            matches=[
                Match(**known(other), scenario=other["scenario"], similarity=other["similarity"])
                for other in matches.get(step, ())
            ],
            further={name: tuple(parts(rows[step])) for name, rows in further.items() if rows.get(step)},
            corrections=corrections[step],
        )
        for step, row in relations.items()
    ]


def _listed(row: Row, names: Iterable[str]) -> dict[str, Any]:
    """Lists of words, which are absent if they are empty."""
    return {name: row[name] or () for name in names}


def common(graph: StoredGraph, row: Row, evidence: Mapping[str, Sequence[Evidence]]) -> dict[str, Any]:
    """What all parts have, of the row of a relation with the label of its end."""
    return {
        "iri": graph.iri(row["to_id"]),
        "label": row["label"],
        "label_text": row["label_text"],
        "support": row["support"],
        "probability": row["probability"],
        "evidence": evidence.get(row["statement"], ()),
    }


def parts_of(graph: StoredGraph, relation: str, steps: Collection[str]) -> Mapping[str, Sequence[Row]]:
    """The rows of a relation that begins at steps or scenarios, by where it begins, each with the `label` of its end.

    They are sorted by support, concrete steps by position; what a person added comes first, and containers and surfaces
    are behind the other tools. Tools of two sources or more are before those of one.
    """
    ends = [end for _, end in RELATION_TYPES[relation].ends]
    rows = list(graph.rows(relation, (*_KNOWLEDGE, *_FURTHER.get(relation, ())), {"from_id": steps}))
    names = {node: both for end in ends for node, both in graph.names(end, column(rows, "to_id")).items()}
    rows.sort(
        key=lambda row: (
            row.get("position", 0),
            not is_added(row["support"], row["probability"]),
            relation == "USES" and row["support"] < ENOUGH,
            row.get("role") in OF_PLACE,
            -row["support"],
            row.get("level") == Level.LIKELY,
            -row["probability"],
            names[row["to_id"]],
        )
    )
    parts: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        label, text = names[row["to_id"]]
        parts[row["from_id"]].append({**row, "label": label, "label_text": text})
    return parts


def changes_of(graph: StoredGraph, steps: Collection[str]) -> Mapping[str, Sequence[Row]]:
    """The rows of CHANGES by step, as `parts_of` has them, with `entity`, `attribute`, `before` and `after`."""
    parts = parts_of(graph, "CHANGES", steps)
    wanted = {"id": {row["to_id"] for rows in parts.values() for row in rows}}
    values = {row["id"]: row for row in graph.rows("StateChange", ("id", "before", "after"), wanted)}
    ends = {"from_id": wanted["id"]}
    attributes = {row["from_id"]: row["to_id"] for row in graph.rows("OF_ATTRIBUTE", where=ends)}
    # A thing that is also a tool is the end of two relations, with the same label.
    things = {row["from_id"]: row["to_id"] for row in graph.rows("OF_ENTITY", where=ends)}
    labels = graph.labels("Attribute", attributes.values())
    labels |= graph.labels("Entity", things.values()) | graph.labels("Tool", things.values())
    return {
        step: [
            {
                **row,
                "entity": labels[things[row["to_id"]]],
                "attribute": labels[attributes[row["to_id"]]],
                "before": values[row["to_id"]]["before"],
                "after": values[row["to_id"]]["after"],
            }
            for row in rows
        ]
        for step, rows in parts.items()
    }


def alternatives_of(graph: StoredGraph, steps: Collection[str]) -> Mapping[str, Sequence[Row]]:
    """The alternatives of each step, those in the most sources first."""
    alternatives = _joined(graph, "ALTERNATIVE_TO", steps)
    for rows in alternatives.values():
        rows.sort(key=lambda row: (-row["support"], row["label"], row["to_id"]))
    return alternatives


def matches_of(graph: StoredGraph, steps: Collection[str]) -> Mapping[str, Sequence[Row]]:
    """The same step of other scenarios (`scenario`) for each step, the most similar first."""
    matches = _joined(graph, "CLOSE_MATCH", steps)
    scenarios = graph.labels("Scenario", {row["scenario"] for rows in matches.values() for row in rows})
    named = {
        step: [{**row, "scenario": scenarios[row["scenario"]]} for row in rows if row["scenario"]]
        for step, rows in matches.items()
    }
    for rows in named.values():
        rows.sort(key=lambda row: (-row["similarity"], row["scenario"], row["to_id"]))
    return named


def _joined(graph: StoredGraph, relation: str, steps: Collection[str]) -> dict[str, list[Row]]:
    """The rows of a symmetric relation by step, from either end, each with `label` and `scenario` of the other one."""
    columns = (*_KNOWLEDGE, *_FURTHER.get(relation, ()))
    pairs = [
        {**row, "from_id": row[own], "to_id": row[far]}
        for own, far in (("from_id", "to_id"), ("to_id", "from_id"))
        for row in graph.rows(relation, columns, {own: steps})
    ]
    names = ("label", "label_text", "scenario")
    others = {row["id"]: row for row in graph.rows("SubEvent", ("id", *names), {"id": column(pairs, "to_id")})}
    by_step: dict[str, list[Row]] = defaultdict(list)
    for pair in pairs:
        other = others[pair["to_id"]]
        by_step[pair["from_id"]].append({**pair, **{name: other[name] for name in names}})
    return by_step


def durations_of(graph: StoredGraph, steps: Collection[str]) -> Mapping[str, Sequence[str]]:
    """How long each step takes in the words of its mentions, the most frequent wording first."""
    links = list(graph.rows("REALIZES", ("from_id", "to_id"), {"to_id": steps}))
    passages = graph.rows("Passage", ("id", "durations"), {"id": column(links, "from_id")})
    durations = {row["id"]: row["durations"] for row in passages if row["durations"]}
    by_step: dict[str, Counter[str]] = defaultdict(Counter)
    for link in links:
        by_step[link["to_id"]].update(words.lower() for words in durations.get(link["from_id"], ()))
    return {step: sorted(counts, key=lambda words: (-counts[words], words)) for step, counts in by_step.items()}


def corrections_of(graph: StoredGraph, nodes: Collection[str]) -> dict[str, tuple[StepCorrection, ...]]:
    """The corrections of each node, the oldest first."""
    links = list(graph.rows("CORRECTED_BY", where={"from_id": nodes}))
    rows = graph.rows("Correction", ("id", "label", "author", "time"), {"id": column(links, "to_id")})
    corrections: dict[str, list[StepCorrection]] = defaultdict(list)
    for row in sorted(rows, key=itemgetter("time", "id")):
        for link in links:
            if link["to_id"] == row["id"]:
                correction = StepCorrection(label=row["label"], author=row["author"], time=row["time"])
                corrections[link["from_id"]].append(correction)
    return {node: tuple(corrections[node]) for node in nodes}


def evidence_of(graph: StoredGraph, statements: Collection[str], most: int) -> Mapping[str, Sequence[Evidence]]:
    """At most `most` sentences behind each statement: short ones first, and one of each source before a second one.

    The sentence of a mention is the smallest passage around it; the words that were read are the mention.
    """
    evidence: dict[str, list[Evidence]] = defaultdict(list)
    if most == 0:
        return evidence
    links = list(graph.rows("EVIDENCED_BY", where={"from_id": statements}))
    passages = {row["id"]: row for row in graph.rows("Passage", where={"id": column(links, "to_id")})}
    sentences = _sentences(graph, passages)
    chosen: dict[str, list[str]] = defaultdict(list)
    for link in sorted(links, key=lambda row: (_length(sentences[row["to_id"]]), row["to_id"])):
        chosen[link["from_id"]].append(link["to_id"])
    kept = {statement: _spread(ids, sentences)[:most] for statement, ids in chosen.items()}
    wanted = {sentences[passage]["source"] for ids in kept.values() for passage in ids}
    names = {row["id"]: row["name"] for row in graph.rows("Source", ("id", "name"), {"id": wanted})}
    for statement, ids in kept.items():
        evidence[statement] = [_evidence(passages[passage], sentences[passage], names) for passage in ids]
    return evidence


def _sentences(graph: StoredGraph, passages: Mapping[str, Row]) -> dict[str, Row]:
    """The passage to print for each passage: the smallest one around a mention, else the passage itself."""
    mentions = {identifier for identifier, row in passages.items() if row["kind"] == "mention"}
    within = list(graph.rows("WITHIN", where={"from_id": mentions}))
    wider = {row["id"]: row for row in graph.rows("Passage", where={"id": column(within, "to_id")})}
    links = [row for row in within if row["to_id"] in wider]
    links.sort(key=lambda row: (_length(wider[row["to_id"]]), row["to_id"]), reverse=True)
    return {**passages, **{row["from_id"]: wider[row["to_id"]] for row in links}}


def _spread(ids: Iterable[str], sentences: Mapping[str, Row]) -> list[str]:
    """Passages in another order: the first one of each source and each text before all others, no sentence twice.

    Corpora may have the same text in several sources.
    """
    seen_sources: set[str] = set()
    seen_texts: set[str] = set()
    seen: set[str] = set()
    first: list[str] = []
    others: list[str] = []
    for passage in ids:
        sentence = sentences[passage]
        if sentence["id"] in seen:
            continue
        seen.add(sentence["id"])
        known = sentence["source"] in seen_sources or sentence["text"] in seen_texts
        (others if known else first).append(passage)
        seen_sources.add(sentence["source"])
        seen_texts.add(sentence["text"])
    return first + others


def _evidence(mention: Row, sentence: Row, names: Mapping[str, str]) -> Evidence:
    start = sentence["start"]
    return Evidence(
        text=sentence["text"],
        words_start=max(0, mention["start"] - start),
        words_end=min(mention["end"], sentence["end"]) - start,
        source=names[sentence["source"]],
        start=start,
        end=sentence["end"],
    )


def _length(passage: Row) -> int:
    length: int = passage["end"] - passage["start"]
    return length
