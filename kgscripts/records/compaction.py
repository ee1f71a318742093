"""Keeping a record store small: unused readings are dropped, and small shards are merged."""

from __future__ import annotations

import json
from collections.abc import Collection

from kgscripts.records.database import Database
from kgscripts.records.shard_index import CORRECTION, ShardIndex

_SMALLEST_TIER = 1 << 16
_LARGEST_TIER = 1 << 24
_SHARDS_A_TIER = 4


def forget(database: Database, enriched: Collection[tuple[str, str]], used: Collection[str]) -> None:
    """Drop unused readings and failures, then extractors and subjects without any. Dropped are those of documents that
    no input gives, of older versions of extractors that are not among the `used`, and of enrichers unless (subject,
    extractor) is in `enriched`.
    """
    with database.transaction():
        for table in ("completion", "failure"):
            database.execute(
                f"DELETE FROM {table} WHERE extractor IN (SELECT old.id FROM extractor AS old"
                " JOIN extractor AS new USING (name, role) WHERE new.version > old.version"
                " AND old.digest NOT IN (SELECT value FROM json_each(?)))",
                json.dumps(list(used)),
            )
            database.execute(
                f"DELETE FROM {table} WHERE extractor IN (SELECT id FROM extractor WHERE role = 'extractor' OR id = 0)"
                f" AND NOT EXISTS (SELECT * FROM source WHERE source.subject = {table}.subject)"
            )
        database.execute("CREATE TEMP TABLE enriched (subject TEXT, extractor TEXT)")
        database.execute_many("INSERT INTO temp.enriched VALUES (?, ?)", enriched)
        database.execute(
            "DELETE FROM completion WHERE extractor IN (SELECT id FROM extractor WHERE role = 'enricher')"
            " AND (subject, extractor) NOT IN (SELECT subject.id, extractor.id FROM temp.enriched"
            " JOIN subject ON subject.digest = enriched.subject"
            " JOIN extractor ON extractor.digest = enriched.extractor)"
        )
        database.execute("DROP TABLE temp.enriched")
        database.execute(
            "DELETE FROM extractor WHERE id != 0 AND id NOT IN (SELECT extractor FROM completion)"
            " AND id NOT IN (SELECT extractor FROM failure)"
        )
        database.execute(
            "DELETE FROM subject WHERE NOT EXISTS (SELECT * FROM completion WHERE subject = subject.id)"
            " AND NOT EXISTS (SELECT * FROM source WHERE subject = subject.id)"
        )


def drop_replaced(database: Database, shards: ShardIndex) -> None:
    """Rewrite the shards that hold readings which were dropped or moved to other shards.

    Raises
    ------
    GraphDirectoryError
        If something cannot be written, or a file that has to be rewritten is damaged.
    """
    held = "(SELECT count(*) FROM completion WHERE completion.shard = shard.id)"
    for (name,) in list(database.rows(f"SELECT name FROM shard WHERE readings > {held} ORDER BY name")):
        shards.rewrite([name])


def merge_small(database: Database, shards: ShardIndex) -> None:
    """Merge shards of similar size, so that their number grows with the logarithm of the number of records.

    Raises
    ------
    GraphDirectoryError
        If something cannot be written, or a file that has to be merged is damaged.
    """
    tier = _SMALLEST_TIER
    while tier <= _LARGEST_TIER:
        small = list(
            database.rows(
                "SELECT name, coalesce(sum(bytes), 0) AS size FROM shard LEFT JOIN shard_file ON shard = shard.id"
                f" WHERE shard.id NOT IN (SELECT shard FROM shard_file WHERE kind = '{CORRECTION}')"
                " GROUP BY shard.id HAVING size < ? ORDER BY shard.id",
                tier,
            )
        )
        if len(small) >= _SHARDS_A_TIER:
            group: list[str] = []
            size = 0
            for name, size_of_shard in small:
                group.append(name)
                size += size_of_shard
                if size >= _LARGEST_TIER:
                    shards.rewrite(group)
                    group, size = [], 0
            if len(group) > 1:
                shards.rewrite(group)
        tier *= 4
