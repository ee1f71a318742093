"""The installed extractors, the choice of a build, and the order in which they run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence

from attrs import frozen

from kgscripts.extractors.protocol import PARSE, Extractor, record_kinds
from kgscripts.plugins import Plugins
from kgscripts.score_files import attached_scores, merged_scores
from kgscripts.settings import naming, version_of
from kgscripts.text import passages
from schemas.arguments import check_type
from schemas.errors import ConfigurationError
from schemas.provenance import Model

EXTRACTORS = Plugins(
    "kgscripts.extractors",
    Extractor,  # type: ignore[type-abstract]
    "extractor",
    ("rules", "task", "gives"),
    on_request="kgscripts.extractors.on_request",
)


@frozen
class Chosen:
    """An extractor of a build. `version` identifies its readings; `models` are the extractor, its networks and the
    parser."""

    extractor: Extractor
    version: str
    models: tuple[Model, ...]


def installed_extractors() -> list[str]:
    """The names of all installed extractors; nothing is imported."""
    return EXTRACTORS.names()


def default_extractors() -> list[str]:
    """The names of those that builds use unless others are named; nothing is imported."""
    return EXTRACTORS.default_names()


def only_built_in() -> bool:
    """Whether no other package has installed extractors."""
    return all(entry.value.startswith("kgscripts.") for entry in EXTRACTORS.entries().values())


def choose(
    extractors: Iterable[str | Extractor] | None, without: Iterable[str], describe_parser: Callable[[], Model]
) -> list[Chosen]:
    """The extractors of a build, each after those whose records it requires.

    Parameters
    ----------
    extractors:
        Names of installed ones, or extractors themselves; None for those of `default_extractors`.
    without:
        Names that are left out.
    describe_parser:
        Gives the pipeline for parsing; called only if some extractor requires the parse.

    Raises
    ------
    ConfigurationError
        If a name is unknown or given twice, no extractor is left, no extractor gives what another requires, or settings
        have types that are not allowed.
    ModelError
        If one cannot be loaded.
    """
    wanted = default_extractors() if extractors is None else list(extractors)
    for item in wanted:
        check_type("an extractor", item, (str, Extractor), "give its name, or an instance of Extractor")
    for name in without:
        check_type("what is left out", name, str, "give names of extractors")
    names = [item if isinstance(item, str) else item.name for item in wanted]
    left_out = set(without)
    if unknown := sorted(left_out - set(names)):
        raise ConfigurationError(f"{unknown[0]!r} is not among the extractors", remedy=f"these are: {_listed(names)}")
    named: dict[str, str | Extractor] = {}
    for name, item in zip(names, wanted, strict=True):
        if name not in left_out and named.setdefault(name, item) != item:
            raise ConfigurationError(f"two extractors have the name {name!r}", remedy="leave one of them out")
    if not named:
        raise ConfigurationError("no extractor is left", remedy=f"choose among {_listed(installed_extractors())}")
    opened = [EXTRACTORS.open(item) if isinstance(item, str) else item for _, item in sorted(named.items())]
    chosen: list[Chosen] = []
    for extractor in _in_order(opened):
        parser = describe_parser() if PARSE in extractor.requires else None
        before = [item for item in chosen if needs(extractor, item.extractor)]
        with naming(f"the extractor {extractor.name!r}"):
            version = _version(extractor, parser, before)
        itself = Model(
            name=extractor.name,
            version=extractor.rules,
            digest=version,
            task=extractor.task,
            licence=extractor.licence,
            scores=merged_scores(extractor.scores(parser), attached_scores(version)),
        )
        models = (itself, *extractor.networks, *((parser,) if parser else ()))
        chosen.append(Chosen(extractor, version, models))
    return chosen


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(set(names)))


def needs(extractor: Extractor, other: Extractor) -> bool:
    """Whether an extractor requires records of a kind that the other one gives."""
    return extractor is not other and bool(set(extractor.requires) & set(other.gives))


def _in_order(extractors: Sequence[Extractor]) -> list[Extractor]:
    """The extractors by name, but each after those whose records it requires."""
    for item in extractors:
        given = {kind for other in extractors if other is not item for kind in other.gives}
        if missing := [kind.__name__ for kind in record_kinds(item.requires) if kind not in given]:
            raise ConfigurationError(
                f"the extractor {item.name!r} requires {missing[0]} records, which no other chosen extractor gives",
                remedy="choose one that gives them: `kgscripts extractors list` shows what each gives",
            )
    ordered: list[Extractor] = []
    waiting = list(extractors)
    while waiting:
        ready = [item for item in waiting if not any(needs(item, other) for other in waiting)]
        if not ready:
            raise ConfigurationError(
                "extractors require each other: " + _listed(item.name for item in waiting),
                remedy="leave one of them out",
            )
        ordered += ready
        waiting = [item for item in waiting if item not in ready]
    return ordered


def _version(extractor: Extractor, parser: Model | None, before: Sequence[Chosen]) -> str:
    """SHA-256 of all that decides which records the extractor gives, including the versions of those that it
    requires."""
    content = {
        "name": extractor.name,
        "rules": extractor.rules,
        "settings": version_of(extractor.settings),
        "data": dict(extractor.data),
        "networks": [model.digest for model in extractor.networks],
        "parser": [parser.digest, passages.RULES] if parser else None,
        "requires": [item.version for item in before],
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
