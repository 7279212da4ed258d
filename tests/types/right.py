"""Right uses of the modelling layer: both type checkers must accept every line."""

from partita.store import Store
from partita.table import Key, Page, Put, Query, Transaction, Update, all_of
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
