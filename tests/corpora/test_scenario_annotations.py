"""Agreement of annotators, adjudication and statistics."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.reproductions.scenarios.adjudication import (
    DIFFERENT_LABELS,
    ONE_ANNOTATOR,
    adjudicate,
    cohens_kappa,
    conflict_record,
    pairwise_agreement,
    read_annotations,
    read_decisions,
)
from kgscripts.reproductions.scenarios.documents import corpus_statistics, document_line
from schemas.errors import InputError
from schemas.scenario_documents import LabelledSegment, ScenarioDocument

TEA, COFFEE, CAKE = "making tea", "making coffee", "baking a cake"
Spans = list[tuple[int, int, list[str]]]


def _document(spans: Spans, identifier: str = "a", sentences: int = 8) -> ScenarioDocument:
    segments = [LabelledSegment(start=start, end=end, scenarios=labels) for start, end, labels in spans]
    texts = [f"word {number} ." for number in range(sentences)]
    return ScenarioDocument(id=identifier, sentences=texts, segments=segments)


def test_agreement_by_hand() -> None:
    anna = _document([(0, 4, [TEA]), (4, 6, [COFFEE, CAKE])])
    ben = _document([(1, 4, [TEA]), (4, 5, [COFFEE]), (5, 6, [TEA]), (6, 7, [CAKE])])
    (found,) = pairwise_agreement({"anna": [anna], "ben": [ben]})
    # Sentence 0 single; 1-3 identical; 4 at least one; 5 different; 6 single; 7 none.
    assert found.categories == {"identical": 3, "at least one": 1, "different": 1, "single": 2, "none": 1}
    assert found.raw == pytest.approx(5 / 8)
    # Sets: anna tea 4, coffee+cake 2, none 2; ben none 2, tea 4, coffee 1, cake 1: chance (4*4 + 2*2) / 64.
    assert found.kappa == pytest.approx((4 / 8 - 20 / 64) / (1 - 20 / 64))
    # Overlaps with a label in common: tea 3 of 4, coffee 1 of 2.
    assert found.spans == pytest.approx((3 / 4 + 1 / 2) / 2)


def test_only_shared_documents_count_and_all_pairs_are_compared() -> None:
    annotations = {
        "anna": [_document([], "a"), _document([], "b")],
        "ben": [_document([], "b"), _document([], "c")],
        "cleo": [_document([], "c")],
    }
    found = pairwise_agreement(annotations)
    assert [(row.annotators, row.documents) for row in found] == [(("anna", "ben"), 1), (("ben", "cleo"), 1)]
    assert found[0].kappa is None
    assert found[0].spans is None
    with pytest.raises(InputError, match="no document has two annotators"):
        pairwise_agreement({"anna": [_document([], "a")], "ben": [_document([], "b")]})
    with pytest.raises(InputError, match="different sentences, from sentence 7"):
        pairwise_agreement({"anna": [_document([])], "ben": [_document([], sentences=7)]})


LABEL_SETS = st.lists(st.tuples(*(st.sets(st.sampled_from("abc"), max_size=2).map(frozenset),) * 2), min_size=1)


@given(LABEL_SETS)
def test_kappa_is_that_of_the_definition(labels: list[tuple[frozenset[str], frozenset[str]]]) -> None:
    kinds = {kind for pair in labels for kind in pair}
    observed = sum(first == second for first, second in labels) / len(labels)
    expected = (
        sum(sum(first == kind for first, _ in labels) * sum(second == kind for _, second in labels) for kind in kinds)
        / len(labels) ** 2
    )
    kappa = cohens_kappa(labels)
    if kappa is None:
        assert expected == 1
    else:
        assert kappa == pytest.approx((observed - expected) / (1 - expected))
        assert kappa <= 1
        assert (kappa == 1) == (observed == 1)


def test_files_of_annotators(tmp_path: Path) -> None:
    anna, ben = tmp_path / "anna.jsonl", tmp_path / "ben.jsonl"
    anna.write_text(document_line(_document([], "a")), encoding="utf-8")
    ben.write_text(document_line(_document([], "b")), encoding="utf-8")
    assert {name: [one.id for one in found] for name, found in read_annotations([anna, ben]).items()} == {
        "anna": ["a"],
        "ben": ["a"],
    }
    export = tmp_path / "annotation"
    for annotator in ("anna", "ben"):
        for document in ("one.txt", "two.txt"):
            (export / document).mkdir(parents=True, exist_ok=True)
            text = "#FORMAT=WebAnno TSV 3.2\n#T_SP=webanno.custom.Scenario|label\n\n#Text=Go\n1-1\t0-2\tGo\t_\t\n"
            (export / document / f"{annotator}.tsv").write_text(text, encoding="utf-8")
    found = read_annotations([export])
    assert {name: [one.id for one in documents] for name, documents in found.items()} == {
        name: ["one.txt", "two.txt"] for name in ("anna", "ben")
    }


def test_chains_are_maximal_and_the_rest_are_conflicts() -> None:
    # Example 3.3: one annotator labels the whole text, the other two parts of it.
    anna = _document([(0, 5, [TEA]), (5, 8, [COFFEE])])
    ben = _document([(0, 2, [TEA]), (3, 5, [TEA]), (6, 7, [CAKE])])
    cleo = _document([(0, 1, [CAKE])])
    result = adjudicate({"anna": [anna], "ben": [ben], "cleo": [cleo]})
    assert result.documents[0].segments == (LabelledSegment(start=0, end=5, scenarios=[TEA]),)
    assert (result.segments, result.merged) == (6, 3)
    kinds = [(one.kind, [(c.start, c.end, c.scenario) for c in one.chains]) for one in result.conflicts]
    assert kinds == [
        (ONE_ANNOTATOR, [(0, 1, CAKE)]),
        (DIFFERENT_LABELS, [(5, 8, COFFEE), (6, 7, CAKE)]),
    ]
    decided = adjudicate({"anna": [anna], "ben": [ben], "cleo": [cleo]}, {"a": [(5, 8, COFFEE)]})
    assert decided.conflicts == ()
    assert [segment.scenarios for segment in decided.documents[0].segments] == [(TEA,), (COFFEE,)]
    for wrong in ({"a": [(5, 7, COFFEE)]}, {"a": [(0, 5, TEA)]}, {"b": [(5, 8, COFFEE)]}):
        with pytest.raises(InputError):
            adjudicate({"anna": [anna], "ben": [ben], "cleo": [cleo]}, wrong)


SPANS = st.lists(
    st.tuples(st.integers(0, 7), st.integers(1, 4), st.sampled_from([TEA, COFFEE])).map(
        lambda span: (span[0], min(8, span[0] + span[1]), [span[2]])
    ),
    max_size=5,
)


@given(SPANS, SPANS)
def test_merging_keeps_what_both_say_and_loses_nothing(first: Spans, second: Spans) -> None:
    result = adjudicate({"anna": [_document(first)], "ben": [_document(second)]})
    gold = result.documents[0].labels()
    open_ = [set() for _ in range(8)]  # type: list[set[str]]
    for conflict in result.conflicts:
        for chain in conflict.chains:
            for sentence in range(chain.start, chain.end):
                open_[sentence].add(chain.scenario)
    for sentence, (anna, ben) in enumerate(zip(_document(first).labels(), _document(second).labels(), strict=True)):
        assert set(anna) & set(ben) <= set(gold[sentence])
        assert set(anna) | set(ben) == set(gold[sentence]) | open_[sentence]
    assert result.segments == len(first) + len(second)


def test_decisions_are_read_from_the_conflicts(tmp_path: Path) -> None:
    anna, ben = _document([(0, 3, [TEA])]), _document([(1, 2, [COFFEE])])
    result = adjudicate({"anna": [anna], "ben": [ben]})
    (record,) = (conflict_record(conflict, anna.sentences) for conflict in result.conflicts)
    assert list(record["sentences"]) == ["0", "1", "2"]
    record["chains"][1]["accepted"] = True
    path = tmp_path / "conflicts.jsonl"
    path.write_text(json.dumps(record), encoding="utf-8")
    assert read_decisions(path) == {"a": [(1, 2, COFFEE)]}
    for chains in ('{"chains": []}', '{"document": "a", "chains": [1]}', '{"document": "a", "chains": [{"start": 1}]}'):
        path.write_text(f"\n{chains}\n", encoding="utf-8")
        with pytest.raises(InputError) as raised:
            read_decisions(path)
        assert raised.value.where == "conflicts.jsonl:2"


def test_statistics_by_hand() -> None:
    documents = [_document([(0, 4, [TEA]), (2, 6, [COFFEE])]), _document([(0, 1, [TEA]), (5, 6, [TEA])], "b")]
    assert corpus_statistics([*documents, _document([], "c")]) == {
        "documents": 3,
        "sentences": 24,
        "labelled_sentences": 8,
        "sentences_with_several_labels": 2,
        "segments": 4,
        "scenarios": 2,
    }
