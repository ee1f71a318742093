"""Scores of readings against labelled passages, by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from kgscripts.models.reader.labels import REFERENT, EventRole, Reality
from kgscripts.models.reader.reader import Reader
from kgscripts.models.reader.readings import ReadEvent, Reading, Thing
from kgscripts.models.reader.windows import ReaderText
from kgscripts.reproductions.events.labelled_passages import evaluate_agreement, evaluate_reader
from kgscripts.reproductions.reader.gold import labelled_passages
from kgscripts.reproductions.reader.passages import Event, LabelledChange, LabelledPassage, read_passages
from schemas.errors import InputError

PASSAGE = """## repair | blog | A fuse
You need a puller.
! puller
Pull the fuse with the puller and rinse it.
- Pull do obj:fuse ins:puller
- rinse neg obj:it>fuse
"""


class FixedReader(Reader):
    """Finds both events, the second as told, one of two roles, the noun of the pronoun, and nothing that is needed."""

    def __init__(self) -> None:
        pass

    def read(self, texts: Sequence[ReaderText], annotation: str = "graph") -> list[Reading]:  # noqa: ARG002
        return [self._reading(list(text.all_words)) for text in texts]

    @staticmethod
    def _reading(words: list[str]) -> Reading:
        fuse, puller = words.index("fuse"), len(words) - 1 - words[::-1].index("puller")
        pull = ReadEvent(
            words.index("Pull"),
            {Reality.INSTRUCTED: 0.9},
            0.0,
            (Thing(fuse, EventRole.OBJECT, 0.9), Thing(puller, EventRole.CONTAINER, 0.6)),
        )
        pronoun = Thing(words.index("it"), EventRole.OBJECT, 0.3)
        rinse = ReadEvent(words.index("rinse"), {Reality.TOLD: 0.7}, 0.0, (pronoun, Thing(fuse, REFERENT, 0.8)))
        return Reading((pull, rinse), [0.0] * len(words), [0.0] * len(words))


def test_figures_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "passages.txt"
    path.write_text(PASSAGE, encoding="utf-8")
    found = evaluate_reader(FixedReader(), "fixed", path)
    assert found.items == {"passages": 1, "events": 2}
    (system,) = found.systems
    assert (system["event precision"], system["event recall"]) == (1, 1)
    assert (system["happens precision"], system["happens recall"]) == (0.5, 1)
    assert system["reality right"] == 0.5
    # Of "obj:fuse ins:puller obj:it" the first was found, and one that is wrong.
    assert system["role precision"] == pytest.approx(1 / 2)
    assert system["role recall"] == pytest.approx(1 / 3)
    assert (system["pronoun precision"], system["pronoun recall"]) == (1, 1)
    assert system["needed recall"] == 0
    assert system["event calibration error"] == pytest.approx((0.1 + 0.3) / 2)
    assert system.value("happens recall", "blog") == 1


def test_what_is_no_passage_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "passages.txt"
    path.write_text("Pull it.\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"passages\.txt:1"):
        evaluate_reader(FixedReader(), "fixed", path)


def test_two_labellings_of_passages_agree_in_most() -> None:
    found = evaluate_agreement()
    assert found.items["passages"] > 290
    (second,) = found.systems
    assert second["event precision"] > 0.97
    assert second["event recall"] > 0.97
    assert second["reality right"] > 0.93
    assert second["role recall"] > 0.85


CHANGED = """## repair | blog | A fuse
Pull the fuse with the puller and rinse it.
- Pull do obj:fuse ins:puller
= fuse | location | in the box -> out of the box
= ? hand | fullness | empty -> full
- rinse neg obj:it>fuse
Wait.
- Wait do
= -
"""


def _read(folder: Path, text: str) -> list[LabelledPassage]:
    (folder / "passages.txt").write_text(text, encoding="utf-8")
    return read_passages(folder / "passages.txt")


def _events(passages: Sequence[LabelledPassage]) -> list[Event]:
    return [event for passage in passages for sentence in passage.sentences for event in sentence.events]


def test_changes_stand_below_their_event(tmp_path: Path) -> None:
    pull, rinse, wait = _events(_read(tmp_path, CHANGED))
    assert pull.changes == (
        LabelledChange("fuse", "location", "in the box", "out of the box", sure=True),
        LabelledChange("hand", "fullness", "empty", "full", sure=False),
    )
    # Nobody has labelled what rinsing changes; waiting changes nothing.
    assert rinse.changes is None
    assert wait.changes == ()
    plain = "".join(line for line in CHANGED.splitlines(keepends=True) if not line.startswith("= "))
    assert [event.changes for event in _events(_read(tmp_path, plain))] == [None] * 3


def test_changes_are_of_the_words_of_their_predicates(tmp_path: Path) -> None:
    _read(tmp_path, CHANGED)
    (text,) = labelled_passages([tmp_path / "passages.txt"])
    words = text.text.all_words
    assert {words[place]: len(changes) for place, changes in text.changes.items()} == {"Pull": 2, "Wait": 0}
    assert {words[place] for place in text.words} == {"Pull", "rinse", "Wait"}


def test_a_value_may_have_an_arrow_and_blanks_around_a_change_do_not_count(tmp_path: Path) -> None:
    text = "## repair | blog | A\nPull it.\n- Pull do\n=   ? the old fuse | state of matter | a-b -> c -> d  \n"
    (event,) = _events(_read(tmp_path, text))
    assert event.changes == (LabelledChange("the old fuse", "state of matter", "a-b", "c -> d", sure=False),)


@pytest.mark.parametrize(
    "line",
    [
        "= fuse | colour | white -> black",  # an attribute that the vocabulary does not have
        "= fuse | Location | here -> there",
        "= fuse | position | here -> there",
        "= fuse | location | out of the box",
        "= fuse | location | -> out of the box",
        "= fuse | location | in the box ->",
        "= fuse | location | in the box->out of the box",
        "= fuse | location",
        "= fuse location in the box -> out of the box",
        "= | location | in the box -> out of the box",
        "= fuse | location | in the box -> out | certain",
        "= fuse |  | in the box -> out of the box",
        "= ?",
        "= --",
        "= - -",
        "= ",
        "= ? -",
    ],
)
def test_what_is_no_change_is_named_with_its_line(line: str, tmp_path: Path) -> None:
    lines = CHANGED.splitlines()
    for number in (4, 5, 9):
        damaged = [*lines[: number - 1], line, *lines[number:]]
        with pytest.raises(InputError, match="is not THING") as error:
            _read(tmp_path, "\n".join(damaged))
        assert str(error.value.where).endswith(f"passages.txt:{number}")
        assert error.value.remedy


def test_a_change_without_an_event_is_named_with_its_line(tmp_path: Path) -> None:
    change = "= fuse | location | in the box -> out of the box\n"
    heading, sentence = "## repair | blog | A fuse\n", "Pull the fuse.\n"
    for text, number, message in (
        (heading + sentence + change + "- Pull do obj:fuse\n", 3, "below their event"),
        (heading + sentence + "- Pull do obj:fuse\n" + sentence + change, 5, "below their event"),
        (heading + sentence + "! fuse\n" + change, 4, "below their event"),
        (heading + sentence + "= -\n", 3, "below their event"),
        (heading + change, 2, "below their sentence"),
        (change, 1, "a passage begins with"),
    ):
        with pytest.raises(InputError, match=message) as error:
            _read(tmp_path, text)
        assert str(error.value.where).endswith(f"passages.txt:{number}")


def test_a_condition_may_stand_among_changes(tmp_path: Path) -> None:
    """The marks of conditions and of likely changes are the same."""
    text = """## repair | blog | A fuse
If it is blown, pull the fuse.
- pull do if obj:fuse
= ? fuse | location | in the box -> out of the box
? If it is blown
= hand | fullness | empty -> full
"""
    (event,) = _events(_read(tmp_path, text))
    assert [change.sure for change in event.changes or ()] == [False, True]
    assert event.conditional
