"""Every parameter of the command line that names a file or folder, and a folder of small inputs for all commands."""

from __future__ import annotations

import inspect
import json
import re
import typing
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cli
from kgscripts.evaluation.registry import evaluation_tasks
from kgscripts.models.checkpoint import ModelCard, save_checkpoint
from kgscripts.pipeline import build_graph
from kgscripts.reproductions.kidscook.networks.networks import network_checkpoint
from tests.assembly.tiny_reader import tiny
from tests.cli.test_segment import WordModel
from tests.cli.test_track import TEA
from tests.corpora.cooking import write_cooking, write_dish
from tests.corpora.test_descript_gold import SETS
from tests.evaluation.changes.kettle import ANSWER, PROCEDURE, write_json
from tests.exports.kitchen import kitchen_graph
from tests.extractors.test_open_changes import FixedModel
from tests.models.networks import SETTINGS, VOCABULARY, model

# Modules that name `load` keep what it is when they are first imported, which must not be what a test puts there.
for _name in (
    "kgscripts.enrichers.merged_steps",
    "kgscripts.enrichers.predicted_tools",
    "kgscripts.reproductions.steps.merging",
    "kgscripts.evaluation.tools",
    "kgscripts.extractors.decomposition.decomposition",
    "kgscripts.extractors.events.events",
    "kgscripts.extractors.scenarios",
    "kgscripts.extractors.changes.state_changes",
    "kgscripts.models.changes.generator",
    "kgscripts.reproductions.openpi.extractor",
    "kgscripts.models.scenarios.detector",
    "lightning_modules.changes.task",
    "lightning_modules.scenarios.detector_task",
    "lightning_modules.steps.task",
):
    import_module(_name)

_NAMES_A_PATH = re.compile(r"\bFILE|\bDIR|\bMODEL|\bPATH|\bTARGET|\bINPUT|\bSOURCE")
_SMALL = {
    "corpora/treebanks/ewt/en_ewt-ud-test.conllu": "bank.conllu",
    "corpora/inscript": "inscript",
    "corpora/descript": "sets",
    "corpora/descript/gold_paraphrase_sets": "sets",
    "corpora/ara": "ara --threshold 0.5",
    "corpora/captaincook": "captaincook",
    "corpora/recipe-pages": "pages",
    "corpora/procedures": "procedures",
    "GRAPH": "graph",
    "DIR": "graph",
    "gold.jsonl": "aligned.jsonl",
    "documents.jsonl": "anna.jsonl",
    "masked": "tiny",
}
"""The words of the examples that stand for data and models, by the small inputs."""
EVALUATIONS = {
    **{
        name: " ".join([name, *(_SMALL.get(word, word) for word in task.example.split())])
        for name, task in evaluation_tasks().items()
    },
    "state-changes": "state-changes --gold dev --predictions changes.jsonl",
    "openpi-2": "openpi-2 --gold schema.json --predictions answers.json",
    "scenarios": "scenarios --gold anna.jsonl --predictions scenarios.jsonl --scenario-list list.txt",
    "scenario-mentions": "scenario-mentions --gold anna.jsonl --beside story.txt",
    "reader": "reader --passages labelled.txt",
}
"""The example of each task of `kgscripts evaluate` on the small inputs; of some, another command that takes less time
or has more options."""
LABELS = ("making tea", "washing dishes", "baking a cake", "playing golf", "sending a fax", "going skiing")


@cache
def _path_parameters() -> set[str]:
    return {
        f"{words} {max(item.opts, key=len)}"
        for name in (*cli.COMMANDS, *cli._added())
        for words, command in _commands(name, cli._load(name))
        for item in command.params
        if _names_a_path(item, typing.get_type_hints(inspect.unwrap(command.callback)))
    }


def path_parameters(command: str = "") -> set[str]:
    """All of them that begin so: ``evaluate cloze --output``, ``export target``."""
    return {name for name in _path_parameters() if name.startswith(command)}


def _commands(words: str, command: Any) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield words, command
        return
    for name, inner in command.commands.items():
        yield from _commands(f"{words} {name}", inner)


def _names_a_path(parameter: Any, hints: dict[str, Any]) -> bool:
    hint = str(hints.get(parameter.name))
    named = _NAMES_A_PATH.search(parameter.metavar or "") is not None
    # A query has no metavar.
    return "Path" in hint or ("str" in hint and (named or "a file with" in (getattr(parameter, "help", None) or "")))


def write_inputs(folder: Path) -> None:
    """Small inputs of every kind."""
    kitchen_graph(folder / "graph")
    (folder / "texts").mkdir()
    for name in ("story.txt", "texts/one.txt", "texts/two.txt"):
        (folder / name).write_text("I lay in the bath. I boiled the pasta.\n", encoding="utf-8")
    build_graph(folder / "story.txt", folder / "read", extractors=tiny())
    (folder / "tea.md").write_text(TEA, encoding="utf-8")
    (folder / "list.txt").write_text("bottling beer\n", encoding="utf-8")
    (folder / "pairs.tsv").write_text("chop .\tuse a sharp knife .\nsalt it .\tuse a spoon .\n", encoding="utf-8")
    many = (f"chop {number} .\tuse {number} knives .\n" for number in range(40))
    (folder / "many.tsv").write_text("".join(many), encoding="utf-8")
    (folder / "pages").mkdir()
    (folder / "pages" / "toast.html").write_text(
        "<h1>Toast</h1><h2>Method</h2><ol><li>Toast it.</ol>", encoding="utf-8"
    )
    gold = {"file": "toast.html", "title": "Toast", "ingredients": [], "instructions": ["Toast it."]}
    _write(folder / "pages" / "pages.jsonl", [gold])
    (folder / "sets").mkdir()
    (folder / "sets" / "a.new.xml").write_text(SETS, encoding="utf-8")
    templates = "chop .\tuse a sharp knife .\t1 1 0 0 1\nsalt .\tuse a spoon .\t1 1 0 1\n"
    (folder / "valid.template.tsv").write_text(templates, encoding="utf-8")
    (folder / "words.txt").write_text("knife\nspoon\nsharp\n", encoding="utf-8")
    _write(folder / "aligned.jsonl", [{"row": 1, "aligned": {"3": [0]}, "unaligned": []}])
    (folder / "bank.conllu").write_text("1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n", encoding="utf-8")
    for name, spans in {"anna": ((0, 3, 0), (4, 6, 1)), "ben": ((1, 4, 0), (4, 5, 2))}.items():
        segments = [{"start": start, "end": end, "scenarios": [LABELS[label]]} for start, end, label in spans]
        sentences = [f"Sentence {number}." for number in range(6)]
        _write(folder / f"{name}.jsonl", [{"id": "a", "sentences": sentences, "segments": segments}])
    _write(folder / "decisions.jsonl", [])
    _write(folder / "scenarios.jsonl", [{"id": "a", "segments": [{"start": 0, "end": 6, "scenarios": [LABELS[0]]}]}])
    text = "We began early. It went well. I was happy. We left."
    _write(
        folder / "stories.jsonl",
        [{"id": f"{label} {number}", "scenario": label, "text": text} for label in LABELS for number in range(3)],
    )
    _write_openpi(folder / "dev")
    write_json(folder / "schema.json", {"1": PROCEDURE})
    write_json(folder / "answers.json", {"1": ANSWER})
    (folder / "procedures").mkdir()
    annotated: dict[str, object] = {
        **{"id": "a", "set": "wet-lab", "domain": "home", "title": "", "text": "Cut the rope."},
        **{"steps": ["Cut the rope."], "spans": [["Action", 0, 3], ["Reagent", 8, 12]], "links": [["Acts-on", 1, 0]]},
    }
    _write(folder / "procedures" / "wet-lab.jsonl", [annotated] * 5)
    (folder / "labelled.txt").write_text(
        "## repair | blog | A rope\nCut the rope.\n- Cut do obj:rope\n", encoding="utf-8"
    )
    for split in ("train", "val"):
        (folder / "inscript" / split).mkdir(parents=True)
    write_dish(folder / "ara")
    write_cooking(folder / "captaincook")
    card = ModelCard(name="tiny", version="1", task="cloze", licence="", data="none", command="none")
    weights = model("transducer-fixed")._network.state_dict()
    save_checkpoint(network_checkpoint(SETTINGS["transducer-fixed"], weights, VOCABULARY, card), folder / "tiny")


def _write_openpi(folder: Path) -> None:
    folder.mkdir()
    steps = [f"{number}.html||1" for number in range(40)]
    facts = {"query": "Boil it.", "context": "", "topic": "Food"}
    answers = ["water was cold before and hot afterwards"]
    _write(folder / "id_answers.jsonl", [{"id": step, "answers": answers} for step in steps])
    _write(folder / "id_question.jsonl", [{"id": step, "question": " Boil it. Now, what happens?"} for step in steps])
    _write(folder / "id_question_metadata.jsonl", [{"id": step, "question_metadata": facts} for step in steps])
    _write(folder.with_name("changes.jsonl"), [{"id": step, "answers": answers} for step in steps])


def _write(path: Path, rows: Sequence[object]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


class _Words(WordModel):
    def with_scenarios(self, _: object) -> _Words:
        return self


def _aligned(pairs: Sequence[Any]) -> list[SimpleNamespace]:
    """Every concrete token of a pair with the first abstract one."""
    lengths = [len(pair.concrete) for pair in pairs]
    return [SimpleNamespace(path=(0,) * size, posterior=(1.0,) * size, log_probability=0.0) for size in lengths]


MODELS: dict[str, Any] = {
    "scenarios": _Words(),
    "state-changes": FixedModel(),
    "tools": SimpleNamespace(),
    "alignment": SimpleNamespace(align=_aligned, align_freely=_aligned),
}
"""Models by task that answer at once."""
