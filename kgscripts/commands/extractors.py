"""`kgscripts extractors`: the extractors that are installed."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kgscripts.commands.options import AsJson, Settings
from schemas.terminal import echo, echo_json, printable_lines

if TYPE_CHECKING:
    from kgscripts.enrichers.protocol import Enricher
    from kgscripts.extractors.protocol import Extractor, Requirement
    from schemas.provenance import BenchmarkScore

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.callback(epilog="Example: kgscripts extractors list")
def _group() -> None:
    """List the installed extractors."""


@app.command("list", epilog="Example: kgscripts extractors list --json")
def list_extractors(as_json: AsJson = False) -> None:
    """Print each extractor: what it gives and requires, its cost, its settings, and the scores of it and its networks.

    Enrichers, which add records about rows of the graph during assembly, come after them.
    """
    from attrs import asdict

    from kgscripts.enrichers.protocol import ENRICHERS
    from kgscripts.extractors.protocol import PARSE
    from kgscripts.extractors.registry import EXTRACTORS
    from kgscripts.text.pipeline import describe_pipeline

    extractors = [EXTRACTORS.open(name) for name in EXTRACTORS.names()]
    enrichers = [ENRICHERS.open(name) for name in ENRICHERS.names()]
    scores = [item.scores(describe_pipeline() if PARSE in item.requires else None) for item in extractors]
    if as_json:
        rows = [
            _row("extractor", item, cost=item.cost, licence=item.licence, scores=list(map(asdict, its)))
            for item, its in zip(extractors, scores, strict=True)
        ]
        echo_json([*rows, *(_row("enricher", item, scores=list(map(asdict, item.scores()))) for item in enrichers)])
        return
    for item, its in zip(extractors, scores, strict=True):
        on_request = "" if item.name in EXTRACTORS.default_names() else " (on request)"
        _print(f"{item.name}: {item.task}{on_request}", item, its, cost=item.cost)
    for enricher in enrichers:
        on_request = "" if enricher.by_default else ", on request"
        _print(f"{enricher.name}: {enricher.task} (enricher{on_request})", enricher, enricher.scores())


@app.command("show", epilog="Example: kgscripts extractors show llm")
def show_extractor(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of an extractor.", show_default=False)],
    settings: Settings = None,
) -> None:
    """Print an extractor, and the texts that it works with: the prompts of one that asks a language model."""
    from kgscripts.building.configuration import read_settings
    from kgscripts.building.settings import check_settings
    from kgscripts.extractors.protocol import PARSE
    from kgscripts.extractors.registry import EXTRACTORS
    from kgscripts.text.pipeline import describe_pipeline

    given = check_settings(read_settings(settings or ()))
    extractor = EXTRACTORS.open(name, given.get(name))
    parser = describe_pipeline() if PARSE in extractor.requires else None
    _print(f"{extractor.name}: {extractor.task}", extractor, extractor.scores(parser), cost=extractor.cost)
    for title, text in extractor.texts.items():
        echo(f"{title}:\n{printable_lines(text)}\n")


def _row(kind: str, plugin: Extractor | Enricher, **more: object) -> dict[str, Any]:
    from attrs import asdict

    return {
        "kind": kind,
        "name": plugin.name,
        "task": plugin.task,
        "gives": _kinds(plugin.gives),
        "requires": _kinds(plugin.requires),
        **more,
        "networks": [asdict(model) for model in plugin.networks],
        "settings": _settings(plugin),
    }


def _settings(plugin: Extractor | Enricher) -> list[dict[str, Any]]:
    from attrs import asdict

    from kgscripts.settings import settings_of

    return [asdict(setting) for setting in settings_of(plugin.settings)]


def _kinds(named: type | Iterable[Requirement | str]) -> list[str]:
    """The names of kinds of records, and of what else is required."""
    from kgscripts.records.kinds import kind_name

    several = [named] if isinstance(named, type) else named
    return [
        kind_name(item) if isinstance(item, type) else item if isinstance(item, str) else item.value for item in several
    ]


def _print(title: str, plugin: Extractor | Enricher, scores: Iterable[BenchmarkScore] = (), **more: str) -> None:
    lines = _score_lines("", scores)
    for network in plugin.networks:
        lines += _score_lines(f"{network.name} on ", network.scores)
    echo(title)
    _print_field("gives", ", ".join(_kinds(plugin.gives)))
    _print_field("requires", ", ".join(_kinds(plugin.requires)) or "nothing")
    for name, text in more.items():
        _print_field(name, text)
    _print_settings(plugin)
    for name, line in zip_longest(["scores"], lines or ["not measured"], fillvalue=""):
        _print_field(name, line)
    echo()


def _print_settings(plugin: Extractor | Enricher) -> None:
    """A line each: name, default as TOML has it, type and help."""
    from kgscripts.settings import KINDS

    for number, setting in enumerate(_settings(plugin)):
        _, words = KINDS[setting["kind"]]
        text = f"{setting['name']} = {json.dumps(setting['default'])} ({words}): {setting['help']}"
        _print_field("" if number else "settings", text)


def _print_field(name: str, text: str) -> None:
    echo(textwrap.fill(text, 80, initial_indent=f"  {name:<10}", subsequent_indent=" " * 12))


def _score_lines(prefix: str, scores: Iterable[BenchmarkScore]) -> list[str]:
    from kgscripts.building.graph_report import by_dataset
    from kgscripts.building.report import SCORES_A_DATASET

    return [f"{prefix}{name}: {'; '.join(texts[:SCORES_A_DATASET])}" for name, texts in by_dataset(scores).items()]
