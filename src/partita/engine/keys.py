"""Keys as bytes that sort the way DynamoDB sorts: strings by UTF-8, numbers by value, binary by bytes.

A stored key starts with four bytes of hash of its partition key, as DynamoDB spreads partitions: scans come back in
hash order and parallel segments are stretches of the hash (see `spread`). Every part ends itself, so parts can stand
in a row.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Sequence

from partita.dynamo import numbers
from partita.dynamo.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from partita.dynamo.values import AttributeValue, Item, type_of
from partita.engine.spread import HASH_BYTES, Spread, hashed, hashed_text, md5

HASH_SPACE = 1 << (8 * HASH_BYTES)
PARTS = 4
"""How many parts of the hash space a table on demand begins with on AWS."""
END = b"\x00\x00"
_ESCAPED_ZERO = b"\x00\xff"

_SHORT = SORT_KEY_BYTES // 4  # characters have up to four bytes

_NEGATIVE, _ZERO, _POSITIVE = 1, 2, 3


def partition(values: Sequence[AttributeValue], spread: Spread) -> bytes:
    """The start of a stored key: the hash of the partition key values, then the values."""
    encoded = b"".join(map(encode, values))
    return hashed(values, encoded, spread) + encoded


def partition_of_text(plain: bytes, spread: Spread) -> bytes:
    """The same for one text, without zeros, in UTF-8."""
    encoded = plain + END
    return hashed_text(plain, encoded, spread) + encoded


def short_text(attribute: tuple[str, str], item: Item) -> bytes | None:
    """A key attribute that is text, not empty, without zeros, and surely short enough; None if it is anything else."""
    value = item.get(attribute[0])
    if value is None or attribute[1] != "S" or len(value) != 1:
        return None
    text = value.get("S")
    if not text or len(text) > _SHORT or "\x00" in text:
        return None
    plain: bytes = text.encode()
    return plain


def of_texts(first: tuple[str, str], second: tuple[str, str] | None, item: Item, spread: Spread) -> bytes | None:
    """The stored key of an item whose key is short text, as nearly all are; None of any other, which may be wrong."""
    start = short_text(first, item)
    if start is None:
        return None
    if second is None:
        return partition_of_text(start, spread)
    end = short_text(second, item)
    if end is None:
        return None
    if spread == "md5":  # in one expression: it is made for every request
        digest: bytes = md5(b"Outliers" + start).digest()
        return digest[:HASH_BYTES] + start + END + end + END
    return partition_of_text(start, spread) + end + END


def encode(value: AttributeValue) -> bytes:
    """One key value, self-delimiting and order-preserving within its type."""
    text = value.get("S")
    if text is not None:
        return _escape(text.encode()) + END
    if "N" in value:
        return encode_number(value["N"])
    return _escape(b64decode(value["B"])) + END


def encode_prefix(value: AttributeValue) -> bytes:
    """The bytes that start every key value with this prefix."""
    text = value.get("S")
    return _escape(text.encode() if text is not None else b64decode(value["B"]))


def decode(kind: str, data: bytes, position: int) -> tuple[AttributeValue, int]:
    """The value that starts at a position, and where the next one starts."""
    if kind == "N":
        return _decode_number(data, position)
    end = position
    while True:
        end = data.index(b"\x00", end)
        if data[end + 1] == 0:
            break
        end += 2
    raw = data[position:end].replace(_ESCAPED_ZERO, b"\x00")
    return ({"S": raw.decode()} if kind == "S" else {"B": b64encode(raw).decode()}), end + 2


def successor(prefix: bytes) -> bytes:
    """The smallest bytes above everything with this prefix."""
    stripped = prefix.rstrip(b"\xff")
    if not stripped:
        return b"\xff" * (HASH_BYTES + PARTITION_KEY_BYTES + 1)  # longer than any run of ones a key can hold
    return stripped[:-1] + bytes((stripped[-1] + 1,))


def segment_bounds(segment: int, total: int) -> tuple[bytes, bytes]:
    """The range of the hash space of one of `total` parallel segments."""
    first = HASH_SPACE * segment // total
    after = HASH_SPACE * (segment + 1) // total
    low = first.to_bytes(HASH_BYTES)
    return low, after.to_bytes(HASH_BYTES) if after < HASH_SPACE else b"\xff" * (HASH_BYTES + PARTITION_KEY_BYTES + 1)


def part_of(stored: bytes) -> int:
    """Which part of the hash space a stored key lies in."""
    return int.from_bytes(stored[:HASH_BYTES]) * PARTS // HASH_SPACE


def last_part_below(bound: bytes) -> int:
    """The last part of the hash space that has keys below a bound."""
    return max(0, int.from_bytes(bound[:HASH_BYTES]) - (len(bound) <= HASH_BYTES)) * PARTS // HASH_SPACE


def key_size(value: AttributeValue) -> int:
    """Bytes of a key value for the 2048 and 1024 byte limits."""
    kind = type_of(value)
    if kind == "S":
        return len(value["S"].encode())
    return numbers.size(value["N"]) if kind == "N" else len(b64decode(value["B"]))


def encode_number(text: str) -> bytes:
    """Sign, exponent, then two digits per byte; negative numbers are inverted so that they sort correctly."""
    negative, digits, exponent = numbers.decompose(text)
    if not digits:
        return bytes((_ZERO,))
    if len(digits) % 2:
        digits += "0"
    shifted = exponent - numbers.LOWEST_EXPONENT
    pairs = [int(digits[position : position + 2]) + 1 for position in range(0, len(digits), 2)]
    if negative:
        return bytes((_NEGATIVE, 255 - shifted, *(101 - pair for pair in pairs), 255))
    return bytes((_POSITIVE, shifted, *pairs, 0))


def _decode_number(data: bytes, position: int) -> tuple[AttributeValue, int]:
    sign = data[position]
    if sign == _ZERO:
        return {"N": "0"}, position + 1
    end = data.index(b"\x00" if sign == _POSITIVE else b"\xff", position + 2)
    body = data[position + 2 : end]
    if sign == _POSITIVE:
        shifted, pairs = data[position + 1], [byte - 1 for byte in body]
    else:
        shifted, pairs = 255 - data[position + 1], [100 - byte for byte in body]
    digits = "".join(f"{pair:02d}" for pair in pairs)
    exponent = shifted + numbers.LOWEST_EXPONENT - len(digits) + 1
    return {"N": numbers.canonical(f"{'-' if sign == _NEGATIVE else ''}{digits}e{exponent}")}, end + 1


def _escape(raw: bytes) -> bytes:
    return raw.replace(b"\x00", _ESCAPED_ZERO) if b"\x00" in raw else raw
