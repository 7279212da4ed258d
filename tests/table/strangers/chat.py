"""A chat: rooms, members and messages in one partition, read by stretches of time."""

from __future__ import annotations

from partita.table import Attribute, Item, Query, Table, access_pattern, attribute, collection, key_part
from partita.table.types import Timestamp

CHAT = Table("chat", pk="PK", sk="SK")
ROOMS_OF = CHAT.index("roomsOf", pk="memberOf", sk="PK")


class Room(Item, table=CHAT, pk="ROOM#{room}", sk="ROOM"):
    """Where people talk."""

    room: Attribute[str] = key_part()
    title: Attribute[str] = attribute(max_length=100)


class Member(Item, table=CHAT, pk="ROOM#{room}", sk="MEMBER#{person}", keys={"memberOf": "PERSON#{person}"}):
    """Who talks there."""

    room: Attribute[str] = key_part()
    person: Attribute[str] = key_part()


class Message(Item, table=CHAT, pk="ROOM#{room}", sk="MSG#{at}#{mid}"):
    """What somebody said."""

    room: Attribute[str] = key_part()
    at: Attribute[Timestamp] = key_part()
    mid: Attribute[str] = key_part()
    text: Attribute[str] = attribute(max_length=2_000)


class Reaction(Item, table=CHAT, pk="ROOM#{room}", sk="REACTION#{mid}#{person}"):
    """What somebody thought of it."""

    room: Attribute[str] = key_part()
    mid: Attribute[str] = key_part()
    person: Attribute[str] = key_part()


@access_pattern("A day of messages", CHAT, room="r1", first="2024-05-01T00:00:00Z", last="2024-05-02T00:00:00Z")
def messages_between(room: str, first: str, last: str) -> Query[Message]:
    return Message.query(Message.room(room)).between(Message.at(first), Message.at(last))


@access_pattern("Messages since", CHAT, room="r1", at="2024-05-01T00:00:00Z")
def messages_since(room: str, at: str) -> Query[Message]:
    return Message.query(Message.room(room)).at_least(Message.at(at))


@access_pattern("Messages before", CHAT, room="r1", at="2019-05-01T00:00:00Z")
def messages_before(room: str, at: str) -> Query[Message]:
    return Message.query(Message.room(room)).before(Message.at(at)).newest_first()


@access_pattern("Messages from one to another", CHAT, room="r1", at="2024-05-01T00:00:00Z", first="m1", last="m9")
def messages_of_a_moment(room: str, at: str, first: str, last: str) -> Query[Message]:
    low, high = (Message.at(at), Message.mid(first)), (Message.at(at), Message.mid(last))
    return Message.query(Message.room(room)).between(low, high)


@access_pattern("Members from A to M", CHAT, room="r1")
def members_to_m(room: str) -> Query[Member]:
    return Member.query(Member.room(room)).between(Member.person("a"), Member.person("m"))


@access_pattern("A room and who is in it", CHAT, room="r1")
def room_and_members(room: str) -> Query[Room | Member]:
    return collection(Room.query(Room.room(room)), Member.query(Member.room(room)))


@access_pattern("Rooms of somebody", CHAT, person="ada")
def rooms_of(person: str) -> Query[Member]:
    return Member.query(ROOMS_OF, Member.person(person))


@access_pattern("Reactions to a message", CHAT, room="r1", mid="m1")
def reactions_to(room: str, mid: str) -> Query[Reaction]:
    return Reaction.query(Reaction.room(room), Reaction.mid(mid))
