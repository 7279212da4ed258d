"""Wrong uses of the modelling layer: each marked line must be an error for both type checkers."""

from partita.store import Store
from partita.table import Aggregate, Guard, Put, Query, Update
from tests.table.club import EMAIL, POINTS, Game, Plan, Player, PlayerEmail, Story
from tests.table.forum import Member, Post, posts_of


def uses(store: Store) -> None:
    posts_of(member="ada")  # wrong: argument name
    posts_of(5)  # wrong: argument type
    Post(member_id="ada", post_id="1", star=5)  # wrong: no such field
    Post(member_id="ada", post_id="1", stars="five")  # wrong: type of a field
    Post.star.equals(5)  # wrong: no such attribute in a condition
    Post.stars.equals("five")  # wrong: type in a condition
    print(Post.text > 5)  # wrong: type in a comparison
    Post.text.set(5)  # wrong: type in an update
    Post.text.add(1)  # wrong: text cannot be counted
    Member.name.append("x")  # wrong: text is no list
    members: Query[Member] = posts_of("ada")  # wrong: result of another type
    page = store.page(posts_of("ada"))
    names = [post.name for post in page]  # wrong: attribute of another type
    number: int = store.get(Post.get(member_id="ada", post_id="1"))  # wrong: an item is no number
    print(members, names, number)


def writes(store: Store, player: Player, plan: Plan, game: Game) -> None:
    Put(player).if_new().otherwise("taken")  # wrong: a text is no error
    Put(player).if_new().otherwise(lambda there: there.name)  # wrong: what is there may be None, and a name is no error
    EMAIL.claim(plan)  # wrong: a guard of another type
    EMAIL.otherwise(lambda there: KeyError(there.of_plan))  # wrong: no such field of the guard
    Guard(Player, lambda player: PlayerEmail(address=player.mail, of_player="x"))  # wrong: no such field of the item
    guard: Guard[Player, PlayerEmail] = Guard(Player, lambda player: player.name)  # wrong: a text is no guard
    Put(player).unless_changed(player, "updated_at")  # wrong: an attribute is no text
    Put(player).unless_changed(player)  # wrong: which attribute
    text: str = Put(plan).next_version().item.revision  # wrong: a version is a number
    Aggregate(count=Player.name, total=Game.points)  # wrong: text cannot be counted
    POINTS.change("3", None)  # wrong: a text is no number
    update: Update[Player] = POINTS.update(game, None, 3)[0]  # wrong: an update of another type
    number: int = store.attempt(lambda: "x")  # wrong: the result of the function
    story: Plan | None = store.read(Story, {})  # wrong: an item of another type
    print(guard, text, update, number, story)
