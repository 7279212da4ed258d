"""The history of a site: what is recorded of it, and who changed it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from partita.apps.fus import schema
from partita.apps.fus.schema import Site, SiteLog
from partita.kit.clock import stamp
from partita.kit.history import Field, FieldChange, Fields, TimelineEntry
from partita.kit.history.following import ANOTHER_PROGRAM
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.table import Page

SITE_FIELDS = Fields(
    Field("url", "Address", "url"),
    Field("title", "Title", "title"),
    Field("description", "Description", "description"),
    Field("tags", "Tags", "tags"),
)
"""What people edit of a site, with the labels of the form."""
COMMENT_FIELDS = Fields(Field("body", "Your comment", "body"))
COLLECTION_FIELDS = Fields(Field("name", "Name", "name"), Field("description", "Description", "description"))
_SHOWN = {"true": "Yes", "yes": "Yes", "": "No"}
PROFILE_FIELDS = Fields(
    Field("isPublic", "Show what I like to everybody", "is_public", choices=_SHOWN), Field("about", "About me", "about")
)
_ACTIONS = {"edit": ("Edited", ""), "delete": ("Deleted", "bad"), "read page": ("Page read again", "")}


def group_fields(permission_label: Callable[[str], str], permissions: Iterable[str]) -> Fields:
    """What people edit of a group; permissions as people read them."""
    choices = {permission: permission_label(permission) for permission in permissions}
    return Fields(
        Field("description", "Description", "description"),
        Field("permissions", "Permissions", "permissions", choices=choices),
    )


class SiteHistory:
    """Who changed a site."""

    def __init__(self, kit: Kit) -> None:
        self._store = kit.store

    async def of_site(self, site_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[SiteLog]:
        """The changes of a site, newest first; also of a deleted one."""
        return await self._store.page(schema.history_of(site_id), limit=limit, after=cursor)


def edit_entry(kit: Kit, viewer: Viewer, before: Site, after: Site) -> SiteLog:
    """The entry for an edit; without changes of what people type, only the page was read again."""
    edits = SITE_FIELDS.changes(before, after)
    return _entry(kit, viewer, after.site_id, "edit" if edits else "read page", edits)


def deletion_entry(kit: Kit, viewer: Viewer, site: Site) -> SiteLog:
    """The entry for a deletion."""
    return _entry(kit, viewer, site.site_id, "delete", ())


def foreign_entry(site: Site, at: str, entry_id: str, edits: tuple[FieldChange, ...]) -> SiteLog:
    """The entry for what another program has changed."""
    return SiteLog(site_id=site.site_id, at=at, entry_id=entry_id, by=ANOTHER_PROGRAM, action="edit", edits=edits)


def timeline_entry(entry: SiteLog) -> TimelineEntry:
    """An entry as a timeline shows it."""
    what, kind = _ACTIONS.get(entry.action, (entry.action, ""))
    return TimelineEntry(entry.by, entry.at, what, kind, changes=SITE_FIELDS.readable(entry.edits))


def _entry(kit: Kit, viewer: Viewer, site_id: str, action: str, edits: tuple[FieldChange, ...]) -> SiteLog:
    return SiteLog(
        site_id=site_id,
        at=stamp(kit.clock),
        entry_id=kit.ids.new(),
        by=viewer.username or viewer.id,
        action=action,
        edits=edits,
    )
