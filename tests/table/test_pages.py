"""Pages fill, cursors belong to their list, shards merge in order."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.engine import Engine, FaultPlan
from partita.store import EmbeddedStore, Observation
from partita.table import InvalidCursorError, Put, Query, collection, projected
from tests.table.forum import BY_PLACE, BY_STARS, FEED, FORUM, Member, Post, Reply, posts_of


def _all(store: EmbeddedStore, query: Query[Post], limit: int, page_size: int | None = None) -> list[Post]:
    found: list[Post] = []
    cursor = None
    while True:
        page = store.page(query, limit=limit, after=cursor, page_size=page_size)
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            return found
        assert len(page) == limit, "a page is full unless the list ends"


@settings(max_examples=40, deadline=None)
@given(
    posts=st.lists(st.tuples(st.integers(0, 60), st.integers(1, 5)), unique_by=lambda post: post[0]),
    replies=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 3)), unique=True),
    limit=st.integers(1, 9),
    page_size=st.none() | st.integers(1, 9),
    least=st.integers(1, 5),
    forward=st.booleans(),
)
def test_pages_put_together_are_the_whole_list_whatever_is_filtered(
    posts: list[tuple[int, int]],
    replies: list[tuple[int, int]],
    limit: int,
    page_size: int | None,
    least: int,
    forward: bool,
) -> None:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine)
        store.create(FORUM)
        mine = [Post(member_id="ada", post_id=f"{number:02d}", stars=stars) for number, stars in posts]
        store.batch_write(Put(post) for post in mine)
        store.batch_write(Put(Reply(member_id="ada", post_id=f"{post:02d}", number=at)) for post, at in replies)
        store.write(Put(Post(member_id="bob", post_id="00", stars=5)))
        query = posts_of("ada").where(Post.stars >= least)
        wanted = sorted((post for post in mine if (post.stars or 0) >= least), key=lambda post: post.post_id)
        if not forward:
            query, wanted = query.newest_first(), wanted[::-1]
        assert _all(store, query, limit, page_size) == wanted


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=40), st.integers(1, 7), st.booleans())
def test_a_sharded_list_comes_back_in_one_order(moments: list[int], limit: int, forward: bool) -> None:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine)
        store.create(FORUM)
        for number, moment in enumerate(moments):
            store.write(Put(Post(member_id="ada", post_id=str(number), posted_at=f"{moment:02d}", feed="all")))
        query = Post.query(FEED, Post.feed("all"))
        query = query if forward else query.newest_first()
        found = _all(store, query, limit)
        assert [post.posted_at for post in found] == sorted((f"{m:02d}" for m in moments), reverse=not forward)
        assert len({post.post_id for post in found}) == len(moments)
        assert {post.feed for post in found} == {"all"}


def _filled(store: EmbeddedStore, count: int = 12) -> None:
    store.batch_write(Put(Post(member_id="ada", post_id=f"{number:02d}", stars=5)) for number in range(count))


def test_items_that_come_while_reading_do_not_disturb_the_rest(store: EmbeddedStore) -> None:
    _filled(store)
    first = store.page(posts_of("ada"), limit=5)
    store.write(Put(Post(member_id="ada", post_id="00a")))
    second = store.page(posts_of("ada"), limit=50, after=first.next_cursor)
    assert [post.post_id for post in (*first, *second)] == [f"{number:02d}" for number in range(12)]


@settings(deadline=None)
@given(position=st.integers(0, 400), letter=st.sampled_from("Ab0_-"))
def test_an_altered_cursor_is_refused(position: int, letter: str) -> None:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine)
        store.create(FORUM)
        _filled(store)
        cursor = store.page(posts_of("ada"), limit=5).next_cursor
        assert cursor is not None
        at = position % len(cursor)
        altered = cursor[:at] + letter + cursor[at + 1 :]
        if altered != cursor:
            with pytest.raises(InvalidCursorError):
                store.page(posts_of("ada"), limit=5, after=altered)


def test_a_cursor_of_another_list_is_refused(store: EmbeddedStore) -> None:
    _filled(store)
    cursor = store.page(posts_of("ada"), limit=5).next_cursor
    others = (
        posts_of("bob"),
        posts_of("ada").newest_first(),
        posts_of("ada").where(Post.stars > 1),
        Post.query(BY_STARS, Post.stars(5)),
    )
    for other in others:
        with pytest.raises(InvalidCursorError, match="another list"):
            store.page(other, after=cursor)
    for nonsense in ("", "x", "é", "A" * 9000):
        with pytest.raises(InvalidCursorError):
            store.page(posts_of("ada"), after=nonsense)


def test_limit_page_size_and_most_calls_are_three_things(store: EmbeddedStore) -> None:
    _filled(store)
    seen: list[Observation] = []
    store.observe(seen.append)
    page = store.page(posts_of("ada"), limit=6, page_size=2)
    assert (len(page), len(seen)) == (6, 4)
    short = store.page(posts_of("ada"), limit=6, page_size=2, most_calls=2)
    assert len(short) == 4
    assert [post.post_id for post in store.page(posts_of("ada"), limit=2, after=short.next_cursor)] == ["04", "05"]


def test_several_types_of_one_partition_come_each_as_its_own(store: EmbeddedStore) -> None:
    store.write(Put(Member(member_id="ada", name="Ada")))
    store.write(Put(Post(member_id="ada", post_id="1")))
    store.write(Put(Reply(member_id="ada", post_id="1", number=7)))
    query = collection(
        Member.query(Member.member_id("ada")), Post.query(Post.member_id("ada")), Reply.query(Reply.member_id("ada"))
    )
    assert [type(item).__name__ for item in store.stream(query)] == ["Post", "Reply", "Member"]


def test_keys_of_several_attributes_narrow_from_the_left(store: EmbeddedStore) -> None:
    for number in range(6):
        store.write(
            Put(Member(member_id=str(number), name="x", country="NL", city="Delft", street="Markt", house=number))
        )
    query = Member.query(BY_PLACE, Member.country("NL"), Member.city("Delft"), Member.street("Markt"))
    assert [member.house for member in store.stream(query.between(Member.house(2), Member.house(4)))] == [2, 3, 4]


def test_a_projection_brings_what_was_asked_for(store: EmbeddedStore) -> None:
    store.write(Put(Post(member_id="ada", post_id="1", text="long", stars=4)))
    (found,) = store.page(projected(posts_of("ada"), Post.stars))
    assert (found.stars, found.text) == (4, "")


def test_counting_and_batches_and_the_async_face_agree(store: EmbeddedStore) -> None:
    _filled(store, 130)
    assert store.count(posts_of("ada")) == 130
    keys = [Post.key(Post.member_id("ada"), Post.post_id(f"{number:02d}")) for number in (5, 500, 3, 5)]
    assert [post and post.post_id for post in store.batch_get(keys)] == ["05", None, "03", "05"]

    async def program() -> tuple[int, int, list[str]]:
        face = store.asynchronous
        streamed = [post.post_id async for post in face.stream(posts_of("ada"))]
        page = await face.page(posts_of("ada"), limit=7)
        return await face.count(posts_of("ada")), len(page), streamed

    counted, paged, streamed = asyncio.run(program())
    assert (counted, paged, len(streamed)) == (130, 7, 130)


def test_what_a_batch_leaves_unprocessed_is_sent_again() -> None:
    with Engine.temporary(faults=FaultPlan(seed=5, partial_batch=0.7)) as engine:
        store = EmbeddedStore(engine)
        store.create(FORUM)
        _filled(store, 40)
        keys = [Post.key(Post.member_id("ada"), Post.post_id(f"{number:02d}")) for number in range(40)]
        assert all(post is not None for post in store.batch_get(keys))


def test_every_call_can_be_observed(store: EmbeddedStore) -> None:
    seen: list[Observation] = []
    store.observe(seen.append)
    _filled(store, 3)
    store.page(Post.query(BY_STARS, Post.stars(5)))
    written, read = seen
    assert (written.operation, written.tables, written.items) == ("BatchWriteItem", ("forum",), 3)
    assert (read.operation, read.index, read.items, read.units) == ("Query", "byStars", 3, 0.5)
