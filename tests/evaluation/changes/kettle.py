"""A procedure of OpenPI 2.0 made by hand, and answers to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kgscripts.reproductions.openpi.schema import GOLD

PROCEDURE: dict[str, Any] = {
    "goal": "Make Tea",
    "steps": ["Fill the kettle.", "Boil it."],
    "states": [
        {
            "entity": "kettle",
            "answers": {"step1": [{"attribute": "fullness"}], "step2": [{"attribute": "temperature"}]},
        },
        {"entity": "water", "answers": {"step1": [], "step2": [{"attribute": "temperature"}]}},
    ],
    "clusters": {
        "kettle": {
            "entity_cluster": ["kettle", "the tea kettle"],
            "attribute_cluster": {"fullness": ["fullness", "volume"], "temperature": ["temperature", "heat"]},
        },
        "water": {"entity_cluster": ["water"], "attribute_cluster": {"temperature": ["temperature"]}},
    },
}
ANSWER: list[dict[str, list[str]]] = [
    {"The kettle": ["volume"], "tea kettle": ["volume", "colour"]},
    {"water": ["temperature"], "stove": ["heat"], "tea kettle": ["volume"]},
]


def write_json(path: Path, content: object) -> Path:
    """Write a file, and the folder that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def write_folder(folder: Path) -> Path:
    """A folder like that of OpenPI 2.0, with the answers of two systems."""
    write_json(folder / GOLD, {"1": PROCEDURE})
    write_json(folder / "published-predictions" / "dev_schema_davinci_1.json", {"1": ANSWER})
    write_json(folder / "published-predictions" / "dev_schema_llama-7b_1.json", {"1": [{}, {}]})
    return folder
