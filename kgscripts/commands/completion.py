"""`kgscripts --install-completion`: asks before it writes to files of the shell."""

from __future__ import annotations

from pathlib import Path

from typer import completion

from schemas.errors import ConfigurationError
from schemas.terminal import agrees, echo, printable

_SHOW = "`kgscripts --show-completion` prints the lines to add by hand"


def install(program: str) -> None:
    """Install completion for the shell that runs the program, if the user agrees.

    Raises
    ------
    ConfigurationError
        If the shell is not known, or nobody can be asked.
    """
    shell = completion._get_shell_name()  # type: ignore[attr-defined]
    written = _written(program, shell or "")
    if not written:
        raise ConfigurationError(
            f"there is no completion for the shell {shell or 'that runs this'}",
            where="--install-completion",
            remedy="run it in bash, zsh, fish or PowerShell",
        )
    echo(f"Completion for {shell} writes to:")
    for line in written:
        echo(f"  {printable(line)}")
    try:
        agreed = agrees("Write?")
    except EOFError as error:
        raise ConfigurationError(
            "nobody answers, and nothing was written", where="--install-completion", remedy=_SHOW
        ) from error
    if not agreed:
        echo(f"nothing was written; {_SHOW}")
        return
    _, path = completion.install(shell=shell, prog_name=program)  # type: ignore[attr-defined]
    echo(f"wrote {printable(str(path))}: completion works in new terminals")


def _written(program: str, shell: str) -> list[str]:
    """The files that Typer writes to, with what happens to them."""
    home = Path.home()
    places = {
        "bash": [f"{home / '.bash_completions' / program}.sh", f"{home / '.bashrc'} (one line that reads it)"],
        "zsh": [f"{home / '.zfunc'}/_{program}", f"{home / '.zshrc'} (lines that read it)"],
        "fish": [f"{home / '.config/fish/completions' / program}.fish"],
    }
    for name in ("powershell", "pwsh"):
        places[name] = ["the profile of the user (lines at its end); scripts of any origin are allowed to run"]
    return places.get(shell, [])
