"""The cloze task on files, with the published scores beside those of the models, and what is kept of it."""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from attrs import evolve

from kgscripts.corpora.pairs.loading import load_pairs, read_whitelist
from kgscripts.evaluation.finished import Finished, part_key
from kgscripts.evaluation.result import Evaluation, Example, System
from kgscripts.models.cloze import Cloze, ClozeModel
from kgscripts.reproductions.kidscook.cloze.filling import Candidates, ClozeItem, Guess, blank_words, cloze_items
from kgscripts.reproductions.kidscook.cloze.models import HUGGING_FACE, asked_models, checkpoint_names, open_cloze_model
from kgscripts.reproductions.kidscook.cloze.tally import MATCHES, PUBLISHED, STRICT, beaten, context, is_published_task
from kgscripts.reproductions.kidscook.cloze.task import PASSES, FilledItem, evaluate_cloze
from kgscripts.reproductions.kidscook.networks.causal import CausalModel
from schemas.terminal import json_text

if TYPE_CHECKING:
    import torch


class KeptAnswers:
    """A cloze model without alignments that gives the answers of a stopped run again.

    They are kept by batch: probabilities depend a little on the batch that a question is in.
    """

    def __init__(self, model: ClozeModel, finished: Finished, *identity: object) -> None:
        self.name = model.name
        self.context: Literal["left", "both"] = model.context
        self._model = model
        self._finished = finished
        self._identity = identity
        """What decides the answers besides the questions."""

    def predict(self, clozes: Sequence[Cloze], candidates: Sequence[str]) -> torch.Tensor:
        """See `ClozeModel`."""
        key = part_key(*self._identity, clozes, candidates)
        kept = self._finished.once(key, lambda: _packed(self._model.predict(clozes, candidates)))
        return _unpacked(kept).reshape(len(clozes), -1)

    def score(self, abstract: Sequence[Sequence[str]], concrete: Sequence[Sequence[str]]) -> torch.Tensor | None:
        """See `ClozeModel`."""

        def packed() -> str | None:
            scores = self._model.score(abstract, concrete)
            return None if scores is None else _packed(scores)

        kept = self._finished.once(part_key(*self._identity, abstract, concrete), packed)
        return None if kept is None else _unpacked(kept)


def model_digests(name: str) -> list[str]:
    """The digests of the models of a name that `open_cloze_model` knows. Raises ModelError if there is none."""
    from kgscripts.models.registry import describe
    from kgscripts.reproductions.kidscook.networks.causal_base import find_pretrained

    return [
        find_pretrained(plain.removeprefix(HUGGING_FACE)).digest()
        if plain.startswith(HUGGING_FACE)
        else describe(plain).digest
        for plain in checkpoint_names(name)
    ]


def _packed(rows: torch.Tensor) -> str:
    return b64encode(rows.float().cpu().numpy().tobytes()).decode("ascii")


def _unpacked(kept: str) -> torch.Tensor:
    import torch

    return torch.from_numpy(np.frombuffer(b64decode(kept), np.float32).copy())


def prediction_lines(model: str, filled: FilledItem, candidates: Candidates) -> Iterator[str]:
    """A line of JSON for each blank of a pair."""
    item = filled.item
    first = 0
    for start, end in item.slots:
        words = slice(first, first + end - start)
        first = words.stop
        record = {
            "model": model,
            "where": item.where,
            "start": start,
            "gold": item.concrete[start:end],
            "oracle": _setup(filled.oracle_choices[words], filled.oracle[words], candidates),
            "greedy": _setup(filled.greedy[words], filled.greedy[words], candidates),
        }
        yield json_text(record, indent=None)


def _setup(choices: Sequence[Guess], ranked: Sequence[Guess], candidates: Candidates) -> dict[str, Any]:
    """Predicted words and their probabilities, those of the gold words, and the five most probable words."""
    return {
        "prediction": [candidates.word(guess.choice) for guess in choices],
        "probability": [_probability(guess.choice_log_probability) for guess in choices],
        "gold_probability": [_probability(guess.gold_log_probability) for guess in ranked],
        "top5": [
            {
                candidates.word(column): _probability(value)
                for column, value in zip(guess.top, guess.top_log_probabilities, strict=True)
            }
            for guess in ranked
        ],
    }


def _probability(log_probability: float) -> float:
    return round(math.exp(log_probability), 6)


_PRETRAINED = "exposure unknown: the pretraining of the language model may have read these texts"

Listener = Callable[[str, FilledItem], object]
"""Is told the name of a model, and each pair that it filled, in order."""


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
    on_filled: Listener = lambda _, __: None,
    finished: Finished | None = None,
) -> Evaluation:
    """Evaluate models, by the names that `open_cloze_model` knows, on the templates of a file.

    `on_model` is told the name of each model and how many predictions it will make, and gives what is told how many
    more are made. `finished` keeps the answers of language models, which take hours.
    Raises as `evaluate_cloze` and the readers of files do.
    """
    pairs = load_pairs([templates])
    candidates = read_candidates(templates, whitelist)
    hidden = sum(len(item.blanks) for item in cloze_items(pairs))
    examples: list[Example] = []
    found: list[tuple[System, Evaluation]] = []
    for source, model in [(name, open_cloze_model(name)) for name in models]:

        def keep(filled: FilledItem, name: str = model.name) -> None:
            examples.append(_example(name, filled))
            on_filled(name, filled)

        pretrained = any(isinstance(asked, CausalModel) for asked in asked_models(model))
        if pretrained and finished is not None:
            model = KeptAnswers(model, finished, source, model_digests(source))
        on_words = on_model(model.name, PASSES * hidden)
        own = evaluate_cloze(model, pairs, candidates, seed=seed, on_words=on_words, on_filled=[keep])
        remark = _PRETRAINED if pretrained else ""
        found.append((evolve(own.systems[0], source=source, remark=remark), own))
    is_comparable = is_published_task(templates, whitelist)
    notes = [f"{system.name}: {line}" for system, _ in found for line in _remarks(system, is_comparable)]
    return evolve(
        found[0][1],
        dataset=templates.name,
        split=split or templates.name.split(".")[0],
        systems=[*(system for system, _ in found), *(PUBLISHED if is_comparable else ())],
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
