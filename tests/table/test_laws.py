"""Laws of reading and writing: no update leaves a stale key, pages add up to the list, a cursor belongs to its list."""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import (
    Action,
    Condition,
    CursorKeys,
    Delete,
    InvalidCursorError,
    Put,
    Query,
    StaleKeyError,
    Update,
    all_of,
    any_of,
    not_,
)
from tests.table.forum import BY_PLACE, BY_STARS, BY_STATE, FEED, FORUM, Member, Post, Reply, posts_of


@contextmanager
def _store(cursors: CursorKeys | None = None) -> Iterator[EmbeddedStore]:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine, cursors)
        store.create(FORUM)
        yield store


# -- updates


@st.composite
def _post_actions(draw: st.DrawFn) -> list[Action]:
    """Any change of any fields that keys are made of: set, set to nothing, removed."""
    state: Literal["draft", "public"] | None = draw(st.sampled_from(["draft", "public", None]))
    choices = [
        st.just(Post.state.set(state)),
        st.just(Post.state.remove()),
        st.just(Post.posted_at.set(draw(st.sampled_from(["2026-01-01", "2026-02-02"])))),
        st.just(Post.posted_at.remove()),
        st.just(Post.stars.set(draw(st.none() | st.integers(1, 5)))),
        st.just(Post.feed.set(draw(st.sampled_from(["all", "some", None])))),
        st.just(Post.feed.remove()),
        st.just(Post.text.set(draw(st.sampled_from(["", "x"])))),
    ]
    actions = draw(st.lists(st.one_of(*choices), min_size=1, max_size=5, unique_by=lambda action: action.field))
    return list(actions)


@st.composite
def _member_actions(draw: st.DrawFn) -> list[Action]:
    words = st.none() | st.sampled_from(["NL", "Delft", "Markt"])
    choices = [
        st.just(Member.country.set(draw(words))),
        st.just(Member.city.set(draw(words))),
        st.just(Member.street.set(draw(words))),
        st.just(Member.house.set(draw(st.none() | st.integers(1, 3)))),
        st.just(Member.house.add(1)),
    ]
    actions = draw(st.lists(st.one_of(*choices), min_size=1, max_size=4, unique_by=lambda action: action.field))
    return list(actions)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.booleans(), _post_actions()), min_size=1, max_size=6))
def test_an_update_is_refused_or_leaves_every_key_as_a_put_would(changes: list[tuple[bool, list[Action]]]) -> None:
    with _store() as store:
        store.write(Put(Post(member_id="ada", post_id="1")))
        for knowing, actions in changes:
            before = _stored(store)
            update = Update(before.own_key, *actions)
            if knowing:
                changed = {action.field for action in actions}
                known = (Post.state(before.state), Post.posted_at(before.posted_at), Post.feed(before.feed))
                update = update.knowing(*(each for each in known if each.field not in changed))
            try:
                store.write(update)
            except StaleKeyError:
                # A removed date would read as its default, which the feed could not find: refused whatever is known.
                assert not knowing or any(action.field == "posted_at" and action.value is None for action in actions)
                assert _stored(store) == before
            _check_lists(store, _stored(store))


@settings(max_examples=20, deadline=None)
@given(st.lists(_member_actions(), min_size=1, max_size=5))
def test_an_item_is_in_an_index_of_several_attributes_while_it_has_them_all(changes: list[list[Action]]) -> None:
    with _store() as store:
        key = Member.key(Member.member_id("ada"))
        store.write(Put(Member(member_id="ada", name="Ada")))
        for actions in changes:
            after = store.update(Update(key, *actions))
            assert _row(store, Member.key(Member.member_id("ada")).wire) == after.to_row()
            places = [
                Member.query(BY_PLACE, Member.country(country), Member.city(city))
                for country in ("NL", "Delft", "Markt")
                for city in ("NL", "Delft", "Markt")
            ]
            found = [member for query in places for member in store.stream(query)]
            whole = None not in (after.country, after.city, after.street, after.house)
            assert found == ([after] if whole else [])


def _row(store: EmbeddedStore, key: Any) -> Any:
    return store.engine.call("GetItem", {"TableName": "forum", "Key": key})["Item"]


def _stored(store: EmbeddedStore) -> Post:
    row = _row(store, Post.key(Post.member_id("ada"), Post.post_id("1")).wire)
    found = Post.from_row(row)
    assert row == found.to_row(), "a key that was left behind would differ"
    return found


def _check_lists(store: EmbeddedStore, post: Post) -> None:
    """The post is in exactly the lists it belongs to."""
    for stars in range(1, 6):
        assert list(store.stream(Post.query(BY_STARS, Post.stars(stars)))) == ([post] if post.stars == stars else [])
    for feed in ("all", "some"):
        assert list(store.stream(Post.query(FEED, Post.feed(feed)))) == ([post] if post.feed == feed else [])
    for state in ("draft", "public"):
        assert list(store.stream(Post.query(BY_STATE, Post.state(state)))) == ([post] if post.state == state else [])


# -- pages

Filter: TypeAlias = tuple[Condition[Post], Callable[[Post], bool]]


def _simple() -> st.SearchStrategy[Filter]:
    return st.one_of(
        st.integers(1, 5).map(lambda n: (Post.stars >= n, lambda post: post.stars is not None and post.stars >= n)),
        st.integers(1, 5).map(lambda n: (Post.stars.equals(n), lambda post: post.stars == n)),
        st.just((Post.stars.missing(), lambda post: post.stars is None)),
        st.sampled_from("ab").map(lambda text: (Post.text.contains(text), lambda post: text in post.text)),
        st.sampled_from("ab").map(lambda text: (Post.text.begins_with(text), lambda post: post.text.startswith(text))),
        st.just((Post.tags.contains("t"), lambda post: "t" in post.tags)),
    )


filters: st.SearchStrategy[Filter] = st.recursive(
    _simple(),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda both: (all_of(both[0][0], both[1][0]), _both(both[0][1], both[1][1], all))),
        st.tuples(inner, inner).map(lambda both: (any_of(both[0][0], both[1][0]), _both(both[0][1], both[1][1], any))),
        inner.map(lambda one: (not_(one[0]), lambda post: not one[1](post))),
    ),
    max_leaves=4,
)


def _both(
    left: Callable[[Post], bool], right: Callable[[Post], bool], how: Callable[[Any], bool]
) -> Callable[[Post], bool]:
    return lambda post: how([left(post), right(post)])


def _posts(member: str, numbers: st.SearchStrategy[int]) -> st.SearchStrategy[list[Post]]:
    one = st.builds(
        Post,
        member_id=st.just(member),
        post_id=numbers.map("{:03d}".format),
        text=st.text("ab", max_size=3),
        stars=st.none() | st.integers(1, 5),
        tags=st.sampled_from([frozenset[str](), frozenset({"t"})]),
        posted_at=st.sampled_from(["1", "2", "3"]),
        feed=st.sampled_from(["all", "all", None]),
    )
    return st.lists(one, max_size=30, unique_by=lambda post: post.post_id)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), limit=st.integers(1, 7), page_size=st.none() | st.integers(1, 7), forward=st.booleans())
def test_pages_add_up_to_the_list_under_any_filter_while_others_write(
    data: st.DataObject, limit: int, page_size: int | None, forward: bool
) -> None:
    """Even numbers stay; odd ones, replies and other members' posts come and go between the pages."""
    staying = data.draw(_posts("ada", st.integers(0, 60).map(lambda number: number * 2)), "staying")
    condition, holds = data.draw(filters, "filter")
    most_calls = data.draw(st.sampled_from([1, 2, 50]), "most calls")
    with _store() as store:
        store.batch_write(map(Put, staying))
        query = posts_of("ada").where(condition)
        query = query if forward else query.newest_first()
        found: list[Post] = []
        cursor: str | None = None
        while True:
            page = store.page(query, limit=limit, after=cursor, page_size=page_size, most_calls=most_calls)
            found += page
            if page.next_cursor is None:
                break
            assert len(page) == limit or most_calls < 50
            assert page.next_cursor != cursor, "every call gets further"
            cursor = page.next_cursor
            _disturb(store, data)
    order = [post.post_id for post in found]
    assert order == sorted(set(order), reverse=not forward), "in order, and nothing twice"
    assert all(map(holds, found))
    expected = sorted((post for post in staying if holds(post)), key=lambda post: post.post_id, reverse=not forward)
    assert [post for post in found if int(post.post_id) % 2 == 0] == expected


def _disturb(store: EmbeddedStore, data: st.DataObject) -> None:
    odd = st.integers(0, 60).map(lambda number: number * 2 + 1)
    for post in data.draw(_posts("ada", odd), "come")[:4]:
        store.write(Put(post))
    for number in data.draw(st.lists(odd, max_size=3), "go"):
        store.write(Delete(Post.key(Post.member_id("ada"), Post.post_id(f"{number:03d}"))))
    for number in data.draw(st.lists(st.integers(0, 120), max_size=3), "replies"):
        store.write(Put(Reply(member_id="ada", post_id=f"{number:03d}", number=1)))
    for post in data.draw(_posts("bob", st.integers(0, 60)), "elsewhere")[:3]:
        store.write(Put(post))


@settings(max_examples=30, deadline=None)
@given(
    posts=_posts("ada", st.integers(0, 99)),
    filtered=filters,
    limit=st.integers(1, 6),
    page_size=st.none() | st.integers(1, 6),
    forward=st.booleans(),
)
def test_pages_of_a_spread_list_add_up_too(
    posts: list[Post], filtered: Filter, limit: int, page_size: int | None, forward: bool
) -> None:
    condition, holds = filtered
    with _store() as store:
        store.batch_write(map(Put, posts))
        query = Post.query(FEED, Post.feed("all")).where(condition)
        query = query if forward else query.newest_first()
        found: list[Post] = []
        cursor: str | None = None
        while True:
            page = store.page(query, limit=limit, after=cursor, page_size=page_size)
            found += page
            cursor = page.next_cursor
            if cursor is None:
                break
            assert len(page) == limit
            store.write(Put(Post(member_id="eve", post_id=secrets.token_hex(4), feed="some")))
    moments = [post.posted_at for post in found]
    assert moments == sorted(moments, reverse=not forward)
    expected = {post.post_id: post for post in posts if post.feed == "all" and holds(post)}
    assert {post.post_id: post for post in found} == expected
    assert len(found) == len(expected)


# -- cursors

LISTS: list[Query[Any]] = [
    posts_of("ada"),
    posts_of("ada").newest_first(),
    posts_of("ada").where(Post.stars > 1),
    posts_of("ada").where(Post.stars > 2),
    posts_of("ada").at_least(Post.post_id("000")),
    posts_of("bob"),
    Reply.query(Reply.member_id("ada")),
    Post.query(BY_STARS, Post.stars(5)),
    Post.query(BY_STARS, Post.stars(4)),
    Post.query(BY_STATE, Post.state("draft")),
    Post.query(FEED, Post.feed("all")),
    Post.query(FEED, Post.feed("all")).newest_first(),
]
KEYS = CursorKeys(b"k" * 32)


@pytest.fixture(scope="module")
def filled() -> Iterator[EmbeddedStore]:
    with _store(KEYS) as store:
        for member in ("ada", "bob"):
            posts = [Post(member_id=member, post_id=f"{n:03d}", stars=4 + n % 2, feed="all") for n in range(12)]
            store.batch_write(map(Put, posts))
            store.batch_write(Put(Reply(member_id=member, post_id=f"{n:03d}", number=1)) for n in range(12))
        yield store


def _cursor(store: EmbeddedStore, query: Query[Any]) -> str:
    cursor = store.page(query, limit=2).next_cursor
    assert cursor is not None
    return cursor


@pytest.mark.parametrize("mine", range(len(LISTS)))
def test_a_cursor_opens_its_own_list_and_no_other(filled: EmbeddedStore, mine: int) -> None:
    cursor = _cursor(filled, LISTS[mine])
    for number, query in enumerate(LISTS):
        if number == mine:
            assert len(filled.page(query, limit=1, after=cursor)) == 1
        else:
            with pytest.raises(InvalidCursorError):
                filled.page(query, after=cursor)


@settings(deadline=None)
@given(data=st.data())
def test_no_other_bytes_are_a_cursor(filled: EmbeddedStore, data: st.DataObject) -> None:
    query = data.draw(st.sampled_from(LISTS))
    cursor = _cursor(filled, query)
    raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, len(raw)))
    altered = raw[:start] + data.draw(st.binary(max_size=6)) + raw[end:]
    assume(altered != raw)
    with pytest.raises(InvalidCursorError):
        filled.page(query, after=urlsafe_b64encode(altered).decode().rstrip("="))


@settings(deadline=None)
@given(st.text(max_size=60))
def test_no_text_at_all_is_a_cursor_or_another_error(filled: EmbeddedStore, text: str) -> None:
    with pytest.raises(InvalidCursorError):
        filled.page(posts_of("ada"), after=text)


def test_a_cursor_outlives_a_change_of_keys_but_not_their_removal(filled: EmbeddedStore) -> None:
    cursor = _cursor(filled, posts_of("ada"))
    turned = EmbeddedStore(filled.engine, CursorKeys(b"n" * 32, *KEYS.keys))
    assert len(turned.page(posts_of("ada"), limit=1, after=cursor)) == 1
    renewed = EmbeddedStore(filled.engine, CursorKeys(b"n" * 32))
    with pytest.raises(InvalidCursorError):
        renewed.page(posts_of("ada"), after=cursor)
    fresh = turned.page(posts_of("ada"), limit=2).next_cursor
    assert len(renewed.page(posts_of("ada"), limit=1, after=fresh)) == 1
