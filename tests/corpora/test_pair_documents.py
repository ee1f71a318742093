"""Pairs as documents, which `build-graph` reads: columns and JSON lines give the same passages."""

from __future__ import annotations

import json
from pathlib import Path

from kgscripts.corpora.formats import documents_from_strings
from kgscripts.text.passages import innermost
from schemas.records import DiscardReason, Document, PassageKind
from tests.corpora.documents import passages, read

STEPS = ["Take a strainer.", " ", "Tip the pot over it."]


def test_steps_lie_inside_the_concrete_side(tmp_path: Path) -> None:
    line = json.dumps({"id": "p1", "abstract": "Drain the pasta.", "concrete": STEPS})
    path = tmp_path / "a.jsonl"
    path.write_text(line)
    (document,) = documents_from_strings([json.loads(line)])
    assert isinstance(document, Document)
    assert document.text == "Drain the pasta.\nTake a strainer.\n \nTip the pot over it."
    assert passages(document, PassageKind.ABSTRACT) == ["Drain the pasta."]
    assert passages(document, PassageKind.CONCRETE) == ["Take a strainer.\n \nTip the pot over it."]
    assert passages(document, PassageKind.STEP) == ["Take a strainer.", "Tip the pot over it."]
    kinds = [PassageKind.ABSTRACT, PassageKind.STEP, PassageKind.STEP]
    assert [passage.kind for passage in innermost(document.passages)] == kinds


def test_one_step_is_a_passage_too() -> None:
    (document,) = documents_from_strings([{"abstract": "Drain it.", "concrete": ["Tip it."]}])
    assert isinstance(document, Document)
    assert [passage.kind for passage in document.passages] == ["abstract", "concrete", "step"]


def test_a_concrete_side_without_steps_is_as_in_columns(tmp_path: Path) -> None:
    rows = [("Drain it.", "Tip it. Wait."), ("a", "b")]
    in_lines, none = read(tmp_path, "a.jsonl", "\n".join(json.dumps({"abstract": a, "concrete": c}) for a, c in rows))
    in_columns, neither = read(tmp_path, "a.tsv", "\n".join("\t".join(row) for row in rows))
    assert none == neither == []
    assert [document.name for document in in_lines] == ["a.jsonl#line 1", "a.jsonl#line 2"]
    assert [document.text for document in in_lines] == [document.text for document in in_columns]
    assert [document.passages for document in in_lines] == [document.passages for document in in_columns]


def test_pairs_and_texts_mix(tmp_path: Path) -> None:
    records = [
        {"id": 1, "text": "I ran."},
        {"id": "p", "abstract": "a", "concrete": "b"},
        {"id": "p", "abstract": "c", "concrete": "d"},
        {"abstract": "e"},
        {"id": "", "abstract": "e", "concrete": "f"},
    ]
    documents, discards = read(tmp_path, "a.jsonl", "\n".join(map(json.dumps, records)))
    assert [document.name for document in documents] == ["a.jsonl#1", "a.jsonl#p"]
    assert [(discard.reason, discard.where) for discard in discards] == [
        (DiscardReason.DUPLICATE_ID, "a.jsonl:3"),
        (DiscardReason.MALFORMED, "a.jsonl:4"),
        (DiscardReason.MALFORMED, "a.jsonl:5"),
    ]
