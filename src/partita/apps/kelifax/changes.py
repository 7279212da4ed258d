"""What follows a change of a resource: search, adoption, notifications, history, removal of its logo and reports."""

from __future__ import annotations

from collections.abc import Sequence

from partita.apps.kelifax.schema import RESOURCES, Decision, Report, Resource
from partita.apps.kelifax.search import CATALOG
from partita.apps.kelifax.service.adoption import adoptions
from partita.apps.kelifax.service.history import RESOURCE_FIELDS, foreign_decision
from partita.apps.kelifax.service.logos import Logos, newly_without_logo
from partita.apps.kelifax.service.notifications import KelifaxNotifications
from partita.apps.kelifax.service.removal import close_reports
from partita.kit.adoption import adoption_handler
from partita.kit.changes import Change, Handler
from partita.kit.history.following import foreign_changes
from partita.kit.kit import Kit
from partita.kit.search.following import following


def handlers(kit: Kit) -> tuple[Handler, ...]:
    """Kelifax's handlers; each may see a change twice."""
    notifications, logos = KelifaxNotifications(kit), Logos(kit)

    async def remove_logos(change: Change) -> None:
        old, new = change.read(Resource)
        if old is not None and old.logo_file is not None and (new is None or new.logo_file != old.logo_file):
            await kit.files.delete(old.logo_file)

    async def find_logo(change: Change) -> None:
        await find_logos([change])

    async def find_logos(changes: Sequence[Change]) -> None:
        pairs = [change.read(Resource) for change in changes]
        await logos.begin([new for old, new in pairs if new is not None and newly_without_logo(old, new)])

    async def remove_reports(change: Change) -> None:
        old, new = change.read(Resource)
        if old is not None and new is None:
            await close_reports(kit, old.resource_slug)

    async def tell(change: Change) -> None:
        if change.old is not None:
            old, new = change.read(Resource)
            if old is not None and new is None:
                await notifications.tell_deleted(old)
            return
        _, resource = change.read(Resource)
        if resource is not None and resource.resource_status == "pending":
            await notifications.tell_submitted(resource)
        _, decision = change.read(Decision)
        if decision is not None and decision.action in ("approve", "reject"):
            await notifications.tell_decided(decision)
        if decision is not None and decision.action == "revise":
            await notifications.tell_revised(decision)
        _, report = change.read(Report)
        if report is not None:
            await notifications.tell_reported(report)

    return (
        following(kit.search, kit.store, CATALOG, "kelifax.search"),
        adoption_handler("kelifax.adoption", RESOURCES, adoptions(kit.store)),
        Handler("kelifax.logos", RESOURCES, remove_logos),
        Handler("kelifax.find-logos", RESOURCES, find_logo, together=find_logos),
        Handler("kelifax.reports", RESOURCES, remove_reports),
        Handler("kelifax.notifications", RESOURCES, tell),
        foreign_changes("kelifax.history", RESOURCES, Resource, RESOURCE_FIELDS, kit.store, foreign_decision),
    )
