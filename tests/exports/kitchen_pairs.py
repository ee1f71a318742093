"""The relations of the kitchen that join two steps both ways."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import Any

from schemas.vocabulary import node_id
from tests.graphs import Rows


def add_pairs(rows: Rows, model: str) -> None:
    """Add ALTERNATIVE_TO and CLOSE_MATCH between the steps of `rows`, with their evidence.

    Steps of a scenario that do something else with the same thing are alternatives if no source has both. Steps of the
    same name in two scenarios match.
    """
    text_of = {row["id"]: row["source"] for row in rows["Passage"]}
    mentions: dict[str, list[str]] = defaultdict(list)
    for row in rows["REALIZES"]:
        mentions[row["to_id"]].append(row["from_id"])
    steps = sorted(rows["SubEvent"], key=lambda row: row["id"])
    for first, second in combinations(steps, 2):
        passages = mentions[first["id"]] + mentions[second["id"]]
        texts = [{text_of[mention] for mention in mentions[step["id"]]} for step in (first, second)]
        row = {"from_id": first["id"], "to_id": second["id"], "support": len(texts[0] | texts[1]), "probability": 1.0}
        if first["scenario"] != second["scenario"]:
            if first["label"] == second["label"]:
                _add(rows, model, "CLOSE_MATCH", row | {"similarity": 0.9375}, None, passages)
        elif _thing(first["label"]) == _thing(second["label"]) and not texts[0] & texts[1]:
            _add(rows, model, "ALTERNATIVE_TO", row, first["scenario"], passages)


def _thing(label: str) -> str:
    _, thing, *_ = label.split()
    return thing


def _add(rows: Rows, model: str, relation: str, row: dict[str, Any], scenario: str | None, passages: list[str]) -> None:
    start, end = row["from_id"], row["to_id"]
    statement = node_id("Statement", "", start, relation, end)
    rows[relation].append(row | {"statement": statement})
    rows["Statement"].append(
        {"id": statement, "subject": start, "relation": relation, "object": end, "scenario": scenario}
    )
    rows["READ_BY"].append({"from_id": statement, "to_id": model, "score": 1.0})
    rows["EVIDENCED_BY"] += [{"from_id": statement, "to_id": passage} for passage in passages]
