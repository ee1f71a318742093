"""A pair as a row of columns that tabs divide: abstract, concrete and, in a cloze template, a mark for each token."""

from __future__ import annotations

from attrs import frozen

from schemas.errors import InputError

_HEADER = ["abstract", "concrete"]


@frozen
class PairRow:
    """The columns of a row, checked. `marks` is None where there are two columns, else "0" or "1" a concrete token."""

    abstract: str
    concrete: str
    marks: list[str] | None


def is_header(line: str) -> bool:
    """Whether a first line names the columns."""
    return [column.strip().lower() for column in line.split("\t")[:2]] == _HEADER


def pair_row(line: str) -> PairRow:
    """The columns of a line.

    Raises InputError for another number of columns than two or three, an empty side, and marks that are neither 0
    nor 1 or not as many as the white space divides tokens.
    """
    columns = line.split("\t")
    if len(columns) not in (2, 3):
        count = "1 column" if len(columns) == 1 else f"{len(columns)} columns"
        raise InputError(f"{count} where 2 are wanted (abstract, concrete), or 3 in a cloze template")
    abstract, concrete = columns[:2]
    if not abstract.strip() or not concrete.strip():
        raise InputError(f"the {'concrete' if abstract.strip() else 'abstract'} side is empty")
    if len(columns) == 2:
        return PairRow(abstract, concrete, None)
    marks = columns[2].split()
    if not set(marks) <= {"0", "1"}:
        raise InputError("the third column holds something else than 0 and 1")
    if len(marks) != len(tokens := concrete.split()):
        raise InputError(f"{len(marks)} marks for {len(tokens)} tokens")
    return PairRow(abstract, concrete, marks)
