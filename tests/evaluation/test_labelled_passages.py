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
