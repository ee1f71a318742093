"""``kgscripts corpora``: which corpora the readers know, and fetching them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from kgscripts.corpora.catalogue import GITHUB, corpora, select

app = typer.Typer(add_completion=False, no_args_is_help=True, help="List and fetch the corpora that the readers know.")


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
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    from kgscripts.corpora import fetching

    chosen = select(names)
    for corpus in chosen:
        typer.echo(f"{corpus.name}: {corpus.licence} ({corpus.homepage})", err=True)
    files = [file for corpus in chosen for file in corpus.files]
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress:
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
