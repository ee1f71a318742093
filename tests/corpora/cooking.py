"""Small files in the formats of Aligned Recipe Actions and of CaptainCook4D, written for these tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.corpora.test_recipe_flow import rows

FIRST = rows("Boil/B-A", "the", "rice", ".", "Drain/B-A", "the", "rice", ".", "Serve/B-A", "it", ".")
SECOND = rows("Boil/B-A", "the", "rice", ".", "Wait/B-A", ".", "Drain/B-A", "the", "rice", ".", "rice/B-A", ".")
ALIGNED = (("a", 1, "b", 1), ("a", 5, "b", 7), ("a", 9, "b", 0))


def alignments(given: Sequence[Sequence[object]] = ALIGNED) -> str:
    """The lines of a file of alignments."""
    return "".join("\t".join(map(str, row)) + "\n" for row in (("file1", "token1", "file2", "token2"), *given))


def write_dish(folder: Path, first: str = FIRST, second: str = SECOND, aligned: str | None = None) -> Path:
    """A corpus with the dish "plain rice" of the recipes a and b."""
    recipes = folder / "plain_rice" / "recipes"
    recipes.mkdir(parents=True)
    for name, content in (("a", first), ("b", second)):
        (recipes / f"{name}.conllu").write_text(content, encoding="utf-8")
    (folder / "plain_rice" / "alignments.tsv").write_text(aligned or alignments(), encoding="utf-8")
    return folder


STEPS = {
    "1": "Peel-Peel the onion",
    "2": "Chop-Chop the onion",
    "3": "Boil-Boil the water",
    "4": "Add-2 eggs to the pot",
}
EDGES = [[0, 1], [0, 3], [1, 2], [3, 4], [2, 5], [4, 5]]
ORDERS = ("1234", "3412", "1324", "1234", "3124")


def task_graph(steps: Mapping[str, str] = STEPS, edges: object = None) -> dict[str, object]:
    """A task graph: the onion is peeled and chopped, the water is boiled before the eggs go in."""
    return {"steps": {"0": "START", **steps, "5": "END"}, "edges": EDGES if edges is None else edges}


def recording(order: str, activity: str = "Egg Soup") -> dict[str, object]:
    """Steps in an order; the first is listed last, and one was not done."""
    told = [{"step_id": 50, "start_time": 10.5 * place, "description": STEPS[step]} for place, step in enumerate(order)]
    return {"activity_name": activity, "steps": [*told[1:], told[0], {"start_time": -1.0, "description": "Eat-Eat it"}]}


def write_cooking(folder: Path, graph: object = None, recordings: object = None) -> Path:
    """The activity "egg soup", five times."""
    (folder / "task_graphs").mkdir(parents=True)
    if recordings is None:
        recordings = {f"1_{number}": recording(order) for number, order in enumerate(ORDERS)}
    for name, content in (
        ("task_graphs/eggsoup.json", task_graph() if graph is None else graph),
        ("recordings.json", recordings),
    ):
        (folder / name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return folder
