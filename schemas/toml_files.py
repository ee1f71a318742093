"""Reading what a user configures in a TOML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schemas.errors import ConfigurationError
from schemas.input_files import open_regular


def read_toml(path: Path, *, remedy: str | None = None) -> dict[str, Any]:
    """The values of a TOML file.

    Raises ConfigurationError, with the `remedy` where another file might be meant, if it is missing, cannot be read, or
    is no TOML.
    """
    # Here, since few commands read a file of this kind.
    import tomllib

    where = str(path)
    try:
        with open_regular(path) as file:
            return tomllib.load(file)
    except FileNotFoundError as error:
        raise ConfigurationError("no such configuration", where=where, remedy=remedy) from error
    except OSError as error:
        raise ConfigurationError(f"cannot be read: {error.strerror}", where=where, remedy=remedy) from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"no UTF-8: {error}", where=where, remedy="TOML is written in UTF-8") from error
    # A number of thousands of digits is a bare ValueError.
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"no TOML: {error}", where=where, remedy="see https://toml.io") from error
