"""`kgscripts lookup`: the concrete phrases that an abstract word is aligned to, and the reverse."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscripts.commands.options import AsJson, print_list
from schemas.terminal import echo_json

if TYPE_CHECKING:
    from kgscripts.analysis.phrase_table import Association


def lookup(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A graph directory with pairs.")],
    word: Annotated[str, typer.Argument(metavar="WORD", help="A word, or a phrase of the concrete side.")],
    min_count: Annotated[int, typer.Option(min=1, help="The minimum number of alignments.")] = 3,
    top: Annotated[int, typer.Option(min=0, help="The maximum number of rows; 0 prints all.")] = 15,
    whitelist: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The words to count, one per line. Default: content words."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Look up a word in the alignments of a graph, in both directions, by pointwise mutual information.

    Example: kgscripts lookup graph egg

    Example: kgscripts lookup graph "cutting board" --min-count 5
    """
    from attrs import asdict

    from kgscripts.analysis.phrase_table import PhraseTable
    from kgscripts.corpora.pairs.loading import read_whitelist

    table = PhraseTable.read(directory, set(read_whitelist(whitelist)) if whitelist is not None else None)
    phrase = " ".join(word.lower().split())
    table.check_known(phrase)
    concrete, abstract = table.concrete_of(phrase, min_count), table.abstract_of(phrase, min_count)
    chosen = (concrete[: top or None], abstract[: top or None])
    if as_json:
        sides = {
            name: [asdict(item) for item in found] for name, found in zip(("concrete", "abstract"), chosen, strict=True)
        }
        echo_json({"word": phrase, **sides})
        return
    _print(f"abstract {phrase!r} is realised as", chosen[0], len(concrete), min_count)
    _print(f"concrete {phrase!r} realises", chosen[1], len(abstract), min_count)


def _print(title: str, found: Sequence[Association], of: int, min_count: int) -> None:
    rarer = f" aligned {min_count} times or more: --min-count 1 shows all" if min_count > 1 else ""
    rows = [(f"{item.pmi:.2f}", str(item.count), item.text) for item in found]
    print_list(title, ("PMI", "count", ""), rows, 2, f"nothing{rarer}", of - len(found))
