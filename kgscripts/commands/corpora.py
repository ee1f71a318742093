"""``kgscripts corpora``: which corpora the readers know, fetching them, and what pair corpora hold."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscripts.corpora.catalogue import GITHUB, corpora, select

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

app = typer.Typer(add_completion=False, no_args_is_help=True, help="List, fetch and prepare corpora.")


@app.command("list", epilog="Example: kgscripts corpora list --json | jq '.[].name'")
def list_corpora(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Print the corpora: name, number of files, size, licence, and where they come from."""
    if as_json:
        facts = [
            {
                "name": corpus.name,
                "title": corpus.title,
                "licence": corpus.licence,
                "homepage": corpus.homepage,
                "files": [file.file for file in corpus.files],
                "bytes": corpus.bytes,
            }
            for corpus in corpora()
        ]
        typer.echo(json.dumps(facts, indent=2))
        return
    for corpus in corpora():
        size = f"{len(corpus.files)} files, {corpus.bytes / 1e6:.1f} MB" if corpus.files else "from its authors"
        typer.echo(f"{corpus.name:<10} {size:<18} {corpus.title}\n{'':<10} {corpus.licence}; {corpus.homepage}")


@app.command(epilog="Example: kgscripts corpora fetch inscript --into corpora")
def fetch(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Corpora by name, or `all`.")],
    into: Annotated[Path, typer.Option(metavar="DIR", help="Folder that gets a folder for each corpus.")] = Path(
        "corpora"
    ),
    base_url: Annotated[str, typer.Option(metavar="URL", help="A mirror with GitHub's paths.")] = GITHUB,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Fetch corpora, checking each file's SHA-256. What was fetched before is kept, what broke off goes on."""
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn

    from kgscripts.corpora import fetching

    chosen = select(names)
    for corpus in chosen:
        typer.echo(f"{corpus.name}: {corpus.licence} ({corpus.homepage})", err=True)
    files = [file for corpus in chosen for file in corpus.files]
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with _progress(*columns) as progress:
        task = progress.add_task("fetching", total=sum(file.bytes for file in files))
        fetched = list(
            fetching.fetch(files, into, base_url=base_url, on_bytes=lambda count: progress.advance(task, count))
        )
    if as_json:
        facts = [
            {"file": item.remote.file, "path": str(item.path), "bytes": item.remote.bytes, "outcome": item.outcome}
            for item in fetched
        ]
        typer.echo(json.dumps(facts, indent=2))
        return
    present = sum(item.outcome is fetching.Outcome.PRESENT for item in fetched)
    typer.echo(f"{len(fetched)} files in {into} ({len(fetched) - present} fetched, {present} were there)")


@app.command(epilog="Example: kgscripts corpora stats corpora/kidscook")
def stats(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Pair corpora, folders of them, or what `fetch` fetched.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print the sizes of pair corpora, as Table 1 of KidsCook does, and what only the concrete sides say.

    Reads plain TSV, cloze templates, JSON lines with steps, and released id sequences. Of a folder the files are read
    whose names begin with a split: train, dev, valid or test.
    """
    import attrs
    from rich.console import Console
    from rich.table import Table

    from kgscripts.corpora.pair_corpora import load_pairs, split_files
    from kgscripts.corpora.pair_statistics import pair_statistics, sentences
    from kgscripts.text.pipeline import load_pipeline
    from kgscripts.text.tokenised import lemmas_of_tokens

    pairs = {str(path): load_pairs([path]).pairs for path in split_files(files, fetched=Path("corpora"))}
    said = sentences(pair for read in pairs.values() for pair in read)
    with _progress() as progress:
        lemmas = progress.track(lemmas_of_tokens(load_pipeline(), said), total=len(said), description="lemmas")
        lemmas_of = dict(zip(said, lemmas, strict=True))
    rows = {name: attrs.asdict(pair_statistics(read, lemmas_of)) for name, read in pairs.items()}
    if as_json:
        typer.echo(json.dumps([{"file": name, **row} for name, row in rows.items()], indent=2))
        return
    table = Table("", *(str(Path(name).name) for name in rows), box=None)
    for key in next(iter(rows.values())):
        values = (row[key] for row in rows.values())
        table.add_row(key.replace("_", " "), *(f"{v:,.2f}" if isinstance(v, float) else f"{v:,}" for v in values))
    Console(width=None if sys.stdout.isatty() else 200).print(table)


def _progress(*columns: ProgressColumn) -> Progress:
    from rich.console import Console
    from rich.progress import Progress

    return Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty())
