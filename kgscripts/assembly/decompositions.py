"""What alignments say: the concrete steps of abstract ones, and the tools that these are done with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from kgscripts.assembly.instances import Instances, integers, numbers
from kgscripts.assembly.names import Integers
from kgscripts.assembly.relations import (
    Column,
    Mentions,
    Numbers,
    Relations,
    Said,
    distinct,
    pairs,
    pointwise_mutual_information,
    relate,
    share,
)


@frozen
class AlignedSteps:
    """Concrete steps of abstract mentions, and the tools of the abstract events: arrays, one row each."""

    abstract: Integers
    concrete: Integers
    extractor: Integers
    position: Numbers
    log_probability: Numbers
    tool: Integers
    """Place of the tool; `tool_step` is the row of the step that names it."""
    tool_step: Integers

    @classmethod
    def of(cls, found: Instances, tools: Integers) -> AlignedSteps:
        """Those of the instances; `tools` holds the place of each tool's number."""
        rows = found.steps
        return cls(
            abstract=integers(rows.abstract),
            concrete=integers(rows.concrete),
            extractor=integers(rows.extractor),
            position=numbers(rows.position),
            log_probability=numbers(rows.log_probability),
            tool=tools[integers(rows.tool_tool)],
            tool_step=integers(rows.tool_step),
        )

    def said(self, mentions: Mentions, row: Integers) -> Said:
        """The rows as speaking for their abstract mention, with the passage of the concrete one as evidence."""
        passage = mentions.passage[self.concrete[row]]
        return Said(self.abstract[row], passage, self.extractor[row], np.exp(self.log_probability[row]).round(4))

    def tools_said(self, mentions: Mentions) -> Said:
        """For each tool the abstract mention that is done with it."""
        return self.said(mentions, self.tool_step)


def decomposes_into(steps: AlignedSteps, mentions: Mentions) -> Relations:
    """Abstract step -> concrete step, with pointwise mutual information over decomposed mentions.

    A step is no part of itself: "add the tofu" that is told again on the concrete side is left out.
    """
    start, end = mentions.step[steps.abstract], mentions.step[steps.concrete]
    row = np.flatnonzero(start != end)
    start, end = start[row], end[row]
    found = relate(start, end, steps.said(mentions, row), mentions)
    width = int(mentions.step.max(initial=-1)) + 1
    of_start = distinct(start, steps.abstract[row], width)[found.start]
    of_end = distinct(end, steps.abstract[row], width)[found.end]
    all_told = len(np.unique(steps.abstract[row]))
    of_row = pairs(start, end)[2]
    positions = np.bincount(of_row, steps.position[row], minlength=len(found))
    columns: dict[str, Column] = {
        "probability": share(found.mentions, of_start),
        "pmi": pointwise_mutual_information(found.mentions, of_start, of_end, all_told),
        "log_probability": highest(of_row, steps.log_probability[row], len(found)),
        "position": share(positions, np.bincount(of_row, minlength=len(found))),
    }
    return evolve(found, columns=columns)


def highest(group: Integers, value: Numbers, groups: int) -> Numbers:
    """The largest value of each group; NaN where there is none."""
    found: npt.NDArray[np.float64] = np.full(groups, np.nan)
    np.fmax.at(found, group, value)
    return found
