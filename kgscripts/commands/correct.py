"""`kgscripts correct`: corrections of a graph by people."""

from __future__ import annotations

import getpass
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from textwrap import shorten, wrap
from typing import Annotated

import typer

from kgscripts.building.correction_file import read_correction_file
from kgscripts.commands.options import Models
from kgscripts.editing.correcting import Corrected, correct_graph, correct_in_words, list_corrections
from kgscripts.editing.suggesting import Suggestion, suggest_corrections
from schemas.corrections import FORMS, NEEDS, Correction, CorrectionKind, values_of
from schemas.errors import ConfigurationError
from schemas.terminal import count, echo, echo_json, printable

_NAMES = {CorrectionKind.ABOUT: {"thing": "source", "other": "passage"}}
"""What arguments are called, if not as the fields."""
_REVERSE, _ORDER = "reverse-order", ("SCENARIO", "STEP", "OTHER")
"""Another way to say ``add SCENARIO STEP PRECEDES OTHER``, for an order that texts tell the other way round."""


def correct(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The graph directory.", show_default=False)],
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="KIND",
            help="reject, rename, same-step, different-step, same-thing, different-thing, rename-scenario, "
            "same-scenario, different-scenario, tool-role, add, reverse-order or about; or suggest.",
            show_default=False,
        ),
    ] = None,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORDS", help="The words of KIND, see above.", show_default=False)
    ] = None,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="Withdraw an earlier correction (without its NAME or ROLE).")
    ] = False,
    author: Annotated[
        str | None, typer.Option(metavar="NAME", help="The person who corrects; by default your login name.")
    ] = None,
    corrections: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Record the corrections of a file instead.")
    ] = None,
    models: Models = None,
    list_: Annotated[bool, typer.Option("--list", help="Print all corrections, in the form of such a file.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was recorded as JSON.")] = False,
) -> None:
    """Correct a graph: record what is wrong, and assemble it again.

    \b
    reject SCENARIO STEP [RELATION OTHER]   no step, or no such tool of it ...
    rename SCENARIO STEP NAME               another label
    same-step SCENARIO STEP OTHER           two wordings of one step
    different-step SCENARIO STEP OTHER      two steps that were merged
    reverse-order SCENARIO STEP OTHER       STEP comes before OTHER
    same-thing NAME OTHER                   OTHER is called NAME
    different-thing NAME OTHER              two things
    rename-scenario SCENARIO NAME           another name
    same-scenario SCENARIO OTHER            OTHER's texts become SCENARIO's
    different-scenario SCENARIO OTHER       two activities
    tool-role TOOL ROLE [SCENARIO STEP]     container, appliance, ...
    add SCENARIO STEP                       a step that no text tells
    add SCENARIO STEP USES TOOL [ROLE]      a tool of it
    add SCENARIO NEEDS THING [ROLE]         what one needs; reject: does not
    add SCENARIO STEP PRECEDES OTHER        it comes before another step
    add SCENARIO STEP CHANGES CHANGE        "temperature of tea: hot -> cold"
    about SOURCE [PASSAGE] SCENARIO         what a text is about; none: nothing
    suggest                                 list likely duplicates

    Example: kgscripts correct graph rename "baking a cake" "put cake in oven" "bake the cake"
    """
    if list_:
        if kind is not None or corrections is not None:
            raise ConfigurationError("--list takes nothing else", remedy="kgscripts correct DIR --list")
        for item in list_corrections(directory):
            echo_json(item.to_dict(), indent=None)
        return
    if kind == _SUGGEST:
        if words or withdraw or corrections is not None:
            raise ConfigurationError(f"{_SUGGEST} takes nothing else", remedy="kgscripts correct DIR suggest")
        _print_suggestions(directory, suggest_corrections(directory), as_json)
        return
    if (kind is None) == (corrections is None):
        raise ConfigurationError(
            "name either a KIND of correction or --corrections FILE", remedy="`kgscripts correct --help` has examples"
        )
    settings = None
    if models:
        from kgscripts.building.configuration import read_settings  # it imports all options of builds

        settings = read_settings(models)
    if corrections is not None:
        done = correct_graph(directory, read_correction_file(corrections), settings=settings)
    else:
        done = correct_in_words(directory, _correction(str(kind), words or [], author, withdraw), settings=settings)
    _print(done, as_json)


_SUGGEST, _MOST_SUGGESTED = "suggest", 20
_WIDTH = 80
_TITLES = {
    CorrectionKind.SAME_STEP: "steps of {scenario}",
    CorrectionKind.SAME_SCENARIO: "scenarios",
    CorrectionKind.SAME_THING: "things",
}


def _print_suggestions(directory: Path, suggestions: list[Suggestion], as_json: bool) -> None:
    """Print pairs with their numbers, evidence and commands; as JSON all of them, else the likeliest of each kind."""
    start = ("kgscripts", "correct", str(directory))
    if as_json:
        keys = ("scenario", "names", "sources", "likeness", "evidence")
        echo_json(
            [
                {"kind": item.kind, **{key: getattr(item, key) for key in keys if getattr(item, key)}}
                | {"join": [*start, *item.words], "keep_apart": [*start, *item.apart]}
                for item in suggestions
            ]
        )
        return
    for kind, title in _TITLES.items():
        listed = [item for item in suggestions if item.kind is kind]
        for item in listed[:_MOST_SUGGESTED]:
            echo(shorten(title.format(scenario=printable(item.scenario)), _WIDTH, placeholder="…"))
            names = (
                f'"{name}" ({count(number, "source")})' for name, number in zip(item.names, item.sources, strict=True)
            )
            for line in (*names, *item.evidence):
                echo(f"  {shorten(printable(line), _WIDTH - 2, placeholder='…')}")
            echo(_command((*start, *item.words)))
        if listed[_MOST_SUGGESTED:]:
            echo(f"{len(listed) - _MOST_SUGGESTED:,} more such pairs: --json lists all")
    if suggestions:
        echo("to keep two apart: different-... instead of same-...")
    else:
        echo("nothing in the graph looks like a duplicate")


def _command(words: Sequence[str]) -> str:
    """A command for a shell, in several lines where one would be too long."""
    lines = ["  "]
    for word in map(shlex.quote, words):
        if lines[-1].strip() and len(lines[-1]) + len(word) > _WIDTH - 2:
            lines.append("    ")
        lines[-1] += f"{word} "
    return " \\\n".join(map(str.rstrip, lines))


def _correction(kind: str, words: list[str], author: str | None, withdraw: bool) -> Correction:
    names = {item.value.replace(" ", "-"): item for item in CorrectionKind}
    if kind == _REVERSE:
        if len(words) != len(_ORDER):
            raise _unfitting(kind, words, " ".join(_ORDER))
        kind, words = CorrectionKind.ADD.value, [*words[:2], "PRECEDES", words[2]]
    if kind not in names:
        raise ConfigurationError(
            f"{kind!r} is no kind of correction", remedy=f"name one of {', '.join((*names, _REVERSE))}"
        )
    values = values_of(names[kind]) if withdraw else ()
    forms = [tuple(name for name in form if name not in values) for form in FORMS[names[kind]]]
    fitting = [
        form for form in forms if len(form) == len(words) and _names_need(form) is (NEEDS in _relation(words[1:2]))
    ]
    if not fitting:
        called = _NAMES.get(names[kind], {})
        usages = (_usage(form, called) for form in forms)
        usage = " or ".join(dict.fromkeys(usages))
        raise _unfitting(kind, words, usage)
    fields = dict(zip(fitting[0], words, strict=True))
    if "relation" in fields:
        (fields["relation"],) = _relation([fields["relation"]])
    return Correction(
        kind=names[kind],
        withdrawn=withdraw,
        author=author or getpass.getuser(),
        time=datetime.now(UTC).isoformat(),
        **fields,
    )


def _unfitting(kind: str, words: list[str], usage: str) -> ConfigurationError:
    return ConfigurationError(
        f"the words after {kind} do not fit it ({len(words)} are given)", remedy=f"kgscripts correct DIR {kind} {usage}"
    )


def _usage(form: tuple[str, ...], called: dict[str, str]) -> str:
    words = " ".join(called.get(name, name).upper() for name in form)
    return words.replace("RELATION", NEEDS) if _names_need(form) else words


def _names_need(form: tuple[str, ...]) -> bool:
    """Whether the words are those of a need: a relation of the scenario, not of a step."""
    return form[1:2] == ("relation",)


def _relation(words: list[str]) -> list[str]:
    """Words as types of relations."""
    return [word.upper().replace("-", "_") for word in words]


def _print(done: Corrected, as_json: bool) -> None:
    if as_json:
        lists = {"recorded": done.recorded, "unmatched": done.unmatched, "overruled": done.overruled}
        recorded = {name: [item.to_dict() for item in items] for name, items in lists.items()}
        echo_json(recorded | {"taken": dict(done.taken)})
        return
    lines = [f'"{given}" is taken as "{words}"' for given, words in done.taken.items()]
    lines += [f"recorded: {item.label}" for item in done.recorded]
    if not done.recorded:
        lines.append("nothing new: the graph has these corrections, or later ones")
    lines += [
        f"changes nothing (no such words, or a later one contradicts it): {item.label}" for item in done.unmatched
    ]
    lines += [f"contradicted by it, and no longer applied: {item.label}" for item in done.overruled]
    for line in lines:
        echo("\n".join(wrap(printable(line), 80, subsequent_indent="    ")))
