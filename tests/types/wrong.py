"""Wrong uses of the modelling layer: each marked line must be an error for both type checkers."""

from partita.store import Store
from partita.table import Aggregate, Guard, Put, Query, Update, all_of, collection
from tests.table.club import EMAIL, POINTS, Game, Plan, Player, PlayerEmail, Story
from tests.table.forum import FEED, Member, Post, posts_of


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
    number: int = store.get(Post.get(Post.member_id("ada"), Post.post_id("1")))  # wrong: an item is no number
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


def keys(store: Store, post: Post) -> None:
    Post.key(Post.member("ada"))  # wrong: name of a key part
    Post.key(Post.member_id(5))  # wrong: type of a key part
    Post.key(Member.member_id("ada"))  # wrong: a key part of another type
    Post.get(member_id="ada", post_id="1")  # wrong: key parts are attributes
    Post.query(FEED, Member.name("x"))  # wrong: an attribute of another type
    posts_of("ada").at_least(Member.name("x"))  # wrong: a bound of another type
    posts_of("ada").where(Member.name.equals("x"))  # wrong: a condition on another type
    posts_of("ada").where(Post.text == "x")  # wrong: a bool is no condition
    posts_of("ada").where(Post.text.size() == 3)  # wrong: a bool is no condition
    Update(post.own_key, Member.name.set("x"))  # wrong: an action on another type
    Update(post.own_key, Post.text.set("x")).when(Member.name.equals("x"))  # wrong: a condition on another type
    Update(post.own_key, Post.text.set("x")).knowing(Member.name("x"))  # wrong: an attribute of another type
    Put(post).when(Member.name.equals("x"))  # wrong: a condition on another type
    Put(post).unless_changed(post, Member.name)  # wrong: an attribute of another type
    all_of(Post.stars > 3, Member.name.equals("x"))  # wrong: conditions on two types
    post.text = "x"  # wrong: items do not change
    post.with_(Member.name("x"))  # wrong: an attribute of another type
    post.with_(Post.text(5))  # wrong: type of a field
    Post.text.sett("x")  # wrong: no such method
    Post.stars.add("1")  # wrong: a text is no number
    Post.tags.join(1)  # wrong: type of a member
    Post.lines.append(1)  # wrong: type of an element
    new: Member = store.write(Put(post), returning="new")  # wrong: an item of another type
    wrong: Query[Member] = collection(posts_of("ada"), posts_of("ben"))  # wrong: a collection of other types
    number: int = store.transact_get(Post.get(), Member.get())[0]  # wrong: an item is no number
    print(new, wrong, number)
