"""Table 1 of KidsCook: computed by hand on a few pairs, and the published figures on the corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscripts.corpora.pairs.loading import load_pairs
from kgscripts.corpora.pairs.pair import Pair
from kgscripts.reproductions.kidscook.pair_statistics import pair_statistics, sentences
from kgscripts.text.pipeline import lemmas_of_tokens, load_pipeline

PAIRS = [
    Pair.of_steps(["drain", "the", "pots", "."], [["use", "strainers", "."], ["tip", "the", "pot", "."], []]),
    Pair(abstract=["drain", "it"], concrete=["tip", "it", "tip"], blanks=[True, False, True]),
]


def test_sentences_end_at_full_stops_and_come_once() -> None:
    assert sentences(PAIRS) == [
        ("drain", "the", "pots", "."),
        ("use", "strainers", "."),
        ("tip", "the", "pot", "."),
        ("drain", "it"),
        ("tip", "it", "tip"),
    ]


def test_statistics() -> None:
    lemmas = {sentence: [token.removesuffix("s") for token in sentence] for sentence in sentences(PAIRS)}
    sizes = pair_statistics(PAIRS, lemmas)
    assert sizes.sequences == 2
    assert sizes.written_tokens == 10
    assert sizes.concrete_tokens == 11
    assert sizes.average_abstract_length == 3
    assert sizes.average_concrete_length == 5.5
    assert sizes.vocabulary == 7
    assert sizes.novel_types == len({"use", "strainers", "tip", "pot"})
    assert sizes.novel_lemmas == len({"use", "strainer", "tip"})
    assert (sizes.blanks, sizes.blank_tokens) == (2, 2)


def test_lemmas_of_tokens() -> None:
    given = [("drained", "the", "pots", "."), (), ("Tip", "it")]
    found = list(lemmas_of_tokens(load_pipeline(), given))
    assert found[0] == ["drain", "the", "pot", "."]
    assert found[1] == []
    assert found[2] == ["tip", "it"]


@pytest.mark.parametrize(
    ("file", "sequences", "concrete", "written", "abstract_length", "concrete_length", "vocabulary"),
    [
        # The paper: 307,573 and 36,830 tokens; 10.0 and 37.9, 8.8 and 36.3 a pair; 3,573 and 1,479 types. In the
        # released ids rare words are one, and some of those were several tokens.
        ("train.freq.pkl.gz", 8125, 307_524, 294_226, 9.97, 37.85, 1994),
        ("valid.freq.pkl.gz", 1014, 36_827, 35_087, 8.80, 36.32, 1193),
        ("train.template.tsv", 8038, 292_725, 292_725, 9.95, 36.42, 3534),
        ("valid.template.tsv", 1007, 34_976, 34_976, 8.78, 34.73, 1476),
    ],
)
def test_kidscook(
    shared_corpora: Path,
    file: str,
    sequences: int,
    concrete: int,
    written: int,
    abstract_length: float,
    concrete_length: float,
    vocabulary: int,
) -> None:
    pairs = load_pairs([shared_corpora / "kidscook" / file])
    sizes = pair_statistics(pairs, {sentence: sentence for sentence in sentences(pairs)})
    assert sizes.sequences == sequences
    assert sizes.concrete_tokens == concrete
    assert sizes.written_tokens == written
    assert sizes.vocabulary == vocabulary
    assert sizes.average_abstract_length == pytest.approx(abstract_length, abs=0.005)
    assert sizes.average_concrete_length == pytest.approx(concrete_length, abs=0.005)
    # With each token as its own lemma both counts are the same.
    assert sizes.novel_types == sizes.novel_lemmas > 0
