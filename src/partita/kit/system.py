"""What a system brings to the suite; each is made by `build` in its `system.py` from the kit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from partita.kit.permissions import Grants
from partita.table import Table

if TYPE_CHECKING:
    from partita.kit.changes import Handler
    from partita.kit.routes import Routes
    from partita.kit.search import Catalog


@dataclass(frozen=True, slots=True)
class Link:
    """An entry of a system's navigation, shown to those who may follow it."""

    label: str
    path: str
    permission: str
    icon: str = ""


@dataclass(frozen=True, slots=True)
class Headline:
    """Something new, for the start page of the suite."""

    title: str
    path: str
    at: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class System:
    """One of the five."""

    name: str
    """`kelifax`: the start of its paths, `/kelifax/…` and `/api/kelifax/…`."""
    title: str
    purpose: str
    hue: int
    """Its accent, as an OKLCH hue."""
    tables: tuple[Table, ...]
    permissions: frozenset[str] = frozenset()
    roles: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """`moderator` → what it grants."""
    members: frozenset[str] = frozenset()
    """What everybody with an account may do."""
    navigation: tuple[Link, ...] = ()
    search_path: str | None = None
    """Where the search box of the top bar goes, with `?q=`."""
    inbox: str | None = None
    """Where the bell of the top bar leads; `<inbox>/unread` answers with the number, or nothing."""
    api: Routes | None = None
    pages: Routes | None = None
    changes: tuple[Handler, ...] = ()
    searches: tuple[Catalog[Any], ...] = ()
    grants: Grants | None = None
    demo: Callable[[], Awaitable[str]] | None = None
    """Fills an empty system with demo data through its service; says what it made."""
    news: Callable[[], Awaitable[tuple[Headline, ...]]] | None = None
    """What is new for everybody, newest first."""
    finish: Callable[[], Awaitable[None]] | None = None
    """Does what is still waiting, before everything is closed."""
