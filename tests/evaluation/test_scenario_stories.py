"""The accuracy of the scenarios of whole stories, and of the events of a graph."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from kgscripts import ScriptGraph
from kgscripts.commands.evaluate import app as evaluate
from kgscripts.evaluation.result import from_json
from kgscripts.pipeline import build_graph
from kgscripts.reproductions.scenarios.documents import LabelledStory
from kgscripts.reproductions.scenarios.mentions import document_text, score_mentions
from kgscripts.reproductions.scenarios.stories import Classifier, story_accuracy
from schemas.errors import ConfigurationError, InputError
from schemas.scenario_documents import LabelledSegment, ScenarioDocument
from tests.assembly.tiny_reader import TinyExtractor, TinySegmenter

COUNTS = {"taking a bath": 4, "going to the gym": 2, "planting a tree": 1}
STORIES = [
    LabelledStory(id=f"{scenario} {number}", scenario=scenario, sentences=(f"This is about {scenario}.",))
    for scenario, count in COUNTS.items()
    for number in range(count)
]


class Memory:
    """Predicts the scenario that a story's sentence names if it was trained on it, and remembers the training sets."""

    def __init__(self) -> None:
        self.training: list[set[str]] = []

    def train(self, stories: Sequence[LabelledStory]) -> Classifier:
        self.training.append({story.id for story in stories})
        known = {story.scenario for story in stories}

        def classify(texts: Sequence[Sequence[str]]) -> list[list[str]]:
            named = [sentence.removeprefix("This is about ").removesuffix(".") for [sentence] in texts]
            return [[name] if name in known else ["unknown", name] for name in named]

        return classify


def test_stories_are_predicted_from_others_of_their_scenarios() -> None:
    memory = Memory()
    done: list[int] = []
    found = story_accuracy(STORIES, memory.train, folds=3, on_story=done.append, whole_scenarios=False)
    assert (found.systems[0]["accuracy"], found.items) == (1, {"stories": 6, "scenarios": 2})
    assert sum(done) == 6
    everything = {story.id for story in STORIES}
    withheld = [everything - training for training in memory.training]
    assert sorted(name for names in withheld for name in names) == sorted(everything - {"planting a tree 0"})
    assert sorted(map(len, withheld)) == [2, 2, 2]


@given(st.lists(st.sampled_from("abcde"), min_size=2), st.integers(2, 6), st.integers(0, 5))
def test_a_story_that_is_predicted_has_a_scenario_that_was_trained_on(labels: list[str], folds: int, seed: int) -> None:
    stories = [
        LabelledStory(id=str(number), scenario=label, sentences=(f"This is about {label}.",))
        for number, label in enumerate(labels)
    ]
    frequent = [label for label in labels if labels.count(label) > 1]
    if not frequent:
        with pytest.raises(InputError):
            story_accuracy(stories, Memory().train, folds=folds, seed=seed, whole_scenarios=False)
        return
    found = story_accuracy(stories, Memory().train, folds=folds, seed=seed, whole_scenarios=False)
    assert (found.items["stories"], found.examples) == (len(frequent), ())
    one, other = Memory(), Memory()
    story_accuracy(stories, one.train, folds=folds, seed=seed, whole_scenarios=False)
    story_accuracy(stories[::-1], other.train, folds=folds, seed=seed, whole_scenarios=False)
    assert one.training == other.training


def test_scenarios_are_withheld_in_turn() -> None:
    memory = Memory()
    found = story_accuracy(STORIES, memory.train, whole_scenarios=True, folds=4)
    assert (found.systems[0]["accuracy"], found.items) == (0, {"stories": 7, "scenarios": 3})
    assert found.systems[0]["accuracy among theirs"] == 1, "no story is about the one that ranks first"
    assert sorted(len(STORIES) - len(training) for training in memory.training) == [1, 2, 4]
    mistakes = [(one.where, one.gold, one.found) for one in found.examples]
    assert ("planting a tree 0", ("planting a tree",), ("unknown",)) in mistakes


def test_variants_of_a_label_are_one_scenario() -> None:
    variants = ("change batteries", "changing batteries in an alarm clock", "go to the gym", "Going to the gym")
    stories = [
        LabelledStory(id=str(number), scenario=label, sentences=("Text.",)) for number, label in enumerate(variants)
    ]

    training: list[int] = []

    def train(given: Sequence[LabelledStory]) -> Classifier:
        training.append(len(given))
        return lambda texts: [["GO to the gym"]] * len(texts)

    found = story_accuracy(stories, train, whole_scenarios=True, folds=10)
    assert (training, found.items["scenarios"], found.systems[0]["accuracy"]) == ([2, 2], 2, 0.5)


def test_too_few_stories_or_folds_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="1 folds"):
        story_accuracy(STORIES, Memory().train, folds=1, whole_scenarios=False)
    with pytest.raises(ConfigurationError, match="1 folds"):
        story_accuracy(STORIES, Memory().train, whole_scenarios=True, folds=1)
    with pytest.raises(InputError, match="two stories"):
        story_accuracy(STORIES[-1:], Memory().train, whole_scenarios=False)
    with pytest.raises(InputError, match="no labelled stories"):
        story_accuracy([], Memory().train, whole_scenarios=True)


SOUP, PASTA = "making soup", "cooking pasta"
COOKED = ScenarioDocument(
    id="a",
    sentences=(
        "we boil the water.",  # in the graph: soup
        "we salt the water.",  # soup
        "we cook the pasta in the water.",  # both
        "we drain the pasta.",  # pasta
        "we wash the pot.",  # none
        "not we eat.",
    ),
    segments=[
        LabelledSegment(start=0, end=3, scenarios=["make soup"]),
        LabelledSegment(start=4, end=5, scenarios=[PASTA]),
    ],
)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    folder = tmp_path_factory.mktemp("stories")
    other = {"id": "b", "text": "we boil the water."}
    rows = [{"id": COOKED.id, "text": document_text(COOKED)}, other]
    stories = folder / "stories.jsonl"
    stories.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    build_graph(stories, folder / "graph", extractors=[TinyExtractor(), TinySegmenter()])
    return ScriptGraph.open(folder / "graph")


def test_mentions_are_compared_with_the_labels_of_their_sentences(graph: ScriptGraph) -> None:
    found, examples = score_mentions(graph, {"stories.jsonl#a": COOKED})
    sizes = {"mentions": 5, "labelled": 4, "assigned": 4, "right": 3, "assigned scenarios": 5, "right scenarios": 3}
    assert found == sizes
    assert [(example.gold, example.found) for example in examples] == [
        ((SOUP,), (SOUP,)),
        ((SOUP,), (SOUP,)),
        ((SOUP,), (PASTA, SOUP)),
        ((), (PASTA,)),
        ((PASTA,), ()),
    ]


def test_no_documents_have_no_mentions(graph: ScriptGraph) -> None:
    assert score_mentions(graph, {}) == ({}, [])


@pytest.mark.parametrize(
    ("name", "message"), [("stories.jsonl#c", "no such source"), ("stories.jsonl#b", "another text")]
)
def test_a_graph_of_other_texts_is_refused(graph: ScriptGraph, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        score_mentions(graph, {name: COOKED})


def test_a_text_file_is_found_by_its_name(tmp_path: Path) -> None:
    story = tmp_path / "story.txt"
    story.write_text(document_text(COOKED), encoding="utf-8")
    build_graph(story, tmp_path / "graph", extractors=[TinyExtractor(), TinySegmenter()])
    assert score_mentions(ScriptGraph.open(tmp_path / "graph"), {"story.txt": COOKED})[0]["mentions"] == 5


def test_the_command_compares_one_label_with_detection(tmp_path: Path) -> None:
    """With the shipped model, on two passages that are easy to tell apart."""
    sentences = [
        "I filled a pot with water and put the pot on the stove.",
        "I boiled the water, added the spaghetti and stirred it.",
        "Then I drained the spaghetti in a colander and put it on a plate.",
        "I ran the hot tap and poured shampoo into my hand.",
        "I rubbed the shampoo into my hair.",
        "I washed my hair with the shampoo and rinsed it.",
    ]
    segments = [
        {"start": 0, "end": 3, "scenarios": ["cooking pasta"]},
        {"start": 3, "end": 6, "scenarios": ["washing ones hair"]},
    ]
    records = [
        {"id": "a", "sentences": sentences, "segments": segments},
        {"id": "b", "sentences": ["The weather was nice."], "segments": []},
    ]
    gold = tmp_path / "gold.jsonl"
    gold.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    options = ["--gold", str(gold), "--examples", "2"]
    run = CliRunner().invoke(evaluate, ["scenario-mentions", *options, "--json"], catch_exceptions=False)
    [found] = from_json(json.loads(run.output))
    detected, one = found.systems
    mentions = found.items["mentions"]
    assert one["mentions with a scenario"] == mentions == found.items["of them in labelled sentences"] >= 10
    assert 0.4 < one["mention precision"] < 0.8, "half of the sentences are about the label"
    assert detected["mention precision"] == detected["mention recall"] == 1
    assert [example.system for example in found.examples] == [detected.name] * 2 + ["one label"] * 2
