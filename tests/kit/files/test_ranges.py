"""Byte ranges: any range of any file is the slice that the RFC says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.files.ranges import RangeNotSatisfiable, Slice, is_known, same_file, slice_of

_NUMBERS = st.integers(0, 300) | st.integers(0, 10**17)


def _taken(header: str, content: bytes) -> bytes | None:
    """The bytes of a range; None if it begins after the end."""
    try:
        part = slice_of(header, len(content))
    except RangeNotSatisfiable:
        return None
    return content if part is None else content[part.start : part.start + part.length]


@given(st.binary(max_size=200), _NUMBERS, _NUMBERS)
def test_a_range_from_here_to_there_is_the_slice(content: bytes, first: int, last: int) -> None:
    found = _taken(f"bytes={first}-{last}", content)
    if last < first:
        assert found == content  # no range at all
    elif first >= len(content):
        assert found is None
    else:
        assert found == content[first : last + 1]


@given(st.binary(max_size=200), _NUMBERS)
def test_a_range_without_an_end_is_the_rest_and_one_without_a_start_the_last_bytes(content: bytes, number: int) -> None:
    assert _taken(f"bytes={number}-", content) == (content[number:] if number < len(content) else None)
    assert _taken(f"bytes=-{number}", content) == (content[max(0, len(content) - number) :] if number else None)


@given(st.integers(1, 10**12), _NUMBERS, _NUMBERS)
def test_what_is_said_of_a_part_is_what_it_is(size: int, first: int, last: int) -> None:
    header = f"bytes={first}-{last}"
    if size <= first <= last:
        with pytest.raises(RangeNotSatisfiable) as refused:
            slice_of(header, size)
        assert refused.value.headers == {"Content-Range": f"bytes */{size}"}
        return
    part = slice_of(header, size)
    if part is not None:
        assert 0 <= part.start < part.start + part.length <= size
        assert part.content_range(size) == f"bytes {first}-{min(last, size - 1)}/{size}"


@pytest.mark.parametrize(
    "header",
    [None, "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=1-2,4-5", "lines=1-2", "bytes=1-2x", "bytes=-1-2"],
)
def test_what_is_no_single_range_is_answered_with_the_whole_file(header: str | None) -> None:
    assert slice_of(header, 10) is None


@given(st.text(max_size=40))
def test_whatever_a_header_holds_it_is_a_part_of_the_file_or_refused(header: str) -> None:
    try:
        part = slice_of(header, 100)
    except RangeNotSatisfiable:
        return
    assert part is None or part == Slice(part.start, part.length)


def test_a_range_is_answered_only_of_the_file_that_was_begun() -> None:
    assert same_file(None, "a")
    assert same_file('"a"', "a")
    for other in ('"b"', 'W/"a"', "a", "Wed, 21 Oct 2026 07:28:00 GMT"):
        assert not same_file(other, "a")


def test_who_has_the_file_names_it_among_others_or_weakly() -> None:
    for known in ('"a"', '"b", "a"', 'W/"a"', "*", '"x,y","a"'):
        assert is_known(known, "a")
    for other in (None, "", "a", '"aa"', '"b"'):
        assert not is_known(other, "a")
