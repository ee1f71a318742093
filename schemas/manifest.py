"""`manifest.json`: the sources, options and files of a graph; no times and no paths of a machine."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from attrs import Attribute, asdict, field, frozen, validators

from schemas.arguments import check_number
from schemas.errors import ConfigurationError, GraphDirectoryError, KGScriptsError
from schemas.graph_directory import read_file
from schemas.vocabulary import DEFAULT_BASE_IRI, check_base_iri

FORMAT_VERSION = 12
_LICENCE = re.compile(r"https?://[A-Za-z0-9][A-Za-z0-9._~:/?#&=+%-]{0,500}")


def _has_base_iri(_: object, __: object, value: str) -> None:
    check_base_iri(value)


def check_licence(value: str) -> None:
    """Raise ConfigurationError unless `value` is the address of a licence."""
    if not _LICENCE.fullmatch(value):
        raise ConfigurationError(
            f"{value!r} is no IRI of a licence", remedy="name one such as https://creativecommons.org/licenses/by/4.0/"
        )


def _has_licence(_: object, __: object, value: str | None) -> None:
    if value is not None:
        check_licence(value)


def _is_count(_: object, attribute: Attribute[Any], value: object) -> None:
    check_number(attribute.name, value, least=0, most=(1 << 63) - 1)


def _has_options(_: object, __: object, value: Mapping[str, object]) -> None:
    """Later commands assemble the graph again with these options."""
    if (least := value.get("min_support")) is not None:
        check_number("min_support", least)
    for name in ("extractors", "enrichers", "rules"):
        if not isinstance(value.get(name, ""), str):
            raise TypeError(f"{name} is no text")


def _mapping_of(value: Any) -> Any:
    # An empty list or text has no keys that could be of another type.
    return validators.deep_mapping(_TEXT, value, validators.instance_of(dict))


_TEXT = validators.instance_of(str)
_VALUE = validators.instance_of((str, int, float, bool, type(None)))


@frozen(kw_only=True)
class TableFile:
    """One Parquet file of the graph: `rows`, size in `bytes`, `sha256` of the file."""

    rows: int = field(validator=_is_count)
    bytes: int = field(validator=_is_count)
    sha256: str = field(validator=_TEXT)


@frozen(kw_only=True)
class Manifest:
    """The content of `manifest.json`.

    `licence` is the IRI of the licence under which the graph is published, if it is stated, `models` holds name and
    version of each reader by its digest, `configuration` the options with which the graph was made, `discards` the
    number of discards by reason, `tables` describes every file under `nodes/` and `relations/` by its type's name.
    """

    base_iri: str = field(default=DEFAULT_BASE_IRI, validator=_has_base_iri)
    licence: str | None = field(default=None, validator=_has_licence)
    sources: int = field(validator=_is_count)
    characters: int = field(validator=_is_count)
    sources_digest: str = field(validator=_TEXT)
    configuration: dict[str, str | int | float | bool | None] = field(validator=[_mapping_of(_VALUE), _has_options])
    discards: dict[str, int] = field(validator=_mapping_of(_is_count))
    models: dict[str, str] = field(factory=dict, validator=_mapping_of(_TEXT))
    tables: dict[str, TableFile] = field(factory=dict, validator=_mapping_of(validators.instance_of(TableFile)))
    format_version: int = field(default=FORMAT_VERSION, validator=validators.in_((FORMAT_VERSION,)))

    @property
    def build_id(self) -> str:
        """32 hexadecimal digits that identify the graph: same content, base IRI and licence, same id."""
        content = [
            self.base_iri,
            *([self.licence] if self.licence else []),
            *(f"{name}:{table.sha256}" for name, table in sorted(self.tables.items())),
        ]
        return hashlib.sha256("\n".join(content).encode()).hexdigest()[:32]

    def rows(self, name: str) -> int:
        """Number of nodes or relations of the type `name`."""
        return self.tables[name].rows if name in self.tables else 0

    def to_json(self) -> str:
        """The text of the file, with sorted keys, so that the same graph has the same bytes."""
        return (
            json.dumps(
                {"kgscripts": "graph", "build_id": self.build_id, **asdict(self)},
                indent=1,
                sort_keys=True,
                ensure_ascii=False,
            )
            + "\n"
        )

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read `path`.

        Raises
        ------
        GraphDirectoryError
            If it is not a manifest, is damaged, or has another version of the format.
        """
        remedy = "run `kgscripts build-graph` on this directory again"
        try:
            content: dict[str, Any] = json.loads(read_file(path), parse_constant=_no_number)
            json.dumps(content, ensure_ascii=False).encode()  # Half a surrogate pair cannot be written or shown.
            version = content["format_version"]
            if content.pop("kgscripts") != "graph" or version != FORMAT_VERSION:
                raise GraphDirectoryError(
                    f"a graph of format {version}, this version reads {FORMAT_VERSION}",
                    where=str(path),
                    remedy=remedy,
                )
            build_id = content.pop("build_id")
            tables = {name: TableFile(**table) for name, table in content.pop("tables").items()}
            manifest = cls(tables=tables, **content)
            actual_id = manifest.build_id
        except (
            OSError,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            RecursionError,
            ConfigurationError,
        ) as error:
            raise GraphDirectoryError(
                f"the manifest cannot be read ({str(error)[:200]})", where=str(path), remedy=remedy
            ) from error
        if actual_id != build_id:
            raise GraphDirectoryError("the manifest was edited", where=str(path), remedy=remedy)
        return manifest


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def chosen_before(path: Path) -> tuple[str | None, str | None]:
    """The base IRI and the licence of the manifest at `path`, of any version; None for what cannot be read.

    Later builds keep them: a graph that grows must not get other IRIs because an option was left out.
    """
    try:
        content = json.loads(read_file(path))
        base_iri, licence = content["base_iri"], content.get("licence")
        check_base_iri(base_iri)
        if licence is not None:
            check_licence(licence)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, KGScriptsError):
        return None, None
    return base_iri, licence
