"""Lists of nouns without commas become the objects of their verb; no repair makes a parse that is no tree."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc

from kgscripts.extractors.events.nouns import noun_lemma
from kgscripts.extractors.events.predicates import frames_of
from kgscripts.extractors.parse_repair.repairs import repaired
from kgscripts.extractors.realis.narration import Narration
from kgscripts.text.pipeline import load_pipeline

_WORDS = {
    "add": ("VERB", "VB"),
    "mix": ("VERB", "VB"),
    "paste": ("VERB", "VB"),
    "flour": ("NOUN", "NN"),
    "sugar": ("NOUN", "NN"),
    "soy": ("NOUN", "NN"),
    "sauce": ("NOUN", "NN"),
    "eggs": ("NOUN", "NNS"),
    "chopped": ("VERB", "VBN"),
    "the": ("DET", "DT"),
    "cup": ("NOUN", "NN"),
    "of": ("ADP", "IN"),
    "in": ("ADP", "IN"),
    "and": ("CCONJ", "CC"),
    ".": ("PUNCT", "."),
}
_RELATIONS = ("obj", "conj", "compound", "obl", "nmod", "amod", "cc", "case")


def _objects(text: str) -> dict[str, list[str]]:
    """The objects of each verb of a step."""
    doc = repaired(load_pipeline()(text), is_step=True)
    return {
        frame.verb.lower_: [noun_lemma(noun) for noun in frame.objects] for frame in frames_of(doc, Narration.OTHER)
    }


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ("Mix flour sugar and eggs.", {"mix": ["flour", "sugar", "egg"]}),
        ("Add salt rice wine soy sauce and corn starch.", {"add": ["salt", "rice wine", "soy sauce", "corn starch"]}),
        ("Add melted butter vanilla extract and one large egg to it.", {"add": ["butter", "vanilla extract", "egg"]}),
        ("Add soy sauce to the pan.", {"add": ["soy sauce"]}),
        ("Add cilantro and cashews to the bowl.", {"add": ["cilantro", "cashew"]}),
        ("Mix flour baking powder and salt and whisk.", {"mix": ["flour", "baking powder", "salt"], "whisk": []}),
        ("Chop the pita bread.", {"chop": ["pita bread"]}),
        ("Place a layer of lettuce and tomato on the bun.", {"place": ["lettuce", "tomato"]}),
        ("Pour in the vinegar and the eggs.", {"pour": ["vinegar", "egg"]}),
        ("Pack socks shirts and shoes.", {"pack": ["sock", "shirt", "shoe"]}),
        ("Peel and chop the carrots into pieces.", {"peel": ["carrot"], "chop": ["carrot"]}),
        ("Put the frying pan on the stove.", {"put": ["frying pan"]}),
    ],
)  # fmt: skip
def test_lists_are_divided_into_things(text: str, objects: dict[str, list[str]]) -> None:
    assert _objects(text) == objects


@st.composite
def _trees(draw: st.DrawFn) -> Doc:
    """Any words in any tree."""
    words = draw(st.lists(st.sampled_from(sorted(_WORDS)), min_size=1, max_size=9))
    order = draw(st.permutations(range(len(words))))
    heads, relations = list(range(len(words))), ["ROOT"] * len(words)
    for place, word in enumerate(order[1:], 1):
        heads[word] = order[draw(st.integers(0, place - 1))]
        relations[word] = draw(st.sampled_from(_RELATIONS))
    return Doc(
        load_pipeline().vocab,
        words=words,
        lemmas=[word.removesuffix("s") for word in words],
        pos=[_WORDS[word][0] for word in words],
        tags=[_WORDS[word][1] for word in words],
        deps=relations,
        heads=heads,
    )


@settings(max_examples=100)
@given(_trees())
def test_a_repaired_parse_is_a_tree(doc: Doc) -> None:
    found = repaired(doc, is_step=True)
    heads = [token.head.i for token in found]
    assert [token.text for token in found] == [token.text for token in doc]
    for token in range(len(heads)):
        seen = {token}
        while heads[token] != token:
            token = heads[token]
            assert token not in seen
            seen.add(token)
