"""The record store: the records of every extractor for every document, in one Arrow table for each kind of record."""

from kgscripts.records.database import SOURCE
from kgscripts.records.extractors import ExtractorEntry
from kgscripts.records.inputs import Input
from kgscripts.records.joining import take_out
from kgscripts.records.readings import Failure
from kgscripts.records.shards import Reading, ShardFile, WrittenShard, write_shard
from kgscripts.records.store import RecordStore

__all__ = [
    "SOURCE",
    "ExtractorEntry",
    "Failure",
    "Input",
    "Reading",
    "RecordStore",
    "ShardFile",
    "WrittenShard",
    "take_out",
    "write_shard",
]
