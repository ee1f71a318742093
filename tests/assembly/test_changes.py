"""State changes in the graph against the plain count of `change_oracle`, and by hand."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings

from kgscripts.extractors.protocol import Extractor
from kgscripts.pipeline import build_graph
from schemas.records import Document, Passage, PassageKind
from schemas.vocabulary import node_id
from tests.assembly import change_oracle, oracle
from tests.assembly.built import Rows, graph_rows, labels
from tests.assembly.change_oracle import Change, Spot
from tests.assembly.test_counts import check_numbers, steps_of
from tests.assembly.tiny_changes import OtherTinyChanges, TinyChanges
from tests.assembly.tiny_reader import MANY_DOCUMENTS, OtherTinyExtractor, TinySegmenter, tiny, tiny_document

_READERS: list[Extractor] = [
    *tiny(),
    TinySegmenter(),
    OtherTinyExtractor(),
    TinyChanges(),
    OtherTinyChanges(),
]


def _changes_of(rows: Rows) -> dict[str, Change]:
    """What each StateChange is, read off its relations."""
    names = labels(rows, "Attribute") | labels(rows, "Entity")
    attributes = {row["from_id"]: names[row["to_id"]] for row in rows["OF_ATTRIBUTE"]}
    entities = {row["from_id"]: names[row["to_id"]] for row in rows["OF_ENTITY"] if row["to_id"] in names}
    assert len(rows["OF_ATTRIBUTE"]) == len(rows["StateChange"]) == len(entities)
    return {
        row["id"]: (attributes[row["id"]], entities[row["id"]], row["before"] or "", row["after"])
        for row in rows["StateChange"]
    }


def _instances(rows: Rows) -> dict[str, Spot]:
    """Where each ChangeInstance is and what changes there."""
    digests = {row["id"]: row["digest"] for row in rows["Source"]}
    passages = {row["id"]: row for row in rows["Passage"]}
    changes = _changes_of(rows)
    change_of = {row["from_id"]: changes[row["to_id"]] for row in rows["INSTANCE_OF"]}
    spots = {}
    for row in rows["SHOWS"]:
        passage = passages[row["from_id"]]
        place = (digests[passage["source"]], passage["start"], passage["end"], passage["kind"])
        spots[row["to_id"]] = (*place, change_of[row["to_id"]])
    assert len(spots) == len(rows["SHOWS"]) == len(rows["ChangeInstance"])
    return spots


@settings(max_examples=4)
@given(documents=MANY_DOCUMENTS)
def test_every_number_and_change_of_two_readers_is_what_the_plain_count_says(documents: list[Document]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        report = build_graph(output=folder, texts=documents, extractors=_READERS)
        rows = graph_rows(Path(folder))
    texts = oracle.read(documents, [item for item in _READERS if not isinstance(item, TinyChanges)])
    check_numbers(rows, texts)
    found = change_oracle.read_changes(documents, _READERS)
    steps, changes, instances = steps_of(rows), _changes_of(rows), _instances(rows)
    spots = {spot: identifier for identifier, spot in instances.items()}
    shown = {row["to_id"]: (row["probability"], row["level"]) for row in rows["SHOWS"]}

    assert report.discards.get("refers to no event", 0) == found.unplaced
    numbers = ("support", "probability", "pmi", "level")
    assert {
        (steps[row["from_id"]], changes[row["to_id"]], *(row[name] for name in numbers)) for row in rows["CHANGES"]
    } == change_oracle.changes(texts, found)
    assert {
        spot: (row["step"], row["presupposed"], *shown[row["id"]])
        for row in rows["ChangeInstance"]
        for spot in (instances[row["id"]],)
    } == found.instances
    persisting, contradicting = change_oracle.successions(found)
    for name, pairs in (("PERSISTS_TO", persisting), ("CONTRADICTS", contradicting)):
        assert {(row["from_id"], row["to_id"]) for row in rows[name]} == {(spots[a], spots[b]) for a, b in pairs}
    _check_nodes(rows, found)


def _check_nodes(rows: Rows, found: change_oracle.Changes) -> None:
    """Ids and supports."""
    sources: dict[tuple[str, Any], set[str]] = {}
    for source, *_, change in found.instances:
        for node in (("StateChange", change), ("Attribute", change[0])):
            sources.setdefault(node, set()).add(source)
    changes = _changes_of(rows)
    for row in rows["StateChange"]:
        assert row["support"] == len(sources["StateChange", changes[row["id"]]])
        assert row["id"] == node_id("StateChange", row["label"], *changes[row["id"]])
    for row in rows["Attribute"]:
        assert row["support"] == len(sources["Attribute", row["label"]])
        assert row["id"] == node_id("Attribute", row["label"], row["label"])
    entities = {row["label"]: row for row in rows["Entity"]}
    for change in changes.values():
        assert entities[change[1]]["support"] >= 1
    tools = labels(rows, "Tool")
    of_tools = {(changes[row["from_id"]][1], tools[row["to_id"]]) for row in rows["OF_ENTITY"] if row["to_id"] in tools}
    assert of_tools == {(change[1], change[1]) for change in changes.values() if change[1] in tools.values()}


def _how_to(*steps: str) -> Document:
    text = "\n".join(steps)
    starts = [sum(len(step) + 1 for step in steps[:number]) for number in range(len(steps))]
    passages = [
        Passage(kind=PassageKind.STEP, start=start, end=start + len(step))
        for start, step in zip(starts, steps, strict=True)
    ]
    return Document(name="how-to", format="text", text=text, passages=passages)


def test_states_persist_from_step_to_step_of_one_text_or_contradict(tmp_path: Path) -> None:
    how_to = _how_to(
        "add the pasta.", "not stir the pot.", "stir the pasta. drain the pasta.", "add the pasta.", "boil the pasta."
    )
    build_graph(output=tmp_path, texts=[how_to, tiny_document("stir the pasta.")], extractors=[*tiny(), TinyChanges()])
    rows = graph_rows(tmp_path)
    spots, numbers = _instances(rows), {row["id"]: row["step"] for row in rows["ChangeInstance"]}
    kinds = {spot[3] for spot in spots.values()}
    assert kinds == {"mention", "step"}, "the sentence that mentions no event is a step of its own"

    def told(name: str) -> set[tuple[int, str, int, str]]:
        return {
            (
                numbers[row["from_id"]],
                spots[row["from_id"]][-1][3],
                numbers[row["to_id"]],
                spots[row["to_id"]][-1][2],
            )
            for row in rows[name]
        }

    assert told("PERSISTS_TO") == {
        (1, "in the pot", 3, "in pot"),
        (1, "in the pot", 3, "pot"),
        (4, "quite dry", 5, "dry"),
    }
    assert told("CONTRADICTS") == {
        (1, "quite dry", 3, "wet"),
        (3, "dry", 4, "wet"),
        (3, "on the stove", 4, "on the table"),
        (3, "outside the pot", 4, "on the table"),
    }
    assert {row["label"] for row in rows["Attribute"]} == {"location", "wetness", "temperature"}
    (wetness,) = (row for row in rows["Attribute"] if row["label"] == "wetness")
    assert "moisture" in wetness["alternative_labels"]
    assert {row["label"] for row in rows["StateChange"]} >= {
        "wetness of pasta: wet -> dry",
        "temperature of pasta: hot",
    }


def test_changes_with_little_support_stay_out_with_their_instances(tmp_path: Path) -> None:
    texts = [tiny_document("add the pasta. stir the pasta."), tiny_document("add the pasta. boil the pasta.")]
    build_graph(output=tmp_path, texts=texts, extractors=[*tiny(), TinyChanges()], min_support=2)
    rows = graph_rows(tmp_path)
    assert {row["label"] for row in rows["StateChange"]} == {
        "location of pasta: on the table -> in the pot",
        "wetness of pasta: wet -> quite dry",
    }
    assert len(rows["ChangeInstance"]) == len(rows["SHOWS"]) == len(rows["INSTANCE_OF"]) == 4
    assert not rows["PERSISTS_TO"]
    assert {row["label"] for row in rows["Entity"]} >= {"pasta"}
    assert {row["support"] for row in rows["CHANGES"]} == {2}
