"""NextToken: where the next page of a statement begins."""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode

import orjson

from partita.dynamo.errors import DynamoError, ValidationError
from partita.dynamo.frozen import dataclass
from partita.dynamo.values import Item, checked_item


@dataclass(frozen=True, slots=True)
class Position:
    """After which key of which stretch to go on; without a key, at the stretch's beginning."""

    stretch: int
    after: Item | None


def written(position: Position, digest: str) -> str:
    """The token of a position, bound to its statement and parameters."""
    return urlsafe_b64encode(orjson.dumps([digest, position.stretch, position.after])).decode()


def read(token: str, digest: str) -> Position:
    """The position of a token, if it is one of this statement."""
    try:
        bound, stretch, after = orjson.loads(urlsafe_b64decode(token))
        whole = type(stretch) is int and stretch >= 0 and isinstance(bound, str)
        position = Position(stretch, None if after is None else checked_item(after))
    except (binascii.Error, ValueError, TypeError, DynamoError):
        raise invalid() from None
    if not whole:
        raise invalid()
    if bound != digest:
        raise ValidationError("NextToken does not match request")
    return position


def invalid() -> ValidationError:
    """A token that is none."""
    return ValidationError("Invalid NextToken")
