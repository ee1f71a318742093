"""The words of actions for people: articles, order, number."""

from __future__ import annotations

import pytest

from kgscripts.extractors.events.wordings import third_person
from tests.extractors.parses import read_text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I took the bag outside and put it into the can.", ["take the bag outside", "put the bag into the can"]),
        ("She washed her hair.", ["wash the hair"]),
        ("I put on my shoes. I took them off.", ["put on your shoes", "take off your shoes"]),
        ("Crack two eggs into a bowl.", ["crack eggs into a bowl"]),
        ("I turned the water on.", ["turn the water on"]),
        ("Get an hour glass and a unicorn.", ["get an hour glass", "get a unicorn"]),
        ("We ordered some drinks.", ["order drinks"]),
        ("I grabbed an old towel.", ["grab a towel"]),
        ("The table was set by my mom.", ["set the table"]),
        ("Pour a cup of sugar into the pan.", ["pour sugar into the pan"]),
        ("I ate it.", ["eat it"]),
        ("Let the dough rise.", ["let the dough rise"]),
        ("Let us stir in the flour.", ["stir in the flour"]),
        ("I got out of the car.", ["get out of the car"]),
        ("Put the scissors away.", ["put the scissors away"]),
        ("We bought some hot dogs.", ["buy hot dogs"]),
        ("As my friends began to arrive one of them offered to cook.", ["arrive"]),
        ("I called 911.", ["call"]),
        ("Stay home.", ["stay home"]),
        ("The police arrived in five minutes.", ["the police arrive"]),
        ("My friends came over.", ["your friends come over"]),
        ("John arrived at the house.", ["arrive at the house"]),
        ("The paramedics got out.", ["the paramedics get out"]),
        ("I saw that the alarm went off.", ["the alarm goes off"]),
    ],
)
def test_the_words_of_an_action(text: str, found: list[str]) -> None:
    events = read_text(text).events
    assert [" ".join(filter(None, (event.words, event.phrase))) for event in events] == found


@pytest.mark.parametrize(
    ("verb", "form"),
    [
        ("arrive", "arrives"),
        ("dry", "dries"),
        ("play", "plays"),
        ("wash", "washes"),
        ("go", "goes"),
        ("be", "is"),
        ("have", "has"),
        ("fix", "fixes"),
    ],
)
def test_the_third_person(verb: str, form: str) -> None:
    assert third_person(verb) == form
