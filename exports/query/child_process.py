"""Child processes that work on one store with an engine: a crash of the engine ends only them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from attrs import define

_KEPT_VARIABLES = ("LD_LIBRARY_PATH", "SYSTEMROOT", "TMPDIR")


@define(eq=False)
class Child:
    """A running script, and this process's end of the pipe that ends it (`confined_child.end_with_parent`)."""

    process: subprocess.Popen[bytes]
    _life: int

    @classmethod
    def start(
        cls, script: Path, store: Path, settings: Mapping[str, object], environment: Mapping[str, str] | None = None
    ) -> Self:
        """Start `script` with JSON in its argument: the `settings`, the `store`, where modules are, and the pipe."""
        content = {
            **settings,
            "store": str(store),
            # Without a directory that is relative to the current one.
            "path": [str(script.parents[1]), *(entry for entry in sys.path if Path(entry).is_absolute())],
            "parent": None,
        }
        inherited: tuple[int, ...] = ()
        life = -1
        if sys.platform != "win32":
            end, life = os.pipe()
            content["parent"] = end
            inherited = (end,)
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", "-X", "utf8", str(script), json.dumps(content)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=inherited,
                # Ctrl-C on the terminal is for this process, which then ends the child.
                start_new_session=True,
                cwd=store.anchor,
                env={name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
                | dict(environment or {}),
            )
        except BaseException:
            if life >= 0:
                os.close(life)
            raise
        finally:
            for descriptor in inherited:
                os.close(descriptor)
        return cls(process, life)

    @property
    def pipes(self) -> tuple[Any, Any]:
        """Its standard input and output."""
        return self.process.stdin, self.process.stdout

    def end(self) -> None:
        """Kill it, if it has not ended."""
        self._close_life()
        self.process.kill()
        self.process.wait()
        for pipe in self.pipes:
            with suppress(OSError):
                pipe.close()

    def forget(self) -> None:
        """Close the copies of the pipes that a fork made; the process belongs to the parent."""
        self._close_life()
        self.process.returncode = 0

    def _close_life(self) -> None:
        if self._life >= 0:
            os.close(self._life)
            self._life = -1
