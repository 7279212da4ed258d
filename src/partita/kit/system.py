"""The parts of a system; `build` in its `system.py` makes it from the kit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from partita.kit.permissions import Grants, Permission, Viewer
from partita.kit.sharing.cards import Card
from partita.table import Table

if TYPE_CHECKING:
    from partita.kit.adoption import Adoption
    from partita.kit.changes import Handler
    from partita.kit.files import OwnedFiles
    from partita.kit.jobs import JobKind, Schedule
    from partita.kit.notifications import Kind, NotificationStore
    from partita.kit.personal_data import Holding
    from partita.kit.recounting import Recount
    from partita.kit.routes import Routes
    from partita.kit.search import Catalog
    from partita.kit.sharing import FeedLink, Sitemap


@dataclass(frozen=True, slots=True)
class Link:
    """An entry of a system's navigation, shown to people with the permission."""

    label: str
    path: str
    permission: str
    icon: str = ""


@dataclass(frozen=True, slots=True)
class Headline:
    """A news entry for the start page of the suite."""

    title: str
    path: str
    at: str
    note: str = ""
    file: str | None = None
    """Its own picture in the file store, if it has one."""
    picture: str = ""
    """The address of its picture, if its system makes one."""


@dataclass(frozen=True, slots=True)
class Highlight:
    """A line of the suite's start page for people with the permission: what waits for them, what is theirs, or the
    first thing to do."""

    label: str
    """`Submissions to review`, `My ratings`, `Add a site`."""
    path: str
    permission: str
    icon: str
    count: Callable[[Viewer], Awaitable[int]] | None = None
    """How many there are, by a read or two; without it the line is only a link."""
    most: int = 0
    """Where counting ends: this many are shown as `20+`. 0 if the number is exact."""
    waits: bool = False
    """Whether it is work that waits for somebody: then it is shown first, and only while there is any."""


@dataclass(frozen=True, slots=True)
class System:
    """A system of the suite."""

    name: str
    """`kelifax`: the start of its paths, `/kelifax/…` and `/api/kelifax/…`."""
    title: str
    purpose: str
    hue: int
    """Its accent colour, as an OKLCH hue."""
    icon: str
    """The name of an icon in the sprite."""
    tables: tuple[Table, ...]
    permissions: type[Permission] | tuple[()] = ()
    roles: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """`moderator` → what it grants."""
    members: frozenset[str] = frozenset()
    """What everybody with an account may do."""
    navigation: tuple[Link, ...] = ()
    search_path: str | None = None
    """Where the search box of the top bar goes, with `?q=`."""
    api: Routes | None = None
    pages: Routes | None = None
    templates: Path | None = None
    """The folder of its templates, which are named `<system>/….html`."""
    static: Path | None = None
    """The folder of its static files. Its pages load `<system>.css` and `<system>.js` of it, after the house's."""
    changes: tuple[Handler, ...] = ()
    jobs: tuple[JobKind, ...] = ()
    """What it does as jobs, started with `kit.jobs.start`."""
    schedules: tuple[Schedule, ...] = ()
    """Jobs that the clock starts."""
    adoptions: tuple[Adoption[Any], ...] = ()
    """How items that another program wrote are adopted."""
    recounts: tuple[Recount, ...] = ()
    """The counters that it keeps, for counting anew."""
    searches: tuple[Catalog[Any], ...] = ()
    files: tuple[OwnedFiles, ...] = ()
    """Where its files are and which of them its items name, for the sweep."""
    personal_data: tuple[Holding, ...] = ()
    """What it holds about people, and what becomes of it when somebody leaves."""
    notifications: tuple[Kind, ...] = ()
    """The kinds of notifications that it sends."""
    notification_store: NotificationStore | None = None
    """What holds its notifications, if not the house's table."""
    grants: Grants | None = None
    demo: Callable[[], Awaitable[str]] | None = None
    """Fills an empty system with demo data through its service; returns a summary."""
    news: Callable[[], Awaitable[tuple[Headline, ...]]] | None = None
    """News for everybody, newest first."""
    news_for: Callable[[Viewer], Awaitable[tuple[Headline, ...]]] | None = None
    """News for one person, newest first, if not everybody sees the same; asked for those who may open the system."""
    feeds: tuple[FeedLink, ...] = ()
    """Feeds that all of its pages point to; `add_feed` declares their routes."""
    sitemap: Sitemap | None = None
    """Its public pages and things, for search engines."""
    highlights: tuple[Highlight, ...] = ()
    """What the start page of the suite shows of it, beside its news."""
    start: Callable[[], Awaitable[None]] | None = None
    """Called once in each process that serves, before its first request; long work belongs in a job."""
    finish: Callable[[], Awaitable[None]] | None = None
    """Finishes background work before everything is closed."""

    def open_to(self, viewer: Viewer) -> bool:
        """Whether somebody may open its first page."""
        return not self.navigation or viewer.may(self.navigation[0].permission)

    @property
    def card(self) -> Card:
        """The picture beside links to its pages that have none of their own."""
        return Card.of(self.title, "Partita")

    @property
    def picture(self) -> str:
        """The path of that picture."""
        return f"/pictures/{self.name}/{self.card.file}"
