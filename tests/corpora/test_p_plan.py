"""Plans in P-Plan's vocabulary as input."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscripts import ScriptGraph, build_graph
from kgscripts.corpora.files import InputFile
from kgscripts.corpora.formats import read_file
from kgscripts.corpora.scripts.reader import written_script
from schemas.records import Discard, Document

_HEAD = """\
@prefix p-plan: <http://purl.org/net/p-plan#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix ex: <http://example.org/> .
"""
TEA = """\
ex:tea a p-plan:Plan ; rdfs:label "making tea"@en .
ex:pour a p-plan:Step ; rdfs:label "pour the water into the cup" ; p-plan:isStepOfPlan ex:tea ;
  p-plan:hasInputVar ex:water ; p-plan:hasOutputVar ex:green_tea ; p-plan:isPreceededBy ex:boil .
ex:boil a p-plan:Step ; rdfs:label "boil the water" ; p-plan:isStepOfPlan ex:tea ; p-plan:hasInputVar ex:water .
ex:water rdfs:label "water" .
"""


def _read(folder: Path, text: str) -> list[Document | Discard]:
    path = folder / "plan.ttl"
    path.write_text(_HEAD + text, encoding="utf-8")
    return list(read_file(InputFile(path, path.name)))


def test_a_plan_is_a_script(tmp_path: Path) -> None:
    (document,) = _read(tmp_path, TEA)
    assert isinstance(document, Document)
    script, _ = written_script(document.text, document.name)
    assert (script.scenario, [step.name for step in script.steps]) == (
        "making tea",
        ["boil the water", "pour the water into the cup"],
    )
    assert script.order == ("boil-water < pour-water-into-cup",)
    assert [(item.thing, item.role) for item in script.steps[1].participants] == [
        ("water", "patient"),
        ("green tea", "other"),
    ]


def test_it_is_built_like_one(tmp_path: Path) -> None:
    _read(tmp_path, TEA)
    build_graph([tmp_path / "plan.ttl"], tmp_path / "graph")
    boil, pour = ScriptGraph.open(tmp_path / "graph").script("making tea").steps
    assert ScriptGraph.open(tmp_path / "graph").script("making tea").order == ((boil.iri, pour.iri),)


def test_several_plans_are_several_documents(tmp_path: Path) -> None:
    more = 'ex:a p-plan:isStepOfPlan ex:nap ; rdfs:label "lie down" . ex:nap rdfs:label "taking a nap" .'
    found = _read(tmp_path, TEA + more)
    assert [item.name for item in found if isinstance(item, Document)] == ["plan.ttl#1", "plan.ttl#2"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ex:a ex:b .", "no Turtle"),
        (
            "ex:a p-plan:isStepOfPlan ex:p ; p-plan:isPrecededBy ex:b . ex:b p-plan:isStepOfPlan ex:p ; "
            "p-plan:isPrecededBy ex:a .",
            "a circle in the order",
        ),
        ("ex:a ex:b ex:c .", "nothing to read"),
        ('ex:a p-plan:isStepOfPlan "tea" .', "nothing to read"),
        ('ex:a p-plan:isStepOfPlan ex:p ; rdfs:label "" .', "name"),
    ],
)
def test_what_is_no_plan_is_a_discard(tmp_path: Path, text: str, said: str) -> None:
    (found,) = _read(tmp_path, text)
    assert isinstance(found, Discard)
    assert said in found.detail
