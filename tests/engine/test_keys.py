"""Keys as bytes: they sort the way DynamoDB sorts, and come back as they were."""

from __future__ import annotations

from base64 import b64decode, b64encode
from decimal import Decimal
from hashlib import md5
from typing import Any
from zlib import crc32

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from partita.dynamo import numbers
from partita.engine import keys, rows
from partita.engine.definitions import Table
from partita.engine.spread import Spread
from tests.dynamo.strategies import decimals

_texts = st.text(st.sampled_from("\x00\x01aé\uffff😀\x7f"), max_size=6) | st.text(max_size=10)
_bytes = st.lists(st.sampled_from((0, 1, 127, 128, 254, 255)), max_size=6).map(bytes) | st.binary(max_size=10)


def _number(number: Decimal) -> dict[str, Any]:
    return {"N": numbers.canonical(str(number))}


def _binary(content: bytes) -> dict[str, Any]:
    return {"B": b64encode(content).decode()}


def _sign(left: Any, right: Any) -> int:
    return int(left > right) - int(left < right)


@given(decimals(), decimals())
def test_numbers_sort_by_value(left: Decimal, right: Decimal) -> None:
    assert _sign(keys.encode(_number(left)), keys.encode(_number(right))) == _sign(left, right)


@given(decimals(), st.integers(-(10**6), 10**6))
def test_neighbouring_numbers_sort_by_value(number: Decimal, step: int) -> None:
    """Numbers that share all but their last digits are where an encoding goes wrong."""
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    mantissa = int("".join(map(str, digits)))
    near = abs(mantissa + step)
    if len(str(near)) > 38 or len(str(near)) + exponent - 1 > 125 or (near and len(str(near)) + exponent - 1 < -130):
        return
    other = Decimal((sign, tuple(map(int, str(near))), exponent))
    assert _sign(keys.encode(_number(number)), keys.encode(_number(other))) == _sign(number, other)


def test_the_extremes_of_numbers_sort() -> None:
    most, least = Decimal("9" * 38 + "E88"), Decimal("1E-130")
    row = [most.copy_negate(), Decimal(-1), least.copy_negate(), Decimal(0), least, Decimal(1), most]
    assert sorted(row, key=lambda number: keys.encode(_number(number))) == row


@given(_texts, _texts)
def test_strings_sort_by_their_utf8_bytes(left: str, right: str) -> None:
    assert _sign(keys.encode({"S": left}), keys.encode({"S": right})) == _sign(left.encode(), right.encode())


@given(_bytes, _bytes)
def test_binary_sorts_by_unsigned_bytes(left: bytes, right: bytes) -> None:
    assert _sign(keys.encode(_binary(left)), keys.encode(_binary(right))) == _sign(left, right)


_key_values: st.SearchStrategy[dict[str, Any]] = st.one_of(
    decimals().map(_number), _texts.map(lambda text: {"S": text}), _bytes.map(_binary)
)


@given(st.lists(_key_values, min_size=1, max_size=4))
def test_values_in_a_row_come_back_one_by_one(row: list[dict[str, Any]]) -> None:
    data, position, found = b"".join(map(keys.encode, row)), 0, []
    for value in row:
        decoded, position = keys.decode(next(iter(value)), data, position)
        found.append(decoded)
    assert found == row
    assert position == len(data)


@given(_texts, _texts, decimals(), decimals())
def test_rows_of_values_sort_by_the_first_that_differs(a: str, b: str, m: Decimal, n: Decimal) -> None:
    left = keys.encode({"S": a}) + keys.encode(_number(m))
    right = keys.encode({"S": b}) + keys.encode(_number(n))
    assert _sign(left, right) == _sign((a.encode(), m), (b.encode(), n))


@given(_bytes, _bytes)
def test_a_prefix_bounds_exactly_what_starts_with_it(prefix: bytes, content: bytes) -> None:
    low = b"\x02base" + keys.encode_prefix(_binary(prefix))
    stored = b"\x02base" + keys.encode(_binary(content))
    assert (low <= stored < keys.successor(low)) == content.startswith(prefix)


@given(_texts, _texts)
def test_a_text_prefix_bounds_exactly_what_starts_with_it(prefix: str, content: str) -> None:
    low = b"\x02" + keys.encode_prefix({"S": prefix})
    stored = b"\x02" + keys.encode({"S": content})
    assert (low <= stored < keys.successor(low)) == content.startswith(prefix)


@given(st.binary(min_size=1, max_size=6), st.binary(max_size=8))
def test_the_successor_is_above_everything_that_starts_with_the_prefix(prefix: bytes, rest: bytes) -> None:
    assert prefix + rest < keys.successor(prefix)


@pytest.mark.parametrize("total", [1, 2, 3, 7, 1000, 999_983, 1_000_000])
def test_segments_follow_each_other_without_gap_and_overlap(total: int) -> None:
    assert keys.segment_bounds(0, total)[0] == bytes(4)
    for segment in {0, 1, total // 2, total - 2} & set(range(total - 1)):
        assert keys.segment_bounds(segment, total)[1] == keys.segment_bounds(segment + 1, total)[0]


@given(st.integers(1, 1_000_000), st.data())
def test_segments_divide_the_hash_space_evenly(total: int, data: st.DataObject) -> None:
    segment = data.draw(st.integers(0, total - 1))
    low, high = (int.from_bytes(bound[:4]) for bound in keys.segment_bounds(segment, total))
    assert abs((high - low) - 2**32 / total) <= 1


@given(_key_values, st.integers(1, 50), st.sampled_from(("crc32", "md5")))
def test_every_key_lies_in_exactly_one_segment(value: dict[str, Any], total: int, spread: Spread) -> None:
    stored = keys.partition([value], spread)
    bounds = [keys.segment_bounds(segment, total) for segment in range(total)]
    assert sum(low <= stored < high for low, high in bounds) == 1


def _with_hash_of_ones(start: bytes) -> bytes:
    """Binary that starts as given and whose encoded form has the CRC-32 0xFFFFFFFF: four bytes are chosen for it."""
    table = [_table_entry(byte) for byte in range(256)]
    high = {entry >> 24: byte for byte, entry in enumerate(table)}
    for filler in range(1, 256):
        head = start + bytes((filler,))
        # Undo the two closing zeros and four unknown bytes from the wanted end, then go forward from the head.
        register = 0
        for known in (0, 0):
            position = high[register >> 24]
            register = ((register ^ table[position]) << 8) | (position ^ known)
        forward = crc32(head) ^ 0xFFFFFFFF
        for _ in range(4):
            position = high[register >> 24]
            register = ((register ^ table[position]) << 8) | position
        middle = (register ^ forward).to_bytes(4, "little")
        if 0 not in middle:
            return head + middle
    raise AssertionError("no filler byte fits")


def _table_entry(byte: int) -> int:
    for _ in range(8):
        byte = (byte >> 1) ^ (0xEDB88320 if byte & 1 else 0)
    return byte


def test_a_key_at_the_very_end_of_the_hash_space_is_in_the_last_segment() -> None:
    content = _with_hash_of_ones(b"\xff" * 8)
    stored = keys.partition([_binary(content)], "crc32")
    assert stored[:4] == b"\xff" * 4
    low, high = keys.segment_bounds(0, 1)
    assert low <= stored < high


def test_the_size_of_a_key_is_that_of_its_value() -> None:
    assert keys.key_size({"S": "é"}) == 2
    assert keys.key_size({"B": "AAE="}) == len(b64decode("AAE="))
    assert keys.key_size({"N": "123"}) == 3


@pytest.mark.parametrize(
    ("number", "stored"),
    [
        ("0", "80"),
        ("1", "c102"),
        ("10", "c10b"),
        ("100", "c202"),
        ("123", "c20218"),
        ("0.5", "c033"),
        ("0.05", "c006"),
        ("-1", "3e6466"),
        ("-100.5", "3d64653366"),
    ],
)
def test_a_number_is_hashed_as_a_row_of_pairs_of_digits(number: str, stored: str) -> None:
    digest = md5(b"Outliers" + bytes.fromhex(stored)).digest()
    assert keys.partition([{"N": number}], "md5")[:4] == digest[:4]


def test_text_and_binary_are_hashed_as_they_are() -> None:
    for value, plain in (({"S": "é"}, "é".encode()), (_binary(b"\x00\xff"), b"\x00\xff")):
        assert keys.partition([value], "md5")[:4] == md5(b"Outliers" + plain).digest()[:4]


@given(st.text(min_size=1, max_size=300), _key_values.filter(any), st.sampled_from(("crc32", "md5")), st.booleans())
def test_a_short_text_is_stored_like_any_other_key(
    text: str, other: dict[str, Any], spread: Spread, wide: bool
) -> None:
    """Keys of short texts have a quicker way: it leads to the same place."""
    kind, content = next(iter(other.items()))
    assume(content != "")
    table = Table(
        id=1,
        uuid="",
        name="films",
        hash=("pk", "S"),
        range=("sk", kind) if wide else None,
        created=0.0,
        attributes=(),
        spread=spread,
    )
    key: dict[str, Any] = {"pk": {"S": text}} | ({"sk": other} if wide else {})
    stored = keys.partition([key["pk"]], spread) + (keys.encode(other) if wide else b"")
    assert rows.key_of_key(table, key) == rows.key_of_item(table, {**key, "more": {"S": ""}}) == stored
