"""Reading what a user configures in a TOML file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from schemas.errors import ConfigurationError
from schemas.input_files import open_regular

_MOST_BYTES = 1 << 20
_MOST_NAMES = 50
_NAME = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_MANY_NAMES = re.compile(rf"(?<![\w-]){_NAME}(?:[ \t]*+\.[ \t]*+{_NAME}){{{_MOST_NAMES}}}")


def read_toml(path: Path, *, remedy: str | None = None) -> dict[str, Any]:
    """The values of a TOML file.

    Raises ConfigurationError, with the `remedy` where another file might be meant, if it is missing, cannot be read, or
    is no TOML.
    """
    where = str(path)
    try:
        with open_regular(path) as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise ValueError(f"it has more than {_MOST_BYTES >> 20} MiB")
        return parse_toml(content.decode())
    except FileNotFoundError as error:
        raise ConfigurationError("no such configuration", where=where, remedy=remedy) from error
    except OSError as error:
        raise ConfigurationError(f"cannot be read: {error.strerror}", where=where, remedy=remedy) from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"no UTF-8: {error}", where=where, remedy="TOML is written in UTF-8") from error
    # A number of thousands of digits is a bare ValueError.
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"no TOML: {error}", where=where, remedy="see https://toml.io") from error


def parse_toml(text: str) -> dict[str, Any]:
    """The values of a text; raises ValueError or RecursionError if it is no TOML."""
    # Here, since few commands read TOML.
    import tomllib

    # tomllib takes memory by the square of the number of names in a key.
    if _MANY_NAMES.search(text):
        raise ValueError(f"a key has more than {_MOST_NAMES} names")
    return tomllib.loads(text)
