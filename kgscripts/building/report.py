"""The report of a build for people: what was read, made and left out, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import asdict, frozen

from kgscripts.building.run import Run
from kgscripts.records.readings import FailureCount
from schemas.graph_directory import DISCARDED
from schemas.records import DiscardReason
from schemas.terminal import console, count, cut, printable

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

SCORES_A_DATASET = 2
"""At most this number of scores of a dataset are printed; JSON has them all."""
_WIDTH = 80
_MOST_REASONS = 6
MOST_NAMED = 100
"""The most texts, and the most parts of inputs, that a report names."""
_SHOWN_NAMES = 3
_NO_EVENT = (
    DiscardReason.MENTIONED,
    DiscardReason.STATIVE,
    DiscardReason.NEGATED,
    DiscardReason.HYPOTHETICAL,
    DiscardReason.PLANNED,
    DiscardReason.NO_CONTENT,
)
"""What a verb is that tells no event."""
_MANY = 0.6
"""A larger share of such verbs is not normal (docs/guide/building.md)."""
_MOST_FAILURES = 2
_MOST_GUESSED = 5
_SHORTEST_NAME = 12
_NORMAL = "instructions 5-30 %, stories 40-60 %"
_LONGEST_DETAIL = 80
"""The most characters of an error that are printed without `verbose`."""


@frozen
class ScenarioSummary:
    """A scenario with the numbers of its sources, its steps and its usual steps."""

    label: str
    sources: int
    steps: int
    usual_steps: int


@frozen
class GuessedScenario:
    """A source whose scenario neither a label nor a title named, with the scenario that most of it was found to be
    about, and the share of its characters that the passages about that have."""

    source: str
    scenario: str
    share: float


@frozen
class ModelSummary:
    """A model; `scores` by dataset and split, each "metric value unit", overall metrics first."""

    name: str
    version: str
    scores: dict[str, tuple[str, ...]]


@frozen(repr=False)
class BuildReport:
    """The report. Counts are of the whole graph; `run` describes this build. As text it is what the command prints."""

    directory: Path
    build_id: str
    sources: int
    sources_without_scenario: int
    nodes: dict[str, int]
    relations: dict[str, int]
    sources_guessed: int
    """The number of sources whose scenario was guessed."""
    guessed: tuple[GuessedScenario, ...]
    """Those of them whose scenario is least sure, at most `MOST_NAMED`."""
    scenarios: tuple[ScenarioSummary, ...]
    discards: dict[str, int]
    mentions: int
    """The number of events that were read."""
    sources_without_event: tuple[str, ...]
    """The names of the texts in which no event was read, at most `MOST_NAMED`."""
    input_discards: tuple[str, ...]
    """Where, why and what the readers of inputs left out, at most `MOST_NAMED`."""
    models: tuple[ModelSummary, ...]
    failures: tuple[FailureCount, ...]
    run: Run

    def __repr__(self) -> str:
        names = {"Source": "sources", "Scenario": "scenarios", "SubEvent": "steps", "Tool": "tools"}
        made = ", ".join(f"{noun} {self.nodes.get(name, 0):,}" for name, noun in names.items())
        return f"BuildReport({str(self.directory)!r}: {made})"

    def __str__(self) -> str:
        return report_text(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(report_text(self))}</pre>"

    @property
    def share_without_event(self) -> float:
        """The share of the verbs that tell no event."""
        without = sum(self.discards.get(reason, 0) for reason in _NO_EVENT)
        return without / max(1, without + self.mentions)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, for JSON."""
        content = asdict(self, filter=lambda attribute, _: attribute.name != "run")
        return content | {"directory": str(self.directory), "run": self.run.to_dict()}


def print_report(report: BuildReport, *, verbose: bool = False) -> None:
    """Print the report on one screen; with `verbose` all counts, reasons and failures, and the scores of the models."""
    screen = console()
    for part in _renderables(report, verbose):
        screen.print(part)


def report_text(report: BuildReport) -> str:
    """The report in lines of at most 80 characters."""
    screen = console(width=_WIDTH)
    with screen.capture() as captured:
        for part in _renderables(report, verbose=False):
            screen.print(part)
    return "\n".join(line.rstrip() for line in captured.get().rstrip("\n").split("\n"))


def _renderables(report: BuildReport, verbose: bool) -> Iterator[Table | Text]:
    # Importing rich takes a tenth of a second.
    from rich.table import Table
    from rich.text import Text

    for line in (*_failed_throughout(report, verbose), _heading(report)):
        yield Text("\n".join(map(printable, line.split("\n"))), style="bold")
    grid = Table.grid(padding=(0, 3))
    for title, text in _rows(report, verbose):
        grid.add_row(Text(title, style="bold"), Text("\n".join(map(printable, text.split("\n")))))
    yield grid
    for note in _notes(report, verbose):
        yield Text("\n".join(map(printable, note.split("\n"))), style="bold")
    for number, line in enumerate(_next(report)):
        # Commands are lines to copy: they are not folded.
        yield Text(f"{'' if number else 'next'}".ljust(7) + printable(line), no_wrap=True, overflow="ignore")


def _heading(report: BuildReport) -> str:
    return f"{report.directory} · build {report.build_id[:12]}"


def _rows(report: BuildReport, verbose: bool) -> Iterator[tuple[str, str]]:
    """The titles of the rows with their texts."""
    yield "read", "\n".join(_read(report))
    yield from ((name, spent_words(numbers)) for name, numbers in sorted(report.run.spent.items()))
    if verbose:
        yield "nodes", _counts(report.nodes)
        yield "relations", _counts(report.relations)
    else:
        yield "made", _made(report)
    if changes := report.nodes.get("ChangeInstance", 0):
        links = (("PERSISTS_TO", "hold until the next"), ("CONTRADICTS", "contradicted by the next"))
        counted = [f"{report.relations[name]:,} {text}" for name, text in links if name in report.relations]
        different = f"{report.nodes.get('StateChange', 0):,} different"
        yield "state changes", " · ".join([f"{changes:,} read", different, *counted])
    if report.scenarios:
        yield (
            "scenarios",
            "\n".join(
                f"{item.label} ({count(item.sources, 'source')}, {item.usual_steps:,} usual steps of {item.steps:,})"
                for item in report.scenarios
            ),
        )
    reasons = list(report.discards.items())
    listed = dict(reasons if verbose else reasons[:_MOST_REASONS])
    more = sum(report.discards.values()) - sum(listed.values())
    share = report.share_without_event
    normal = f"\n{share:.0%} of the verbs tell no event (normal: {_NORMAL})" if share else ""
    yield "left out", _counts(listed) + (f" · others {more:,}" if more else "") + normal
    if not verbose:
        scored = sum(bool(model.scores) for model in report.models)
        yield "models", f"{len(report.models)}, {scored} of them with scores: --verbose lists them"
        return
    for model in report.models:
        if model.scores:
            lines = [f"{name}: {'; '.join(scores[:SCORES_A_DATASET])}" for name, scores in model.scores.items()]
            yield "read by", "\n".join([f"{model.name} {model.version}", *lines])
    if unmeasured := [f"{model.name} {model.version}" for model in report.models if not model.scores]:
        yield "read by", f"{', '.join(unmeasured)} (without scores)"


def _read(report: BuildReport) -> Iterator[str]:
    run = report.run
    if run.sources_read or not report.sources:
        words = f"{count(run.sources_read, 'source')}, {run.words_read:,} words in {run.seconds:.1f} s"
        yield words + (f" ({run.words_per_second:,.0f} words/s)" if run.words_read else "")
    else:
        yield f"nothing new in {run.seconds:.1f} s"
    if run.inputs_known or run.sources_read < report.sources:
        known = f" · {count(run.inputs_known, 'input')} known" if run.inputs_known else ""
        yield f"the graph has {count(report.sources, 'source')}{known}"


def spent_words(numbers: Mapping[str, float]) -> str:
    """What an extractor has spent: "quotes held 45 of 60 (75 %) · requests 12"."""
    parts = []
    for name, number in numbers.items():
        whole = numbers.get(name.removesuffix(" held"), 0)
        if name.endswith(" held") and whole:
            parts.append(f"{name} {number:,} of {whole:,} ({100 * number / whole:.0f} %)")
        elif f"{name} held" not in numbers:
            parts.append(f"{name} {number:,}" if number == int(number) else f"{name} {number:.3g}")
    return " · ".join(parts)


def _made(report: BuildReport) -> str:
    nodes, relations = report.nodes, report.relations
    scenarios, steps = nodes.get("Scenario", 0), relations.get("HAS_SUB_EVENT", 0)
    parts = [
        f"{count(scenarios, 'scenario')} with {count(steps, 'step')}",
        *(
            count(nodes[name], noun)
            for name, noun in (("Tool", "tool"), ("Entity", "participant"), ("StateChange", "state change"))
            if name in nodes
        ),
    ]
    alone = nodes.get("SubEvent", 0) - steps
    return " · ".join([*parts, *([f"{count(alone, 'step')} of no scenario"] if alone > 0 else [])])


def _notes(report: BuildReport, verbose: bool) -> Iterator[str]:
    """What went wrong, with a remedy."""
    run = report.run
    if report.sources_without_event:
        yield "no step was read in these texts:" + _named(report.sources_without_event, verbose)
    if report.input_discards:
        yield "left out of the inputs:" + _named(report.input_discards, verbose)
    if report.share_without_event > _MANY:
        yield "most verbs tell no event: the texts may be neither instructions nor stories"
    if report.guessed:
        lines = [*map(_guessed, report.guessed if verbose else report.guessed[:_MOST_GUESSED])]
        others = report.sources_guessed - len(lines)
        yield "\n".join([*lines, *([f"scenario guessed: {count(others, 'more source')}"] if others else [])])
    if without := report.sources_without_scenario:
        yield (
            f"{without:,} of {report.sources:,} sources {'has' if without == 1 else 'have'} no scenario: "
            "name it by --scenario NAME, front matter or a folder"
        )
    # An extractor that lacks the records of another one fails for no other reason.
    failures = sorted(
        (item for item in report.failures if not _throughout(report, item)),
        key=lambda item: item.reason is DiscardReason.REQUIRED_MISSING,
    )
    shown = failures if verbose else failures[:_MOST_FAILURES]
    for failure in shown:
        yield _failed(failure, report.sources, verbose)
    if more := len(failures) - len(shown):
        yield f"{more:,} more extractors failed: --verbose lists all"
    if run.encodings:
        encodings = ", ".join(f"{number:,} as {name}" for name, number in sorted(run.encodings.items()))
        yield f"sources that are not UTF-8 were read: {encodings}"
    if run.inputs_unreadable or run.inputs_partly_read:
        inputs = run.inputs_read + run.inputs_known
        ends = ((run.inputs_unreadable, "could not be read"), (run.inputs_partly_read, "could be read only in part"))
        faults = ", ".join(f"{number:,} of {inputs:,} inputs {end}" for number, end in ends if number)
        yield f"{faults}: see {report.directory / DISCARDED}"


def _guessed(item: GuessedScenario) -> str:
    """A line of at most `_WIDTH` characters, as far as the name of the scenario lets it be."""
    rest = f" -> {item.scenario} ({100 * item.share:.0f} % of the text)"
    room = max(_SHORTEST_NAME, _WIDTH - len("scenario guessed: ") - len(rest))
    name = item.source if len(item.source) <= room else "…" + item.source[1 - room :]
    return f"scenario guessed: {name}{rest}"


def _throughout(report: BuildReport, failure: FailureCount) -> bool:
    """Whether the extractor has read no text, so that the fault is in the extractor."""
    return failure.reason is DiscardReason.EXTRACTOR_FAILED and failure.name in report.run.failed_throughout


def _failed_throughout(report: BuildReport, verbose: bool) -> Iterator[str]:
    """The extractors that have read no text, and the remedy: these lines come first."""
    for failure in report.failures:
        if _throughout(report, failure):
            given = "THE ONLY SOURCE" if failure.documents == 1 else f"ALL {failure.documents:,} SOURCES"
            yield (
                f"{failure.name} FAILED ON {given} THAT IT WAS GIVEN AND READ NONE: {_detail(failure, verbose)}\n"
                f"  mend it and build again, or leave it out: --without {failure.name}"
            )


def _failed(failure: FailureCount, sources: int, verbose: bool) -> str:
    """The failures of an extractor, and the remedy."""
    name, of_all, detail = failure.name, f"{failure.documents:,} of {sources:,} sources", _detail(failure, verbose)
    if failure.reason is DiscardReason.REQUIRED_MISSING:
        return f"{name} has not read {of_all}: {detail}"
    return (
        f"{name} failed on {of_all}, for example: {detail}\n  they are in {DISCARDED}, and the next build tries again"
    )


def _detail(failure: FailureCount, verbose: bool) -> str:
    return failure.detail if verbose else cut(failure.detail, _LONGEST_DETAIL)


def _named(names: Sequence[str], verbose: bool) -> str:
    """The first of some names, a line each; with `verbose` all of them, and whole."""
    shown = list(names) if verbose else [cut(name, _LONGEST_DETAIL - 4) for name in names[:_SHOWN_NAMES]]
    if more := len(names) - len(shown):
        shown.append(f"{more:,} more: --verbose lists them")
    return "".join(f"\n  {name}" for name in shown)


def _next(report: BuildReport) -> Iterator[str]:
    """The commands that one may want to run next."""
    directory = shlex.quote(str(report.directory))
    if any(item.steps for item in report.scenarios):
        label = next(item.label for item in report.scenarios if item.steps)
        yield f"kgscripts show {directory} {shlex.quote(label)}"
    else:
        yield f"kgscripts show {directory}"
    yield f"kgscripts export {directory} graph.ttl"


def _counts(numbers: Mapping[str, int]) -> str:
    return " · ".join(f"{name} {number:,}" for name, number in numbers.items()) or "none"
