"""Documents merged from parts of stories."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.reproductions.scenarios.documents import LabelledStory
from kgscripts.reproductions.scenarios.merging import merge_documents, story_parts
from schemas.errors import ConfigurationError
from schemas.scenario_documents import ScenarioDocument, concept_scheme, linked_scenarios

LABELS = [concept.label for concept in concept_scheme()]
BROADER = {concept.label: concept.broader for concept in concept_scheme()}


def _stories(count: int, length: int = 9) -> list[LabelledStory]:
    """Stories of as many scenarios as there are up to 40, whose sentences name the story and their place in it."""
    return [
        LabelledStory(
            id=str(number),
            scenario=LABELS[5 * (number % 40)],
            sentences=tuple(f"{number}:{place}" for place in range(length + number % 4)),
        )
        for number in range(count)
    ]


FILLER = [tuple(f"filler{number}:{place}" for place in range(7)) for number in range(5)]


@settings(max_examples=30)
@given(
    st.integers(0, 99),
    st.tuples(st.integers(1, 3), st.integers(3, 5)),
    st.tuples(st.integers(1, 3), st.integers(4, 12)),
    st.sampled_from([0.0, 0.1, 0.25, 0.5]),
    st.sampled_from([0.0, 0.15, 1.0]),
)
def test_documents_are_made_of_contiguous_parts(
    seed: int, segments: tuple[int, int], sentences: tuple[int, int], none_share: float, two_labels: float
) -> None:
    stories = _stories(60)
    of_story = {story.id: story for story in stories}
    documents = merge_documents(
        stories,
        seed=seed,
        documents=8,
        segments=segments,
        sentences=sentences,
        none_share=none_share,
        two_labels=two_labels,
        filler=FILLER,
        broader=BROADER,
    )
    assert len({document.id for document in documents}) == len(documents) == 8
    for document in documents:
        assert segments[0] <= len(document.segments) <= segments[1]
        end = 0
        scenarios = [scenario for segment in document.segments for scenario in segment.scenarios]
        assert len(set(scenarios)) == len(scenarios)
        for segment in document.segments:
            assert all(sentence.startswith("filler") for sentence in document.sentences[end : segment.start])
            end = segment.end
            inside = document.sentences[segment.start : segment.end]
            assert 1 <= len(inside) <= max(sentences[1], 2)
            names = dict.fromkeys(sentence.split(":")[0] for sentence in inside)
            told = {of_story[name].scenario for name in names}
            if len(segment.scenarios) == 1:
                assert len(names) == 1
            assert told <= set(segment.scenarios)
            assert set(segment.scenarios) - told <= {above for label in told for above in BROADER[label]}
            assert (len(segment.scenarios) == 2) or two_labels < 1
            for name in names:
                places = [int(sentence.split(":")[1]) for sentence in inside if sentence.startswith(f"{name}:")]
                assert places == list(range(places[0], places[0] + len(places)))
        assert all(sentence.startswith("filler") for sentence in document.sentences[end:])


def _share_of_none(documents: Sequence[ScenarioDocument]) -> float:
    labels = [labels for document in documents for labels in document.labels()]
    return labels.count(()) / len(labels)


def test_shares_are_those_asked_for_and_all_stories_are_used() -> None:
    stories = _stories(80)
    documents = merge_documents(stories, seed=3, documents=300, filler=FILLER, broader=BROADER)
    assert _share_of_none(documents) == pytest.approx(0.25, abs=0.003)
    segments = [segment for document in documents for segment in document.segments]
    assert sum(len(segment.scenarios) == 2 for segment in segments) / len(segments) == pytest.approx(0.15, abs=0.001)
    assert {len(document.segments) for document in documents} == {2, 3, 4}
    two = [segment.scenarios for segment in segments if len(segment.scenarios) == 2]
    assert 0.3 < sum(labels[0] in BROADER[labels[1]] for labels in two) / len(two) < 0.7
    used = {sentence.split(":")[0] for document in documents for sentence in document.sentences}
    assert used >= {story.id for story in stories}
    assert documents == merge_documents(stories, seed=3, documents=300, filler=FILLER, broader=BROADER)
    assert documents != merge_documents(stories, seed=4, documents=300, filler=FILLER, broader=BROADER)


def test_interleaved_stories_alternate() -> None:
    documents = merge_documents(_stories(40), seed=1, documents=20, none_share=0, two_labels=1)
    for segment, sentences in (
        (segment, document.sentences[segment.start : segment.end])
        for document in documents
        for segment in document.segments
    ):
        names = [sentence.split(":")[0] for sentence in sentences]
        assert len(segment.scenarios) == len(set(names)) == 2
        runs = [name for name, before in zip(names, [None, *names], strict=False) if name != before]
        assert len(runs) >= 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"segments": (0, 2)}, "segments"),
        ({"segments": (3, 2)}, "segments"),
        ({"sentences": (0, 2)}, "sentences"),
        ({"none_share": 1.0}, "None"),
        ({"none_share": -0.1}, "None"),
        ({"none_share": 0.2, "filler": ()}, "without a scenario"),
        ({"none_share": 0.2, "filler": [()]}, "without a scenario"),
        ({"two_labels": 1.1}, "two labels"),
        ({"documents": 0}, "documents"),
        ({"segments": (2, 30)}, "scenarios"),
        ({"stories": []}, "scenarios"),
    ],
)
def test_what_cannot_be_merged_is_an_error(options: dict[str, object], message: str) -> None:
    arguments = {"stories": _stories(50), "seed": 0, "documents": 1, "filler": FILLER} | options
    with pytest.raises(ConfigurationError, match=message):
        merge_documents(**arguments)  # type: ignore[arg-type]


@given(st.integers(0, 99), st.sampled_from([0.0, 0.3, 0.5]), st.sampled_from([0.0, 0.2]))
def test_parts_share_no_story_and_no_scenario_with_filler(seed: int, held_out: float, withheld: float) -> None:
    stories = _stories(100)
    parts = story_parts(
        stories, seed=seed, held_out=held_out, withheld=withheld, linked=linked_scenarios(), filler=FILLER
    )
    train, held = {story.id for story in parts.train}, {story.id for story in parts.held_out}
    fillers = [{text[0].split(":")[0] for text in texts} for texts in (parts.train_filler, parts.held_out_filler)]
    given = [filler & {text[0].split(":")[0] for text in FILLER} for filler in fillers]
    assert sorted(map(len, given)) == [2, 3]
    assert not given[0] & given[1]
    fillers = [filler - of_given for filler, of_given in zip(fillers, given, strict=True)]
    assert sorted([*train, *held, *fillers[0], *fillers[1]], key=int) == [story.id for story in stories]
    scenario = {story.id: story.scenario for story in stories}
    labels = {scenario[name] for name in train | held}
    withheld_labels = [{scenario[name] for name in filler} for filler in fillers]
    assert not withheld_labels[0] & withheld_labels[1]
    for label in withheld_labels[0] | withheld_labels[1]:
        assert label not in labels
        assert not linked_scenarios()[label] & labels
    assert {scenario[name] for name in held} <= {scenario[name] for name in train}
    assert len(held) == pytest.approx(held_out * (len(train) + len(held)), abs=2)


def test_more_than_can_be_withheld_is_an_error() -> None:
    linked = {story.scenario: [other.scenario for other in _stories(40)] for story in _stories(40)}
    with pytest.raises(ConfigurationError, match="to withhold"):
        story_parts(_stories(40), seed=0, linked=linked)
    with pytest.raises(ConfigurationError, match="shares"):
        story_parts(_stories(40), seed=0, held_out=1)
