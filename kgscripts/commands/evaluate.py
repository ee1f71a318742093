"""`kgscripts evaluate`: the declared tasks as commands, and all their benchmarks on the models that ship."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer

from kgscripts.calling import call
from kgscripts.commands.options import AsJson, AttachAs, Examples, ScoresFile
from kgscripts.evaluation.finished import Finished
from kgscripts.evaluation.registry import Benchmark, EvaluationTask, evaluation_tasks
from kgscripts.evaluation.result import Evaluation, from_json
from kgscripts.evaluation.result import as_json as json_of
from kgscripts.evaluation.result import schema as schema_of_results
from schemas.errors import ConfigurationError
from schemas.output_files import check_outputs
from schemas.terminal import echo, echo_json, progress_bar

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Measure the quality of the models. All commands print shares in percent; --json and --output have them from "
    "0 to 1, in one form (`kgscripts evaluate schema`).",
    epilog="Example: kgscripts evaluate slice --model masked",
)


@app.command("all", epilog="Example: kgscripts evaluate all --data corpora")
def all_benchmarks(
    data: Annotated[
        Path, typer.Option(metavar="DIR", help="The folder of corpora, as `kgscripts corpora fetch` lays them out.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Write all scores as JSON.")] = Path(
        "evaluation.json"
    ),
    examples: Examples = 0,
    as_json: AsJson = False,
    attach_as: AttachAs = None,
) -> list[Evaluation]:
    """Run every benchmark whose data is there on the models that ship, and print one table beside published figures.

    A run that is stopped goes on where it was if the same command is given again: what is finished lies beside the
    output file.
    """
    from kgscripts.commands.evaluation_output import finish, print_summary

    if not data.is_dir():
        remedy = "`kgscripts corpora list` shows where to get corpora"
        raise ConfigurationError("no such folder", where=str(data), remedy=remedy)
    check_outputs(output, inputs=[data])
    finished = Finished.beside(output)
    benchmarks = [(task, benchmark) for task in evaluation_tasks().values() for benchmark in task.benchmarks]
    wanted = [(task, benchmark) for task, benchmark in benchmarks if benchmark.is_there(data)]
    echo(f"{len(wanted)} benchmarks: {', '.join(benchmark.name for _, benchmark in wanted)}", err=True)
    evaluations: list[Evaluation] = []
    places: dict[str, Path] = {}
    try:
        for number, (task, benchmark) in enumerate(wanted, start=1):
            began = monotonic()
            own = from_json(finished.once(benchmark.key(data), partial(_run, task, benchmark, data, examples)))
            places |= _places(task, own, {}) if attach_as else {}
            evaluations += own
            echo(f"  {number} of {len(wanted)}: {benchmark.name}, {monotonic() - began:.0f} s", err=True)
    except KeyboardInterrupt:
        words = ["kgscripts", "evaluate", "all", f"--data={data}", f"--output={output}"]
        words += [f"--examples={examples}"] * bool(examples) + ["--json"] * as_json
        words += [f"--attach-as={attach_as}"] * bool(attach_as)
        echo(f"what is finished is kept; this command goes on: {shlex.join(words)}", err=True)
        raise
    evaluations = finish(
        evaluations,
        places=places,
        attach_as=attach_as,
        output=output,
        as_json=as_json,
        examples=examples,
        show=print_summary,
    )
    finished.remove()
    if not as_json:
        for _, benchmark in benchmarks:
            if not benchmark.is_there(data):
                needs = ", ".join(benchmark.needs.values())
                echo(f"not measured, since its data is not there: {benchmark.name} ({needs})")
    return evaluations


def _run(task: EvaluationTask, benchmark: Benchmark, data: Path, examples: int) -> dict[str, Any]:
    return json_of(evaluation.with_examples(examples) for evaluation in benchmark.evaluations(task, data))


def _evaluate(
    task: EvaluationTask,
    options: dict[str, Any],
    *,
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    attach_as: AttachAs = None,
) -> list[Evaluation]:
    """Run a task with its own options and those that all have."""
    from kgscripts.commands.evaluation_output import finish

    predictions = options.get("predictions_out")
    inputs = list(task.inputs(**{name: value for name, value in options.items() if name != "predictions_out"}))
    check_outputs(output, predictions, inputs=inputs)
    if attach_as is not None and task.place is not None:
        models = options.get("model")
        for name in models if isinstance(models, list) else [models or ""]:
            task.place(name, **options)
    with progress_bar() as progress:
        report = {"report": partial(progress.update, progress.add_task("", total=None))}
        evaluations = task.measure(
            **options, **(report if "report" in inspect.signature(task.measure).parameters else {})
        )
    return finish(
        evaluations,
        places=_places(task, evaluations, options) if attach_as else {},
        attach_as=attach_as,
        output=output,
        as_json=as_json,
        examples=examples,
        show=task.show and partial(task.show, **options),
    )


def _places(task: EvaluationTask, evaluations: list[Evaluation], options: dict[str, Any]) -> dict[str, Path]:
    """Where the systems that were measured keep their scores, by their sources."""
    sources = {system.source for evaluation in evaluations for system in evaluation.models if system.source}
    return {name: place for name in sorted(sources) if task.place and (place := task.place(name, **options))}


def _command(task: EvaluationTask) -> Callable[..., list[Evaluation]]:
    """The command of a task: its own options, and those that all tasks have."""
    own, shared = (inspect.signature(function, eval_str=True).parameters for function in (task.measure, _evaluate))
    parameters = [
        parameter.replace(kind=parameter.KEYWORD_ONLY)
        for name, parameter in {**own, **shared}.items()
        if hasattr(parameter.annotation, "__metadata__")
        if name != "attach_as" or task.place is not None
    ]

    def run(**values: Any) -> list[Evaluation]:
        options = {name: value for name, value in values.items() if name in own}
        return _evaluate(task, options, **{name: value for name, value in values.items() if name in shared})

    run.__doc__ = task.measure.__doc__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


for _task in evaluation_tasks().values():
    app.command(_task.name, epilog=f"Example: kgscripts evaluate {_task.name} {_task.example}")(_command(_task))


@app.command(epilog="Example: kgscripts evaluate schema > evaluation.schema.json")
def schema() -> None:
    """Print the JSON Schema of what --json and --output give, which is one for all commands."""
    echo_json(schema_of_results())


def evaluate(task: str, **options: object) -> list[Evaluation]:
    """Measure models as ``kgscripts evaluate TASK`` does, and return its evaluations instead of printing them.

    `options` are those of the command with underscores: texts, numbers, paths, True, or lists of them. Figures are
    shares from 0 to 1 unless their unit is another: ``evaluate("tools", split="development")[0].systems[0].figures``.

    Raises ConfigurationError if there is no such command or option, or an option is missing; data and models raise what
    they raise there.
    """
    return call(app, task, options) or []
