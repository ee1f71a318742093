"""A generator of changes of a few attributes: a tiny random network over the reader that ships."""

from __future__ import annotations

import json

import attrs
import torch

from kgscripts.models.changes.generator import KIND, VOCABULARY, Calibration, ChangeQuery, ChangeVocabulary
from kgscripts.models.changes.heads import ChangeSizes
from kgscripts.models.checkpoint import Checkpoint, ModelCard
from kgscripts.models.reader.reader import STATE_LAYERS
from kgscripts.models.reader.windows import ReaderText
from kgscripts.models.registry import DEFAULT, describe, load
from lightning_modules.changes.network import ChangeNetwork

WORDS = ChangeVocabulary(
    attributes=("contact", "fullness", "wetness"),
    values=(
        ("contact", "on @", "in @"),
        ("wetness", "dry", "wet"),
        ("fullness", "empty", "full"),
        ("contact", "in @", "outside"),
        ("wetness", "wet", "dry"),
        ("contact", "elsewhere", "on @"),
        ("fullness", "full of @", "empty"),
    ),
    unnamed=("person", "hand", "water"),
)
INNER = 24
CALIBRATION = Calibration(bias=-0.3, attribute=0.9, value=0.4)
CARD = ModelCard(name="tiny", version="1", task="changes", licence="MIT", data="nothing", command="")


def text(*sentences: str, title: str = "") -> ReaderText:
    """A text of these sentences, whose words stand between blanks."""
    return ReaderText(title, [sentence.split() for sentence in sentences])


def query(of: ReaderText, predicate: str) -> ChangeQuery:
    """The first event with this predicate, with all words of the text as things."""
    return ChangeQuery(list(of.all_words).index(predicate), range(of.words))


def network(seed: int = 0) -> ChangeNetwork:
    """A network with random weights that finds several changes of each event."""
    size = len(STATE_LAYERS) * load("reader", DEFAULT).size
    torch.manual_seed(seed)  # behind the reader, whose loading draws numbers too
    sizes = ChangeSizes(
        state=size, inner=INNER, attributes=len(WORDS.attributes), values=len(WORDS.values), unnamed=len(WORDS.unnamed)
    )
    made = ChangeNetwork(sizes).eval()
    with torch.no_grad():
        made.attributes.bias.fill_(-2.0)
        for layer in (made.attributes, made.values, made.before, made.after):
            layer.weight.mul_(5)
    return made


def checkpoint(seed: int = 0) -> Checkpoint:
    """The checkpoint of `network`, as its training makes it."""
    made = network(seed)
    settings = {
        "inner": INNER,
        "reader_sha256": describe(DEFAULT, "reader").digest,
        "calibration": attrs.asdict(CALIBRATION),
    }
    return Checkpoint(
        kind=KIND,
        settings=settings,
        tensors={name: value.half().contiguous() for name, value in made.state_dict().items()},
        card=CARD,
        files={VOCABULARY: json.dumps(attrs.asdict(WORDS)).encode()},
    )
