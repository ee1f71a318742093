"""What the reader learns from: labelled passages, the words and pairs they give, and the windows that are read."""

from __future__ import annotations

import json
from collections import Counter
from importlib import resources
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.models.encoder import shared_minilm
from kgscripts.models.reader.labels import (
    CONDITIONAL,
    GRAPH,
    HAPPENS,
    LISTS,
    NEEDED,
    NONE,
    PAIRS,
    PLACE_BEFORE,
    REFERENT,
    WORDS,
    EventRole,
    Reality,
)
from kgscripts.models.reader.windows import MOST_PIECES, Pieces, ReaderText
from kgscripts.reproductions.reader.gold import (
    LabelledText,
    labelled_passages,
    read_set,
    read_sets,
    recipes,
    shipped_passages,
    stories,
    unpunctuated,
    varied,
)
from kgscripts.reproductions.reader.lists import listed_texts
from kgscripts.reproductions.reader.partial_labels import is_unknown, pair_masks, surprisal, word_masks
from kgscripts.reproductions.reader.passages import DOMAINS, REGISTERS, read_passages
from schemas.errors import InputError
from tests.evaluation.test_inscript import STORY

PASSAGE = """## repair | forum answer | Replacing a car fuse
You will need a fuse puller and a new fuse.
! puller fuse#2
Before touching the old fuse, let it cool in a tray.
- touching ment obj:fuse
- cool do obj:it>fuse con:tray
If the cover is stuck, pry it off with a flat screwdriver.
? If the cover is stuck
- pry do if obj:it>cover ins:screwdriver
Rinse and dry.
- Rinse do obj:>fuse con:>tray
- dry neg obj:>fuse
"""


def _write(folder: Path, content: str) -> Path:
    path = folder / "passages.txt"
    path.write_text(content, encoding="utf-8")
    return path


def _told(text: LabelledText) -> set[tuple[str, str, str]]:
    words = [word for sentence in text.text.sentences for word in sentence]
    return {
        (words[predicate], words[thing], label)
        for predicate, things in text.pairs.items()
        for thing, label in things.items()
    }


def _labels(text: LabelledText) -> list[tuple[str, str]]:
    words = [word for sentence in text.text.sentences for word in sentence]
    return [(words[place], label) for place, label in sorted(text.words.items())]


def test_words_and_pairs_of_a_passage(tmp_path: Path) -> None:
    (found,) = labelled_passages([_write(tmp_path, PASSAGE)])
    words = [word for sentence in found.text.sentences for word in sentence]
    assert {words[place]: label for place, label in found.words.items()} == {
        "touching": Reality.MENTIONED,
        "cool": Reality.INSTRUCTED,
        "pry": Reality.INSTRUCTED,
        "Rinse": Reality.INSTRUCTED,
        "dry": Reality.NEGATED,
    }
    assert _told(found) == {
        ("touching", "fuse", EventRole.OBJECT),
        ("cool", "it", EventRole.OBJECT),
        ("cool", "fuse", REFERENT),
        ("cool", "tray", EventRole.CONTAINER),
        ("pry", "it", EventRole.OBJECT),
        ("pry", "cover", REFERENT),
        ("pry", "screwdriver", EventRole.INSTRUMENT),
        ("Rinse", "fuse", REFERENT),
        ("Rinse", "tray", PLACE_BEFORE),
        ("dry", "fuse", REFERENT),
    }
    assert [words[place] for place in sorted(found.flags[NEEDED])] == ["puller", "fuse"]
    assert [words[place] for place in found.flags[CONDITIONAL]] == ["pry"]


def test_a_tool_that_is_all_that_is_acted_on_stands_for_what_an_object_would(tmp_path: Path) -> None:
    content = """## cooking | chat | Dressing
Take a jar with a spoon.
- Take do obj:jar ins:spoon
Shake it.
- Shake do con:it>jar
Then stir the oil with it.
- stir do obj:oil ins:it>spoon
"""
    (found,) = labelled_passages([_write(tmp_path, content)])
    assert _told(found) == {
        ("Take", "jar", EventRole.OBJECT),
        ("Take", "spoon", EventRole.INSTRUMENT),
        ("Shake", "it", EventRole.CONTAINER),
        ("Shake", "jar", REFERENT),
        ("stir", "oil", EventRole.OBJECT),
        ("stir", "it", EventRole.INSTRUMENT),
    }


@pytest.mark.parametrize(
    ("wrong", "line", "what"),
    [
        ("- Rinse do obj:>bolt", 11, "bolt"),
        ("- Scrub do", 11, "Scrub"),
        ("- Rinse perhaps", 11, "second word"),
        ("- Rinse do tool:fuse", 11, "a role is one of"),
        ("- Rinse do obj:", 11, "names nothing"),
        ("- Rinse#2 do", 11, "Rinse#2"),
        ("- Rinse do obj:dry#x", 11, "dry#x"),
        ("- Rinse do if", 11, "no line with ?"),
        ("? unless it rains", 11, "does not have the words"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, wrong: str, line: int, what: str) -> None:
    lines = PASSAGE.splitlines()
    path = _write(tmp_path, "\n".join([*lines[: line - 1], wrong]))
    with pytest.raises(InputError) as error:
        read_passages(path)
    assert f"passages.txt:{line}:" in str(error.value)
    assert what in str(error.value)


@pytest.mark.parametrize(
    "content", ["Rinse it.\n", "## repair | forum answer\n", "## magic | blog | x\n", "## repair | blog | x\n- a do\n"]
)
def test_a_passage_has_a_heading_and_sentences(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputError):
        read_passages(_write(tmp_path, content))


def test_every_passage_that_ships_can_be_read() -> None:
    passages = [passage for path in shipped_passages() for passage in read_passages(path)]
    assert {passage.register for passage in passages} == REGISTERS
    assert {passage.domain for passage in passages} <= DOMAINS
    titles = [(passage.title, passage.sentences[0].text) for passage in passages]
    assert len(set(titles)) == len(titles)


def test_a_text_without_punctuation_keeps_its_labels(tmp_path: Path) -> None:
    (found,) = labelled_passages([_write(tmp_path, PASSAGE)])
    plain = unpunctuated(found)
    assert "." not in plain.text.all_words
    assert _labels(plain) == [(word.lower(), label) for word, label in _labels(found)]
    assert _told(plain) == {(verb.lower(), thing, label) for verb, thing, label in _told(found)}


def test_all_passages_are_in_the_texts_that_vary_with_all_their_labels() -> None:
    passages = labelled_passages(shipped_passages()[:1])[:23]
    found = [text for text in varied(passages) if len(text.text.sentences) > 1]
    own = [text for text in found if text.text.all_words != [word.lower() for word in text.text.all_words]]
    assert sum(len(text.words) for text in own) == sum(len(text.words) for text in passages)
    assert sum(len(_told(text)) for text in own if ", " not in text.id) < sum(len(_told(text)) for text in passages)
    (pair, *_) = (text for text in own if ", " in text.id)
    first, second = (text for text in passages if text.id in pair.id.split(", "))
    assert _labels(pair) == [*_labels(first), *_labels(second)]
    assert _told(pair) == _told(first) | _told(second)


def test_lists_say_something_of_their_sentences() -> None:
    found = listed_texts()
    assert len(found) > 1_500
    (sentence,) = (text for text in found if text.text.all_words[:5] == ["Use", "a", "soft", "brush", "to"])
    assert {("Use", "no event"), ("a", "no event"), ("loosen", "happens")} <= set(_labels(sentence))
    assert ("loosen", "brush", "means") in _told(sentence)


def test_a_label_of_another_set_leaves_some_of_a_graph() -> None:
    masks = word_masks("wikihow-fg")
    assert masks is not None
    left = {
        label: {own for own, is_left in zip(WORDS[GRAPH], row, strict=True) if is_left}
        for label, row in zip(WORDS["wikihow-fg"], masks, strict=True)
    }
    assert left[NONE] == set(WORDS[GRAPH]) - HAPPENS
    assert left["Ae2"] == set(WORDS[GRAPH])
    assert left["T"] == {NONE}
    assert left["Ae"] == HAPPENS
    assert word_masks(GRAPH) is None
    pairs = pair_masks(LISTS)
    assert pairs is not None
    assert pairs.shape == (len(PAIRS[LISTS]), len(PAIRS[GRAPH]))
    assert pairs.any(dim=1).all()


@given(st.lists(st.floats(-5, 5), min_size=3, max_size=3), st.integers(0, 2))
def test_surprisal_is_that_of_all_that_is_left(scores: list[float], label: int) -> None:
    masks = torch.tensor([[True, True, True], [True, False, False], [False, True, True]])
    row = torch.tensor([scores])
    shares = row.softmax(dim=1)[0]
    expected = -torch.log(shares[masks[label]].sum())
    assert surprisal(row, torch.tensor([label]), masks).item() == pytest.approx(expected.item(), abs=1e-4)


def test_the_last_fifth_of_each_set_is_for_scores(tmp_path: Path) -> None:
    for name in ("wikihow-fg", "easdrl", "wet-lab"):
        records = [
            json.dumps({**SPANS, "set": name, "id": str(number), "spans": [], "links": []}) for number in range(10)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(records), encoding="utf-8")
    parts = read_sets(tmp_path)
    assert [text.id for text in parts.test] == ["8", "9"] * 3
    assert len(parts.train) == 24


def test_the_test_list_is_what_its_readme_says() -> None:
    passages = read_passages(Path(str(resources.files("kgscripts.evaluation") / "data" / "reader.unseen.txt")))
    assert Counter(passage.domain for passage in passages) == dict.fromkeys(DOMAINS - {"business"}, 20)
    assert Counter(passage.register for passage in passages) == dict.fromkeys(REGISTERS, 30)
    assert sum(len(sentence.events) for passage in passages for sentence in passage.sentences) == 2_584


SPANS = {
    "set": "wikihow-fg",
    "id": "floor",
    "title": "Scrubbing a floor",
    "text": "Use a stiff brush to scrub the floor.\nLet it dry.",
    "spans": [
        *(["Ae", 0, 3], ["T", 6, 17], ["Ae", 21, 26], ["I", 31, 36], ["Ae", 38, 41], ["I", 42, 44], ["Ai", 45, 48]),
        ["Q", 4, 5],
    ],
    "links": [["Targ", 1, 0], ["T-comp", 0, 2], ["Targ", 3, 2], ["Agent", 4, 6], ["I-eq", 3, 5]],
}


def test_words_and_pairs_of_spans(tmp_path: Path) -> None:
    path = tmp_path / "floor.jsonl"
    path.write_text(json.dumps(SPANS), encoding="utf-8")
    (found,) = read_set(path)
    assert found.text.title == "Scrubbing a floor"
    assert len(found.text.sentences) == 2
    assert _labels(found) == [
        *(("Use", "Ae"), ("brush", "T"), ("scrub", "Ae"), ("floor", "I"), ("Let", "Ae"), ("it", "I"), ("dry", "Ai"))
    ]
    assert _told(found) == {
        ("Use", "brush", "T Targ"),
        ("scrub", "brush", "T T-comp"),
        ("scrub", "floor", "I Targ"),
    }


@pytest.mark.parametrize(
    "wrong", ["{", "[]", "{}", json.dumps({**SPANS, "set": "mine"}), json.dumps({**SPANS, "links": [["Targ", 1, 99]]})]
)
def test_files_of_something_else_are_refused(tmp_path: Path, wrong: str) -> None:
    path = tmp_path / "floor.jsonl"
    path.write_text(f"{json.dumps(SPANS)}\n{wrong}\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_set(path)
    assert "floor.jsonl:2" in str(error.value)


RECIPE = [
    *(("Chop", "B-Ac", 0, "root"), ("the", "O", 0, "root"), ("leeks", "B-F", 1, "t"), (".", "O", 0, "root")),
    *(("Fry", "B-Ac", 0, "root"), ("in", "O", 0, "root"), ("a", "O", 0, "root"), ("pan", "B-T", 5, "d")),
    (".", "O", 0, "root"),
]


def test_words_and_pairs_of_a_recipe(tmp_path: Path) -> None:
    path = tmp_path / "leeks.conllu"
    rows = [
        "\t".join([str(number), token, "_", "_", tag, "_", str(head), label, "_", "_"])
        for number, (token, tag, head, label) in enumerate(RECIPE, start=1)
    ]
    path.write_text("\n".join(rows), encoding="utf-8")
    (found,) = recipes(path)
    assert [" ".join(sentence) for sentence in found.text.sentences] == ["Chop the leeks .", "Fry in a pan ."]
    assert _labels(found) == [("Chop", "Ac"), ("leeks", "F"), ("Fry", "Ac"), ("pan", "T")]
    assert _told(found) == {("Chop", "leeks", "F t"), ("Fry", "pan", "T d")}


def test_events_of_a_story(tmp_path: Path) -> None:
    (tmp_path / "cake").write_text(STORY, encoding="utf-8")
    (found,) = stories(tmp_path)
    assert len(found.text.sentences) == 3
    assert _labels(found) == [("peeled", "event"), ("wanted", "other event"), ("cut", "other event")]


CHAINED = """\
▁I @ScrPart_cook_cake single none none 0
▁washed none none #ScrEv_wash_cake single none
▁the none none none none none
▁pan @ScrPart_utensil_cake single none none 3
▁and none none none none none
▁a none none none none none
▁bowl @ScrPart_utensil_cake single none none 4
. none none none none none
▁The none none none none none
▁pan @ScrPart_utensil_cake single none none 3
▁shone none none #UnrelEv_cake single none
, none none none none none
▁so none none none none none
▁I @ScrPart_cook_cake single none none 0
▁hung none none #ScrEv_hang_cake single none
▁it @ScrPart_utensil_cake single none none 3
▁up none none none none none
. none none none none none
<end_of_story>
"""


def test_what_a_pronoun_of_a_story_stands_for(tmp_path: Path) -> None:
    """The last noun of its chain; nothing is known of the nouns of the chain before."""
    (tmp_path / "cake").write_text(CHAINED, encoding="utf-8")
    (found,) = stories(tmp_path)
    words = found.text.all_words
    (things,) = found.pairs.values()
    assert [(words[place], place < 4, label) for place, label in sorted(things.items())] == [
        ("pan", True, "same"),
        ("pan", False, REFERENT),
        ("it", False, "object"),
    ]


@pytest.mark.parametrize(
    ("sentence", "word", "label", "is_open"),
    [
        ("Scrub the floor .", "Scrub", "Ae", False),
        ("Never scrub the floor .", "scrub", "Ae", True),
        ("If it is dirty , scrub it .", "scrub", "Ae", True),
        ("Let the floor dry .", "Let", "Ae", True),
        ("Let the floor dry .", "dry", "", True),
        ("The floor may dry .", "dry", "", False),
    ],
)
def test_of_what_another_set_says_nothing(sentence: str, word: str, label: str, is_open: bool) -> None:
    words = sentence.split()
    place = words.index(word)
    labels = {place: label} if label else {}
    text = LabelledText(set="wikihow-fg", id="", text=ReaderText("", [words]), words=labels, pairs={})
    assert is_unknown(text, place) == is_open


_SENTENCES = st.lists(
    st.lists(st.sampled_from(["cut", "bread", "antidisestablishmentarianism", ".", "it"]), max_size=90)
)


@given(st.sampled_from(["", "How to cut bread"]), _SENTENCES)
def test_every_word_is_read_once(title: str, sentences: list[list[str]]) -> None:
    pieces = Pieces(shared_minilm())
    text = ReaderText(title, [sentence for sentence in sentences if sentence])
    words = [word for sentence in text.sentences for word in sentence]
    read: list[int] = []
    for window in pieces.windows(text):
        assert len(window.pieces) <= MOST_PIECES
        assert window.first <= window.own
        for place, (begin, end) in enumerate(window.spans, start=window.first):
            assert list(window.pieces[begin:end]) == pieces(words[place])
        read += range(window.own, window.first + len(window.spans))
    assert read == list(range(text.words))
