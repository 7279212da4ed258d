"""The same contract on the embedded engine, and over HTTP on our door, on moto's server and on dynoxide."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from partita.dynamo.errors import ConditionalCheckFailedError, ResourceNotFoundError, TransactionCanceledError
from partita.engine import Engine
from partita.store import EmbeddedStore, Store
from partita.store.dynamo import DynamoStore, fixed
from partita.table import ChangedMeanwhileError, Delete, Put, Table, Transaction, Update, collection
from tests.serving import DYNOXIDE, Served, dynoxide_server, moto_server, partita_door
from tests.table.club import CLUB, EMAIL, POINTS, SCORE, Game, Invitation, Plan, Player, PlayerEmail
from tests.table.forum import BY_STARS, FEED, FORUM, Member, Post, Reply, posts_of


def _server(name: str, folder: Path) -> AbstractContextManager[Served]:
    if name == "door":
        return partita_door(folder)
    return moto_server() if name == "moto" else dynoxide_server(folder)


@pytest.fixture(scope="module", params=["embedded", "door", "moto", "dynoxide"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with ExitStack() as stack:
        if request.param == "embedded":
            found: Store = EmbeddedStore(stack.enter_context(Engine.temporary()))
        else:
            folder = tmp_path_factory.mktemp(request.param)
            if request.param == "dynoxide" and not DYNOXIDE.exists():
                pytest.skip("dynoxide is not installed: npm ci")
            url = stack.enter_context(_server(request.param, folder)).url
            over_http = DynamoStore(endpoint_url=url, region="us-east-1", credentials=fixed("any", "any"))
            stack.callback(over_http.close)
            found = over_http
        found.create(FORUM, CLUB)
        found.create(FORUM, CLUB)
        yield found


def test_an_item_is_put_read_updated_and_deleted(store: Store) -> None:
    key = Post.key(Post.member_id("ann"), Post.post_id("1"))
    written = Post(member_id="ann", post_id="1", text="naïve 😀", tags=frozenset({"a", "b"}), lines=("x", ""))
    store.write(Put(written).if_new())
    assert store.get(Post.get(Post.member_id("ann"), Post.post_id("1")).consistently()) == written
    with pytest.raises(ConditionalCheckFailedError):
        store.write(Put(written).if_new())
    changes = Post.state.set("public"), Post.posted_at.set("2026-03-01"), Post.tags.leave("a"), Post.lines.append("y")
    after = store.update(Update(key, *changes).when(Post.state.equals("draft")))
    assert (after.state, after.tags, after.lines) == ("public", frozenset({"b"}), ("x", "", "y"))
    store.write(Delete(key).if_there())
    assert store.get(Post.get(Post.member_id("ann"), Post.post_id("1"))) is None


def test_pages_fill_and_go_on_over_foreign_rows(store: Store) -> None:
    store.batch_write(Put(Post(member_id="ben", post_id=f"{number:02d}", stars=number % 5 + 1)) for number in range(30))
    store.batch_write(Put(Reply(member_id="ben", post_id=f"{number:02d}", number=1)) for number in range(30))
    found: list[str] = []
    cursor = None
    while True:
        page = store.page(posts_of("ben").where(Post.stars > 1), limit=7, after=cursor)
        found += [post.post_id for post in page]
        cursor = page.next_cursor
        if cursor is None:
            break
        assert len(page) == 7
    assert found == [f"{number:02d}" for number in range(30) if number % 5]
    assert store.count(Post.query(BY_STARS, Post.stars(3))) == 6


def test_a_sharded_list_is_merged(store: Store) -> None:
    for number in range(20):
        store.write(Put(Post(member_id=f"c{number}", post_id="1", posted_at=f"2026-01-{number + 1:02d}", feed="news")))
    page = store.page(Post.query(FEED, Post.feed("news")).newest_first(), limit=15)
    assert [post.posted_at[-2:] for post in page] == [f"{day:02d}" for day in range(20, 5, -1)]


def test_a_transaction_is_done_whole_or_not_at_all(store: Store) -> None:
    store.write(Put(Member(member_id="dan", name="Dan")))
    added = Transaction(
        Put(Post(member_id="dan", post_id="1")).if_new(),
        Update(Member.key(Member.member_id("dan")), Member.post_count.add(1)),
    )
    store.transact(added)
    with pytest.raises(TransactionCanceledError) as canceled:
        store.transact(added)
    assert [reason["Code"] for reason in canceled.value.reasons] == ["ConditionalCheckFailed", "None"]
    found = list(store.stream(collection(Member.query(Member.member_id("dan")), Post.query(Post.member_id("dan")))))
    assert [type(item).__name__ for item in found] == ["Post", "Member"]
    assert isinstance(found[1], Member)
    assert found[1].post_count == 1


def test_a_failed_condition_is_what_its_write_says_it_means(store: Store) -> None:
    store.write(Put(Member(member_id="deb", name="Deb")))
    again = Put(Member(member_id="deb", name="Debora")).if_new()
    with pytest.raises(LookupError, match="Deb"):
        store.write(again.otherwise(lambda there: LookupError(there and there.name)))
    gone = Update(Member.key(Member.member_id("dex")), Member.post_count.add(1)).otherwise(KeyError("dex"))
    with pytest.raises(KeyError, match="dex"):
        store.transact(Transaction(gone, again.otherwise(LookupError)))


def test_a_guarded_value_is_claimed_moved_and_released(store: Store) -> None:
    ada, bob = (Player(player_id=name, name=name, email=f"{name}@example.org") for name in ("ada", "bob"))
    for player in (ada, bob):
        store.transact(Transaction(Put(player).if_new(), *EMAIL.claim(player)))
    like_bob = ada.model_copy(update={"email": "BOB@example.org"})
    guard = EMAIL.otherwise(lambda there: LookupError(there.of_player))
    with pytest.raises(LookupError, match="bob"):
        store.transact(Transaction(Put(like_bob).unless_changed(ada, Player.email), *guard.move(ada, like_bob)))
    store.transact(Transaction(Delete(bob.own_key).if_there(), *guard.release(bob)))
    store.transact(Transaction(Put(like_bob).unless_changed(ada, Player.email), *guard.move(ada, like_bob)))
    found = store.batch_get(PlayerEmail.key(PlayerEmail.address(f"{name}@example.org")) for name in ("ada", "bob"))
    assert [there and there.of_player for there in found] == [None, "ada"]
    with pytest.raises(ChangedMeanwhileError):
        store.transact(Transaction(*guard.release(bob)))


def test_versions_and_aggregates_are_exact(store: Store) -> None:
    plan = Plan(plan_id="p", done=frozenset({"b", "a"}))
    store.write(Put(plan).if_new())
    saved = Put(plan).next_version()
    store.write(saved)
    with pytest.raises(ChangedMeanwhileError) as told:
        store.write(Put(plan).next_version())
    assert told.value.there == saved.item
    store.write(Update(plan.own_key, Plan.text.set("x")).unless_changed(plan, Plan.stage, Plan.done))
    game = Game(game_id="g")
    store.write(Put(game))
    store.transact(Transaction(*POINTS.update(game, None, 3)))
    store.transact(Transaction(*POINTS.update(game, 3, 1)))
    found = store.get(Game.get(Game.game_id("g")).consistently())
    assert found is not None
    assert (found.votes, found.points, found.drawn, found.won) == (1, 1, 1, 0)
    store.transact(Transaction(*SCORE.update(found, None, 8)))
    found = store.get(Game.get(Game.game_id("g")).consistently())
    assert found is not None
    assert (found.votes, found.points, str(found.score)) == (2, 9, "4.5")


def test_what_has_expired_is_left_out(store: Store) -> None:
    moments = (None, 1, 9_999_999_999)
    items = [Invitation(player_id="ada", number=n, expires_at=moment) for n, moment in enumerate(moments)]
    store.batch_write(map(Put, items))
    query = Invitation.query(Invitation.player_id("ada"))
    assert list(store.page(query)) == [items[0], items[2]]
    assert store.count(query) == 2
    assert store.get(Invitation.get(Invitation.player_id("ada"), Invitation.number(1))) is None
    store.write(Put(items[1]).if_new(or_expired_at=2))


def test_batches_keep_their_order(store: Store) -> None:
    store.batch_write(Put(Member(member_id=f"e{number}", name=str(number))) for number in range(110))
    keys = [Member.key(Member.member_id(f"e{number}")) for number in (*range(105), 999, 3)]
    found = store.batch_get(keys)
    assert [member and member.name for member in found] == [*map(str, range(105)), None, "3"]


def test_the_async_face_does_the_same(store: Store) -> None:
    async def program() -> list[str]:
        face = store.asynchronous
        await asyncio.gather(*(face.write(Put(Post(member_id="fay", post_id=f"{n:02d}"))) for n in range(12)))
        page = await face.page(posts_of("fay"), limit=5)
        rest = await face.page(posts_of("fay"), limit=50, after=page.next_cursor)
        if isinstance(store, DynamoStore):
            await store.dynamo.close_async()
        return [post.post_id for post in (*page, *rest)]

    assert asyncio.run(program()) == [f"{number:02d}" for number in range(12)]


def test_a_table_that_is_not_there_is_an_error_of_its_own(store: Store) -> None:
    table = Table("nowhere", pk="PK", sk="SK")
    moved = posts_of("x")
    object.__setattr__(moved, "table", table)
    with pytest.raises(ResourceNotFoundError):
        store.page(moved)
