"""The options that the commands of `kgscripts train` have in common, each declared once."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import attrs
import typer
from attrs import field, frozen
from typer.models import OptionInfo

from kgscripts.commands.options import with_parameters
from kgscripts.models.checkpoint import ModelCard, check_place
from lightning_modules.configuration import Configuration, name_of_trained, read_configuration, read_settings
from lightning_modules.settings import Hardware, Precision
from schemas.errors import ConfigurationError, ModelError
from schemas.terminal import echo, printable

if TYPE_CHECKING:
    from lightning_modules.schedule import Epoch
    from lightning_modules.training import TrainingTask

_Item = TypeVar("_Item")
_PRECISIONS = {"masked": Precision.BRAIN_FLOAT, "aligner": Precision.BRAIN_FLOAT}
"""Of the tasks whose shipped models were not trained in single precision."""

Config = Annotated[
    str, typer.Option(metavar="NAME|FILE", help="A configuration that ships, or a TOML file. Default: our model's.")
]
Settings = Annotated[
    list[str], typer.Option("--set", metavar="NAME=VALUE", help="A setting of the training; repeatable.")
]
Accelerator = Annotated[str, typer.Option(help="auto, cpu, gpu, mps, ...")]


@frozen(kw_only=True)
class TrainOptions:
    """The options of every training of a model, and what its command was called with beside them."""

    out: Annotated[Path, typer.Option(metavar="DIR", help="The directory to write.")]
    config: Config = ""
    settings: Settings = field(factory=list)
    epochs: Annotated[int | None, typer.Option(help="The maximum number of epochs.")] = None
    limit: Annotated[int | None, typer.Option(min=1, help="Use only this many of the training items.")] = None
    seed: Annotated[int | None, typer.Option(help="Seed of all random choices.")] = None
    task: str
    given: Mapping[str, Any]

    def __attrs_post_init__(self) -> None:
        self.check_place()

    def check_place(self) -> None:
        """Raise ModelError or ConfigurationError, before any work, if the model cannot be written there."""
        check_place(self.out, self.inputs)

    @property
    def inputs(self) -> list[str | Path]:
        """What is read, as far as the options name it; a setting can name a pretrained model in a folder."""
        set_to = [setting.partition("=")[2] for setting in self.settings]
        values = [item for value in self.given.values() for item in (value if isinstance(value, list) else [value])]
        config = self.config if Path(self.config).is_file() else None
        return [item for item in (*values, config, *set_to) if isinstance(item, str | Path) and item]

    def configuration(self) -> Configuration:
        """What is trained, and how. Raises ConfigurationError for what is unknown or impossible."""
        named = {"epochs": self.epochs, "seed": self.seed}
        changes = read_settings(self.settings) | {name: value for name, value in named.items() if value is not None}
        return read_configuration(self.task, self.config, changes)

    def limited(self, items: Sequence[_Item]) -> list[_Item]:
        """The items that are used."""
        return list(items[: self.limit])

    @property
    def command(self) -> str:
        """The command line, with the names of files without their folders, which mean the same on other computers."""
        words = ["kgscripts", "train", self.task]
        for name, value in (*self.given.items(), *self._deciding()):
            for item in value if isinstance(value, list) else [value]:
                if item not in (None, ""):
                    setting, equals, text = str(item).partition("=") if name == "set" else ("", "", str(item))
                    shown = Path(text).name if isinstance(item, Path) or Path(text).exists() else text
                    words += [f"--{name.replace('_', '-')}", setting + equals + shown]
        return shlex.join(words)

    def card(
        self,
        configuration: Configuration,
        purpose: str,
        licence: str,
        data: str,
        figures: Mapping[str, Any] | None = None,
    ) -> ModelCard:
        """The card of a model whose training has no epochs to go on with, with its settings and further `figures`."""
        return ModelCard(
            name=name_of_trained(configuration.name, self.out),
            version=metadata.version("kgscripts"),
            task=purpose,
            licence=licence,
            data=data,
            command=self.command,
            training={**attrs.asdict(configuration.training), **(figures or {})},
        )

    def _deciding(self) -> Iterator[tuple[str, Any]]:
        """The options that decide the result."""
        yield from (("config", self.config), ("set", self.settings))
        yield from (("epochs", self.epochs), ("limit", self.limit), ("seed", self.seed))


@frozen(kw_only=True)
class RunOptions(TrainOptions):
    """The options of a training that runs for epochs under Lightning."""

    resume: Annotated[bool, typer.Option("--resume", help="Go on with an unfinished run, or with more --epochs.")] = (
        False
    )
    max_time: Annotated[
        str | None, typer.Option(metavar="[[D:]H:]MM:SS", help="Stop after this time, to be resumed later.")
    ] = None
    accelerator: Accelerator = "auto"
    devices: Annotated[str, typer.Option(help="Number of devices, or auto.")] = "1"
    precision: Annotated[
        Precision | None, typer.Option(help="Precision of the network. Default: that of our model.")
    ] = None
    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Log for TensorBoard too (extra tensorboard).")] = (
        False
    )
    began: float = field(factory=monotonic)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        for package in ("pytorch_lightning", "peft"):
            if find_spec(package) is None:
                raise ModelError(f"training needs {package}", remedy="pip install 'kgscripts[train]'")
        seconds_of(self.max_time or "0:00")

    def train(self, task: TrainingTask[Any], configuration: Configuration, *, data: str) -> None:
        """Train, and print each epoch and the outcome."""
        from lightning_modules.run_folder import RunFolder
        from lightning_modules.training import train

        try:
            outcome = train(
                task,
                configuration.training,
                self.out,
                hardware=Hardware(
                    accelerator=self.accelerator,
                    devices=int(self.devices) if self.devices.isdigit() else self.devices,
                    precision=self.precision or _PRECISIONS.get(self.task, Precision.SINGLE),
                ),
                resume=self.resume,
                deadline=None if self.max_time is None else self.began + seconds_of(self.max_time),
                tensorboard=self.tensorboard,
                data=data,
                command=self.command,
                report=_print_epoch,
            )
        except KeyboardInterrupt:
            if RunFolder(self.out, {}).last.is_file():
                echo("the run is saved: --resume goes on with it", err=True)
            raise
        state = "finished" if outcome.is_finished else "stopped, to be continued by --resume,"
        loss = "" if outcome.held_out_loss is None else f", held-out loss {outcome.held_out_loss:.3f} nats"
        epochs = f"after {outcome.epochs} epochs" if outcome.epochs else "in the first epoch"
        echo(f"{printable(str(self.out))}: {state} {epochs}{loss}")

    def _deciding(self) -> Iterator[tuple[str, Any]]:
        yield from super()._deciding()
        yield "precision", self.precision and self.precision.value


def with_options(task: str, options: type[TrainOptions] = RunOptions) -> Callable[[Callable[..., None]], Any]:
    """Add the options of a class to a command, which gets them as its argument `run`."""
    hints = get_type_hints(options, include_extras=True)
    shared = {
        attribute.name: attribute
        for attribute in attrs.fields(options)
        if any(isinstance(part, OptionInfo) for part in getattr(hints[attribute.name], "__metadata__", ()))
    }

    parameters = [_parameter(attribute, hints[name]) for name, attribute in shared.items()]

    def make(given: Mapping[str, Any], chosen: Mapping[str, Any]) -> TrainOptions:
        return options(task=task, given=given, **chosen)

    return lambda command: with_parameters(command, "run", parameters, make)


def seconds_of(text: str) -> float:
    """Seconds of ``[[D:]H:]MM:SS``. Raises ConfigurationError for anything else."""
    if not re.fullmatch(r"(\d+:){1,3}\d+", text):
        raise ConfigurationError(f"no time: {text}", where="--max-time", remedy="write it as 10:00 or 1:30:00")
    units = (1, 60, 3600, 86400)
    return float(sum(int(part) * unit for part, unit in zip(reversed(text.split(":")), units, strict=False)))


def _parameter(attribute: attrs.Attribute[Any], annotation: Any) -> inspect.Parameter:
    """The option of a field."""
    default = attribute.default
    if default is attrs.NOTHING:
        default = inspect.Parameter.empty
    elif default is not None and not isinstance(default, bool | int | str):
        default = []  # the only factory of an option
    return inspect.Parameter(attribute.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _print_epoch(epoch: Epoch) -> None:
    best = "  best" if epoch.is_best else ""
    echo(
        f"epoch {epoch.number:3} {epoch.phase:11}  train {epoch.train_loss:8.3f}  held-out {epoch.held_out_loss:8.3f}"
        f"  {epoch.seconds:6.1f} s{best}",
        err=True,
    )
