"""Where an engine is: the region and account in its ARNs, and what an ARN in a request may name."""

from __future__ import annotations

import re

from partita.dynamo.errors import AccessDeniedError, ResourceNotFoundError, ValidationError
from partita.dynamo.frozen import dataclass
from partita.engine.definitions import Stream

_NAME = re.compile("[a-zA-Z0-9_.-]+")
_PARTITION = "aws"
_INVALID = "One or more parameter values were invalid: "


@dataclass(frozen=True, slots=True)
class Place:
    """The region and account in ARNs, and the endpoint of the engine's server."""

    region: str = "us-east-1"
    account: str = "000000000000"
    endpoint: str = "127.0.0.1:8000"

    def table_arn(self, name: str) -> str:
        return f"arn:aws:dynamodb:{self.region}:{self.account}:table/{name}"

    def stream_arn(self, table: str, stream: Stream) -> str:
        return f"{self.table_arn(table)}/stream/{stream.label}"

    def table_name(self, text: str) -> str:
        """The name of a table, given by its name or by its ARN; an ARN of anything else is refused."""
        if text.startswith("arn:"):
            partition, service, region, account, resource = _parts(text)
            kind, _, name = resource.partition("/")
            for what, right in (
                ("AWS partition", partition == _PARTITION),
                ("AWS service", service == "dynamodb"),
                ("AWS region", region == self.region),
                ("AWS account", account == self.account),
                ("resource type", kind == "table"),
                ("table", _NAME.fullmatch(name)),
            ):
                if not right:
                    raise ValidationError(f"1 validation error detected: Invalid {what} in '{text}'")
            text = name
        if not 3 <= len(text) <= 255:
            raise ValidationError("TableName must be at least 3 characters long and at most 255 characters long")
        return text

    def tagged_table(self, arn: str, operation: str) -> str:
        """The name of the table that an operation on tags or policies means: by its ARN or that of its stream."""
        if not arn.startswith("arn:"):
            raise ValidationError(f"{_INVALID}ARNs must start with 'arn:': {arn}")
        partition, service, region, account, resource = _parts(arn)
        if service != "dynamodb":
            raise ValidationError(f"{_INVALID}Provided Arn is not a DynamoDB resource arn: {arn}")
        kind, _, rest = resource.partition("/")
        name, _, below = rest.partition("/")
        if kind != "table" or (below and not below.startswith("stream/")):
            raise ValidationError(
                f"{_INVALID}Invalid resource arn provided, only table or stream is accepted. "
                f"Provided resource arn: {arn}"
            )
        if (partition, region) != (_PARTITION, self.region):
            if operation.endswith("ResourcePolicy"):
                raise ValidationError(f"{_INVALID}Invalid resource Arn: {arn}")
            raise ValidationError(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
        if account != self.account:
            raise AccessDeniedError(f"Not authorized to perform: dynamodb:{operation} on resource: {arn}")
        return name

    def stream_of(self, arn: str) -> tuple[str, str]:
        """The table's name and the label in the ARN of a stream; refuses what is no ARN of one."""
        partition, service, region, account, resource = _parts(arn)
        kind, _, rest = resource.partition("/")
        name, _, label = rest.partition("/stream/")
        known = arn.startswith("arn:") and (partition, service, kind) == (_PARTITION, "dynamodb", "table")
        if not known or not name or not label:
            raise ValidationError(f"Invalid StreamArn: {arn}")
        if (region, account) != (self.region, self.account):
            raise ResourceNotFoundError(f"Requested resource not found: Stream: {arn} not found")
        return name, label

    def check_arn_of(self, kind: str, arn: str) -> str:
        """The ARN of a backup, an export or an import, if it has the form of one."""
        partition, service, _, _, resource = _parts(arn)
        what, _, rest = resource.partition("/")
        name, _, number = rest.partition(f"/{kind}/")
        known = arn.startswith("arn:") and (partition, service, what) == (_PARTITION, "dynamodb", "table")
        if not known or not name or not number:
            raise ValidationError(f"Invalid {kind.title()} ARN")
        return arn


def _parts(arn: str) -> tuple[str, str, str, str, str]:
    """Partition, service, region, account and resource; empty where there is nothing."""
    _, partition, service, region, account, resource = (*arn.split(":", 5), "", "", "", "", "")[:6]
    return partition, service, region, account, resource
