"""Notifications: submitters hear of their submissions, moderators of what waits for them.

Nobody has checked that the address of an account is its owner's. What the suite shows to an account with a submitter's
address is therefore only what everybody may know; the private link goes to the address itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from partita.apps.kelifax import schema
from partita.apps.kelifax.permissions import Kelifax
from partita.apps.kelifax.schema import Decision, Report, Resource
from partita.kit.import_ends import import_words
from partita.kit.kit import Kit
from partita.kit.letters import linkless
from partita.kit.lists import find
from partita.kit.notifications import Channels, InMail, Kind, Words

_BY_MAIL = "The mail to your email address has the link to your submission."
_MODERATORS = "You get this because you review submissions in Kelifax."
_SUBMITTERS = "You get this because somebody submitted a resource to Kelifax with your email address."


def _received(data: Mapping[str, Any], _count: int) -> Words:
    if "name" not in data:
        return Words("We have received your submission", _BY_MAIL)
    return Words(
        f"We have received “{linkless(data['name'])}”",
        "Thank you. Moderators will look at it. The link shows how far the review is; keep it to yourself.",
    )


def _decided(data: Mapping[str, Any], _count: int) -> Words:
    if data["decision"] == "approve":
        return Words(f"“{data['name']}” is approved", "Your resource is in the directory now.")
    if data["decision"] == "delete":
        return Words(f"Moderators have deleted {_named(data)}", "You can submit it again at any time.")
    if "name" not in data:
        return Words("Moderators have decided on your submission", _BY_MAIL)
    reason = f"The reason: {data['reason']}" if data.get("reason") else ""
    return Words(f"“{data['name']}” was not accepted", reason)


def _named(data: Mapping[str, Any]) -> str:
    return f"“{data['name']}”" if "name" in data else "a submission of yours"


def _waiting(data: Mapping[str, Any], count: int) -> Words:
    return Words(f"“{data['name']}” waits for review" if count == 1 else f"{count:,} new submissions wait for review")


def _reported(data: Mapping[str, Any], count: int) -> Words:
    return Words(f"{'A problem was' if count == 1 else f'{count:,} problems were'} reported with “{data['name']}”")


RECEIVED = Kind(
    "kelifax.submission-received",
    "A submission of mine was received",
    _received,
    _SUBMITTERS,
    Channels(suite=True, mail="once"),
    by_address=True,
)
DECIDED = Kind(
    "kelifax.submission-decided",
    "A submission of mine was approved, rejected or deleted",
    _decided,
    _SUBMITTERS,
    Channels(suite=True, mail="once"),
    by_address=True,
)
WAITING = Kind(
    "kelifax.submission-waiting",
    "A submission waits for review",
    _waiting,
    _MODERATORS,
    needs=Kelifax.READ_MODERATION,
)
REPORTED = Kind(
    "kelifax.report-waiting",
    "A problem with a resource was reported",
    _reported,
    _MODERATORS,
    needs=Kelifax.READ_MODERATION,
)
IMPORTED = Kind(
    "kelifax.import-ended",
    "An import of mine is done, or has failed",
    import_words,
    "You get this because you started an import in Kelifax.",
)
KINDS = (RECEIVED, DECIDED, WAITING, REPORTED, IMPORTED)


class KelifaxNotifications:
    """Tells people; each of these may run any number of times for one cause."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._notifications = kit.notifications

    async def tell_submitted(self, submitted: Resource) -> None:
        """A resource was submitted: to its submitter, and to those who review it."""
        resource = await find(self._kit.store, schema.resource, submitted.resource_slug)
        if resource is None or resource.submission_id != submitted.submission_id:
            return  # deleted meanwhile
        if resource.imported_in is not None:
            return  # the import has a report
        cause, at = resource.submission_id, resource.submitted_at
        await self._tell_submitter(resource, RECEIVED, cause, at, {}, {"name": resource.resource_name}, link="")
        if resource.resource_status == "pending":
            await self._tell_moderators(
                WAITING, cause, at, {"name": resource.resource_name}, "/kelifax/moderation", "queue"
            )

    async def tell_revised(self, revision: Decision) -> None:
        """A submitter has changed a submission: to those who review it, if it waits for them."""
        resource = await find(self._kit.store, schema.resource, revision.slug)
        if resource is not None and resource.resource_status == "pending":
            data = {"name": resource.resource_name}
            await self._tell_moderators(
                WAITING, revision.entry_id, revision.logged_at, data, "/kelifax/moderation", "queue"
            )

    async def tell_decided(self, decision: Decision) -> None:
        """A moderator has decided: to the submitter, unless it was decided anew meanwhile."""
        resource = await find(self._kit.store, schema.resource, decision.slug)
        wanted = "approved" if decision.action == "approve" else "rejected"
        if resource is None or resource.resource_status != wanted or resource.imported_in is not None:
            return
        known: dict[str, Any] = {"decision": decision.action}
        private = {**known, "name": resource.resource_name, "reason": decision.reason}
        if resource.is_approved:
            known["name"] = resource.resource_name
        link = f"/kelifax/resources/{decision.slug}" if resource.is_approved else ""
        await self._tell_submitter(resource, DECIDED, decision.entry_id, decision.logged_at, known, private, link)

    async def tell_deleted(self, deleted: Resource) -> None:
        """Moderators have deleted a resource: to its submitter, whose address only that change still has."""
        gone = await find(self._kit.store, schema.former_submission, deleted.submission_id)
        if gone is None or gone.withdrawn or deleted.imported_in is not None:
            return
        cause, private = f"{gone.submission_id} deleted", {"decision": "delete", "name": gone.resource_name}
        known = private if deleted.is_approved else {"decision": "delete"}
        await self._tell_submitter(deleted, DECIDED, cause, gone.gone_at, known, private, link="")

    async def tell_reported(self, report: Report) -> None:
        """Somebody reported a problem: to those who look at reports, unless it is closed already."""
        found = await find(self._kit.store, schema.report, report.slug, report.entry_id)
        resource = await find(self._kit.store, schema.resource, report.slug)
        if found is None or found.state != "open" or resource is None:
            return
        link = f"/kelifax/moderation/{report.slug}"
        data = {"name": resource.resource_name}
        await self._tell_moderators(REPORTED, report.entry_id, report.logged_at, data, link, report.slug)

    async def _tell_submitter(
        self,
        resource: Resource,
        kind: Kind,
        cause: str,
        at: str,
        known: Mapping[str, Any],
        private: Mapping[str, Any],
        link: str,
    ) -> None:
        address = resource.submitter_email.strip().lower()
        status = f"/kelifax/submissions/{resource.submission_id}"
        account = await self._kit.accounts.people.by_email(address)
        if account is None:
            await self._notifications.tell_address(
                address, kind, cause=cause, at=at, data=private, link=status, name=resource.submitter_first_name
            )
            return
        in_mail = InMail(address, private, status)
        await self._notifications.tell(
            account.user_id, kind, cause=cause, at=at, data=known, link=link, in_mail=in_mail
        )

    async def _tell_moderators(
        self, kind: Kind, cause: str, at: str, data: Mapping[str, Any], link: str, group: str
    ) -> None:
        for user_id in await self._kit.accounts.permissions.holders(Kelifax.READ_MODERATION):
            await self._notifications.tell(user_id, kind, cause=cause, at=at, data=data, link=link, group=group)
