"""The prompts: files that ship, or those of a folder that a setting names."""

from __future__ import annotations

import hashlib
import json
from importlib import resources
from pathlib import Path

from attrs import frozen

from kgscripts.extractors.llm.schema import SCENARIOS, problem, schema
from schemas.errors import ConfigurationError
from schemas.scenario_documents import concept_scheme

Message = dict[str, str]
_LABELS = "{scenarios}"
_PROBLEM = "{problem}"
FILES = ("instructions.md", "scenarios.md", "example.md", "again.md")
"""What is asked; what is asked of texts without a scenario, too; a text and, below an empty line, the answer about it;
what is said of an answer that is not valid."""


@frozen
class Prompts:
    """The texts of the files `FILES`."""

    instructions: str
    scenarios: str
    example: str
    again: str

    @property
    def files(self) -> dict[str, str]:
        """The texts by the names of their files."""
        return dict(zip(FILES, (self.instructions, self.scenarios, self.example, self.again), strict=True))

    @property
    def digest(self) -> str:
        """SHA-256 of what is sent: of the texts, and of the labels that one of them lists."""
        return hashlib.sha256(json.dumps([self.messages("", scenarios=True), self.again]).encode()).hexdigest()

    def messages(self, text: str, *, scenarios: bool) -> list[Message]:
        """The messages about a text. What is the same for all texts comes first, so that servers can keep it."""
        labels = "\n".join(concept.label for concept in concept_scheme())
        also = f"\n\n{self.scenarios.replace(_LABELS, labels)}" if scenarios else ""
        example, _, answer = self.example.partition("\n\n")
        said = json.loads(answer) | ({SCENARIOS: []} if scenarios else {})
        return [
            {"role": "system", "content": self.instructions + also},
            {"role": "user", "content": example},
            {"role": "assistant", "content": json.dumps(said, ensure_ascii=False)},
            {"role": "user", "content": text},
        ]

    def repeat(self, wrong: str) -> str:
        """What is said of an answer in which this is wrong."""
        return self.again.replace(_PROBLEM, wrong)


def read_prompts(folder: str = "") -> Prompts:
    """Those of a folder, or "" for those that ship. A file that the folder lacks is that which ships.

    Raises
    ------
    ConfigurationError
        If there is no such folder, a file cannot be read, or the answer of the example is not what the schema allows.
    """
    if folder and not Path(folder).is_dir():
        raise ConfigurationError("there is no such folder", where=folder, remedy="name one with prompts")
    prompts = Prompts(*(_read(folder, name) for name in FILES))
    try:
        wrong = problem(json.loads(prompts.example.partition("\n\n")[2]), schema(scenarios=False))
    except (ValueError, RecursionError) as error:
        wrong = f"it is no JSON ({error})"
    if wrong:
        remedy = "write a text, an empty line, and the answer about it without scenarios"
        raise ConfigurationError(wrong, where=str(Path(folder, "example.md")), remedy=remedy)
    return prompts


def _read(folder: str, name: str) -> str:
    path = Path(folder, name)
    if not folder or not path.exists():
        return (resources.files("kgscripts.extractors.llm") / "prompts" / name).read_text(encoding="utf-8").strip()
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError) as error:
        raise ConfigurationError(f"it cannot be read ({error})", where=str(path), remedy="write it as UTF-8") from error
