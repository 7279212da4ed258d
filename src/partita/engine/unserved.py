"""The members of requests that DynamoDB has and this engine does not serve: each is refused, and why."""

from __future__ import annotations

from partita.dynamo.shapes import Shape, Unserved

_ONE_REGION = "the engine is one region, and its tables have no replicas. Leave it out."
_NO_VECTORS = "there are no vector indexes. Leave it out."

_WHY = {
    "FilterSpecification": "an export has every item, whole. Leave it out, and filter what was exported.",
    "WarmThroughput": "throughput is not limited, so nothing has to be warmed. Leave it out.",
    "VectorIndexes": _NO_VECTORS,
    "VectorIndexOverride": _NO_VECTORS,
    "VectorIndexUpdates": _NO_VECTORS,
    "ReplicaUpdates": _ONE_REGION,
    "MultiRegionConsistency": _ONE_REGION,
    "GlobalTableSourceArn": _ONE_REGION,
    "GlobalTableWitnessUpdates": _ONE_REGION,
    "GlobalTableSettingsReplicationMode": _ONE_REGION,
    "DisassociationProtectionEnabled": _ONE_REGION,
}


def unserved(*names: str) -> dict[str, Shape]:
    """The shapes of these members, for the structure they stand in."""
    return {name: Unserved(_WHY[name]) for name in names}
