"""Commands as tests call them: in this process."""

from __future__ import annotations

from typer.testing import CliRunner

import cli


def run(*arguments: object) -> str:
    """What a command prints to its standard output, in 80 columns; raises the error that it ends with."""
    runner = CliRunner(env={"COLUMNS": "80"})
    result = runner.invoke(cli.app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout
