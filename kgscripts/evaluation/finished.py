"""What a long evaluation has finished: if it was stopped, the same command goes on from there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import define, field


@define
class Finished:
    """A file of finished parts beside the output, one a line: a key, and a result that is JSON.

    Without a path nothing is kept.
    """

    path: Path | None = None
    _known: dict[str, Any] | None = field(default=None, init=False)

    @classmethod
    def beside(cls, output: Path | None) -> Finished:
        """Those of an evaluation with this output file; nothing is kept beside a device or a link (`/dev/stdout`)."""
        if output is None or output.is_symlink() or (output.exists() and not output.is_file()):
            return cls()
        return cls(output.with_name(f"{output.name}.finished"))

    def once(self, key: str, compute: Callable[[], Any]) -> Any:
        """The result with this key, computed if it is not kept."""
        if self.path is None:
            return compute()
        if self._known is None:
            self._known = _read(self.path)
        if key not in self._known:
            self._known[key] = compute()
            line = json.dumps({"key": key, "result": self._known[key]})
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="ascii") as file:
                # What a killed run left of a line ends here.
                file.write(f"\n{line}\n")
        return self._known[key]

    def remove(self) -> None:
        """Remove the file: everything is finished."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def _read(path: Path) -> dict[str, Any]:
    """The results of a file by their keys; what is no whole line is left out."""
    results: dict[str, Any] = {}
    if path.is_file():
        for line in path.read_text(encoding="ascii", errors="replace").splitlines():
            try:
                content = json.loads(line)
                results[content["key"]] = content["result"]
            except (ValueError, TypeError, KeyError):
                continue
    return results
