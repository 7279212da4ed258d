"""What a member submitted and saved, as lists that are narrowed and counted.

The newest are read for that, up to a bound, since they are theirs alone: what a list costs grows with what they have.
The list of all has no bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from partita.apps.kelifax.schema import CATEGORIES, STATUSES, Category, Resource, Status
from partita.apps.kelifax.service.liked import Liked
from partita.apps.kelifax.service.submissions import Submissions
from partita.kit.kit import Kit
from partita.kit.lists import page_of
from partita.kit.permissions import Viewer
from partita.table import Page

MOST = 300
"""The newest so many can be narrowed and counted."""


@dataclass(frozen=True, slots=True)
class MyResources(Page[Resource]):
    """A page of somebody's resources."""

    counts: Mapping[str, int] = field(default_factory=dict)
    """Status or category → how many there are of it, in their usual order."""
    of_all: int = 0
    """How many there are of all, as far as they are counted."""


class Mine:
    """The lists of one person."""

    def __init__(self, kit: Kit, submissions: Submissions, liked: Liked) -> None:
        self._cursors = kit.store.cursors
        self._submissions = submissions
        self._liked = liked

    async def submissions(
        self, viewer: Viewer, status: Status | None = None, *, limit: int = 20, cursor: str | None = None
    ) -> MyResources:
        """What the viewer submitted while signed in, newest first; of one status if that is wanted."""
        everything = (await self._submissions.mine(viewer, limit=MOST)).items
        counted = Counter(each.resource_status for each in everything)
        if status is None:
            page = await self._submissions.mine(viewer, limit=limit, cursor=cursor)
        else:
            wanted = [each for each in everything if each.resource_status == status]
            name = ["kelifax.my-submissions", viewer.id, status]
            page = page_of(self._cursors, name, wanted, lambda each: each.submission_id, limit=limit, cursor=cursor)
        counts: dict[str, int] = {each: counted[each] for each in STATUSES}
        return MyResources(page.items, page.next_cursor, total=page.total, counts=counts, of_all=len(everything))

    async def saved(
        self, viewer: Viewer, category: Category | None = None, *, limit: int = 20, cursor: str | None = None
    ) -> MyResources:
        """What the viewer saved and is still public, the last saved first; of one category if that is wanted."""
        everything = (await self._liked.saved(viewer, limit=MOST)).items
        counted = Counter(each.category for each in everything)
        if category is None:
            page = await self._liked.saved(viewer, limit=limit, cursor=cursor)
        else:
            wanted = [each for each in everything if each.category == category]
            name = ["kelifax.my-saved", viewer.id, category]
            page = page_of(self._cursors, name, wanted, lambda each: each.resource_slug, limit=limit, cursor=cursor)
        counts: dict[str, int] = {each: counted[each] for each in CATEGORIES if counted[each]}
        return MyResources(page.items, page.next_cursor, total=page.total, counts=counts, of_all=len(everything))
