"""Answers that are kept: by the digest of all that they depend on, so that nothing is asked twice.

They hold words of the texts that were read: the folder is for its owner only.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import asdict, frozen
from platformdirs import user_cache_path

_FORMAT = 1


@frozen
class KeptAnswer:
    """The text of an answer, or that it was cut off, and its tokens."""

    text: str
    is_cut: bool
    prompt_tokens: int
    answer_tokens: int


@frozen
class AnswerCache:
    """A folder of answers."""

    folder: Path

    @classmethod
    def of(cls, folder: str) -> AnswerCache:
        """That of a folder, or "" for the one in the user's cache folder."""
        if folder:
            return cls(Path(folder).expanduser())
        return cls(user_cache_path("kgscripts") / "answers")

    @staticmethod
    def key(content: Mapping[str, Any]) -> str:
        """The key of an answer to a request with this content."""
        return hashlib.sha256(json.dumps([_FORMAT, content], sort_keys=True).encode()).hexdigest()

    def get(self, key: str) -> KeptAnswer | None:
        """The answer with a key; None if there is none, or its file is damaged."""
        try:
            content = json.loads(self._path(key).read_bytes())
            answer = KeptAnswer(**content)
        except (OSError, ValueError, TypeError, RecursionError):
            return None
        numbers = (answer.prompt_tokens, answer.answer_tokens)
        return answer if isinstance(answer.text, str) and all(isinstance(item, int) for item in numbers) else None

    def put(self, key: str, answer: KeptAnswer) -> None:
        """Keep an answer: completely or not at all.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        path = self._path(key)
        # Answers quote texts, which are not for other users.
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.parent.mkdir(exist_ok=True)
        number, name = tempfile.mkstemp(prefix=".", dir=path.parent)
        try:
            with os.fdopen(number, "w", encoding="utf-8") as file:
                json.dump(asdict(answer), file, ensure_ascii=False)
            Path(name).replace(path)
        # After Ctrl-C, too.
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"
