"""The transducer that ships: whole, small, with its figures, and it fills blanks."""

from __future__ import annotations

from kgscripts.models.checkpoint import load_checkpoint
from kgscripts.models.cloze import Cloze
from kgscripts.models.registry import find_checkpoint, load


def test_it_is_small_and_says_how_good_it_is() -> None:
    directory = find_checkpoint("transducer")
    assert sum(path.stat().st_size for path in directory.iterdir()) < 2_000_000
    card = load_checkpoint(directory).card
    figures = {(score.metric, score.split): score.value for score in card.scores}
    assert figures["oracle match, context left", "valid"] > 24.2
    assert figures["oracle top5, context left", "valid"] > 54.0
    assert figures["surprisal, context left", "valid"] < 3.55
    assert card.command.startswith("kgscripts train transducer --config transducer-parameterised")


def test_it_knows_what_one_cuts_with() -> None:
    concrete = ("use", "a", "sharp", "_", "to", "cut", "it", ".")
    cloze = Cloze(("chop", "the", "onion", "."), concrete, tuple(word == "_" for word in concrete), 3, 3)
    candidates = ["knife", "banana", "minutes"]
    guesses = load("cloze", "transducer").predict([cloze], candidates)[0]
    assert candidates[int(guesses[:3].argmax())] == "knife"
