"""`kgscripts extractors`: the extractors that are installed."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import typer

from kgscripts.commands.options import AsJson
from schemas.terminal import echo, echo_json

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

    Enrichers, which read rows of the graph while it is assembled, come after them.
    """
    from kgscripts.enrichers.registry import ENRICHERS
    from kgscripts.extractors.protocol import PARSE
    from kgscripts.extractors.registry import EXTRACTORS
    from kgscripts.text.pipeline import describe_pipeline

    found = [EXTRACTORS.open(name) for name in EXTRACTORS.names()]
    enrichers = [ENRICHERS.open(name) for name in ENRICHERS.names()]
    scores = [item.scores(describe_pipeline() if PARSE in item.requires else None) for item in found]
    if as_json:
        rows = [_row(item, list(its)) for item, its in zip(found, scores, strict=True)]
        echo_json(rows + list(map(_enricher_row, enrichers)))
        return
    for item, its in zip(found, scores, strict=True):
        _print(item, list(its))
    for enricher in enrichers:
        _print_enricher(enricher)


def _row(extractor: Extractor, scores: list[BenchmarkScore]) -> dict[str, Any]:
    from attrs import asdict

    return {
        "kind": "extractor",
        "name": extractor.name,
        "task": extractor.task,
        "gives": [_requirement(kind) for kind in extractor.gives],
        "requires": [_requirement(kind) for kind in extractor.requires],
        "cost": extractor.cost,
        "licence": extractor.licence,
        "scores": [asdict(score) for score in scores],
        "networks": [asdict(model) for model in extractor.networks],
        "settings": _settings(extractor),
    }


def _enricher_row(enricher: Enricher) -> dict[str, Any]:
    from attrs import asdict

    return {
        "kind": "enricher",
        "name": enricher.name,
        "task": enricher.task,
        "gives": [_requirement(enricher.gives)],
        "requires": list(enricher.requires),
        "networks": [asdict(model) for model in enricher.networks],
        "settings": _settings(enricher),
    }


def _settings(plugin: Extractor | Enricher) -> list[dict[str, Any]]:
    from attrs import asdict

    from kgscripts.settings import settings_of

    return [asdict(setting) for setting in settings_of(plugin.settings)]


def _requirement(requirement: Requirement) -> str:
    from kgscripts.records.kinds import kind_name

    return kind_name(requirement) if isinstance(requirement, type) else requirement.value


def _print(extractor: Extractor, scores: list[BenchmarkScore]) -> None:
    lines = _score_lines("", scores)
    for network in extractor.networks:
        lines += _score_lines(f"{network.name} on ", network.scores)
    echo(f"{extractor.name}: {extractor.task}")
    _print_field("gives", ", ".join(map(_requirement, extractor.gives)))
    _print_field("requires", ", ".join(map(_requirement, extractor.requires)) or "nothing")
    _print_field("cost", extractor.cost)
    _print_settings(extractor)
    for name, line in zip_longest(["scores"], lines or ["not measured"], fillvalue=""):
        _print_field(name, line)
    echo()


def _print_enricher(enricher: Enricher) -> None:
    lines: list[str] = []
    for network in enricher.networks:
        lines += _score_lines(f"{network.name} on ", network.scores)
    echo(f"{enricher.name}: {enricher.task} (enricher{'' if enricher.by_default else ', on request'})")
    _print_field("gives", _requirement(enricher.gives))
    _print_field("requires", ", ".join(enricher.requires) or "nothing")
    _print_settings(enricher)
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
    from kgscripts.building.report import SCORES_A_DATASET, by_dataset

    return [f"{prefix}{name}: {'; '.join(texts[:SCORES_A_DATASET])}" for name, texts in by_dataset(scores).items()]
