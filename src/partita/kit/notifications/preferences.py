"""How people hear of things: settings per person and kind, and signed links that end mail without signing in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlencode

import orjson

from partita.kit.clock import Clock, stamp
from partita.kit.notifications import schema
from partita.kit.notifications.kinds import Channels, Kind
from partita.kit.notifications.schema import NotificationSettings, Unsubscribed
from partita.kit.notifications.stores import digest
from partita.kit.problems import BadRequest
from partita.store.store import AsyncStore
from partita.table import ChangedMeanwhileError, Put
from partita.table.sealing import BrokenSealError, seal, unseal

UNSUBSCRIBE_PATH = "/notifications/unsubscribe"
SETTINGS_PATH = "/account/notifications"
_PURPOSE = b"unsubscribe\0"


@dataclass(frozen=True, slots=True)
class Subscription:
    """Mail that somebody gets: of one kind, as a person with an account or at an address."""

    of: Literal["user", "address"]
    who: str
    """The user's id, or a digest of the address."""
    kind: str


class Preferences:
    """What people have chosen."""

    def __init__(self, store: AsyncStore, clock: Clock, keys: tuple[bytes, ...], base_url: str) -> None:
        self._store = store
        self._clock = clock
        self._keys = keys
        self._base_url = base_url

    async def channels(self, user_id: str, kinds: Mapping[str, Kind]) -> dict[str, Channels]:
        """How somebody hears of these kinds."""
        chosen = await self._store.get(schema.settings_of(user_id))
        return {name: _channels(kind, chosen) for name, kind in kinds.items()}

    async def choose(self, user_id: str, choices: Mapping[str, Channels]) -> None:
        """Save what somebody has chosen for some kinds; the others stay as they are."""

        async def attempt() -> None:
            before = await self._store.get(schema.settings_of(user_id))
            old = before or NotificationSettings(user_id=user_id)
            new = old.with_(
                NotificationSettings.suite({**old.suite, **{kind: each.suite for kind, each in choices.items()}}),
                NotificationSettings.mail({**old.mail, **{kind: each.mail for kind, each in choices.items()}}),
            )
            if before is None:
                await self._store.write(Put(new).if_new().otherwise(_changed))
            else:
                await self._store.write(Put(new).next_version())

        await self._store.attempt(attempt)

    # -- unsubscribing

    def link_for_user(self, user_id: str, kind: str) -> str:
        """The address that ends mail of a kind for somebody."""
        return self._link(Subscription("user", user_id, kind))

    def link_for_address(self, address: str, kind: str) -> str:
        """The address that ends mail of a kind for somebody without an account."""
        return self._link(Subscription("address", _of_address(address), kind))

    def subscription(self, token: str) -> Subscription:
        """What a link ends; refused if we did not make it."""
        try:
            of, who, kind = orjson.loads(unseal(self._keys, _PURPOSE, token))
        except (BrokenSealError, ValueError):
            raise BadRequest(
                "This link is not complete. Open it from the mail again, or change your notification settings.",
                code="invalid_link",
            ) from None
        return Subscription(of, who, kind)

    async def end_for_address(self, subscription: Subscription) -> None:
        """End mail of a kind for an address without an account."""
        ended = Unsubscribed(address=subscription.who, kind=subscription.kind, at=stamp(self._clock))
        await self._store.write(Put(ended))

    async def wants_mail(self, address: str, kind: str) -> bool:
        """Whether an address without an account has not ended mail of a kind."""
        return await self._store.get(schema.unsubscribed(_of_address(address), kind)) is None

    def _link(self, subscription: Subscription) -> str:
        payload = orjson.dumps([subscription.of, subscription.who, subscription.kind])
        return f"{self._base_url}{UNSUBSCRIBE_PATH}?{urlencode({'token': seal(self._keys, _PURPOSE, payload)})}"


def _channels(kind: Kind, chosen: NotificationSettings | None) -> Channels:
    if chosen is None:
        return kind.defaults
    defaults = kind.defaults
    return Channels(chosen.suite.get(kind.name, defaults.suite), chosen.mail.get(kind.name, defaults.mail))


def _of_address(address: str) -> str:
    return digest("address", address.strip().lower())


def _changed(there: NotificationSettings | None) -> Exception:
    return ChangedMeanwhileError("The settings", there)
