"""Cursors of lists that no single query answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.cursors import seal, unseal
from partita.table import CursorKeys, InvalidCursorError

KEYS = CursorKeys(b"k" * 32)
PLACES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(PLACES, st.lists(st.text(), max_size=3))
def test_a_place_comes_back_from_its_cursor(place: object, tags: list[str]) -> None:
    assert unseal(KEYS, ["tagged", tags], seal(KEYS, ["tagged", tags], place)) == place


def test_a_cursor_goes_on_in_its_own_list_only() -> None:
    cursor = seal(KEYS, ["tagged", "and", ["maps"]], {"after": "7"})
    with pytest.raises(InvalidCursorError, match="another list"):
        unseal(KEYS, ["tagged", "or", ["maps"]], cursor)


def test_an_altered_cursor_is_refused_at_every_place() -> None:
    cursor = seal(KEYS, "list", {"after": "7"})
    for place, letter in enumerate(cursor):
        altered = cursor[:place] + ("A" if letter != "A" else "B") + cursor[place + 1 :]
        with pytest.raises(InvalidCursorError):
            unseal(KEYS, "list", altered)
    for wrong in ("", "é", "x", "A" * 9000, cursor + "="):
        with pytest.raises(InvalidCursorError):
            unseal(KEYS, "list", wrong)


def test_an_old_key_still_opens_what_it_sealed() -> None:
    cursor = seal(KEYS, "list", 1)
    assert unseal(CursorKeys(b"n" * 32, b"k" * 32), "list", cursor) == 1
    with pytest.raises(InvalidCursorError):
        unseal(CursorKeys(b"n" * 32), "list", cursor)
