"""The cloze task on files, with the published scores beside those of the models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import evolve

from kgscripts.corpora.pairs.loading import load_pairs, read_whitelist
from kgscripts.evaluation.result import Evaluation, Example, System
from kgscripts.reproductions.kidscook.cloze.filling import Candidates, ClozeItem, blank_words, cloze_items
from kgscripts.reproductions.kidscook.cloze.models import open_cloze_model
from kgscripts.reproductions.kidscook.cloze.tally import MATCHES, PUBLISHED, STRICT, beaten, context, is_published_task
from kgscripts.reproductions.kidscook.cloze.task import PASSES, FilledItem, evaluate_cloze


def read_candidates(templates: Path, whitelist: Path | None) -> Candidates:
    """The words of a whitelist; without one, the blanked words of the templates."""
    if whitelist is not None:
        return Candidates(read_whitelist(whitelist))
    return Candidates(blank_words(cloze_items(load_pairs([templates]))))


def evaluate_cloze_files(
    models: Sequence[str],
    templates: Path,
    whitelist: Path | None = None,
    *,
    split: str | None = None,
    seed: int = 1931,
    on_model: Callable[[str, int], Callable[[int], None]] = lambda _, __: lambda ___: None,
) -> Evaluation:
    """Evaluate models, by the names that `open_cloze_model` knows, on the templates of a file.

    `on_model` is told the name of each model and how many predictions it will make, and gives what is told how many
    more are made. Raises as `evaluate_cloze` and the readers of files do.
    """
    pairs = load_pairs([templates])
    candidates = read_candidates(templates, whitelist)
    hidden = sum(len(item.blanks) for item in cloze_items(pairs))
    examples: list[Example] = []
    evaluated: list[tuple[System, Evaluation]] = []
    for source, model in [(name, open_cloze_model(name)) for name in models]:

        def keep(filled: FilledItem, name: str = model.name) -> None:
            examples.append(_example(name, filled))

        on_words = on_model(model.name, PASSES * hidden)
        evaluation = evaluate_cloze(model, pairs, candidates, seed=seed, on_words=on_words, on_filled=[keep])
        evaluated.append((evolve(evaluation.systems[0], source=source), evaluation))
    is_comparable = is_published_task(templates, whitelist)
    notes = [f"{system.name}: {line}" for system, _ in evaluated for line in _remarks(system, is_comparable)]
    return evolve(
        evaluated[0][1],
        dataset=templates.name,
        split=split or templates.name.split(".")[0],
        systems=[*(system for system, _ in evaluated), *(PUBLISHED if is_comparable else ())],
        notes=notes,
        examples=examples,
    )


def _remarks(system: System, is_comparable: bool) -> list[str]:
    lines = []
    if unknown := int(system["unknown words"]):
        strict = ", ".join(f"{metric} {100 * system.value(metric, STRICT):.2f}" for metric in MATCHES)
        lines.append(f"{unknown:,} hidden tokens are the unknown word to it; if predicting that is wrong: {strict}")
    if impossible := int(system["impossible words"]):
        lines.append(f"surprisal excludes {impossible:,} words to which it gives no probability")
    if system.setting != context("left"):
        lines.append("sees both sides of a blank, the published models only the left one: not the same task")
    elif not is_comparable:
        lines.append("published scores are for the released templates and whitelist of KidsCook")
    else:
        lines += [
            f"better than published {row.name!r} in {', '.join(better)}"
            for row in PUBLISHED
            if (better := beaten(system, row))
        ]
    return lines


def _example(name: str, filled: FilledItem) -> Example:
    """A pair as filled by the model, as in the paper's Table 5: blanks are between underscores."""
    return Example(
        system=name,
        where=filled.item.where,
        text=" ".join(filled.item.abstract),
        gold=[_marked(filled.item, filled.item.concrete)],
        found=[_marked(filled.item, filled.greedy_words)],
    )


def _marked(item: ClozeItem, words: Sequence[str]) -> str:
    marked = list(words)
    for start, end in item.slots:
        marked[start] = f"_{marked[start]}"
        marked[end - 1] = f"{marked[end - 1]}_"
    return " ".join(marked)
