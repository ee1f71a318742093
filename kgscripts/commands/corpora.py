"""``kgscripts corpora``: list and download corpora; packages add commands (group ``kgscripts.commands.corpora``)."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson
from kgscripts.corpora.fetching import GITHUB, corpora, select
from schemas.plugins import entry_points_of, loaded
from schemas.terminal import echo, echo_json, printable, progress_bar

FETCHED = Path("corpora")
app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="List, fetch and prepare corpora.",
    epilog="Example: kgscripts corpora fetch kidscook && kgscripts corpora cloze kidscook -o out.tsv",
)


@app.command("list", epilog="Example: kgscripts corpora list --json | jq '.[].name'")
def list_corpora(as_json: AsJson = False) -> None:
    """Print the corpora: name, number of files, size, licence and homepage."""
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
        echo_json(facts)
        return
    for corpus in corpora():
        size = f"{len(corpus.files)} files, {corpus.bytes / 1e6:.1f} MB" if corpus.files else "from its authors"
        echo(f"{corpus.name}: {size}")
        for fact in (corpus.title, f"{corpus.licence}; {corpus.homepage}"):
            echo(textwrap.fill(fact, 80, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False))


@app.command(epilog="Example: kgscripts corpora fetch inscript --into corpora")
def fetch(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Corpora by name, or `all`.")],
    into: Annotated[Path, typer.Option(metavar="DIR", help="Download to a folder per corpus in DIR.")] = FETCHED,
    base_url: Annotated[str, typer.Option(metavar="URL", help="A mirror with GitHub's paths.")] = GITHUB,
    as_json: AsJson = False,
) -> None:
    """Download corpora, checking each file's SHA-256. Existing files are kept."""
    from rich.progress import DownloadColumn, TimeRemainingColumn

    from kgscripts.corpora import fetching

    chosen = select(names)
    for corpus in chosen:
        echo(f"{corpus.name}: {corpus.licence} ({corpus.homepage})", err=True)
    files = [file for corpus in chosen for file in corpus.files]
    with progress_bar(DownloadColumn(), TimeRemainingColumn()) as progress:
        task = progress.add_task("fetching", total=sum(file.bytes for file in files))
        fetched = list(
            fetching.fetch(files, into, base_url=base_url, on_bytes=lambda count: progress.advance(task, count))
        )
    if as_json:
        facts = [
            {"file": item.remote.file, "path": str(item.path), "bytes": item.remote.bytes, "outcome": item.outcome}
            for item in fetched
        ]
        echo_json(facts)
        return
    present = sum(item.outcome is fetching.Outcome.PRESENT for item in fetched)
    echo(
        f"{len(fetched)} files in {printable(str(into))} ({len(fetched) - present} fetched, {present} already present)"
    )


for _name, _entry in entry_points_of("kgscripts.commands.corpora").items():
    app.command(_name)(loaded(_entry, "command"))
