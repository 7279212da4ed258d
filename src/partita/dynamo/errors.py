"""DynamoDB's errors as values: each knows its wire name, its HTTP status and its members."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

_SERVICE = "com.amazonaws.dynamodb.v20120810#"
_CORAL = "com.amazon.coral.service#"
_VALIDATE = "com.amazon.coral.validate#"


class DynamoError(Exception):
    """Anything DynamoDB would answer instead of a result."""

    code: ClassVar[str] = "InternalServerError"
    status: ClassVar[int] = 400
    namespace: ClassVar[str] = _SERVICE
    retryable: ClassVar[bool] = False
    message_member: ClassVar[str] = "message"
    silent: ClassVar[bool] = False
    """Whether DynamoDB sends this error without its message, which is then for the log and for Python only."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.message = message

    def wire(self) -> dict[str, Any]:
        """The JSON body DynamoDB sends for this error."""
        told = {} if self.silent else {self.message_member: self.message}
        return {"__type": self.namespace + self.code, **told, **self.members()}

    def members(self) -> dict[str, Any]:
        """Members beside the message, such as the item that failed a condition."""
        return {}


class ValidationError(DynamoError):
    """The request is not one DynamoDB would run."""

    code = "ValidationException"
    namespace = _VALIDATE


class SerializationError(DynamoError):
    """The request's JSON has the wrong shape."""

    code = "SerializationException"
    namespace = _CORAL
    message_member = "Message"


class NoJsonError(SerializationError):
    """The request's body is no JSON at all."""

    silent = True


class UnknownOperationError(DynamoError):
    """No such operation here."""

    code = "UnknownOperationException"
    namespace = _CORAL
    silent = True


class MissingAuthenticationError(DynamoError):
    """The request carries no signature although the door asks for one."""

    code = "MissingAuthenticationTokenException"
    namespace = _CORAL


class IncompleteSignatureError(DynamoError):
    """The signature header lacks a part."""

    code = "IncompleteSignatureException"
    namespace = _CORAL


class InvalidSignatureError(DynamoError):
    """The signature does not match, or is too old."""

    code = "InvalidSignatureException"
    namespace = _CORAL


class UnrecognizedClientError(DynamoError):
    """The access key is not one the door knows."""

    code = "UnrecognizedClientException"
    namespace = _CORAL


class RequestTooLargeError(DynamoError):
    """The body is over DynamoDB's 16 MB."""

    code = "RequestEntityTooLargeException"
    status = 413
    namespace = _CORAL


class AccessDeniedError(DynamoError):
    """The resource belongs to another account."""

    code = "AccessDeniedException"
    namespace = _CORAL


class ResourceNotFoundError(DynamoError):
    """The table, index, stream or backup is not there."""

    code = "ResourceNotFoundException"


class PolicyNotFoundError(DynamoError):
    """The resource has no policy, or one of another revision."""

    code = "PolicyNotFoundException"


class TableNotFoundError(DynamoError):
    """The table is not there (the name the backup operations use)."""

    code = "TableNotFoundException"


class TableExistsError(DynamoError):
    """A restore names a table that exists already."""

    code = "TableAlreadyExistsException"


class TableInUseError(DynamoError):
    """A backup names a table that is still being restored."""

    code = "TableInUseException"


class BackupNotFoundError(DynamoError):
    """The backup is not there."""

    code = "BackupNotFoundException"


class BackupInUseError(DynamoError):
    """The backup is being made or read."""

    code = "BackupInUseException"


class ContinuousBackupsUnavailableError(DynamoError):
    """The table is still being restored: its settings of recovery cannot be changed yet."""

    code = "ContinuousBackupsUnavailableException"


class RecoveryUnavailableError(DynamoError):
    """The table has no point-in-time recovery: what it was is not kept."""

    code = "PointInTimeRecoveryUnavailableException"


class InvalidRestoreTimeError(DynamoError):
    """The moment is not over yet, or older than what is kept."""

    code = "InvalidRestoreTimeException"


class ExportNotFoundError(DynamoError):
    """The export is not there."""

    code = "ExportNotFoundException"


class ExportConflictError(DynamoError):
    """A client token came again with another export."""

    code = "ExportConflictException"


class InvalidExportTimeError(DynamoError):
    """The table cannot be exported as it was then."""

    code = "InvalidExportTimeException"


class ImportNotFoundError(DynamoError):
    """The import is not there."""

    code = "ImportNotFoundException"


class DuplicateItemError(DynamoError):
    """A PartiQL INSERT of an item that exists already."""

    code = "DuplicateItemException"

    def __init__(self, message: str = "Duplicate primary key exists in table") -> None:
        super().__init__(message)


class ResourceInUseError(DynamoError):
    """The table exists already, or is busy with another change."""

    code = "ResourceInUseException"


class LimitExceededError(DynamoError):
    """Too many changes at once."""

    code = "LimitExceededException"


class ConditionalCheckFailedError(DynamoError):
    """The condition did not hold; `item` is what was there, if asked for."""

    code = "ConditionalCheckFailedException"

    def __init__(self, message: str = "The conditional request failed", item: Any = None) -> None:
        super().__init__(message)
        self.item = item

    def members(self) -> dict[str, Any]:
        return {} if self.item is None else {"Item": self.item}


class TransactionCanceledError(DynamoError):
    """A transaction was not run; one reason per action, in order."""

    code = "TransactionCanceledException"
    message_member = "Message"

    def __init__(self, reasons: Sequence[dict[str, Any]]) -> None:
        codes = ", ".join(reason["Code"] for reason in reasons)
        super().__init__(f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]")
        self.reasons = list(reasons)

    def members(self) -> dict[str, Any]:
        return {"CancellationReasons": self.reasons}


class TransactionConflictError(DynamoError):
    """The item takes part in another transaction right now."""

    code = "TransactionConflictException"
    retryable = True


class IdempotentParameterMismatchError(DynamoError):
    """A client token came again with another request."""

    code = "IdempotentParameterMismatchException"
    message_member = "Message"


class TransactionInProgressError(DynamoError):
    """A transaction with this client token is still running."""

    code = "TransactionInProgressException"
    message_member = "Message"
    retryable = True


class ThroughputExceededError(DynamoError):
    """Throttled: try again after a while."""

    code = "ProvisionedThroughputExceededException"
    retryable = True


class ThrottlingError(DynamoError):
    """Too many control-plane requests."""

    code = "ThrottlingException"
    namespace = _CORAL
    retryable = True


class TrimmedDataAccessError(DynamoError):
    """The stream position is older than what the stream keeps."""

    code = "TrimmedDataAccessException"


class ExpiredIteratorError(DynamoError):
    """A shard iterator is good for fifteen minutes."""

    code = "ExpiredIteratorException"


class InternalServerError(DynamoError):
    """Something failed here that is not the caller's doing."""

    code = "InternalServerError"
    status = 500
    retryable = True


class StorageFullError(InternalServerError):
    """The disk is full: nothing was written. Free space and try again."""


class StorageMissingError(InternalServerError):
    """The data file was deleted or replaced while in use: nothing was written. Put it back or restore a backup."""


class StorageCorruptError(InternalServerError):
    """The data file is damaged. Restore it from a copy or a backup."""
