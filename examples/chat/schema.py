"""A chat: rooms, who is in them, what was said, what one has not read yet, and small pictures under it all.

Rules that always hold, however many people talk at once:
- what a member has not read is a difference of two numbers: what the room has counted, and what the member has read.
  Both are counted in the transaction that adds a message, so nothing is written for every member of a large room;
- somebody has one reaction to a message: it is a place in a map, set without reading the message;
- a read mark only moves on from where it was.

A room is one partition: the room itself, its members, its messages in the order of time.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import BaseModel, StringConstraints

from partita.table import (
    Attribute,
    BatchGet,
    Get,
    Item,
    Query,
    Table,
    access_pattern,
    attribute,
    camel_case,
    key_part,
)

CHAT = Table("chat", pk="PK", sk="SK", names=camel_case, purpose="Rooms, members and messages.")
BY_USER = CHAT.index("byUser", pk="userId", sk="roomName", purpose="The rooms of a user, by name")

Emoji = Annotated[str, StringConstraints(min_length=1, max_length=16)]
MAY_1 = datetime(2026, 5, 1, tzinfo=UTC)
"""For examples."""


# 1. Room
class Room(Item, table=CHAT, pk="ROOM#{room_id}", sk="ROOM"):
    """Where people talk."""

    room_id: Attribute[str] = key_part()
    name: Attribute[str] = attribute(min_length=1, max_length=100)
    message_count: Attribute[int] = attribute(default=0, ge=0)
    member_count: Attribute[int] = attribute(default=0, ge=0)


@access_pattern("A room", CHAT, room_id="tea")
def room(room_id: str) -> Get[Room]:
    return Room.get(Room.room_id(room_id))


@access_pattern("Several rooms, with how much was said", CHAT, room_ids=("tea", "work"))
def rooms(room_ids: tuple[str, ...]) -> BatchGet[Room]:
    return BatchGet(tuple(Room.key(Room.room_id(room_id)) for room_id in room_ids))


# 2. Member: somebody in a room, and how far they have read.
class Member(Item, table=CHAT, pk="ROOM#{room_id}", sk="MEMBER#{user_id}"):
    """Somebody is in a room."""

    room_id: Attribute[str] = key_part()
    user_id: Attribute[str]
    room_name: Attribute[str]
    read_count: Attribute[int] = attribute(ge=0)
    """How many of the room's messages are read, their own among them."""
    read_to: Attribute[datetime | None] = attribute(default=None)
    """The read mark: the moment of the last message that was read."""


@access_pattern("A member of a room", CHAT, room_id="tea", user_id="ada")
def member(room_id: str, user_id: str) -> Get[Member]:
    return Member.get(Member.room_id(room_id), Member.user_id(user_id))


@access_pattern("Who is in a room", CHAT, room_id="tea")
def members_of(room_id: str) -> Query[Member]:
    return Member.query(Member.room_id(room_id))


@access_pattern("The rooms of a user, by name", CHAT, user_id="ada")
def rooms_of(user_id: str) -> Query[Member]:
    return Member.query(BY_USER, Member.user_id(user_id))


# 3. Message: in the order of time; the serial tells apart what was said in one moment.
class Message(Item, table=CHAT, pk="ROOM#{room_id}", sk="MESSAGE#{said_at}#{serial}"):
    """What somebody said."""

    room_id: Attribute[str] = key_part()
    said_at: Attribute[datetime] = key_part()
    serial: Attribute[str] = key_part()
    author: Attribute[str]
    text: Attribute[str] = attribute(min_length=1, max_length=4000)
    edited_at: Attribute[datetime | None] = attribute(default=None)
    reactions: Attribute[dict[str, Emoji]] = attribute(default_factory=dict, max_length=1000)
    """User → picture."""


class Said(BaseModel):
    """What a list of messages shows."""

    said_at: datetime
    author: str
    text: str


@access_pattern("Messages of a room, newest first", CHAT, room_id="tea")
def messages_of(room_id: str) -> Query[Message]:
    return Message.query(Message.room_id(room_id)).newest_first()


@access_pattern("What was said between two moments", CHAT, room_id="tea", start=MAY_1, end=MAY_1 + timedelta(days=1))
def said_between(room_id: str, start: datetime, end: datetime) -> Query[Message]:
    return Message.query(Message.room_id(room_id)).at_least(Message.said_at(start)).before(Message.said_at(end))


@access_pattern("What is new since a read mark", CHAT, room_id="tea", mark=MAY_1)
def said_after(room_id: str, mark: datetime) -> Query[Said]:
    return Message.query(Message.room_id(room_id)).after(Message.said_at(mark)).shown_as(Said)
