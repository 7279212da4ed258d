"""An evening in a chat, on an engine that is gone afterwards: `python -m examples.chat`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from partita.engine import Engine
from partita.store import EmbeddedStore, Store
from partita.table import Page

from .program import Refused, edit, enter, open_room, react, read_all, say, take_back, unread
from .schema import CHAT, Message, member, messages_of, said_after, said_between

EVENING = datetime(2026, 5, 1, 20, 0, tzinfo=UTC)


def evening(store: Store) -> None:
    """What happens, in order."""
    open_room(store, "tea", "Tea")
    for user_id in ("ada", "ben"):
        enter(store, "tea", user_id)
    said = [say(store, "tea", "ben", f"number {number}", EVENING + timedelta(minutes=number)) for number in range(1, 8)]
    last = say(store, "tea", "ada", "I see", EVENING + timedelta(minutes=8))
    print("Not read yet:", {user_id: unread(store, user_id)["tea"] for user_id in ("ada", "ben")})

    newest = store.page(messages_of("tea"), limit=3)
    older = store.page(messages_of("tea"), limit=3, after=newest.next_cursor)
    back = store.page(messages_of("tea"), limit=3, after=older.previous_cursor)
    for name, page in (("newest", newest), ("older", older), ("and back", back)):
        print(f"{name:9}", _texts(page))
    five_past = EVENING + timedelta(minutes=5)
    print("Until five past:", _texts(store.page(said_between("tea", EVENING, five_past))))

    read_all(store, "tea", "ada", last)
    say(store, "tea", "ben", "one more", EVENING + timedelta(minutes=9))
    ada = store.get(member("tea", "ada"))
    assert ada is not None
    assert ada.read_to is not None
    new = [message.text for message in store.page(said_after("tea", ada.read_to))]
    print("Ada has", unread(store, "ada")["tea"], "to read:", new)

    for user_id, picture in (("ada", "👍"), ("ben", "🎉"), ("ada", "🫖")):
        react(store, said[0], user_id, picture)
    print("Under the first:", take_back(store, said[0], "ben").reactions)
    try:
        edit(store, said[0], "ada", "number one", EVENING)
    except Refused as no:
        print("No:", no)


def _texts(page: Page[Message]) -> list[str]:
    return [message.text for message in page]


if __name__ == "__main__":
    with Engine.temporary() as engine:
        chat = EmbeddedStore(engine)
        chat.create(CHAT)
        evening(chat)
