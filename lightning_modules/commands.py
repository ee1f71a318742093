"""`kgscripts train`: training of the models, which needs the extra `train`."""

from __future__ import annotations

import typer

from kgscripts.commands.train_tools import tools
from kgscripts.commands.train_typicality import typicality
from lightning_modules.aligner.commands import aligner
from lightning_modules.causal.commands import causal
from lightning_modules.cloze.commands import masked
from lightning_modules.scenarios.commands import cross_validate, scenarios
from lightning_modules.shipped import shipped_configurations
from lightning_modules.state_changes.commands import state_changes
from lightning_modules.steps.commands import cross_validate_steps, step_encoder, steps
from lightning_modules.transducer.commands import transducer

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Train models on pairs of abstract and concrete instructions, on steps with state changes, or on stories "
    "with scenarios. Each epoch prints how long it took; --max-time ends a run in time, and --resume continues it.",
    epilog="Example: kgscripts train aligner --train train.template.tsv --out model",
)
app.command(epilog="Example: kgscripts train masked --train templates.tsv --out model")(masked)
app.command(epilog="Example: kgscripts train causal --model gpt2 --train pairs.tsv --out model")(causal)
app.command(epilog="Example: kgscripts train aligner --train train.template.tsv --out model")(aligner)
app.command(
    epilog=f"Configurations that ship: {', '.join(shipped_configurations('lightning_modules.transducer'))}.\n\n"
    "Example: kgscripts train transducer --config transducer-fixed --train pairs.tsv --out model"
)(transducer)
app.command(
    "state-changes",
    epilog=f"Configurations that ship: {', '.join(shipped_configurations('lightning_modules.state_changes'))}.\n\n"
    "Example: kgscripts train state-changes --model retrieval --train openpi/gold/train --out model",
)(state_changes)
app.command(
    epilog=f"Configurations that ship: {', '.join(shipped_configurations('lightning_modules.scenarios'))}.\n\n"
    "Example: kgscripts train scenarios --model topic-tiling --train labelled-data.xml --development docs.jsonl "
    "--out model",
)(scenarios)
app.command(
    "cross-validate",
    epilog="Example: kgscripts train cross-validate --train labelled-data.xml --development docs.jsonl",
)(cross_validate)
app.command(epilog="Example: kgscripts train tools --out model")(tools)
app.command("step-encoder", epilog="Example: kgscripts train step-encoder --out encoder")(step_encoder)
app.command(
    epilog=f"Configurations that ship: {', '.join(shipped_configurations('lightning_modules.steps'))}.\n\n"
    "Example: kgscripts train steps --descript gold_paraphrase_sets --inscript inscript --out model",
)(steps)
app.command(
    "cross-validate-steps",
    epilog="Example: kgscripts train cross-validate-steps --descript gold_paraphrase_sets --inscript inscript",
)(cross_validate_steps)
app.command(epilog="Example: kgscripts train typicality --inscript inscript --out weights.json")(typicality)
