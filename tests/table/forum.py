"""A small schema that has every difficulty: several types under one partition, sparse and sharded and numeric keys."""

from __future__ import annotations

from typing import Literal

from partita.table import Attribute, Get, Item, Query, Table, access_pattern, attribute, camel_case, key_part, number

FORUM = Table("forum", pk="PK", sk="SK", ttl="expiresAt")
BY_STARS = FORUM.index("byStars", pk=number("stars"), sk="SK")
BY_STATE = FORUM.index("byState", pk="stateKey", sk="stateSort")
FEED = FORUM.index("feed", pk="feed", sk="postedAt", shards=4)
BY_PLACE = FORUM.index("byPlace", pk=("country", "city"), sk=("street", number("house")))


class Member(Item, table=FORUM, pk="MEMBER#{member_id}", sk="PROFILE", names=camel_case):
    """Somebody."""

    member_id: Attribute[str] = key_part()
    name: Attribute[str] = attribute(min_length=1)
    country: Attribute[str | None] = attribute(default=None)
    city: Attribute[str | None] = attribute(default=None)
    street: Attribute[str | None] = attribute(default=None)
    house: Attribute[int | None] = attribute(default=None)
    post_count: Attribute[int] = attribute(default=0)
    version: Attribute[int] = attribute(default=0)


class Post(
    Item,
    table=FORUM,
    pk="MEMBER#{member_id}",
    sk="POST#{post_id}",
    keys={"stateKey": "STATE#{state}", "stateSort": "{state}#{posted_at}#{post_id}"},
    names=camel_case,
):
    """What a member wrote."""

    member_id: Attribute[str] = key_part()
    post_id: Attribute[str] = key_part()
    text: Attribute[str] = attribute(default="")
    state: Attribute[Literal["draft", "public"] | None] = attribute(default="draft")
    posted_at: Attribute[str] = attribute(default="2026-01-01")
    stars: Attribute[int | None] = attribute(default=None, ge=1, le=5)
    tags: Attribute[frozenset[str]] = attribute(default=frozenset())
    lines: Attribute[tuple[str, ...]] = attribute(default=())
    feed: Attribute[str | None] = attribute(default=None)


class Reply(Item, table=FORUM, pk="MEMBER#{member_id}", sk="POST#{post_id}#REPLY#{number:06}", names=camel_case):
    """An answer to a post, kept under the post."""

    member_id: Attribute[str] = key_part()
    post_id: Attribute[str] = key_part()
    number: Attribute[int] = key_part(ge=0)
    text: Attribute[str] = attribute(default="")


@access_pattern("A member's posts", FORUM, member_id="ada")
def posts_of(member_id: str) -> Query[Post]:
    return Post.query(Post.member_id(member_id))


@access_pattern("A post", FORUM, member_id="ada", post_id="1")
def post(member_id: str, post_id: str) -> Get[Post]:
    return Post.get(Post.member_id(member_id), Post.post_id(post_id))
