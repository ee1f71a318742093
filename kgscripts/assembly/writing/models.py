"""The readers of a graph; writing their models with the benchmark scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from attrs import frozen

from kgscripts.assembly.step import Step
from schemas.graph_writer import ScriptGraphWriter
from schemas.provenance import Model
from schemas.tables import table_schema
from schemas.vocabulary import node_id


@frozen
class Readers:
    """The readers: extractors, ordered by version, then enrichers.

    `versions` are those of the extractors, and `models` the models of each reader by its number; `extractors` are the
    numbers of the extractors that give events or records that belong to events.
    """

    versions: Sequence[str]
    models: Sequence[tuple[Model, ...]]
    extractors: Sequence[int]

    def distinct(self) -> list[tuple[str, Model]]:
        """Every model once, with its id, by ascending id."""
        found = {model_id(model): model for models in self.models for model in models}
        return sorted(found.items())

    def of_model(self, identifier: str, readers: Sequence[int]) -> list[int]:
        """Those of the `readers` that use the model with this id."""
        return [reader for reader in readers if identifier in map(model_id, self.models[reader])]


def model_id(model: Model) -> str:
    """The id of a model's node."""
    return node_id("Model", model.name, model.name, model.digest)


def model_step(writer: ScriptGraphWriter, readers: Readers) -> Step:
    """Write Model, BenchmarkScore and SCORED."""
    made = tuple(f"graph/{name}" for name in ("Model", "BenchmarkScore", "SCORED"))
    return Step("write Model", made, (), lambda _: _write_models(writer, readers))


def _write_models(writer: ScriptGraphWriter, readers: Readers) -> None:
    models = readers.distinct()
    fields = ("name", "version", "digest", "task")
    columns: dict[str, Any] = {name: [getattr(model, name) for _, model in models] for name in fields}
    columns |= {name: [getattr(model, name) or None for _, model in models] for name in ("licence", "language")}
    columns["id"] = [identifier for identifier, _ in models]
    writer.write("Model", as_batches("Model", columns))
    owned = {
        (owner, score.dataset, score.split, score.metric): score for owner, model in models for score in model.scores
    }
    scores = [(node_id("BenchmarkScore", f"{key[1]} {key[3]}", *key), key[0], score) for key, score in owned.items()]
    scores.sort(key=lambda item: item[0])
    figures = ("dataset", "split", "metric", "value", "unit", "direction", "exposure")
    columns = {name: [getattr(score, name) for _, _, score in scores] for name in figures}
    columns["id"] = [identifier for identifier, _, _ in scores]
    writer.write("BenchmarkScore", as_batches("BenchmarkScore", columns))
    ends = sorted((owner, identifier) for identifier, owner, _ in scores)
    columns = {"from_id": [start for start, _ in ends], "to_id": [end for _, end in ends]}
    writer.write("SCORED", as_batches("SCORED", columns))


def as_batches(name: str, columns: dict[str, Any]) -> list[pa.RecordBatch]:
    """Columns of Python values as rows of the table `name`."""
    schema = table_schema(name)
    return list(pa.table({item.name: pa.array(columns[item.name], item.type) for item in schema}, schema).to_batches())
