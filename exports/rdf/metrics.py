"""The metrics of benchmark scores (DQV)."""

from __future__ import annotations

import hashlib

import pyarrow as pa
import pyarrow.compute as pc

from exports.rdf.descriptions import Chunk, Description, Reference, Value, constant
from exports.rdf.terms import METRIC_KIND
from schemas.type_declarations import ValueType
from schemas.vocabulary import slug


def metric_ids(names: pa.Array) -> pa.Array:
    """The id of each metric, made of its name as ids of nodes are."""
    return pa.array([_metric_id(name) for name in names.to_pylist()], pa.string())


def _metric_id(name: str) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    words = slug(name)
    return f"{METRIC_KIND}/{words}-{digest}" if words else f"{METRIC_KIND}/{digest}"


def describe_metrics(names: pa.ChunkedArray) -> Chunk:
    """Describe each of the metrics once."""
    distinct = pc.unique(names.combine_chunks())
    values = (
        Value("rdfs:label", distinct, ValueType.STRING, "en"),
        Value("dqv:expectedDataType", constant("xsd:double", len(distinct)), Reference.TERM),
    )
    return Chunk((Description(metric_ids(distinct), ("dqv:Metric",), values),))
