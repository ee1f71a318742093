"""Grammatical relations are the same for UD and ClearNLP labels."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import spacy
from spacy.tokens import Doc, Token

from kgscripts.text import syntax

VOCAB = spacy.blank("en").vocab


def parse(rows: str) -> Doc:
    """A document out of "form/lemma/POS/TAG/head/dep" items; heads are counted from 1, and 0 is the root."""
    items = [row.split("/") for row in rows.split()]
    heads = [int(item[4]) - 1 if item[4] != "0" else index for index, item in enumerate(items)]
    return Doc(
        VOCAB,
        words=[item[0] for item in items],
        lemmas=[item[1] for item in items],
        pos=[item[2] for item in items],
        tags=[item[3] for item in items],
        heads=heads,
        deps=["ROOT" if item[4] == "0" else item[5] for item in items],
    )


@dataclass(frozen=True)
class Case:
    name: str
    ud: str
    clearnlp: str


SHARED_OBJECT = Case(
    "shared object",
    ud="Wash/wash/VERB/VB/0/root and/and/CCONJ/CC/3/cc chop/chop/VERB/VB/1/conj the/the/DET/DT/5/det "
    "carrots/carrot/NOUN/NNS/1/obj with/with/ADP/IN/8/case a/a/DET/DT/8/det knife/knife/NOUN/NN/1/obl",
    clearnlp="Wash/wash/VERB/VB/0/root and/and/CCONJ/CC/1/cc chop/chop/VERB/VB/1/conj the/the/DET/DT/5/det "
    "carrots/carrot/NOUN/NNS/3/dobj with/with/ADP/IN/3/prep a/a/DET/DT/8/det knife/knife/NOUN/NN/6/pobj",
)
PARTICLE = Case(
    "particle and two places",
    ud="I/I/PRON/PRP/2/nsubj took/take/VERB/VBD/0/root out/out/ADP/RP/2/compound:prt eggs/egg/NOUN/NNS/2/obj "
    "and/and/CCONJ/CC/6/cc milk/milk/NOUN/NN/4/conj out/out/ADP/IN/9/case of/of/ADP/IN/9/case "
    "boxes/box/NOUN/NNS/2/obl and/and/CCONJ/CC/11/cc bags/bag/NOUN/NNS/9/conj",
    clearnlp="I/I/PRON/PRP/2/nsubj took/take/VERB/VBD/0/root out/out/ADP/RP/2/prt eggs/egg/NOUN/NNS/2/dobj "
    "and/and/CCONJ/CC/4/cc milk/milk/NOUN/NN/4/conj out/out/ADP/IN/2/prep of/of/ADP/IN/7/prep "
    "boxes/box/NOUN/NNS/8/pobj and/and/CCONJ/CC/9/cc bags/bag/NOUN/NNS/9/conj",
)
PASSIVE = Case(
    "passive",
    ud="Carrots/carrot/NOUN/NNS/4/nsubj:pass were/be/AUX/VBD/4/aux:pass not/not/PART/RB/4/advmod "
    "washed/wash/VERB/VBN/0/root and/and/CCONJ/CC/6/cc chopped/chop/VERB/VBN/4/conj by/by/ADP/IN/8/case "
    "Mary/Mary/PROPN/NNP/4/obl:agent",
    clearnlp="Carrots/carrot/NOUN/NNS/4/nsubjpass were/be/AUX/VBD/4/auxpass not/not/PART/RB/4/neg "
    "washed/wash/VERB/VBN/0/root and/and/CCONJ/CC/4/cc chopped/chop/VERB/VBN/4/conj by/by/ADP/IN/4/agent "
    "Mary/Mary/PROPN/NNP/7/pobj",
)
GIFT = Case(
    "indirect object",
    ud="Give/give/VERB/VB/0/root the/the/DET/DT/3/det waiter/waiter/NOUN/NN/1/iobj a/a/DET/DT/5/det "
    "tip/tip/NOUN/NN/1/obj",
    clearnlp="Give/give/VERB/VB/0/root the/the/DET/DT/3/det waiter/waiter/NOUN/NN/1/dative a/a/DET/DT/5/det "
    "tip/tip/NOUN/NN/1/dobj",
)


def scheme(case: Case) -> list[Doc]:
    return [parse(case.ud), parse(case.clearnlp)]


def words(tokens: list[Token]) -> list[str]:
    return [token.text for token in tokens]


@pytest.mark.parametrize("doc", scheme(SHARED_OBJECT), ids=["ud", "clearnlp"])
def test_coordinated_verbs_share_their_object(doc: Doc) -> None:
    wash, chop = doc[0], doc[2]
    assert words(syntax.objects_of(wash)) == ["carrots"]
    assert words(syntax.objects_of(chop)) == ["carrots"]
    assert {len(syntax.objects_of(verb, shared=False)) for verb in (wash, chop)} == {0, 1}
    assert words(syntax.conjuncts(wash)) == ["Wash", "chop"]


@pytest.mark.parametrize("doc", scheme(PARTICLE), ids=["ud", "clearnlp"])
def test_particles_objects_and_prepositions_of_two_words(doc: Doc) -> None:
    took = doc[1]
    particle = syntax.particle_of(took)
    assert particle is not None
    assert particle.text == "out"
    assert words(syntax.objects_of(took)) == ["eggs", "milk"]
    assert words(syntax.subjects_of(took)) == ["I"]
    phrases = [(phrase.preposition, phrase.head.text) for phrase in syntax.prepositional_phrases(took)]
    assert phrases == [("out of", "boxes"), ("out of", "bags")]


@pytest.mark.parametrize("doc", scheme(PASSIVE), ids=["ud", "clearnlp"])
def test_passives(doc: Doc) -> None:
    washed, chopped = doc[3], doc[5]
    for verb in (washed, chopped):
        assert words(syntax.passive_subject_of(verb)) == ["Carrots"]
        assert syntax.subjects_of(verb) == []
        assert syntax.is_passive(verb)
    assert not syntax.is_verb(doc[1])


@pytest.mark.parametrize("doc", scheme(GIFT), ids=["ud", "clearnlp"])
def test_indirect_objects(doc: Doc) -> None:
    assert words(syntax.objects_of(doc[0])) == ["tip"]


def test_no_object_is_shared_across_a_complement_or_backwards() -> None:
    doc = parse(
        "Go/go/VERB/VB/0/root to/to/ADP/IN/3/case work/work/NOUN/NN/1/obl and/and/CCONJ/CC/5/cc "
        "eat/eat/VERB/VB/1/conj lunch/lunch/NOUN/NN/5/obj"
    )
    assert syntax.objects_of(doc[0]) == []
    doc = parse("Eat/eat/VERB/VB/0/root lunch/lunch/NOUN/NN/1/obj and/and/CCONJ/CC/4/cc sleep/sleep/VERB/VB/1/conj")
    assert syntax.objects_of(doc[3]) == []


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("rolling/rolling/NOUN/NN/2/compound pins/pin/NOUN/NNS/0/root", "rolling pin"),
        ("frying/fry/VERB/VBG/2/amod pan/pan/NOUN/NN/0/root", "frying pan"),
        ("boiling/boil/VERB/VBG/2/amod water/water/NOUN/NN/0/root", "water"),
        ("extra/extra/ADJ/JJ/4/amod virgin/virgin/NOUN/NN/3/compound olive/olive/NOUN/NN/4/compound oil/oil/NOUN/NN/0/",
         "virgin olive oil"),
        ("the/the/DET/DT/3/det red/red/ADJ/JJ/3/amod Apples/apple/NOUN/NNS/0/root", "apple"),
        ("paper/paper/NOUN/NN/3/compound -/-/PUNCT/HYPH/3/punct towels/towel/NOUN/NNS/0/root", "towel"),
        ("can/can/NOUN/NN/3/compound big/big/ADJ/JJ/3/amod opener/opener/NOUN/NN/0/root", "opener"),
    ],
)  # fmt: skip
def test_compounds(rows: str, expected: str) -> None:
    assert syntax.compound_lemma(parse(rows)[-1]) == expected


@pytest.mark.parametrize(
    ("rows", "verbs"),
    [
        ("salted/salt/VERB/VBN/2/amod water/water/NOUN/NN/0/root", []),
        ("frying/fry/VERB/VBG/2/compound pan/pan/NOUN/NN/0/root", []),
        ("I/I/PRON/PRP/2/nsubj have/have/AUX/VBP/0/root it/it/PRON/PRP/2/obj", ["have"]),
        ("have/have/AUX/VBP/2/aux eaten/eat/VERB/VBN/0/root", ["eaten"]),
        ("is/be/AUX/VBZ/2/cop good/good/ADJ/JJ/0/root", []),
        ("is/be/AUX/VBZ/0/root good/good/ADJ/JJ/1/acomp", []),
        ("including/include/VERB/VBG/2/case salt/salt/NOUN/NN/0/root", []),
    ],
)
def test_predicates(rows: str, verbs: list[str]) -> None:
    assert [token.text for token in parse(rows) if syntax.is_verb(token)] == verbs


def test_a_long_coordination_does_not_exhaust_the_stack() -> None:
    rows = " ".join(f"egg/egg/NOUN/NN/{number}/conj" for number in range(3000))
    assert len(syntax.conjuncts(parse(rows)[0])) == 3000


def test_markers() -> None:
    doc = parse(
        "if/if/SCONJ/IN/4/mark you/you/PRON/PRP/4/nsubj would/would/AUX/MD/4/aux go/go/VERB/VB/0/root "
        "when/when/ADV/WRB/7/advmod they/they/PRON/PRP/7/nsubj come/come/VERB/VBP/4/advcl"
    )
    assert words(syntax.markers_of(doc[3])) == ["if"]
    assert words(syntax.markers_of(doc[6])) == ["when"]
