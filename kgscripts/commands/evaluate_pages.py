"""`kgscripts evaluate pages`: whether saved web pages are read rightly."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson, AttachAs, Examples, ScoresFile, SplitName
from schemas.terminal import progress_bar


def pages(
    directory: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="A folder of pages, with what is right in pages.jsonl.", show_default=False),
    ],
    split: SplitName = None,
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    attach_as: AttachAs = None,
) -> None:
    """Evaluate the reading of saved recipe pages: titles, sentences of the instructions, ingredients and tools.

    Every page is read as it is, and again without JSON-LD and microdata. Each line of pages.jsonl has file, title,
    ingredients and instructions, and may have equipment.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.evaluation.pages.reading import evaluate_pages
    from schemas.output_files import check_outputs

    check_outputs(output, inputs=[directory])
    with progress_bar() as progress:
        task = progress.add_task("pages", total=None)
        found = evaluate_pages(directory, split=split, progress=lambda done: progress.update(task, completed=done))
    finish([found], places={}, attach_as=attach_as, output=output, as_json=as_json, examples=examples)
