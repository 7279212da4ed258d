"""How partitions are spread: the four bytes of hash that a stored key begins with.

DynamoDB hashes the bytes of a partition key with MD5, after a word of its own; so does every new table, and its scans
come back in DynamoDB's order. Tables of older versions are spread by CRC-32 and stay so.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Sequence
from typing import Any, Literal
from zlib import crc32

from partita.dynamo import numbers
from partita.dynamo.values import AttributeValue

try:  # Python's own takes a fifth of the time of OpenSSL's for a few bytes
    from _md5 import md5 as _md5  # type: ignore[import-not-found]
except ImportError:  # pragma: no cover
    from hashlib import md5 as _md5

Spread = Literal["crc32", "md5"]
HASH_BYTES = 4
md5: Callable[[bytes], Any] = _md5


def hashed(values: Sequence[AttributeValue], encoded: bytes, spread: Spread) -> bytes:
    """The hash of partition key values, which are also given as they are stored."""
    if spread == "crc32":
        return crc32(encoded).to_bytes(HASH_BYTES)
    digest: bytes = md5(b"Outliers" + b"".join(map(_plain, values))).digest()
    return digest[:HASH_BYTES]


def hashed_text(plain: bytes, encoded: bytes, spread: Spread) -> bytes:
    """The same for one text."""
    if spread == "crc32":
        return crc32(encoded).to_bytes(HASH_BYTES)
    digest: bytes = md5(b"Outliers" + plain).digest()
    return digest[:HASH_BYTES]


def _plain(value: AttributeValue) -> bytes:
    text = value.get("S")
    if text is not None:
        return bytes(text.encode())
    return _number(value["N"]) if "N" in value else b64decode(value["B"])


def _number(text: str) -> bytes:
    """A number as Oracle's databases keep it, and DynamoDB: an exponent of 100, then its digits in pairs."""
    negative, digits, exponent = numbers.decompose(text)
    if not digits:
        return b"\x80"
    if exponent % 2 == 0:  # pairs stand to the left and right of the decimal point
        digits = "0" + digits
    if len(digits) % 2:
        digits += "0"
    first = exponent // 2 + 193
    pairs = [int(digits[position : position + 2]) for position in range(0, len(digits), 2)]
    if not negative:
        return bytes((first, *(pair + 1 for pair in pairs)))
    end = (102,) if len(pairs) < 20 else ()
    return bytes((255 - first, *(101 - pair for pair in pairs), *end))
