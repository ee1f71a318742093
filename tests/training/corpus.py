"""A small made-up corpus, and configurations that train on it in a second."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kgscripts.corpora.pairs.pair import Pair
from lightning_modules.configuration import Configuration, read_configuration
from lightning_modules.settings import Hardware
from lightning_modules.training import Outcome
from lightning_modules.training import train as train_with
from lightning_modules.transducer import TransducerTask

CPU = Hardware(accelerator="cpu")

_STEPS = {
    "chop": "put the {} on a board and cut the {} with a knife .",
    "boil": "fill a pot with water and cook the {} until soft .",
    "fry": "heat oil in a pan and turn the {} with a spatula .",
    "peel": "take a peeler and scrape the skin off the {} .",
}
_FOODS = ["garlic", "onion", "carrot", "potato", "leek", "turnip", "apple", "parsnip"]

_TRANSDUCER = """
name = "tiny"
kind = "transducer"
[network]
embedding_size = 8
hidden_size = 12
emission_hidden = 8
transitions = "parameterised"
[training]
epochs = 4
hard_em_after = 2
learning_rate = 0.01
batch_size = 8
minimum_count = 1
"""


def pairs(count: int = 60) -> list[Pair]:
    """Pairs of one to three actions, the same ones each time."""
    draw = random.Random(0)
    made = []
    for number in range(count):
        actions = [(draw.choice(list(_STEPS)), draw.choice(_FOODS)) for _ in range(draw.randint(1, 3))]
        abstract = " and ".join(f"{verb} the {food}" for verb, food in actions).split()
        concrete = " ".join(_STEPS[verb].replace("{}", food) for verb, food in actions).split()
        made.append(Pair(abstract=abstract, concrete=concrete, where=f"made-up:{number}"))
    return made


def write(folder: Path) -> Path:
    """The pairs as TSV."""
    path = folder / "pairs.tsv"
    lines = [f"{' '.join(pair.abstract)}\t{' '.join(pair.concrete)}\n" for pair in pairs()]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def configuration(folder: Path, kind: str = "transducer") -> Configuration:
    """A tiny network of a kind."""
    text = _TRANSDUCER
    if kind != "transducer":
        text = text.replace('"transducer"', f'"{kind}"').replace('transitions = "parameterised"\n', "")
        text = text.replace("epochs = 4\nhard_em_after = 2\n", "epochs = 2\n")
    path = folder / f"{kind}.toml"
    path.write_text(text, encoding="utf-8")
    return read_configuration("transducer", path)


def train(
    configuration: Configuration,
    pairs: Sequence[Pair],
    out: Path,
    *,
    glove: Path | None = None,
    hardware: Hardware = CPU,
    **options: Any,
) -> Outcome:
    """Train the network of a configuration."""
    task = TransducerTask(configuration, pairs, glove)
    return train_with(task, configuration.training, out, hardware=hardware, **options)
