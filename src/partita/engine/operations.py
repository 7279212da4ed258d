"""The functions of all operations of the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import apsw

from partita.dynamo import requests
from partita.dynamo.partiql import requests as statements
from partita.dynamo.shapes import Structure
from partita.engine import (
    backups,
    continuous_backups,
    expiry,
    exports,
    imports,
    insights,
    kinesis,
    reads,
    resource_policies,
    restores,
    streams,
    table_updates,
    tables,
    tags,
    transactions,
    writes,
)
from partita.engine import table_shapes as shapes
from partita.engine.catalog import Catalog
from partita.engine.partiql import batches, reading, writing
from partita.engine.partiql import transactions as statement_transactions
from partita.engine.place import Place
from partita.engine.writer import Transaction

Response = dict[str, Any]
TableRead = Callable[[apsw.Connection, Catalog, Any, Place, float], Response]
TableWrite = Callable[[Transaction, Any, Place], Response]


def _at_one_moment(read: Callable[..., Response]) -> Callable[..., Response]:
    """A read of several items that sees all of them as of the same moment."""

    def run(connection: apsw.Connection, known: Catalog, request: Any, load: Any) -> Response:
        if connection.in_transaction:
            return read(connection, known, request, load)
        connection.execute("BEGIN")
        try:
            return read(connection, known, request, load)
        finally:
            connection.execute("COMMIT")

    return run


ITEM_READS: dict[type, Callable[..., Response]] = {
    requests.GetItem: reads.get,
    requests.Query: reads.query,
    requests.Scan: reads.scan,
    requests.BatchGetItem: transactions.batch_get,
    requests.TransactGetItems: _at_one_moment(transactions.transact_get),
    statements.ReadStatement: reading.execute,
    statements.ReadBatch: batches.read,
    statements.ReadTransaction: _at_one_moment(statement_transactions.read),
}

TELLING = frozenset((statements.ReadBatch, statements.ReadTransaction))
"""Reads that do not raise what is wrong, but tell it in their answers."""

ITEM_WRITES: dict[type, Callable[..., Response]] = {
    requests.PutItem: writes.put,
    requests.UpdateItem: writes.update,
    requests.DeleteItem: writes.delete,
    requests.BatchWriteItem: writes.batch_write,
    requests.TransactWriteItems: transactions.transact_write,
    statements.WriteStatement: writing.execute,
    statements.WriteBatch: batches.write,
    statements.WriteTransaction: statement_transactions.write,
}


def _timeless(read: Callable[[apsw.Connection, Catalog, Any, Place], Response]) -> TableRead:
    return lambda connection, known, request, place, _now: read(connection, known, request, place)


TABLE_READS: dict[str, tuple[Structure, TableRead]] = {
    "DescribeTable": (shapes.NAMED_TABLE, _timeless(tables.describe)),
    "ListTables": (shapes.LIST_TABLES, _timeless(tables.list_tables)),
    "ListTagsOfResource": (shapes.LIST_TAGS, _timeless(tags.list_tags)),
    "DescribeLimits": (shapes.EMPTY, _timeless(tables.describe_limits)),
    "DescribeEndpoints": (shapes.EMPTY, _timeless(tables.describe_endpoints)),
    "DescribeTimeToLive": (shapes.NAMED_TABLE, _timeless(expiry.describe_setting)),
    "GetResourcePolicy": (shapes.NAMED_RESOURCE, _timeless(resource_policies.get)),
    "DescribeContinuousBackups": (shapes.NAMED_TABLE, continuous_backups.describe),
    "ListStreams": (shapes.LIST_STREAMS, _timeless(streams.list_streams)),
    "DescribeStream": (shapes.DESCRIBE_STREAM, _timeless(streams.describe_stream)),
    "GetShardIterator": (shapes.GET_ITERATOR, streams.shard_iterator),
    "GetRecords": (shapes.GET_RECORDS, streams.records),
    "DescribeBackup": (shapes.NAMED_BACKUP, _timeless(backups.describe)),
    "DescribeExport": (shapes.NAMED_EXPORT, _timeless(exports.describe)),
    "ListExports": (shapes.LIST_EXPORTS, _timeless(exports.list_exports)),
    "DescribeImport": (shapes.NAMED_IMPORT, _timeless(imports.describe)),
    "ListImports": (shapes.LIST_IMPORTS, _timeless(imports.list_imports)),
    "DescribeContributorInsights": (shapes.DESCRIBE_INSIGHTS, _timeless(insights.describe)),
    "ListContributorInsights": (shapes.LIST_INSIGHTS, _timeless(insights.list_insights)),
    "DescribeKinesisStreamingDestination": (shapes.NAMED_TABLE, _timeless(kinesis.describe)),
    "ListBackups": (shapes.LIST_BACKUPS, _timeless(backups.list_backups)),
}

TABLE_WRITES: dict[str, tuple[Structure, TableWrite]] = {
    "CreateTable": (shapes.CREATE_TABLE, tables.create),
    "UpdateTable": (shapes.UPDATE_TABLE, table_updates.update),
    "DeleteTable": (shapes.NAMED_TABLE, tables.delete),
    "TagResource": (shapes.TAG, tags.tag),
    "UntagResource": (shapes.UNTAG, tags.untag),
    "UpdateTimeToLive": (shapes.UPDATE_TTL, expiry.update_setting),
    "PutResourcePolicy": (shapes.PUT_POLICY, resource_policies.put),
    "DeleteResourcePolicy": (shapes.DELETE_POLICY, resource_policies.delete),
    "UpdateContinuousBackups": (shapes.UPDATE_CONTINUOUS_BACKUPS, continuous_backups.update),
    "UpdateContributorInsights": (shapes.UPDATE_INSIGHTS, insights.update),
    "EnableKinesisStreamingDestination": (shapes.ENABLE_KINESIS, kinesis.refuse),
    "DisableKinesisStreamingDestination": (shapes.ENABLE_KINESIS, kinesis.refuse),
    "UpdateKinesisStreamingDestination": (shapes.UPDATE_KINESIS, kinesis.refuse),
    "RestoreTableFromBackup": (shapes.RESTORE, restores.from_backup),
}

ON_FILES: dict[str, Structure] = {
    "CreateBackup": shapes.CREATE_BACKUP,
    "DeleteBackup": shapes.NAMED_BACKUP,
    "RestoreTableToPointInTime": shapes.RESTORE_TO_MOMENT,
    "ExportTableToPointInTime": shapes.EXPORT,
    "ImportTable": shapes.IMPORT,
}
"""Operations that copy tables into files or out of them, which the engine runs itself."""

BODILESS = frozenset(("TagResource", "UntagResource"))
"""Answered over HTTP without a body, as DynamoDB does."""

TABLE_OPERATIONS = frozenset((*TABLE_READS, *TABLE_WRITES, *ON_FILES))
