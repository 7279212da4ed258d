"""Wrong uses of the modelling layer: each marked line must be an error for both type checkers."""

from partita.store import Store
from partita.table import Query
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
