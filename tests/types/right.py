"""Right uses of the modelling layer: both type checkers must accept every line."""

from partita.store import FolderFiles, LargeFiles, Store
from partita.table import Aggregate, Check, Delete, Guard, Key, Page, Put, Query, Transaction, Update, Write, all_of
from tests.table.club import EMAIL, Game, Invitation, Plan, Player, PlayerEmail, Story
from tests.table.forum import Member, Post, posts_of


async def uses(store: Store) -> None:
    post = Post(member_id="ada", post_id="1", stars=5)
    stars: int | None = post.stars
    key: Key[Post] = Post.key(member_id="ada", post_id="1")
    query: Query[Post] = posts_of("ada").where(all_of(Post.stars > 3, Post.text.begins_with("x")))
    page: Page[Post] = await store.asynchronous.page(query, limit=stars or 20)
    texts: list[str] = [each.text for each in page]
    found: Post | None = store.get(Post.get(member_id="ada", post_id=texts[0]))
    after: Post = store.update(Update(key, Post.text.set("y"), Post.tags.join("a"), Post.lines.append("b")), Post)
    store.transact(Transaction(Put(after), Update(Member.key(member_id="ada"), Member.post_count.add(1))))
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
    everything: Query[Invitation] = Invitation.query(player_id=built).with_expired()
    files: LargeFiles = FolderFiles("folder")
    story: Story | None = store.read(Story, {})
    print(tried, everything, files, story)
