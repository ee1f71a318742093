"""The steps that models of state changes are trained on."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from attrs import frozen

from kgscripts.corpora.openpi.reading import OpenPIStep, read_openpi


@frozen
class StepFiles:
    """The steps of some files or folders, and their names without the folders that hold them."""

    names: Sequence[str]
    steps: Sequence[OpenPIStep]

    @classmethod
    def read(cls, paths: Sequence[Path]) -> StepFiles:
        """Steps of how-tos without any change are left out, since they were not annotated.

        Raises InputError for files that cannot be read.
        """
        steps = [step for path in paths for step in read_openpi(path)]
        annotated = {step.procedure for step in steps if step.answers}
        return cls([path.name for path in paths], [step for step in steps if step.procedure in annotated])

    @property
    def description(self) -> str:
        """How many steps, and of which files."""
        return f"{len(self.steps):,} steps of {', '.join(self.names)} (OpenPI, MIT)"

    def command(self, options: Sequence[str]) -> str:
        """The command line of `kgscripts train state-changes` for these files."""
        files = [word for name in self.names for word in ("--train", name)]
        return shlex.join(["kgscripts", "train", "state-changes", *files, *options])


def steps_digest(steps: Sequence[OpenPIStep]) -> str:
    """SHA-256 of the steps, their titles, contexts and changes."""
    texts = [
        (step.id, step.title, step.text, step.context, [answer.sentence for answer in step.answers]) for step in steps
    ]
    return sha256(json.dumps(texts).encode()).hexdigest()
