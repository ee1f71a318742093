"""Where a plan is written as PDDL: the domain to the file that a user names, the problem beside it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kgscripts.planning.pddl import pddl_domain, pddl_problem
from kgscripts.planning.plan import Plan
from schemas.errors import ConfigurationError
from schemas.output_files import check_outputs, new_file

_SUFFIX = ".pddl"


def problem_file(domain: Path) -> Path:
    """The file of the problem: ``tea-problem.pddl`` for the domain ``tea.pddl``."""
    return domain.with_name(f"{domain.stem}-problem{domain.suffix}")


def check_pddl(domain: Path, inputs: Iterable[str | Path]) -> None:
    """Check, before the work begins, that both files can be written and that neither replaces an input.

    Raises
    ------
    ConfigurationError
        If not, or if `domain` does not end in ``.pddl``.
    """
    if domain.suffix.lower() != _SUFFIX:
        raise ConfigurationError("no file of PDDL", where=str(domain), remedy=f"use the extension {_SUFFIX}")
    check_outputs(domain, problem_file(domain), inputs=inputs)


def save_pddl(plan: Plan, domain: Path) -> None:
    """Write both files, or neither.

    Raises
    ------
    StoreError
        If one cannot be written.
    """
    with new_file(problem_file(domain)) as problem_text, new_file(domain) as domain_text:
        problem_text.write_text(pddl_problem(plan), encoding="ascii")
        domain_text.write_text(pddl_domain(plan), encoding="ascii")
