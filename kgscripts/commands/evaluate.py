"""`kgscripts evaluate`: measure the quality of the models."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer

from kgscripts.calling import call
from kgscripts.commands.evaluate_agreement import agreement
from kgscripts.commands.evaluate_all import all_benchmarks
from kgscripts.commands.evaluate_extraction import extraction, text
from kgscripts.commands.evaluate_graph import graph
from kgscripts.commands.evaluate_needs import needs
from kgscripts.commands.evaluate_pages import pages
from kgscripts.commands.evaluate_scenario_titles import scenario_titles
from kgscripts.commands.evaluate_search import search
from kgscripts.commands.evaluate_step_changes import step_changes
from kgscripts.commands.evaluate_steps import importance, order, steps, typicality
from kgscripts.commands.evaluate_tools import tools
from kgscripts.commands.evaluation_output import COLLECTED
from kgscripts.reproductions.evaluate_slice import small_slice
from kgscripts.reproductions.kidscook.evaluate_alignments import alignments
from kgscripts.reproductions.kidscook.evaluate_cloze import cloze
from kgscripts.reproductions.openpi.evaluate_state_changes import state_changes
from kgscripts.reproductions.scenarios.evaluate_confidence import scenario_confidence
from kgscripts.reproductions.scenarios.evaluate_mentions import scenario_mentions
from kgscripts.reproductions.scenarios.evaluate_scenarios import scenarios

if TYPE_CHECKING:
    from kgscripts.evaluation.result import Evaluation


def schema() -> None:
    """Print the JSON Schema of what --json and --output give, which is one for all commands."""
    from kgscripts.evaluation.result import schema as schema_of_results
    from schemas.terminal import echo_json

    echo_json(schema_of_results())


app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Measure the quality of the models. All commands print shares in percent; --json and --output have them from "
    "0 to 1, in one form (`kgscripts evaluate schema`).",
    epilog="Example: kgscripts evaluate slice --model masked",
)
_COMMANDS: dict[str, tuple[Callable[..., Any], str]] = {
    "all": (all_benchmarks, "--data corpora"),
    "text": (text, "corpora/treebanks/ewt/en_ewt-ud-test.conllu"),
    "extraction": (extraction, "--inscript corpora/inscript --descript corpora/descript"),
    "steps": (steps, "--descript corpora/descript/gold_paraphrase_sets --ara corpora/ara"),
    "order": (order, "corpora/captaincook"),
    "typicality": (typicality, "--inscript corpora/inscript"),
    "importance": (importance, "GRAPH --examples 10"),
    "tools": (tools, "--split development"),
    "cloze": (cloze, "--model masked --templates valid.template.tsv --whitelist words.txt"),
    "alignments": (alignments, "--gold gold.jsonl --templates valid.template.tsv"),
    "state-changes": (state_changes, "--gold dev --model default"),
    "search": (search, "DIR --split development --examples 5"),
    "step-changes": (step_changes, "--split development --examples 5"),
    "scenarios": (scenarios, "--gold documents.jsonl --model default"),
    "scenario-confidence": (scenario_confidence, "--gold documents.jsonl --model default"),
    "scenario-mentions": (scenario_mentions, "--gold documents.jsonl --model default"),
    "scenario-titles": (scenario_titles, "--split development"),
    "pages": (pages, "corpora/recipe-pages --examples 5"),
    "agreement": (agreement, "GRAPH --examples 10"),
    "graph": (graph, "GRAPH --attach"),
    "needs": (needs, "GRAPH --examples 10"),
    "slice": (small_slice, "--model masked"),
    "schema": (schema, "> evaluation.schema.json"),
}
"""The commands, each with the options of its example."""

for _name, (_command, _options) in _COMMANDS.items():
    app.command(_name, epilog=f"Example: kgscripts evaluate {_name} {_options}")(_command)


def evaluate(task: str, **options: object) -> list[Evaluation]:
    """Measure models as ``kgscripts evaluate TASK`` does, and return its evaluations instead of printing them.

    `options` are those of the command with underscores: texts, numbers, paths, True, or lists of them. Figures are
    shares from 0 to 1 unless their unit is another: ``evaluate("tools", split="development")[0].systems[0].figures``.

    Raises ConfigurationError if there is no such command or option, or an option is missing; data and models raise what
    they raise there.
    """
    found: list[Evaluation] = []
    token = COLLECTED.set(found)
    try:
        call(app, task, options)
    finally:
        COLLECTED.reset(token)
    return found
