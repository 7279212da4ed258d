"""What people do in a chat. Nothing waits for anybody: what is counted is added to, and what is marked is checked."""

from __future__ import annotations

from datetime import datetime
from secrets import token_hex

from partita.store import Store
from partita.table import Put, Transaction, Update

from .schema import Member, Message, Room, member, room, rooms, rooms_of


class Refused(Exception):
    """The chat says no, and why."""


def open_room(store: Store, room_id: str, name: str) -> None:
    """A new room."""
    store.write(Put(Room(room_id=room_id, name=name)).if_new().otherwise(Refused(f"there is a room {room_id} already")))


def enter(store: Store, room_id: str, user_id: str) -> None:
    """Somebody comes in; what was said before is not new to them."""

    def build() -> None:
        there = _room(store, room_id)
        new = Member(room_id=room_id, user_id=user_id, room_name=there.name, read_count=there.message_count)
        counted = Update(there.own_key, Room.member_count.add(1)).unless_changed(there, Room.message_count)
        store.transact(Transaction(Put(new).if_new().otherwise(Refused(f"{user_id} is in {room_id} already")), counted))

    store.attempt(build)


def say(store: Store, room_id: str, author: str, text: str, now: datetime) -> Message:
    """A message. The room counts it for everybody, and the author has read it."""
    message = Message(room_id=room_id, said_at=now, serial=token_hex(4), author=author, text=text)
    speaker = Update(Member.key(Member.room_id(room_id), Member.user_id(author)), Member.read_count.add(1))
    store.transact(
        Transaction(
            speaker.otherwise(Refused(f"{author} is not in {room_id}")),
            Update(Room.key(Room.room_id(room_id)), Room.message_count.add(1)),
            Put(message).if_new(),
        )
    )
    return message


def unread(store: Store, user_id: str) -> dict[str, int]:
    """How many messages a user has not read, by room."""
    mine = list(store.stream(rooms_of(user_id)))
    said = store.batch_get(rooms(tuple(each.room_id for each in mine)))
    pairs = zip(mine, said, strict=True)
    return {each.room_id: there.message_count - each.read_count for each, there in pairs if there is not None}


def read_all(store: Store, room_id: str, user_id: str, last: Message) -> None:
    """Everything up to now is read. Both numbers are of one moment; who says something meanwhile begins anew."""

    def build() -> None:
        there, reader = store.transact_get(room(room_id), member(room_id, user_id))
        if there is None or reader is None:
            raise Refused(f"{user_id} is not in {room_id}")
        mark = max(last.said_at, reader.read_to or last.said_at)
        read = reader.with_(Member.read_count(there.message_count), Member.read_to(mark))
        update = Update.between(reader, read)  # only where what it changes is still as it was
        if update.actions:
            store.write(update)

    store.attempt(build)


def react(store: Store, message: Message, user_id: str, picture: str) -> Message:
    """Somebody's picture under a message; it takes the place of the one before."""
    return store.update(Update(message.own_key, Message.reactions[user_id].set(picture)))


def take_back(store: Store, message: Message, user_id: str) -> Message:
    """Somebody's picture is gone."""
    return store.update(Update(message.own_key, Message.reactions[user_id].remove()))


def edit(store: Store, message: Message, user_id: str, text: str, now: datetime) -> Message:
    """Say it better; only who said it can."""
    update = Update(message.own_key, Message.text.set(text), Message.edited_at.set(now))
    return store.update(update.when(Message.author.equals(user_id)).otherwise(Refused(f"{user_id} did not say this")))


def _room(store: Store, room_id: str) -> Room:
    there = store.get(room(room_id).consistently())
    if there is None:
        raise Refused(f"there is no room {room_id}")
    return there
