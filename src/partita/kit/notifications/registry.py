"""Which kinds of notifications there are, and which stores hold them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from partita.dynamo.errors import DynamoError
from partita.kit.accounts import Account, Accounts
from partita.kit.notifications.kinds import Kind, MailPace, Words
from partita.kit.notifications.stores import NotificationStore
from partita.kit.problems import NotFound

DIGEST_PREFIX = "digest."
"""How the names of digests begin among those of kinds."""
_log = logging.getLogger(__name__)


class Registry:
    """Kinds and stores by their names; the house's store is always there."""

    def __init__(self, house: NotificationStore) -> None:
        self._house = house
        self.kinds: dict[str, Kind] = {}
        self.stores: dict[str, NotificationStore] = {house.name: house}

    def use(self, kinds: Iterable[Kind], stores: Iterable[NotificationStore] = ()) -> None:
        """Set them; refused if two have one name."""
        known_stores = {self._house.name: self._house}
        for each in stores:
            if each.name in known_stores:
                raise ValueError(f"Two stores of notifications are called {each.name}: their addresses would be one")
            known_stores[each.name] = each
        known: dict[str, Kind] = {}
        for kind in kinds:
            if kind.name in known or kind.name.startswith(DIGEST_PREFIX):
                raise ValueError(f"{kind.name} is the name of another kind of notifications")
            if kind.store not in known_stores:
                raise ValueError(f"{kind.name} goes to the store {kind.store}, and there is none of that name")
            known[kind.name] = kind
        self.kinds, self.stores = known, known_stores

    def kind(self, name: str) -> Kind:
        """A kind by its name."""
        found = self.kinds.get(name)
        if found is None:
            raise NotFound(f"There is no kind of notification {name[:80]!r}.")
        return found


async def looked_up(
    kinds: Mapping[str, Kind], told: Sequence[tuple[str, Mapping[str, Any]]]
) -> list[Mapping[str, Any] | None]:
    """The data of notifications, given with the names of their kinds, as they are now: one look for each kind."""
    data: list[Mapping[str, Any] | None] = [each for _, each in told]
    for name in dict.fromkeys(name for name, _ in told):
        kind = kinds.get(name)
        if kind is None or kind.look_up is None:
            continue
        places = [place for place, (each, _) in enumerate(told) if each == name]
        try:
            now = await kind.look_up([told[place][1] for place in places])
        except (DynamoError, OSError):
            raise
        except Exception:  # data of an older form; the rest of the list must be shown
            _log.exception("the data of notifications of kind %s cannot be looked up", name)
            now = [None] * len(places)
        for place, each in zip(places, now, strict=True):
            data[place] = each
    return data


def digest_of(kind: Kind, pace: MailPace) -> str | None:
    """The digest in which mail of a kind comes, if it comes in one."""
    cadence = {"once": "soon" if kind.gathers else None, "daily": "daily", "weekly": "weekly"}.get(pace)
    return None if cadence is None else f"{DIGEST_PREFIX}{cadence}"


def digest_label(digest: str) -> str:
    """What people call a digest."""
    cadence = digest.removeprefix(DIGEST_PREFIX)
    return "Mail within minutes, of what is gathered in one" if cadence == "soon" else f"Your {cadence} digest"


async def may_hear(accounts: Accounts, person: Account, kind: Kind) -> bool:
    """Whether somebody may be told of a kind."""
    if person.suspended:
        return False
    return kind.needs is None or kind.needs in await accounts.permissions.of(person)


def safe_words(kind: Kind, data: Mapping[str, Any], count: int) -> Words:
    """The words of a stored notification; the kind's label if its data are of an older form that has no words now."""
    try:
        return kind.words(data, count)
    except Exception:  # whatever it is, the rest of the list must be shown
        _log.exception("the words of a notification of kind %s cannot be made", kind.name)
        return Words(kind.label)
