"""`kgscripts evaluate scenario-titles`: whether titles that mean the same become one scenario."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson, AttachAs, Examples, ScoresFile

_EXTRACTOR = "labels"


class Split(StrEnum):
    """The parts of the gold titles."""

    DEVELOPMENT = "development"
    TEST = "test"


def scenario_titles(
    split: Annotated[Split, typer.Option(help="Which of the gold titles.")] = Split.TEST,
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    attach_as: AttachAs = None,
) -> None:
    """Evaluate which titles of how-tos become one scenario, on titles that ship with the package.

    Precision, recall and F1 are over pairs of titles. A title of a listed scenario is right if it gets its label.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.evaluation.scenarios.titles import evaluate_titles
    from kgscripts.score_files import scores_of_package
    from schemas.output_files import check_outputs

    check_outputs(output)
    finish(
        [evaluate_titles(split.value, source=_EXTRACTOR)],
        places={_EXTRACTOR: scores_of_package(_EXTRACTOR)},
        attach_as=attach_as,
        output=output,
        as_json=as_json,
        examples=examples,
    )
