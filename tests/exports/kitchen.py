"""A small graph as a build makes it: two scenarios of the kitchen, told by five texts, with all their evidence."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx

from kgscripts import ScriptGraph
from kgscripts.changes.attributes import agree
from kgscripts.wilson import lower_bound
from schemas.vocabulary import node_id
from tests.exports.kitchen_pairs import add_pairs
from tests.graphs import Rows, write_graph

Sentence = tuple[str, str, str, str]
"""A sentence, the label of its sub-event, its tools, its participants with their roles."""
Change = tuple[str, str, str, str]
"""Entity, attribute, before ("" if it is not said), after."""
Told = dict[str, dict[str, list[Sentence]]]
"""Scenario -> source -> sentences."""

TOLD: Told = {
    "cooking pasta": {
        "how_to.md": [
            ("Fill a large pot with water.", "fill pot with water", "pot", "water:patient cook:agent"),
            ("Boil the water on the stove.", "boil water", "stove", "water:patient"),
            ("Add a spoonful of salt.", "add salt", "", "salt:patient"),
            ("Add the pasta to the boiling water.", "add pasta", "", "pasta:patient"),
            ("Stir the pasta with a wooden spoon.", "stir pasta", "spoon", "pasta:patient"),
            ("Drain the pasta in a colander.", "drain pasta", "colander", "pasta:patient"),
            ("Serve the pasta in deep plates.", "serve pasta", "plate", "pasta:patient"),
        ],
        "short.md": [
            ("Take a pot and fill it with cold water.", "fill pot with water", "pot", "water:patient"),
            ("Boil the water in the pot.", "boil water", "pot", "water:patient"),
            ("Put the pasta in the pot.", "add pasta", "pot", "pasta:patient"),
            ("Set a timer for nine minutes.", "set timer", "", "timer:patient"),
            ("Use a fork to taste the pasta.", "taste pasta", "fork", "pasta:patient"),
            ("Drain the pasta in a strainer over the sink.", "drain pasta", "strainer", "pasta:patient sink:place"),
            ("Serve it with grated cheese.", "serve pasta", "", "cheese:companion"),
        ],
        "story.txt": [
            ("My cousin Nina boiled the water.", "boil water", "", "water:patient cousin:agent"),
            ("I added the pasta.", "add pasta", "", "pasta:patient"),
            ("Nina chopped two cloves of garlic with a small knife.", "chop garlic", "knife", "garlic:patient"),
            ("She warmed the sauce in a pan.", "warm sauce", "pan", "sauce:patient"),
            ("I drained the pasta in a colander.", "drain pasta", "colander", "pasta:patient"),
            ("Then I poured the sauce over the pasta.", "pour sauce", "", "sauce:patient pasta:place"),
            ("We served the pasta in deep plates.", "serve pasta", "plate", "pasta:patient"),
        ],
    },
    "making coffee": {
        "coffee.txt": [
            ("I boiled the water in a kettle.", "boil water", "kettle", "water:patient"),
            ("I put two spoons of coffee in the filter.", "put coffee in filter", "filter", "coffee:patient"),
            ("I poured the water into the filter.", "pour water", "filter", "water:patient"),
        ],
        "coffee.md": [
            ("Boil the water.", "boil water", "", "water:patient"),
            ("Pour the water over the coffee.", "pour water", "", "water:patient coffee:place"),
            ("Stir the coffee with a spoon.", "stir coffee", "spoon", "coffee:patient"),
        ],
    },
}
REPLACED = {"drain pasta": ["strain pasta"]}
"""The other actions of a sub-event's cluster."""
CHANGES: dict[str, list[Change]] = {
    "fill pot with water": [("pot", "volume", "empty", "full"), ("pot", "moisture", "dry", "wet")],
    "boil water": [("water", "temperature", "", "hot")],
    "add pasta": [("pasta", "location", "in box", "in pot"), ("pasta", "moisture", "dry", "wet")],
    "drain pasta": [
        ("pasta", "location", "in the pot", "in colander"),
        ("pasta", "moisture", "wet", "dry"),
        ("sink", "cleanness", "dirty", "clean"),
    ],
    "serve pasta": [("pasta", "location", "in pan", "on plate"), ("plate", "cleanness", "dirty", "clean")],
    "stir coffee": [("spoon", "moisture", "dry", "wet")],
}
"""What each mention of a sub-event changes."""
TOOL_ROLES = {"bowl": "container", "pan": "container", "plate": "support", "pot": "container", "stove": "appliance"}
"""The roles of the tools that are no instruments."""
SUPPLIES = {"water": "", "pasta": "500 g", "salt": "", "garlic": "2 cloves", "coffee": "", "sauce": ""}
"""The participants that are used up, with the amounts that lists write."""
OTHER_NAMES = {
    "cooking pasta": ["cook pasta", "make spaghetti"],
    "making coffee": ["make coffee"],
    "moisture": ["wetness"],
}


def random_kitchen(seed: int) -> Told:
    """Texts about six scenarios: each leaves out some of the scenario's steps, and names some of its tools."""
    chance = random.Random(seed)
    tools = ["knife", "colander", "pot", "pan", "spoon", "bowl"]
    things = ["pasta:patient", "water:patient", "cook:agent", "sink:place", "guest:recipient"]
    told: Told = {}
    for scenario in ("cooking pasta", "making coffee", "making tea", "baking bread", "boiling eggs", "making soup"):
        labels = [f"{chance.choice(['take', 'wash', 'drain'])} {thing}" for thing in ("pasta", "water", "lid", "jar")]
        labels += ["drain pasta", "boil water", f"only in {scenario}"]
        labels = chance.sample(sorted(set(labels)), k=5 + chance.randint(0, 1))
        told[scenario] = {
            f"{scenario} {i}.txt": [
                (
                    f"{label.capitalize()}, as {i} says.",
                    label,
                    " ".join(chance.sample(tools, chance.choice([0, 0, 1, 2]))),
                    " ".join(chance.sample(things, chance.randint(0, 2))),
                )
                for label in labels
                if chance.random() < 0.8 or label in labels[:2]
            ]
            for i in range(chance.randint(3, 6))
        }
    return told


def kitchen_rows(told: Told = TOLD) -> Rows:
    """The rows of the graph, by type."""
    rows: Rows = defaultdict(list)
    model = node_id("Model", "rules", "rules")
    rows["Model"].append(
        {"id": model, "name": "rules", "version": "1", "digest": "0" * 64, "task": "reading", "language": "en"}
    )
    for metric, value in (("precision", 0.9125), ("recall", 0.83)):
        score = node_id("BenchmarkScore", metric, model, metric)
        figure = {"dataset": "InScript", "split": "val", "metric": metric, "value": value, "unit": "share"}
        rows["BenchmarkScore"].append({"id": score, **figure, "direction": "higher", "exposure": "development"})
        rows["SCORED"].append({"from_id": model, "to_id": score})
    for scenario, sources in told.items():
        _add_scenario(rows, model, scenario, sources)
    add_pairs(rows, model)
    for name in ("Tool", "Entity", "Action", "Attribute", "StateChange"):
        support = Counter(row["id"] for row in rows[name])
        rows[name] = [{**row, "support": support[row["id"]]} for row in {row["id"]: row for row in rows[name]}.values()]
    return dict(rows)


def kitchen_graph(directory: Path, told: Told = TOLD) -> ScriptGraph:
    """The graph, written into `directory`."""
    return write_graph(directory, kitchen_rows(told))


def _add_scenario(rows: Rows, model: str, label: str, sources: dict[str, list[Sentence]]) -> None:
    scenario = node_id("Scenario", label, label)
    names = {"label": label, "alternative_labels": OTHER_NAMES.get(label, []), "listed": True, "support": len(sources)}
    rows["Scenario"].append({"id": scenario, **names})
    evidence: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    roles: dict[tuple[str, str], str] = {}
    needed_by: dict[str, set[str]] = defaultdict(set)
    positions: dict[str, list[float]] = defaultdict(list)
    before: Counter[tuple[str, str]] = Counter()
    for name, sentences in sources.items():
        mentions = _add_source(rows, scenario, label, name, sentences)
        _add_instances(
            rows, name, [(mention, words) for mention, (_, words, *_) in zip(mentions, sentences, strict=True)]
        )
        steps = [_step(scenario, step) for _, step, _, _ in sentences]
        for i, ((_, words, tools, participants), step, mention) in enumerate(
            zip(sentences, steps, mentions, strict=True)
        ):
            positions[step].append(i / (len(steps) - 1))
            evidence["HAS_SUB_EVENT", scenario, step].append(mention)
            action = node_id("Action", words, words)
            rows["Action"].append({"id": action, "label": words, "label_text": words, "predicate": words.split()[0]})
            evidence["EXPRESSED_AS", step, action].append(mention)
            rows["REALIZES"].append({"from_id": mention, "to_id": step, "score": 1.0})
            for tool in tools.split():
                rows["Tool"].append({"id": node_id("Tool", tool, tool), "label": tool})
                evidence["USES", step, node_id("Tool", tool, tool)].append(mention)
                roles[step, node_id("Tool", tool, tool)] = TOOL_ROLES.get(tool, "instrument")
                roles[scenario, node_id("Tool", tool, tool)] = TOOL_ROLES.get(tool, "instrument")
                evidence["NEEDS", scenario, node_id("Tool", tool, tool)].append(mention)
                needed_by[node_id("Tool", tool, tool)].add(name)
            for entity, _, role in (each.partition(":") for each in participants.split()):
                rows["Entity"].append({"id": node_id("Entity", entity, entity), "label": entity})
                evidence["HAS_PARTICIPANT", step, node_id("Entity", entity, entity)].append(mention)
                roles[step, node_id("Entity", entity, entity)] = role
                if role == "patient" and entity in SUPPLIES:
                    evidence["NEEDS", scenario, node_id("Entity", entity, entity)].append(mention)
                    needed_by[node_id("Entity", entity, entity)].add(name)
            for change in _changes(words):
                evidence["CHANGES", step, _add_change(rows, change)].append(mention)
        for first, second in combinations(range(len(steps)), 2):
            before[steps[first], steps[second]] += 1
            evidence["PRECEDES", steps[first], steps[second]].append(mentions[first])
    reduced = set(nx.transitive_reduction(nx.DiGraph(before.keys())).edges)
    order = nx.DiGraph(reduced)
    order.add_nodes_from(positions)
    means = {step: (sum(places) / len(places), step) for step, places in positions.items()}
    rank = {step: i for i, step in enumerate(nx.lexicographical_topological_sort(order, means.__getitem__), start=1)}
    salient = sorted(positions, key=lambda step: (-len(positions[step]), *means[step]))
    salience_rank = {step: i for i, step in enumerate(salient, start=1)}
    for (relation, start, end), passages in evidence.items():
        if relation == "PRECEDES" and (start, end) not in reduced:
            continue
        told = len(sources) if start == scenario else len(positions[start])
        if relation == "PRECEDES":
            told = before[start, end] + before[end, start]
        support = len(needed_by[end]) if relation == "NEEDS" else len(passages)
        row: dict[str, Any] = {"from_id": start, "to_id": end, "support": support}
        row["probability"] = round(support / told, 4)
        row["statement"] = node_id("Statement", "", start, relation, end)
        if relation == "PRECEDES":
            row["lower"] = lower_bound(support, told)
            row["required"] = row["lower"] >= 0.5
        if relation == "HAS_SUB_EVENT":
            row["mean_position"] = round(sum(positions[end]) / len(positions[end]), 4)
            row["rank"] = rank[end]
            row["essential"] = False
            row["essential_probability"] = 0.1
            row["optional"] = 2 * len(passages) < len(sources)
            row["typicality"] = 0.9
            row["usual"] = True
            row["salience_rank"] = salience_rank[end]
        if relation == "NEEDS":
            amount = {node_id("Entity", name, name): amount or None for name, amount in SUPPLIES.items()}.get(end)
            row |= {"role": roles.get((start, end)), "amount": amount, "declared": int(amount is not None)}
            row |= {"used": support, "usual": support >= 2}
        if relation == "USES":
            row["predicted"] = False
            row["inferred"] = False
            row["role"] = roles[start, end]
        if relation == "HAS_PARTICIPANT":
            row["role"] = roles[start, end]
        if relation == "CHANGES":
            row["level"] = "certain"
        rows[relation].append(row)
        ends = {"subject": start, "relation": relation, "object": end, "scenario": scenario}
        rows["Statement"].append({"id": row["statement"], **ends})
        rows["READ_BY"].append({"from_id": row["statement"], "to_id": model, "score": 1.0})
        rows["EVIDENCED_BY"] += [{"from_id": row["statement"], "to_id": passage} for passage in passages]
    labels = {_step(scenario, words): words for sentences in sources.values() for _, words, _, _ in sentences}
    for step, places in positions.items():
        counts = {"support": len(places), "mentions": len(places)}
        replaces = [_step(scenario, words) for words in REPLACED.get(labels[step], [])]
        row = {"id": step, "label": labels[step], "label_text": labels[step]}
        row |= {"scenario": scenario, "replaces": replaces}
        rows["SubEvent"].append({**row, **counts})


def _add_source(rows: Rows, scenario: str, label: str, name: str, sentences: list[Sentence]) -> list[str]:
    """Add the text and its passages; return its mentions."""
    source = node_id("Source", name, name)
    length = sum(len(sentence) + 1 for sentence, *_ in sentences)
    content = {"name": name, "digest": f"{len(rows['Source']):064x}", "format": "text", "characters": length}
    rows["Source"].append({"id": source, **content, "scenario_label": label})
    segment = node_id("Passage", "", name, "segment")
    text = " ".join(sentence for sentence, *_ in sentences)
    span = {"kind": "segment", "start": 0, "end": len(text), "text": text, "source": source}
    rows["Passage"].append({"id": segment, **span})
    rows["WITHIN"].append({"from_id": segment, "to_id": source})
    rows["ABOUT"] += [{"from_id": start, "to_id": scenario, "confidence": 1.0} for start in (source, segment)]
    mentions: list[str] = []
    start = 0
    for text, *_ in sentences:
        end = start + len(text)
        ids = {kind: node_id("Passage", text, name, kind, str(start)) for kind in ("sentence", "mention")}
        for kind, last in (("sentence", end), ("mention", end - 1)):
            span = {"kind": kind, "start": start, "end": last, "text": text[: last - start], "source": source}
            rows["Passage"].append({"id": ids[kind], **span})
        rows["WITHIN"].append({"from_id": ids["mention"], "to_id": ids["sentence"]})
        rows["WITHIN"].append({"from_id": ids["sentence"], "to_id": source})
        if mentions:
            rows["NEXT"].append({"from_id": mentions[-1], "to_id": ids["mention"]})
        mentions.append(ids["mention"])
        start = end + 1
    return mentions


def _changes(words: str) -> list[Change]:
    """What a mention of a sub-event changes."""
    verb, _, thing = words.partition(" ")
    washed = [(thing, "moisture", "dry", "wet"), (thing, "cleanness", "dirty", "clean")]
    return CHANGES.get(words, washed if verb == "wash" else [])


def _change_id(change: Change) -> str:
    return node_id("StateChange", " ".join(change), *change)


def _add_change(rows: Rows, change: Change) -> str:
    """Add a change of one mention, with what changes; return its id."""
    entity, attribute, before, after = change
    identifier, thing, respect = (
        _change_id(change),
        node_id("Entity", entity, entity),
        node_id("Attribute", attribute, attribute),
    )
    if identifier not in {row["id"] for row in rows["StateChange"]}:
        rows["OF_ENTITY"].append({"from_id": identifier, "to_id": thing})
        rows["OF_ATTRIBUTE"].append({"from_id": identifier, "to_id": respect})
    label = f"{attribute} of {entity}: {before} -> {after}"
    rows["StateChange"].append({"id": identifier, "label": label, "before": before or None, "after": after})
    rows["Entity"].append({"id": thing, "label": entity})
    rows["Attribute"].append({"id": respect, "label": attribute, "alternative_labels": OTHER_NAMES.get(attribute, [])})
    return identifier


def _add_instances(rows: Rows, source: str, mentions: list[tuple[str, str]]) -> None:
    """Add what each mention of a text changes, in their order; the number of a mention is that of its step."""
    last: dict[tuple[str, str], tuple[str, str]] = {}
    for step, (mention, words) in enumerate(mentions, start=1):
        for change in _changes(words):
            identifier = node_id("ChangeInstance", "", mention, *change)
            content = {"source": node_id("Source", source, source), "step": step, "presupposed": step % 2 == 0}
            rows["ChangeInstance"].append({"id": identifier, **content})
            rows["SHOWS"].append(
                {
                    "from_id": mention,
                    "to_id": identifier,
                    "probability": 1 / (step + 1),
                    "level": "certain" if step % 2 else "likely",
                }
            )
            rows["INSTANCE_OF"].append({"from_id": identifier, "to_id": _change_id(change)})
            entity, attribute, before, after = change
            if before and (entity, attribute) in last:
                earlier, value = last[entity, attribute]
                name = "PERSISTS_TO" if agree(value, before) else "CONTRADICTS"
                rows[name].append({"from_id": earlier, "to_id": identifier})
            last[entity, attribute] = (identifier, after)


def _step(scenario: str, words: str) -> str:
    return node_id("SubEvent", words, scenario, words)
