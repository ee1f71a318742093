"""What the commands of `kgscripts train` have in common: options, reading pairs, running, and what is printed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from attrs import frozen

from kgscripts.models.checkpoint import check_place
from lightning_modules.hardware import Hardware, Precision
from schemas.errors import ConfigurationError, ModelError
from schemas.terminal import echo, printable

if TYPE_CHECKING:
    from kgscripts.corpora.pairs.pair import Pair
    from lightning_modules.schedule import Epoch
    from lightning_modules.settings import TrainingSettings
    from lightning_modules.training import TrainingTask

    _Settings = TypeVar("_Settings", bound=TrainingSettings)

Train = Annotated[
    list[Path], typer.Option(metavar="FILE", help="Pairs: TSV, templates, JSON lines or released ids; repeatable.")
]
Out = Annotated[Path, typer.Option(metavar="DIR", help="The checkpoint directory to write.")]
Seed = Annotated[int | None, typer.Option(help="Seed of all random choices, instead of that of the settings.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with an unfinished run, if there is one.")]
MaxTime = Annotated[
    str | None, typer.Option(metavar="[[D:]H:]MM:SS", help="Begin no epoch that would end later than this.")
]
Accelerator = Annotated[str, typer.Option(help="auto, cpu, gpu, mps, ...")]
Devices = Annotated[str, typer.Option(help="Number of devices, or auto.")]
NetworkPrecision = Annotated[Precision, typer.Option("--precision", help="Precision of the network.")]


@frozen(kw_only=True)
class RunOptions:
    """The options of a run that all commands have.

    `of` raises ConfigurationError for a time that cannot be read, and what `kgscripts.models.checkpoint.check_place`
    raises.
    """

    out: Path
    resume: bool
    max_seconds: float | None
    hardware: Hardware

    @classmethod
    def of(
        cls,
        out: Path,
        resume: bool,
        max_time: str | None,
        accelerator: str,
        devices: str,
        precision: Precision,
        *,
        inputs: Sequence[str | Path | None],
    ) -> RunOptions:
        """From the values of the options. `inputs` are read: none of them may lie in the directory to write."""
        if find_spec("pytorch_lightning") is None:
            raise ModelError("training needs pytorch-lightning", remedy="pip install 'kgscripts[train]'")
        check_place(out, inputs)
        return cls(
            out=out,
            resume=resume,
            max_seconds=None if max_time is None else _seconds(max_time),
            hardware=Hardware.of_options(accelerator, devices, precision),
        )

    def train(self, task: TrainingTask[_Settings], settings: _Settings, *, data: str, command: str) -> None:
        """Train, and print each epoch and the outcome."""
        from lightning_modules.training import train

        outcome = train(
            task,
            settings,
            self.out,
            hardware=self.hardware,
            resume=self.resume,
            max_seconds=self.max_seconds,
            data=data,
            command=command,
            report=_print_epoch,
        )
        state = "finished" if outcome.is_finished else "stopped, to be continued by --resume,"
        loss = f"held-out loss {outcome.held_out_loss:.3f} nats"
        echo(f"{printable(str(self.out))}: {state} after {outcome.epochs} epochs, {loss}")


@frozen
class TrainingFiles:
    """The pairs of some files, and the files' names without their folders, which mean the same on other computers."""

    names: Sequence[str]
    pairs: Sequence[Pair]

    @classmethod
    def read(cls, paths: Sequence[Path]) -> TrainingFiles:
        """Raises InputError for files that cannot be read."""
        from kgscripts.corpora.pairs.loading import load_pairs

        return cls([path.name for path in paths], load_pairs(paths).pairs)

    @property
    def description(self) -> str:
        """How many pairs, and of which files."""
        return f"{len(self.pairs):,} pairs of {', '.join(self.names)}"

    def command(self, name: str, options: Sequence[str]) -> str:
        """The command line of `kgscripts train` for these files."""
        files = [word for file in self.names for word in ("--train", file)]
        return shlex.join(["kgscripts", "train", name, *files, *options])


def named_file(name: str) -> Path | None:
    """The configuration file of that name; None for a configuration that ships."""
    return Path(name) if Path(name).is_file() else None


def _print_epoch(epoch: Epoch) -> None:
    best = "  best" if epoch.is_best else ""
    echo(
        f"epoch {epoch.number:3} {epoch.phase:11}  train {epoch.train_loss:8.3f}  held-out {epoch.held_out_loss:8.3f}"
        f"  {epoch.seconds:6.1f} s{best}",
        err=True,
    )


def _seconds(text: str) -> float:
    """Seconds of ``[[D:]H:]MM:SS``. Raises ConfigurationError for anything else."""
    if not re.fullmatch(r"(\d+:){1,3}\d+", text):
        raise ConfigurationError(f"no time: {text}", where="--max-time", remedy="write it as 10:00 or 1:30:00")
    units = (1, 60, 3600, 86400)
    return float(sum(int(part) * unit for part, unit in zip(reversed(text.split(":")), units, strict=False)))
