"""The key that titles of the same activity share."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kgscripts.corpora.scenarios.labels import resolve_title
from kgscripts.titles.keys import is_left_out, title_key
from kgscripts.titles.plain import MAX_CHARACTERS, plain_title, singular
from schemas.errors import InputError
from schemas.scenario_documents import concept_scheme


@pytest.mark.parametrize(
    "titles",
    [
        ("How to Plant a Tree", "Planting the apple tree", "10 Ways to plant trees (with pictures)", "Tree planting"),
        ("Change the oil in your car", "Changing your car's oil", "How do I change car oil?", "Replace car oil"),
        ("How to get rid of rust", "Removing rust", "Rust removal: a guide for beginners", "Get rust out quickly"),
        ("Open a bottle of wine", "How to open a wine bottle like a pro", "Opening the wine bottle in 2 easy steps"),
        ("Build a bird house", "DIY: build your own birdhouse", "Making a birdhouse out of wood | Crafts.com"),
        ("Cut a cable down", "cutting down a cable", "HOW TO: CUT DOWN A CABLE!!"),
        ("Waffles: how to make them", "How to make waffles in 2024", "make delicious waffles for the kids"),
        ("Barbie&#x27;s house: paint", "Barbie's house: paint"),
    ],
)
def test_titles_that_mean_the_same(titles: tuple[str, ...]) -> None:
    assert len({title_key(title) for title in titles}) == 1, [title_key(title) for title in titles]


@pytest.mark.parametrize(
    "titles",
    [
        ("How to plant a tree", "Repot a tree", "Climbing trees", "How not to plant a tree", "Plant a tree house"),
        ("Change a car tyre", "Change a bicycle tyre", "Pump up a car tyre", "Change a tyre in Minecraft"),
        ("How to make green tea", "How to make coffee", "Grow green tea", "Make a tea cosy"),
        ("Put out a fire", "Put a fire together", "Make a fire"),
        ("Add salt to water", "Remove salt from water", "Buy salt"),
        ("Chess: the opening", "Chess: the endgame"),
        ("Level 1", "Level 2"),
        ("Part a", "Part b", "Part"),
        ("Learning to drive a car", "Driving a car"),
        ("C for beginners", "C++ for beginners", "C# for beginners"),
        ("Have fun with a bike", "Have fun in the sun"),
        ("Bake", "Cook", "Make"),
        ("Make a model of a ship", "Make a model of a car"),
    ],
)
def test_titles_that_do_not(titles: tuple[str, ...]) -> None:
    for one, other in combinations(titles, 2):
        assert title_key(one) != title_key(other), (one, other)


def test_no_two_listed_scenarios_have_a_key_in_common() -> None:
    """The names of each were written by others, before there were keys."""
    found: dict[str, str] = {}
    for concept in concept_scheme():
        for name in (concept.label, *concept.alternative_labels):
            assert found.setdefault(title_key(name), concept.label) == concept.label, name


@pytest.mark.parametrize(
    ("title", "label"),
    [
        ("How to plant trees: 12 steps (with pictures)", "planting a tree"),
        ("Baking the perfect chocolate cake", "baking a cake"),
        ("Unblocking a toilet", "unclogging the toilet"),
        ("7 Ways to Repot a Plant - wikiHow", "repotting a plant"),
        ("Repot your plants", "repotting your plants"),
        ("My way", "my way"),
        ("🎂", "🎂"),
        ("植树", "植树"),
        ("The", "the"),
    ],
)
def test_the_label_of_a_title(title: str, label: str) -> None:
    assert resolve_title(title) == label


_WORDS = [
    "how to",
    "plant",
    "planting",
    "a",
    "the",
    "apple",
    "trees",
    "in 5 steps",
    "easily",
    "7 ways to",
    "removal",
    "of",
]
_WORDS += [
    "from scratch",
    "(easy)",
    ":",
    "|",
    "best",
    "out",
    "make",
    "fried",
    "rice",
    "2023",
    "for beginners",
    "guide",
    "it",
]
# No title has signs alone, "how to" in its middle, or articles and adverbs alone ("the" has an *-ing* form, "thing").
TITLES = (st.lists(st.sampled_from(_WORDS), max_size=7).map(" ".join) | st.text(max_size=30)).filter(
    lambda title: (
        any(map(str.isalnum, title))
        and not re.search(r"(?<!^)(?<!how to )how to", title)
        and (not title.startswith("how") or not all(map(is_left_out, plain_title(title)[0].split())))
    )
)


@given(TITLES)
@example("how to how to trees")
@example("diy: tips: make rice")
@example("how to quickly and safely plant")
def test_the_label_of_a_title_has_its_key(title: str) -> None:
    try:
        label = resolve_title(title)
    except InputError:
        return
    assert resolve_title(label) == label or label.startswith("how ")
    if label not in {concept.label for concept in concept_scheme()}:
        assert title_key(label) == title_key(title)


@given(TITLES)
def test_plain_titles_stay_as_they_are(title: str) -> None:
    plain, _ = plain_title(title)
    assert plain_title(plain) == (plain, False)


@pytest.mark.parametrize(
    "title",
    [
        "",
        "?!",
        "🎂🎂",
        "\0\x1b[31m",
        "\ud83c",
        "a",
        "the of and",
        "of",
        "((((",
        "))))",
        "|",
        ":",
        "- -",
        "木を植える方法",
    ]
    + ["كيف تزرع شجرة", "'s", "how to", "how to how to", "1", "́" * 50, "in 5 steps", "x" * 5000, "how to " * 900]
    + [
        f"{word} " * (MAX_CHARACTERS // (len(word) + 1))
        for word in ("super very", "a few", "top 3", "in a", "for the", "( [")
    ],
)
def test_odd_titles_have_a_key(title: str) -> None:
    """In a moment: what takes exponential time never ends."""
    assert title_key(title) == title_key(title)


def test_long_titles_are_not_cut() -> None:
    assert title_key("plant a tree " * 40 + "x") != title_key("plant a tree " * 40 + "y")


@pytest.mark.parametrize(
    ("plural", "noun"),
    [
        *[("trees", "tree"), ("knives", "knife"), ("potatoes", "potato"), ("batteries", "battery"), ("dishes", "dish")],
        *[
            ("boxes", "box"),
            ("glass", "glass"),
            ("pies", "pie"),
            ("clothes", "clothes"),
            ("bus", "bus"),
            ("shoes", "shoe"),
        ],
    ],
)
def test_singulars(plural: str, noun: str) -> None:
    assert singular(plural) == noun
