"""The shapes of the requests on tables, streams, backups, tags and expiry."""

from __future__ import annotations

from typing import Any

from partita.dynamo.item_shapes import INDEX_NAME, TABLE_NAME
from partita.dynamo.limits import INDEX_KEY_ATTRIBUTES
from partita.dynamo.shapes import Flag, Listing, Moment, Structure, TableName, Text, Whole
from partita.engine import buckets
from partita.engine.unserved import unserved

ARN = Text(required=True, least=1, most=1283)
_NAME = Text(required=True, least=1, most=255)
_THROUGHPUT_MEMBERS = {
    "ReadCapacityUnits": Whole(required=True, least=1),
    "WriteCapacityUnits": Whole(required=True, least=1),
}
_THROUGHPUT = Structure(_THROUGHPUT_MEMBERS)
_ON_DEMAND = Structure({"MaxReadRequestUnits": Whole(), "MaxWriteRequestUnits": Whole()})
_BILLING = Text(choices=("PROVISIONED", "PAY_PER_REQUEST"))
_ATTRIBUTES = Structure({"AttributeName": _NAME, "AttributeType": Text(required=True, choices=("B", "N", "S"))})
_KEY_ELEMENT = Structure(
    {"AttributeName": _NAME, "KeyType": Text(required=True, choices=("HASH", "RANGE"))}, name="KeySchemaElement"
)
_TABLE_KEYS = Listing(_KEY_ELEMENT, required=True, least=1, most=2)
_INDEX_KEYS = Listing(_KEY_ELEMENT, required=True, least=1, most=2 * INDEX_KEY_ATTRIBUTES)
_PROJECTION = Structure(
    {
        "ProjectionType": Text(choices=("ALL", "INCLUDE", "KEYS_ONLY")),
        "NonKeyAttributes": Listing(Text(least=1, most=255), least=1, most=20),
    },
    required=True,
)
_REQUIRED_INDEX = Text(required=True, least=3, most=255, pattern=r"[a-zA-Z0-9_.-]+")
_GLOBAL: dict[str, Any] = {
    "IndexName": _REQUIRED_INDEX,
    "KeySchema": _INDEX_KEYS,
    "Projection": _PROJECTION,
    "ProvisionedThroughput": _THROUGHPUT,
    "OnDemandThroughput": _ON_DEMAND,
    **unserved("WarmThroughput"),
}
_STREAM = Structure(
    {
        "StreamEnabled": Flag(required=True),
        "StreamViewType": Text(choices=("NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY")),
    }
)
_ENCRYPTION = Structure({"Enabled": Flag(), "SSEType": Text(choices=("AES256", "KMS")), "KMSMasterKeyId": Text()})
_TAG = Structure({"Key": Text(required=True, least=1, most=128), "Value": Text(required=True, least=0, most=256)})
_SETTINGS: dict[str, Any] = {
    "BillingMode": _BILLING,
    "ProvisionedThroughput": _THROUGHPUT,
    "StreamSpecification": _STREAM,
    "SSESpecification": _ENCRYPTION,
    "TableClass": Text(),
    "OnDemandThroughput": _ON_DEMAND,
    "DeletionProtectionEnabled": Flag(),
    **unserved("WarmThroughput", "GlobalTableSettingsReplicationMode"),
}

CREATE_TABLE = Structure(
    {
        "TableName": TableName(required=False, least=3),
        "AttributeDefinitions": Listing(_ATTRIBUTES, required=True),
        "KeySchema": _TABLE_KEYS,
        "GlobalSecondaryIndexes": Listing(Structure(_GLOBAL)),
        "LocalSecondaryIndexes": Listing(
            Structure({"IndexName": _REQUIRED_INDEX, "KeySchema": _TABLE_KEYS, "Projection": _PROJECTION})
        ),
        "Tags": Listing(_TAG),
        "ResourcePolicy": Text(),
        **_SETTINGS,
        **unserved("GlobalTableSourceArn", "VectorIndexes"),
    }
)
UPDATE_TABLE = Structure(
    {
        "TableName": TABLE_NAME,
        "AttributeDefinitions": Listing(_ATTRIBUTES),
        "GlobalSecondaryIndexUpdates": Listing(
            Structure(
                {
                    "Create": Structure(_GLOBAL),
                    "Update": Structure(
                        {
                            "IndexName": _REQUIRED_INDEX,
                            "ProvisionedThroughput": _THROUGHPUT,
                            "OnDemandThroughput": _ON_DEMAND,
                            **unserved("WarmThroughput"),
                        }
                    ),
                    "Delete": Structure({"IndexName": _REQUIRED_INDEX}),
                }
            )
        ),
        **_SETTINGS,
        **unserved(
            "ReplicaUpdates",
            "MultiRegionConsistency",
            "GlobalTableWitnessUpdates",
            "DisassociationProtectionEnabled",
            "VectorIndexUpdates",
        ),
    }
)
NAMED_TABLE = Structure({"TableName": TABLE_NAME})
LIST_TABLES = Structure(
    {
        "ExclusiveStartTableName": Text(least=3, most=255, pattern=r"[a-zA-Z0-9_.-]+"),
        "Limit": Whole(least=1, most=100),
    }
)
EMPTY = Structure({})
TAG = Structure({"ResourceArn": ARN, "Tags": Listing(_TAG, required=True)})
UNTAG = Structure({"ResourceArn": ARN, "TagKeys": Listing(Text(least=1, most=128), required=True)})
LIST_TAGS = Structure({"ResourceArn": ARN, "NextToken": Text()})
UPDATE_TTL = Structure(
    {
        "TableName": TABLE_NAME,
        "TimeToLiveSpecification": Structure(
            {"Enabled": Flag(required=True), "AttributeName": Text(required=True, least=1, most=255)}, required=True
        ),
    }
)
NAMED_RESOURCE = Structure({"ResourceArn": ARN})
PUT_POLICY = Structure(
    {
        "ResourceArn": ARN,
        "Policy": Text(required=True),
        "ExpectedRevisionId": Text(least=1, most=255),
        "ConfirmRemoveSelfResourceAccess": Flag(),  # over HTTP DynamoDB's SDKs send it; no policy needs it here
    }
)
DELETE_POLICY = Structure({"ResourceArn": ARN, "ExpectedRevisionId": Text(least=1, most=255)})
UPDATE_CONTINUOUS_BACKUPS = Structure(
    {
        "TableName": TABLE_NAME,
        "PointInTimeRecoverySpecification": Structure(
            {"PointInTimeRecoveryEnabled": Flag(required=True), "RecoveryPeriodInDays": Whole(least=1, most=35)},
            required=True,
        ),
    }
)
LIST_STREAMS = Structure(
    {
        "TableName": Text(least=1, most=1024),
        "Limit": Whole(least=1, most=100),
        "ExclusiveStartStreamArn": Text(least=37, most=1024),
    }
)
DESCRIBE_STREAM = Structure(
    {
        "StreamArn": Text(required=True, least=37, most=1024),
        "Limit": Whole(least=1, most=100),
        "ExclusiveStartShardId": Text(least=28, most=65),
        "ShardFilter": Structure(
            {
                "Type": Text(required=True, choices=("CHILD_SHARDS",)),
                "ShardId": Text(required=True, least=28, most=65, pattern="shardId-[0-9]+-[0-9a-f]+"),
            }
        ),
    }
)
GET_ITERATOR = Structure(
    {
        "StreamArn": Text(required=True, least=37, most=1024),
        "ShardId": Text(required=True, least=28, most=65),
        "ShardIteratorType": Text(
            required=True,
            choices=("AFTER_SEQUENCE_NUMBER", "LATEST", "AT_SEQUENCE_NUMBER", "TRIM_HORIZON", "AT_TIMESTAMP"),
        ),
        "SequenceNumber": Text(least=21, most=40),
        "Timestamp": Moment(),
    }
)
GET_RECORDS = Structure({"ShardIterator": Text(required=True, least=1, most=2048), "Limit": Whole(least=1, most=1000)})
CREATE_BACKUP = Structure(
    {
        "TableName": TABLE_NAME,
        "BackupName": Text(required=True, least=3, most=255, pattern=r"[a-zA-Z0-9_.-]+"),
    }
)
NAMED_BACKUP = Structure({"BackupArn": Text(required=True, least=37, most=1024)})
LIST_BACKUPS = Structure(
    {
        "TableName": Text(least=1, most=1024),
        "Limit": Whole(least=1, most=100),
        "ExclusiveStartBackupArn": Text(least=37, most=1024),
        "BackupType": Text(choices=("USER", "SYSTEM", "AWS_BACKUP", "ALL")),
        "TimeRangeLowerBound": Moment(),
        "TimeRangeUpperBound": Moment(),
    }
)
_TARGET: dict[str, Any] = {
    "TargetTableName": TableName(least=3),
    "BillingModeOverride": _BILLING,
    "ProvisionedThroughputOverride": _THROUGHPUT,
    "GlobalSecondaryIndexOverride": Listing(Structure(_GLOBAL)),
    "LocalSecondaryIndexOverride": Listing(
        Structure({"IndexName": INDEX_NAME, "KeySchema": _TABLE_KEYS, "Projection": _PROJECTION})
    ),
    "OnDemandThroughputOverride": _ON_DEMAND,
    "SSESpecificationOverride": _ENCRYPTION,
    **unserved("VectorIndexOverride"),
}
RESTORE = Structure({"BackupArn": Text(required=True, least=37, most=1024), **_TARGET})
RESTORE_TO_MOMENT = Structure(
    {
        "SourceTableName": TableName(required=False, least=3),
        "SourceTableArn": Text(least=1, most=1024),
        "UseLatestRestorableTime": Flag(),
        "RestoreDateTime": Moment(),
        **_TARGET,
    }
)
_BUCKET = Text(required=True, least=1, most=255, pattern=buckets.NAME)
_OWNER = Text(pattern="[0-9]{12}")
_TABLE_ARN = Text(least=1, most=1024)
_TOKEN = Text(pattern=r"[^\$]+")
EXPORT = Structure(
    {
        "TableArn": Text(required=True, least=1, most=1024),
        "ExportTime": Moment(),
        "ClientToken": _TOKEN,
        "S3Bucket": _BUCKET,
        "S3BucketOwner": _OWNER,
        "S3Prefix": Text(least=0, most=1024),
        "S3SseAlgorithm": Text(choices=("AES256", "KMS")),
        "S3SseKmsKeyId": Text(least=1, most=2048),
        "ExportFormat": Text(choices=("DYNAMODB_JSON", "ION")),
        "ExportType": Text(choices=("FULL_EXPORT", "INCREMENTAL_EXPORT")),
        "IncrementalExportSpecification": Structure(
            {
                "ExportFromTime": Moment(),
                "ExportToTime": Moment(),
                "ExportViewType": Text(choices=("NEW_IMAGE", "NEW_AND_OLD_IMAGES")),
            }
        ),
        **unserved("FilterSpecification"),
    }
)
NAMED_EXPORT = Structure({"ExportArn": Text(required=True, least=37, most=1024)})
LIST_EXPORTS = Structure({"TableArn": _TABLE_ARN, "MaxResults": Whole(least=1, most=25), "NextToken": Text()})
IMPORTED_TABLE = Structure(
    {
        "TableName": TableName(least=3),
        "AttributeDefinitions": Listing(_ATTRIBUTES, required=True),
        "KeySchema": _TABLE_KEYS,
        "BillingMode": _BILLING,
        "ProvisionedThroughput": _THROUGHPUT,
        "OnDemandThroughput": _ON_DEMAND,
        "SSESpecification": _ENCRYPTION,
        "GlobalSecondaryIndexes": Listing(Structure(_GLOBAL)),
        **unserved("VectorIndexes"),
    },
    required=True,
)
IMPORT = Structure(
    {
        "ClientToken": _TOKEN,
        "S3BucketSource": Structure(
            {"S3BucketOwner": _OWNER, "S3Bucket": _BUCKET, "S3KeyPrefix": Text(least=0, most=1024)}, required=True
        ),
        "InputFormat": Text(required=True, choices=("DYNAMODB_JSON", "ION", "CSV")),
        "InputFormatOptions": Structure(
            {
                "Csv": Structure(
                    {
                        "Delimiter": Text(least=1, most=1),
                        "HeaderList": Listing(Text(least=1, most=65536), least=1, most=255),
                    }
                )
            }
        ),
        "InputCompressionType": Text(choices=("GZIP", "ZSTD", "NONE")),
        "TableCreationParameters": IMPORTED_TABLE,
    }
)
NAMED_IMPORT = Structure({"ImportArn": Text(required=True, least=37, most=1024)})
LIST_IMPORTS = Structure({"TableArn": _TABLE_ARN, "PageSize": Whole(least=1, most=25), "NextToken": Text()})
_PRECISION = Structure({"ApproximateCreationDateTimePrecision": Text(choices=("MILLISECOND", "MICROSECOND"))})
_KINESIS: dict[str, Any] = {"TableName": TABLE_NAME, "StreamArn": Text(required=True, least=37, most=1024)}
ENABLE_KINESIS = Structure({**_KINESIS, "EnableKinesisStreamingConfiguration": _PRECISION})
UPDATE_KINESIS = Structure({**_KINESIS, "UpdateKinesisStreamingConfiguration": _PRECISION})
DESCRIBE_INSIGHTS = Structure({"TableName": TABLE_NAME, "IndexName": INDEX_NAME})
LIST_INSIGHTS = Structure(
    {"TableName": TableName(required=False), "NextToken": Text(), "MaxResults": Whole(least=1, most=100)}
)
UPDATE_INSIGHTS = Structure(
    {
        "TableName": TABLE_NAME,
        "IndexName": INDEX_NAME,
        "ContributorInsightsAction": Text(required=True, choices=("ENABLE", "DISABLE")),
        "ContributorInsightsMode": Text(choices=("ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS")),
    }
)
