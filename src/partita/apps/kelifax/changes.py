"""What follows a change of a resource: search, order where another program wrote it, and what it leaves behind."""

from __future__ import annotations

from contextlib import suppress

from partita.apps.kelifax.adoption import follow
from partita.apps.kelifax.bookkeeping import UrlTaken
from partita.apps.kelifax.removal import close_reports
from partita.apps.kelifax.schema import RESOURCES, Logo, Resource
from partita.apps.kelifax.search import CATALOG
from partita.apps.kelifax.service import has_logo, logo_file
from partita.kit.changes import Change, Handler
from partita.kit.kit import Kit
from partita.kit.search.following import following


def handlers(kit: Kit) -> tuple[Handler, ...]:
    """The reactions of Kelifax; each may see a change twice."""

    async def take_in(change: Change) -> None:
        with suppress(UrlTaken):  # `partita kelifax adopt` tells of it
            await follow(kit.store, *change.read(Resource))

    async def remove_logos(change: Change) -> None:
        old, new = change.read(Resource)
        if old is not None and has_logo(old) and (new is None or new.logo_image != old.logo_image):
            await kit.files.delete(logo_file(old.logo_image))
        upload, _ = change.read(Logo)
        if upload is not None and change.expired:
            await kit.files.delete(logo_file(upload.name))

    async def remove_reports(change: Change) -> None:
        old, new = change.read(Resource)
        if old is not None and new is None:
            await close_reports(kit.store, kit.clock, old.resource_slug)

    return (
        following(kit.search, kit.store, CATALOG, "kelifax.search"),
        Handler("kelifax.adoption", RESOURCES, take_in),
        Handler("kelifax.logos", RESOURCES, remove_logos),
        Handler("kelifax.reports", RESOURCES, remove_reports),
    )
