"""People's own pictures: chosen on the account page, shown wherever they are."""

from __future__ import annotations

from collections.abc import AsyncIterator

from starlette.requests import Request

from partita.kit.accounts import Account
from partita.kit.accounts.schema import ACCOUNTS
from partita.kit.changes import Change, Handler
from partita.kit.files import Files, OwnedFiles
from partita.kit.framed import Frame, give_picture, sent_picture
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.permissions import Viewer
from partita.store.store import AsyncStore

AVATAR = Frame("house/avatars", "avatar", (176, 176), (64, 64))
UPLOADING = Rule("house-avatars", most=60, seconds=3600)


class Avatars:
    """Giving oneself a picture, and taking it away."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def receive(self, request: Request) -> bytes | None:
        """The picture that a form brings; None if it says `remove`."""
        return await sent_picture(self._kit, request, AVATAR)

    async def set(self, viewer: Viewer, data: bytes | None) -> Account:
        """Show this picture of the viewer, or the drawn one again."""

        async def read() -> Account:
            return await self._kit.accounts.people.own_account(viewer)

        return await give_picture(self._kit, viewer, AVATAR, read, data, rule=UPLOADING)


def avatar_handler(files: Files) -> Handler:
    """Deletes pictures that no account names any more: replaced, removed, or of somebody who left."""

    async def forget(change: Change) -> None:
        before, after = change.read(Account)
        if before is not None and before.avatar and (after is None or after.avatar != before.avatar):
            await files.delete(before.avatar)

    return Handler("house.avatars", ACCOUNTS, forget)


def owned_avatars(store: AsyncStore) -> OwnedFiles:
    """Where they are, and which accounts name, for the sweep."""

    async def named() -> AsyncIterator[str]:
        async for person in store.scan_whole_table(Account):
            if person.avatar:
                yield person.avatar

    return OwnedFiles(AVATAR.folder, named)
