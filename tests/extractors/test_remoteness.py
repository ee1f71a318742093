"""Memories, habits, near misses and people in general are no events of the story; habitual texts keep their habits."""

from __future__ import annotations

import pytest

from tests.extractors.parses import event_words, read_text


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("When I was a child, my aunt baked bread.", ""),
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
        ("I cut the bread and we put the slices on a plate.", "cut bread; put slice on plate +plate"),
        ("According to my barber, his cousin robbed a bank.", ""),
        ("My uncle once sold a horse.", ""),
        ("Last summer we painted the fence. This year we washed the fence.", "wash fence"),
        ("In those days you wrote letters.", ""),
        ("Has anyone opened the window?", ""),
        ("I washed the cup that I took from the shelf.", "wash cup; take cup from shelf"),
    ],
)
def test_what_took_place(text: str, events: str) -> None:
    assert event_words(read_text(text)) == events


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("I would fill the machine. Then I'd hang the shirts.", "fill machine +machine; hang shirt"),
        # One "would" beside a past is an aside of a story.
        ("My aunt would stir the jam. I sliced the bread and I washed the pan.", "slice bread; wash pan"),
        # So is a habit in a text about one day.
        ("We would paint the fence. We'd wash the brushes. Yesterday I bought a roller.", "buy roller"),
        (
            "I always wash the rice. Usually I add salt. I stir the soup. I peel carrots.",
            "wash rice; add salt; stir soup; peel carrot",
        ),
        ("In those days you washed the sheets. You dried the sheets.", "wash sheet; dry sheet"),
        ("I used to bake bread. I kneaded the dough.", "bake bread; knead dough"),
        # Never done, wished, of other people, and once.
        ("We'd wash the rice and we'd add salt. I would never peel the carrots.", "wash rice; add salt"),
        ("I'd wash the rice and I'd add salt. I'd like to buy a pot.", "wash rice; add salt"),
        ("I wash the rice. I add salt. I stir. Most people add sugar.", "wash rice; add salt; stir"),
        ("I'd wash the rice and I'd add salt. She once burned the pot.", "wash rice; add salt"),
        ("If the pan was dirty, I would wash the pan. Then I'd dry the pan.", "wash pan; dry pan"),
    ],
)
def test_what_is_usually_done(text: str, events: str) -> None:
    assert event_words(read_text(text)) == events


@pytest.mark.parametrize(
    ("text", "events"),
    [
        # Another time, until the story's things come back; and the same sentences without it.
        ("I oiled the oars. We had a boat once. My uncle painted the hull. The oars dried.", "oil oar; dry"),
        ("I oiled the oars. My uncle painted the hull. The oars dried.", "oil oar; paint hull; dry"),
        ("My first pie was a disaster. I burned the crust. Today I sliced the apples.", "slice apple"),
        ("My first pie was a success. I sliced the apples. I rolled the dough.", "slice apple; roll dough"),
        # Others, and fiction.
        ("I oiled the saw. A friend of hers cut her hand. I sharpened the blade.", "oil saw; sharpen blade"),
        ("She told us about her boss. He burned the soup. We washed the pot.", "tell about boss; wash pot"),
        ("We watched a thriller. A man stole a car. We washed the cups.", "watch thriller; wash cup"),
        ("We watched a thriller. My friend washed the cups.", "watch thriller; wash cup"),
        # Nobody comes back to the story from what is no dream, and a story about others has no narrator.
        ("I fell asleep. She washed the pot. I dried the cup.", "fall; wash pot; dry cup"),
        ("Ann watched a thriller. A man washed the cups.", "watch thriller; wash cup"),
    ],
)
def test_digressions(text: str, events: str) -> None:
    assert event_words(read_text(text)) == events
