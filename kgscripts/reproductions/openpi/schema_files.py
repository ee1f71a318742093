"""The files of OpenPI 2.0 (Zhang et al. 2023): gold procedures with clusters of names, and answers of systems.

A name is compared without case and article, so leading names of clusters must differ without them too. Each value of a
file has its place there, so that each error names one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from attrs import frozen

from kgscripts.corpora.json_records import encodable
from kgscripts.reproductions.openpi.schema import (
    Answers,
    Changes,
    EntityCluster,
    SchemaGold,
    SchemaProcedure,
    StepAnswer,
    normalised,
)
from schemas.errors import InputError
from schemas.input_files import open_input


@frozen
class Placed:
    """A value, its place for messages, and what to do about an error there. Every method raises InputError."""

    value: object
    where: str
    remedy: str

    def refuse(self, detail: str) -> NoReturn:
        """Raise an error about this value."""
        raise InputError(detail, where=self.where, remedy=self.remedy)

    def within(self, value: object, what: str) -> Placed:
        """A value in this one, which `what` names."""
        return Placed(value, f"{self.where}, {what}", self.remedy)

    def members(self, what: str) -> dict[str, Placed]:
        """The values of an object by their key; `what` names one of them, before its key."""
        if not isinstance(self.value, dict):
            self.refuse("not a JSON object")
        return {self._text(key): self.within(value, f"{what} {key!r}".lstrip()) for key, value in self.value.items()}

    def get(self, key: str) -> Placed:
        """The value under a key of an object; None if it is missing."""
        if not isinstance(self.value, dict):
            self.refuse("not a JSON object")
        return self.within(self.value.get(key), key)

    def elements(self, what: str) -> list[Placed]:
        """The values of a list; `what` names one of them, before its number from 1."""
        if not isinstance(self.value, list):
            self.refuse("not a list")
        return [self.within(value, f"{what} {number}") for number, value in enumerate(self.value, start=1)]

    def text(self) -> str:
        """A string that is not blank."""
        text = self._text(self.value)
        return text if text.strip() else self.refuse("empty")

    def texts(self) -> tuple[str, ...]:
        """The strings of a list, which may be blank."""
        return tuple(each._text(each.value) for each in self.elements("item"))

    def _text(self, value: object) -> str:
        if not isinstance(value, str):
            self.refuse("not a string")
        try:
            return encodable("text", value)
        except InputError as error:
            self.refuse(error.message)


def read_json(path: Path, remedy: str) -> Placed:
    """The value of a JSON file in UTF-8. Raises InputError for a file that cannot be read, and for a key that occurs
    twice in an object."""
    with open_input(path) as file:
        try:
            value = json.loads(file.read().decode("utf-8"), object_pairs_hook=_distinct)
        except json.JSONDecodeError as error:
            where = f"{path}:{error.lineno}"
            raise InputError(f"not JSON: {error.msg} at column {error.colno}", where=where, remedy=remedy) from error
        except (ValueError, RecursionError, OSError) as error:
            raise InputError(f"cannot be read: {error}", where=str(path), remedy=remedy) from error
    return Placed(value, str(path), remedy)


def _distinct(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} occurs twice in an object")
        found[key] = value
    return found


GOLD = "dev-data-reformatted-v4.json"
OVERGENERATED = "dev-data-reformatted-v4-overgenerated-unique.json"
"""The gold files of a folder; in the second, a language model has added names to each cluster."""
PUBLISHED = {
    "davinci": "davinci",
    "chatgpt": "ChatGPT",
    "llama-65b": "LLaMA 65B",
    "llama-30b": "LLaMA 30B",
    "llama-7b": "LLaMA 7B",
}
"""The systems whose answers are published, by their name in the name of a file."""
_AS_PUBLISHED = "use the data of OpenPI 2.0 as published"
_ANSWER_FORM = 'write {"ID": [{"entity": ["attribute", ...], ...}, ...], ...} with an object for each step'


def gold_files(path: Path) -> list[Path]:
    """The file itself; of a folder the gold file, and the one with overgenerated names if it is there."""
    if not path.is_dir():
        return [path]
    return [path / GOLD, *(file for file in [path / OVERGENERATED] if file.exists())]


def published_files(gold: Path) -> dict[str, Path]:
    """The published answers in a folder, by the name of their system; none beside a file."""
    files = {name: gold / "published-predictions" / f"dev_schema_{key}_1.json" for key, name in PUBLISHED.items()}
    return {name: file for name, file in files.items() if gold.is_dir() and file.exists()}


def read_schema_gold(path: Path) -> list[SchemaGold]:
    """Read gold procedures: of a file, or of the `gold_files` of a folder.

    Raises
    ------
    InputError
        With file and place, for a file that cannot be read or has another form, and if the files of a folder do not
        have the same procedures.
    """
    found: list[SchemaGold] = []
    for file in gold_files(path):
        content = read_json(file, _AS_PUBLISHED)
        gold = _gold(content, file)
        if found and _texts_of(gold) != _texts_of(found[0]):
            content.refuse(f"its procedures are not those of {found[0].path.name}")
        found.append(gold)
    return found


def read_schema_answers(path: Path, gold: Mapping[str, SchemaProcedure]) -> Answers:
    """Read the answers of a system to all gold procedures: by their ids, for each step, attributes by entity.

    Raises
    ------
    InputError
        With file and place, for a file that cannot be read or has another form, for procedures that are missing or
        unknown, and for a wrong number of steps.
    """
    content = read_json(path, _ANSWER_FORM)
    answers = content.members("procedure")
    for what, names in {"missing": gold.keys() - answers.keys(), "unknown": answers.keys() - gold.keys()}.items():
        if names:
            shown = ", ".join(sorted(names)[:5])
            content.refuse(f"{len(names)} procedures are {what}, such as {shown}; the gold data has {len(gold)}")
    return {name: _answer(answers[name], len(procedure.steps)) for name, procedure in gold.items()}


def _answer(answer: Placed, count: int) -> list[StepAnswer]:
    steps = answer.elements("step")
    if len(steps) != count:
        answer.refuse(f"answers for {len(steps)} steps, but it has {count}")
    return [{entity: attributes.texts() for entity, attributes in step.members("entity").items()} for step in steps]


def _gold(content: Placed, path: Path) -> SchemaGold:
    procedures = content.members("procedure")
    if not procedures:
        content.refuse("no procedures")
    overgenerated = any(
        isinstance(cluster.value, dict) and "entity_cluster_combined" in cluster.value
        for procedure in procedures.values()
        for cluster in procedure.get("clusters").members("cluster").values()
    )
    read = {name: _procedure(name, value, overgenerated) for name, value in procedures.items()}
    return SchemaGold(path=path, procedures=read, overgenerated=overgenerated)


def _procedure(name: str, content: Placed, overgenerated: bool) -> SchemaProcedure:
    steps = [step.text() for step in content.get("steps").elements("step")]
    if not steps:
        content.refuse("no steps")
    clusters = content.get("clusters").members("cluster")
    _check_distinct(clusters, content)
    read = [_cluster(entity, value, overgenerated) for entity, value in clusters.items()]
    known = {normalised(cluster.name): cluster for cluster in read}
    states = content.get("states").elements("state")
    return SchemaProcedure(
        id=name,
        goal=content.get("goal").text(),
        steps=steps,
        clusters=read,
        changes=[_changes(state, known, len(steps)) for state in states],
    )


def _cluster(entity: str, content: Placed, overgenerated: bool) -> EntityCluster:
    attributes = content.get("attribute_cluster").members("attribute")
    _check_distinct(attributes, content)
    if overgenerated:
        attributes = {name: value.get("attribute_cluster_combined") for name, value in attributes.items()}
    names = content.get("entity_cluster_combined" if overgenerated else "entity_cluster")
    return EntityCluster(
        name=entity, names=names.texts(), attributes={name: value.texts() for name, value in attributes.items()}
    )


def _changes(content: Placed, known: Mapping[str, EntityCluster], steps: int) -> Changes:
    entity = content.get("entity").text()
    if normalised(entity) not in known:
        content.refuse(f"no cluster for the entity {entity!r}")
    attributes = known[normalised(entity)].normalised_attributes
    answers = content.get("answers").members("")
    if list(answers) != [f"step{number}" for number in range(1, steps + 1)]:
        content.refuse(f'the keys of "answers" are not step1 to step{steps}, in this order')
    found = []
    for step in answers.values():
        changed = [change.get("attribute") for change in step.elements("change")]
        for attribute in changed:
            if normalised(attribute.text()) not in attributes:
                attribute.refuse(f"no cluster for the attribute {attribute.value!r} of {entity!r}")
        found.append(tuple(attribute.text() for attribute in changed))
    return Changes(entity=entity, steps=found)


def _check_distinct(names: Iterable[str], content: Placed) -> None:
    compared = list(map(normalised, names))
    for name in compared:
        if not name.strip() or compared.count(name) > 1:
            content.refuse(f"the name {name!r} of a cluster is empty or occurs twice, without case and article")


def _texts_of(gold: SchemaGold) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {name: (procedure.goal, procedure.steps) for name, procedure in gold.procedures.items()}
