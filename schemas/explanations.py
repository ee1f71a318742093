"""Errors in words, as a command prints them."""

from __future__ import annotations

import sys
from typing import Any

from schemas.errors import KGScriptsError
from schemas.terminal import printable


def explain_usage(error: Any) -> str:
    """An error of Click in the arguments; without arguments the help, unless it is printed already."""
    message = str(error.format_message())
    if error.ctx is None or type(error).__name__ == "NoArgsIsHelpError":
        return message
    return f"{error.ctx.get_usage()}\nerror: {message}\n  `{error.ctx.command_path} --help` lists what it takes"


def explain(error: BaseException) -> str:
    """Any error: one that nobody foresaw is a fault of kgscripts."""
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
