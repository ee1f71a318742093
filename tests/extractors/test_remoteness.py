"""Memories, habits, near misses and people in general are no events of the story."""

from __future__ import annotations

import pytest

from tests.extractors.parses import event_words, read_text


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("When I was a child, my aunt baked bread.", ""),
        ("I used to bake bread.", ""),
        ("I used a brush to paint the fence.", "paint fence +brush"),
        ("Two years ago we painted the fence.", ""),
        ("I always burn the rice.", ""),
        ("Always wash the rice.", "wash rice"),
        ("I almost dropped the tray.", ""),
        ("Nobody opened the window.", ""),
        ("Most people peel potatoes.", ""),
        ("Instead of painting the fence I washed the car.", "wash car"),
        ("The boys not only swept the yard, they also stacked the wood.", "sweep yard; stack wood"),
        ("My sister had already opened the window.", "open window"),
        ("I thought about selling the car.", ""),
        ("It took me an hour to paint the fence.", "paint fence"),
        ("In the film a woman robbed a bank.", ""),
        ("Dough rises faster in summer, so I washed the bowl.", "wash bowl"),
        ("I cut the bread and we put the slices on a plate.", "cut bread; put slice on plate"),
        ("According to my barber, his cousin robbed a bank.", ""),
        ("My uncle once sold a horse.", ""),
        ("Last summer we painted the fence. This year we washed it.", "wash fence"),
        ("In those days you wrote letters.", ""),
        ("Has anyone opened the window?", ""),
        ("I washed the cup that I took from the shelf.", "wash cup; take cup from shelf"),
    ],
)
def test_what_took_place(text: str, events: str) -> None:
    assert event_words(read_text(text)) == events
