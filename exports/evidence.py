"""The sentences behind statements, with the words that were read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from exports.rows import Row, column
from schemas.script import Evidence
from schemas.script_graph import ScriptGraph


def evidence_of(graph: ScriptGraph, statements: Collection[str], most: int) -> Mapping[str, Sequence[Evidence]]:
    """At most `most` sentences behind each statement: short ones first, and one of each source before a second one.

    The sentence of a mention is the smallest passage around it; the words that were read are the mention.
    """
    found: dict[str, list[Evidence]] = defaultdict(list)
    if most == 0:
        return found
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
        found[statement] = [_evidence(passages[passage], sentences[passage], names) for passage in ids]
    return found


def _sentences(graph: ScriptGraph, passages: Mapping[str, Row]) -> dict[str, Row]:
    """The passage to print for each passage: the smallest one around a mention, else the passage itself."""
    mentions = {identifier for identifier, row in passages.items() if row["kind"] == "mention"}
    within = list(graph.rows("WITHIN", where={"from_id": mentions}))
    wider = {row["id"]: row for row in graph.rows("Passage", where={"id": column(within, "to_id")})}
    found = [row for row in within if row["to_id"] in wider]
    found.sort(key=lambda row: (_length(wider[row["to_id"]]), row["to_id"]), reverse=True)
    return {**passages, **{row["from_id"]: wider[row["to_id"]] for row in found}}


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
