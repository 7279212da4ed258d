"""Right uses of the modelling layer: both type checkers must accept every line."""

from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

from pydantic import BaseModel

from partita.store import FolderFiles, LargeFiles, Store
from partita.table import (
    Aggregate,
    Attribute,
    Check,
    Condition,
    Delete,
    Given,
    Guard,
    Item,
    Key,
    Page,
    Put,
    Query,
    Table,
    Transaction,
    Update,
    Write,
    all_of,
    any_of,
    attribute,
    camel_case,
    collection,
    derived,
    key_part,
    not_,
)
from tests.table.club import EMAIL, Game, Invitation, Plan, Player, PlayerEmail, Story
from tests.table.forum import FEED, Member, Post, Reply, posts_of


async def uses(store: Store) -> None:
    post = Post(member_id="ada", post_id="1", stars=5)
    stars: int | None = post.stars
    key: Key[Post] = Post.key(Post.member_id("ada"), Post.post_id("1"))
    query: Query[Post] = posts_of("ada").where(all_of(Post.stars > 3, Post.text.begins_with("x")))
    page: Page[Post] = await store.asynchronous.page(query, limit=stars or 20)
    texts: list[str] = [each.text for each in page]
    found: Post | None = store.get(Post.get(Post.member_id("ada"), Post.post_id(texts[0])))
    after: Post = store.update(Update(key, Post.text.set("y"), Post.tags.join("a"), Post.lines.append("b")))
    store.transact(Transaction(Put(after), Update(Member.key(Member.member_id("ada")), Member.post_count.add(1))))
    assert found is None or found.tags.isdisjoint(after.tags)


class Taken(Exception):
    """A value is taken."""


def taken(there: PlayerEmail) -> Taken:
    return Taken(there.of_player)


def writes(store: Store, player: Player, plan: Plan) -> None:
    new: Put[Player] = Put(player).if_new().otherwise(lambda there: Taken(there and there.name))
    gone: Delete[Player] = Delete(player.own_key).unless_changed(player, Player.updated_at).otherwise(Taken("x"))
    fine: Check[Plan] = Check(plan.own_key, plan.own_key.present()).otherwise(lambda there: Taken(there and there.text))
    guard: Guard[Player, PlayerEmail] = EMAIL.otherwise(taken)
    several: list[Write] = [*guard.claim(player), *guard.move(player, player), fine, gone]
    store.transact(Transaction(new, *several, *guard.release(player)))
    saved: Plan = Put(plan).next_version().item
    revision: int = saved.revision
    later = Plan(plan_id="p", text="x")  # a version has a default
    store.write(Update(later.own_key, Plan.text.set("y")).next_version(later).otherwise(Taken(revision)))


async def reads(store: Store, game: Game) -> None:
    points = Aggregate(count=Game.votes, total=Game.points, histogram={0: Game.lost}, average=Game.score)
    updates: tuple[Update[Game], ...] = points.update(game, None, 3)
    store.transact(Transaction(*updates))
    tried: int = store.attempt(lambda: 5, tries=3)

    async def build() -> str:
        return "x"

    built: str = await store.asynchronous.attempt(build)
    everything: Query[Invitation] = Invitation.query(Invitation.player_id(built)).with_expired()
    files: LargeFiles = FolderFiles("folder")
    story: Story | None = store.read(Story, {})
    print(tried, everything, files, story)


async def more_reads(store: Store, query: Query[Post]) -> None:
    """Key parts, ranges, views, collections and what comes back are typed from end to end."""
    ranged: Query[Post] = Post.query(FEED, Post.feed("all")).at_least(Post.posted_at("2026")).descending()
    several: Query[Member | Post | Reply] = collection(
        Member.query(Member.member_id("ada")), Post.query(Post.member_id("ada")), Reply.query(Reply.member_id("ada"))
    )
    for item in store.stream(several):
        kind: Member | Post | Reply = item
        print(kind)
    shown: Page[Title] = await store.asynchronous.page(ranged.shown_as(Title), limit=5)
    texts: list[str] = [each.text for each in shown]
    back: str | None = shown.previous_cursor
    member, post = store.transact_get(Member.get(Member.member_id("ada")), Post.get(*_parts("1")))
    names: str | None = None if member is None else member.name
    stars: int | None = None if post is None else post.stars
    for change in store.changes(Post):
        old: Post | None = change.old
        print(old, texts, back, names, stars)
    everything: list[Post] = list(store.scan_whole_table(Post, segments=2))
    print(everything)


def _parts(post_id: str) -> tuple[Given[Post], Given[Post]]:
    return Post.member_id("ada"), Post.post_id(post_id)


class Title(BaseModel):
    """What a list shows of a post."""

    text: str


SHOP = Table("types-shop", pk="PK", sk="SK", names=camel_case)


class Place(BaseModel):
    """Where something goes."""

    city: str


class Order(Item, table=SHOP, pk="ORDER#{order_id}", sk="{placed_at}"):
    """Every kind of attribute there is."""

    order_id: Attribute[UUID] = key_part()
    placed_at: Attribute[datetime] = key_part()
    day: Attribute[date | None] = attribute(default=None)
    total: Attribute[Decimal] = attribute(default=Decimal(0), ge=0)
    discount: Attribute[Decimal | None] = attribute(default=None)
    place: Attribute[Place]
    old_place: Attribute[Place | None] = attribute(default=None)
    prices: Attribute[dict[str, int]] = attribute(default_factory=dict)
    notes: Attribute[list[str]] = attribute(default_factory=list)
    words: Attribute[tuple[str, ...] | None] = attribute(default=None)
    labels: Attribute[set[str]] = attribute(default_factory=set)
    marks: Attribute[frozenset[int] | None] = attribute(default=None)
    city: Attribute[str] = derived(lambda place: place.city)


def changes_of(order: Order) -> Update[Order]:
    """Operations on decimals, lists, optional and nested attributes."""
    city: str = order.city
    dear: Condition[Order] = all_of(
        Order.total > Decimal(5), any_of(Order.place.city.equals(city), not_(Order.day.exists()))
    )
    later = order.with_(Order.total(Decimal(3)), Order.notes(["x"]), Order.discount(None))
    return (
        Update(
            order.own_key,
            Order.total.add(Decimal("1.5")),
            Order.discount.add(1),
            Order.notes.append("a", "b"),
            Order.words.prepend("c"),
            Order.labels.join("d"),
            Order.marks.leave(1, 2),
            Order.prices["EUR"].add(3),
            Order.notes[0].set("e"),
            Order.old_place["city"].set("f"),
        )
        .when(dear)
        .knowing(Order.place(later.place))
    )


def returning(store: Store, order: Order) -> None:
    """What a write returns."""
    old: Order | None = store.write(Put(order), returning="old")
    new: Order = store.write(changes_of(order), returning="new")
    nothing: None = store.write(Delete(order.own_key))
    difference: Update[Order] = Update.between(order, new)
    print(old, nothing, difference, Order.words.size() > 3, Order.words.contains("x"))
