"""Kinds of notifications: what they are called, how their words are made, and how people hear of them by default."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

MailPace = Literal["never", "once", "daily", "weekly"]
"""How mail about a kind comes: not at all, one mail each at once, or in a digest."""
PACES: tuple[MailPace, ...] = get_args(MailPace)

HOUSE_STORE = "house"
"""The store of notifications in the house's own table."""


@dataclass(frozen=True, slots=True)
class Channels:
    """How somebody hears of a kind: in the suite or not, and by mail or not."""

    suite: bool = True
    mail: MailPace = "never"


@dataclass(frozen=True, slots=True)
class Words:
    """A notification in words; made when it is read, so that words can change."""

    title: str
    text: str = ""
    section: str = ""
    """Digests put lines of one section together, under its name."""


LookUp = Callable[[Sequence[Mapping[str, Any]]], Awaitable[Sequence[Mapping[str, Any] | None]]]
"""The data of notifications as they are now, many at once; None for what its reader may no longer see."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of notification, which a system brings."""

    name: str
    """`kelifax.submission-decided`: stored, so it never changes."""
    label: str
    """What people read on the settings page: “Decisions on my submissions”."""
    words: Callable[[Mapping[str, Any], int], Words]
    """The words, from the notification's data and how many were merged into it."""
    why: str
    """Why somebody gets it, for the foot of mails: “You get this because …”."""
    defaults: Channels = Channels()
    needs: str | None = None
    """The permission without which nobody may hear of it, now or later."""
    by_address: bool = False
    """Whether it also goes to addresses of people who have no account."""
    gathers: bool = False
    """Mail at once waits for ten minutes, and tells everything of that time in one."""
    store: str = HOUSE_STORE
    """Whose table holds its notifications."""
    look_up: LookUp | None = None
    """Looks at the things themselves each time notifications are read or put into a digest: numbers and names are those
    of now, and what was hidden meanwhile is not named. `link` among the data replaces the notification's."""

    def __post_init__(self) -> None:
        system, dot, name = self.name.partition(".")
        if not (system and dot and name) or not self.name.replace(".", "").replace("-", "").isalnum():
            raise ValueError(f"{self.name!r} is no name of a kind; write it as in kelifax.submission-decided")
