"""The folder of a run of training: what it was begun with, and whether it can go on with what is given now."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import frozen

from kgscripts.models.checkpoint import check_place
from lightning_modules.settings import CONSTANT
from schemas.errors import ModelError

_DESCRIPTION = "run.json"
_MOST_SHOWN = 100
"""Characters of two values that differ; longer ones are digests and whole texts."""


@frozen
class RunFolder:
    """``NAME.training`` beside the checkpoint directory to be. `description` is all that decides the result.

    Of a run that has ended, the logs stay there, and what it needs to go on with more epochs.
    """

    directory: Path
    description: Mapping[str, Any]

    @property
    def path(self) -> Path:
        """The folder itself."""
        return self.directory.with_name(f"{self.directory.name}.training")

    @property
    def last(self) -> Path:
        """Lightning's checkpoint of where the run is."""
        return self.path / "last.ckpt"

    @property
    def ended(self) -> Path:
        """The same of a run that has ended."""
        return self.path / "ended.ckpt"

    @property
    def digest(self) -> str:
        """SHA-256 of the description."""
        return sha256(self._text().encode()).hexdigest()

    def begin(self, resume: bool) -> None:
        """Make the folder, or find the run to resume.

        Raises ModelError if there is an unfinished run that is not to be resumed or is a run of something else, and if
        nothing can be written here or the checkpoint could not be written at the end.
        """
        check_place(self.directory)
        described = self.path / _DESCRIPTION
        if self.last.is_file():
            if not resume:
                remedy = f"go on with it by --resume, or remove {self.path.name}"
                raise ModelError("an unfinished run is here", where=str(self.path), remedy=remedy)
            self._check_same()
        elif resume and self.ended.is_file():
            self._check_same()
            self.ended.rename(self.last)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if not self.last.is_file():
                # A new run: how an older one went on is of no use any more.
                self.ended.unlink(missing_ok=True)
            described.write_text(self._text(), encoding="utf-8")
        except OSError as error:
            remedy = "name a directory that can be written"
            raise ModelError(f"cannot be written: {error.strerror}", where=str(self.path), remedy=remedy) from error

    def end(self) -> None:
        """The run is no unfinished one any more."""
        self.last.rename(self.ended)

    def _check_same(self) -> None:
        """Raise ModelError if the run that is here was begun with anything else, but for fewer epochs.

        With a constant learning rate, a run that gets more epochs later is the same as one that had them at first.
        """
        try:
            begun = json.loads((self.path / _DESCRIPTION).read_text(encoding="utf-8"))
            old = begun.pop("settings") | begun
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            remedy = f"remove {self.path.name} and begin anew"
            raise ModelError("run.json is missing or damaged", where=str(self.path), remedy=remedy) from error
        # By way of JSON, as the old one, so that tuples are lists in both.
        new = json.loads(self._text())
        new = new.pop("settings") | new
        other = [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
        why = ""
        if other == ["epochs"]:
            if old["schedule"] == CONSTANT and new["epochs"] > old["epochs"]:
                return
            why = "; a run can get more epochs" + " where schedule is constant" * (old["schedule"] != CONSTANT)
        values = [(name, repr(old.get(name)), repr(new.get(name))) for name in other]
        said = [f"{name} {a}, now {b}" if len(a + b) < _MOST_SHOWN else f"other {name}" for name, a, b in values]
        if said:
            remedy = f"give what it was begun with, or remove {self.path.name} to begin anew"
            raise ModelError(f"the run that is here has {', '.join(said)}{why}", where=str(self.path), remedy=remedy)

    def _text(self) -> str:
        return json.dumps(self.description, indent=1, sort_keys=True) + "\n"
