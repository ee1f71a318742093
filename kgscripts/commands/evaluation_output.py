"""What all commands of `kgscripts evaluate` do with their evaluations: attach, write and print them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.output_files import write_lines
from schemas.provenance import Direction, Exposure, Unit
from schemas.results import ResultFormat
from schemas.terminal import cut, echo, echo_json, json_text, printable

if TYPE_CHECKING:
    from kgscripts.evaluation.result import Evaluation, Example, Figure, System

_WIDTH = 80
_SUMMARY = ("task: model", "data", "metric", "ours", "published")
_WIDTHS = ((24, "<"), (24, "<"), (14, "<"), (7, ">"), (11, ">"))
_COLUMN = 12
"""The most characters of a column, with a space before it."""
_LABEL = (30, 44)
"""The fewest characters that a label may be cut to, and the most that it gets."""
_ROWS = 20
"""The greatest number of parts, and of rows of a table, that are printed; JSON has all."""
_UNITS = {Unit.SHARE: "", Unit.COUNT: "", Unit.CORRELATION: ""}


def finish(
    evaluations: Sequence[Evaluation],
    *,
    places: Mapping[str, Path],
    attach_as: Exposure | None,
    output: Path | None,
    as_json: bool,
    examples: int,
    show: Callable[[Sequence[Evaluation]], None] | None = None,
) -> list[Evaluation]:
    """Attach the scores, write them to a file and print them, as the options say; they are returned as attached.

    `places` has, by the source of a system, the checkpoint directory or file that keeps its scores. Raises
    ConfigurationError if none of the systems has a place and scores are to be attached.
    """
    from kgscripts.evaluation.attaching import attach_evaluations
    from kgscripts.evaluation.result import as_json as evaluations_as_json

    evaluations = [evaluation.with_examples(examples) for evaluation in evaluations]
    if attach_as is not None:
        evaluations = attach_evaluations(evaluations, places, attach_as)
    content = evaluations_as_json(evaluations)
    if output is not None:
        write_lines(output, [json_text(content)])
    if as_json:
        echo_json(content)
        return evaluations
    (show or print_evaluations)(evaluations)
    if attach_as is not None:
        echo("\nThe scores are attached: graphs that are built from now on have them.")
    return evaluations


def print_evaluations(evaluations: Sequence[Evaluation]) -> None:
    """Print evaluations in at most 80 columns, shares in percent."""
    for number, evaluation in enumerate(evaluations):
        if number:
            echo()
        _print(evaluation)


def print_summary(evaluations: Sequence[Evaluation]) -> None:
    """Print one line for each model and dataset: its first F1, or first figure, and the best that was published."""
    rows = []
    for evaluation in evaluations:
        for system in evaluation.models:
            figures = [figure for figure in system.figures if not figure.part]
            if not figures:
                continue
            figure = next((figure for figure in figures if "F1" in figure.metric), figures[0])
            rows.append(
                (
                    f"{evaluation.task}: {_name(system)}",
                    f"{evaluation.dataset}, {evaluation.split}",
                    f"{figure.metric}{' *' if evaluation.exposure is Exposure.DEVELOPMENT else ''}",
                    _text(figure.value, figure),
                    _best_published(evaluation, system, figure),
                )
            )
    for row in (_SUMMARY, *rows):
        cells = [cut(printable(cell), width - 1) for cell, (width, _) in zip(row, _WIDTHS, strict=True)]
        echo("".join(f"{cell:{side}{width}}" for cell, (width, side) in zip(cells, _WIDTHS, strict=True)).rstrip())
    echo("\nShares in percent. *: development data: expect less on new texts.")
    echo("(...): published for other data or another task.")


def _best_published(evaluation: Evaluation, system: System, figure: Figure) -> str:
    """The best published figure, in brackets if it is not of the same data and setting."""
    published = [
        (value, bool(other.remark) or other.setting not in ("", system.setting))
        for other in evaluation.systems
        if other.role == "published" and (value := other.get(figure.metric)) is not None
    ]
    if not published:
        return ""
    value, differs = (min if _is_lower(figure) else max)(published)
    return f"({_text(value, figure)})" if differs else _text(value, figure)


def _print(evaluation: Evaluation) -> None:
    exposure = f"; exposure: {evaluation.exposure}" if evaluation.exposure else ""
    _wrapped(f"{evaluation.task} on {evaluation.dataset}, {evaluation.split}{exposure}")
    if evaluation.items:
        _wrapped(", ".join(f"{count:,} {name}" for name, count in evaluation.items.items()))
    if evaluation.systems:
        _print_overall(evaluation)
    _print_parts(evaluation.systems)
    for name, table in evaluation.tables.items():
        _wrapped(name, before=True)
        shown = type(table)(columns=table.columns, rows=table.rows[:_ROWS])
        echo(shown.render(ResultFormat.TABLE, _WIDTH).rstrip("\n"))
        _print_rest(len(table.rows))
    for system in evaluation.systems:
        if system.remark:
            _wrapped(f"{_name(system)}: {system.remark}", before=True)
    for note in evaluation.notes:
        _wrapped(note, before=True)
    _print_examples(evaluation.examples)


def _print_overall(evaluation: Evaluation) -> None:
    systems = [system for system in evaluation.systems if any(not figure.part for figure in system.figures)]
    figures = {figure.metric: figure for system in systems for figure in system.figures if not figure.part}

    def cell(metric: str, system: System) -> str:
        return _text(system.get(metric), figures[metric])

    echo(f"\nShares in percent{'; ↓: lower is better' if any(map(_is_lower, figures.values())) else ''}")
    if not systems:
        return
    if len(systems) > len(figures):
        rows = [(_name(system), [cell(metric, system) for metric in figures]) for system in systems]
        _print_matrix(rows, [_heading(figure) for figure in figures.values()])
    else:
        rows = [(_heading(figure), [cell(metric, system) for system in systems]) for metric, figure in figures.items()]
        _print_matrix(rows, [_name(system) for system in systems])


def _print_parts(systems: Sequence[System]) -> None:
    """The figures of parts of the data: parts with the same metrics in one table, and one metric of all systems."""
    tables: dict[tuple[str, ...], dict[str, list[System]]] = {}
    for system in systems:
        for part in system.parts:
            metrics = tuple(figure.metric for figure in system.figures if figure.part == part)
            tables.setdefault(metrics, {}).setdefault(part, []).append(system)
    figures = {figure.metric: figure for system in systems for figure in system.figures if figure.part}
    for metrics, parts in tables.items():
        owners = list(dict.fromkeys(system for owned in parts.values() for system in owned))
        if len(metrics) == 1:
            _print_part(_heading(figures[metrics[0]]), parts, [(metrics[0], system) for system in owners], figures)
            continue
        for system in owners:
            own = [part for part, owned in parts.items() if system in owned]
            _print_part(_name(system), own, [(metric, system) for metric in metrics], figures)


def _print_part(
    title: str, parts: Iterable[str], columns: Sequence[tuple[str, System]], figures: Mapping[str, Figure]
) -> None:
    """A table of parts. Columns are systems if they have the same metric, else metrics."""
    parts = list(parts)
    rows = [(part, [_text(system.get(metric, part), figures[metric]) for metric, system in columns]) for part in parts]
    by_system = len({metric for metric, _ in columns}) == 1
    echo()
    _wrapped(f"{title}, by part")
    _print_matrix(
        rows[:_ROWS], [_name(system) if by_system else _heading(figures[metric]) for metric, system in columns]
    )
    _print_rest(len(parts))


def _print_rest(total: int) -> None:
    if total > _ROWS:
        echo(f"{total - _ROWS:,} more: --json has all")


def _print_matrix(rows: Sequence[tuple[str, Sequence[str]]], headings: Sequence[str]) -> None:
    """Rows below headings of several lines, in blocks of columns that fit the width, without rows that have no cell."""
    words = [word for text in (*headings, *(cell for _, cells in rows for cell in cells)) for word in text.split()]
    column = min(1 + max(map(len, words), default=0), _COLUMN)
    room = _WIDTH - column * len(headings)
    width = min(max(len(printable(label)) for label, _ in rows), max(room, _LABEL[0]), _LABEL[1])
    fitting = max(1, (_WIDTH - width) // column)
    for start in range(0, len(headings), fitting):
        columns = slice(start, start + fitting)
        wrapped = [textwrap.wrap(printable(heading), column - 1) for heading in headings[columns]]
        height = max(map(len, wrapped))
        for line in zip(*([""] * (height - len(lines)) + lines for lines in wrapped), strict=True):
            echo(f"{'':{width}}{''.join(f'{word:>{column}}' for word in line)}".rstrip())
        for label, cells in rows:
            row = "".join(f"{cell:>{column}}" for cell in cells[columns]).rstrip()
            if row:
                echo(f"{cut(printable(label), width):{width}}{row}")
        if start + fitting < len(headings):
            echo()


def _name(system: System) -> str:
    prefix = "" if system.role == "model" else f"{system.role}: "
    return f"{prefix}{system.name}{f' ({system.setting})' if system.setting else ''}"


def _heading(figure: Figure) -> str:
    unit = _UNITS.get(figure.unit, f" ({figure.unit})")
    return f"{figure.metric}{unit}{' ↓' if _is_lower(figure) else ''}"


def _is_lower(figure: Figure) -> bool:
    return figure.direction is Direction.LOWER


def _text(value: float | None, figure: Figure) -> str:
    """A figure for people: shares in percent, two decimals as the papers have them."""
    if value is None:
        return ""
    if figure.unit in (Unit.COUNT, Unit.WORDS_PER_SECOND):
        return f"{value:,.0f}"
    if figure.unit is Unit.SHARE:
        return f"{100 * value:.2f}"
    return f"{value:.3f}" if figure.unit is Unit.NATS else f"{value:.2f}"


def _print_examples(examples: Sequence[Example]) -> None:
    for example in examples:
        echo()
        _wrapped(f"{example.where} ({example.system})" if example.where else example.system)
        _wrapped(example.text, indent="  ")
        both = (("gold", example.gold), ("found", example.found)) if example.gold or example.found else ()
        for name, values in both:
            joined = f"{name:<7}{'; '.join(values) or '-'}"
            for line in [joined] if len(joined) < _WIDTH else [name, *(f"  {value}" for value in values)]:
                _wrapped(line, indent="  ")


def _wrapped(text: str, *, indent: str = "", before: bool = False) -> None:
    if before:
        echo()
    echo(textwrap.fill(printable(text), _WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  "))
