"""Errors that a user can cause or resolve; all of them derive from `KGScriptsError`."""

from __future__ import annotations


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
