"""A diff is exact: the old version and the changes make the new one, whatever the versions are."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from partita.kit.history import Field, Fields, Piece, Value, Version, applied, compare, word_diff
from partita.kit.history.changes import MOST_CHANGES, bounded
from partita.kit.history.words import sequence_diff

WORDS = st.lists(st.sampled_from(["sea", "see", "a", "Ö", " ", "  ", "\n", ".", "-", "=", "+3", "~"]), max_size=40)
TEXTS = st.one_of(WORDS.map("".join), st.text(max_size=60))
VALUES: st.SearchStrategy[Value] = st.one_of(
    st.none(), st.booleans(), st.integers(), TEXTS, st.lists(TEXTS, max_size=6).map(tuple)
)
VERSIONS: st.SearchStrategy[Version] = st.fixed_dictionaries(dict.fromkeys("abc", VALUES))


@given(TEXTS, TEXTS)
def test_what_stays_and_goes_is_the_old_text_and_what_stays_and_comes_the_new(old: str, new: str) -> None:
    pieces = word_diff(old, new)
    assert "".join(text for mark, text in pieces if mark in "=-") == old
    assert "".join(text for mark, text in pieces if mark in "=+") == new
    assert all(text for _, text in pieces)
    assert all(one.mark != other.mark for one, other in pairwise(pieces))


@given(st.lists(st.sampled_from("abcd"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12))
def test_a_list_changes_by_as_few_entries_as_possible(old: list[str], new: list[str]) -> None:
    pieces = sequence_diff(old, new)
    assert [text for mark, text in pieces if mark in "=-"] == old
    assert [text for mark, text in pieces if mark in "=+"] == new
    assert sum(mark == "=" for mark, _ in pieces) == _longest_common(old, new)


@given(VERSIONS, VERSIONS)
def test_the_changes_applied_to_the_old_version_give_the_new_one(old: Version, new: Version) -> None:
    after = applied(compare(old, new), old)
    assert after == new
    assert {name: type(value) for name, value in after.items()} == {name: type(value) for name, value in new.items()}


@given(VERSIONS)
def test_equal_versions_have_no_changes(version: Version) -> None:
    assert compare(version, dict(version)) == ()


@given(VERSIONS, VERSIONS, st.integers(1, 400))
def test_what_an_entry_keeps_is_exact_too_unless_it_says_that_it_was_too_much(
    old: Version, new: Version, times: int
) -> None:
    long_old, long_new = ({name: _longer(value, times) for name, value in each.items()} for each in (old, new))
    kept = bounded(compare(long_old, long_new))
    whole = [change for change in kept if not change.left_out]
    assert applied(whole, long_old) == {
        name: long_new[name] if any(change.name == name for change in whole) else value
        for name, value in long_old.items()
    }
    assert sum(len(piece) for change in kept for piece in change.pieces) <= 12_000


def test_an_entry_is_bounded_whatever_changed() -> None:
    old = {f"field {number}": "" for number in range(100)}
    kept = bounded(compare(old, dict.fromkeys(old, "word " * 5000)))
    assert len(kept) == MOST_CHANGES
    assert all(change.left_out and (change.before, change.after) == ("0", "25000") for change in kept)


def test_a_long_text_with_a_small_change_is_kept_with_what_is_around_the_change() -> None:
    around = "word " * 2000
    (change,) = bounded(compare({"a": f"{around}sea{around}"}, {"a": f"{around}see{around}"}))
    assert [mark for mark, _ in change.parts] == ["~", "=", "-", "+", "=", "~"]
    assert sum(map(len, change.pieces)) < 200


def test_texts_that_have_little_in_common_are_compared_quickly_and_exactly() -> None:
    old, new = " ".join(map(str, range(4000))), " ".join(map(str, range(4000, 0, -1)))
    pieces = word_diff(old, new)
    assert "".join(text for mark, text in pieces if mark in "=+") == new


def test_changes_read_as_people_say_them() -> None:
    fields = Fields(
        Field("title", "Title", "title"),
        Field("open", "Open to all", "open"),
        Field("kind", "Kind", "kind", choices={"ai": "Artificial intelligence", "map": "Maps"}),
        Field("tags", "Tags", "tags", choices={"x": "Ex"}),
        Field("due", "Due", "due", time=True),
    )
    old: Version = {"title": "Sea maps", "open": True, "kind": "ai", "tags": ("x", "y"), "due": "2026-01-26T10:30:00Z"}
    new: Version = {"title": "Sky maps", "open": False, "kind": "map", "tags": ("y", "x", "z"), "due": ""}
    title, is_open, kind, tags, due = fields.differences(old, new)
    assert (title.label, title.pieces) == ("Title", (Piece("-", "Sea"), Piece("+", "Sky"), Piece("=", " maps")))
    assert (is_open.label, is_open.before, is_open.after) == ("Open to all", "yes", "no")
    assert (kind.before, kind.after) == ("Artificial intelligence", "Maps")
    assert (tags.pieces, tags.moved) == ((Piece("+", "z"),), ("Ex",))
    assert (due.shape, due.before, due.after) == ("time", "2026-01-26T10:30:00Z", "")


def _longer(value: Value, times: int) -> Value:
    return value * times if isinstance(value, str | tuple) else value


def _longest_common(old: list[str], new: list[str]) -> int:
    row = [0] * (len(new) + 1)
    for one in old:
        before = list(row)
        for place, other in enumerate(new, 1):
            row[place] = before[place - 1] + 1 if one == other else max(before[place], row[place - 1])
    return row[-1]
