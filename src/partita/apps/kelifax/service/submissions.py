"""Submissions: what visitors send for review, the logo that goes with it, and how far the review is."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from partita.apps.kelifax import schema
from partita.apps.kelifax.formats import join_features, join_learning, join_tags, search_text, slug_or_digest
from partita.apps.kelifax.inputs import Submission
from partita.apps.kelifax.schema import LOGOS, MODERATED, Decision, Resource
from partita.apps.kelifax.service.bookkeeping import (
    REPORTS_AT_ONCE,
    completed,
    deletion_writes,
    derived_writes,
    rewrite,
)
from partita.apps.kelifax.service.history import RESOURCE_FIELDS, timeline_entry
from partita.apps.kelifax.service.resources import no_resource, url_conflict
from partita.kit.clock import stamp
from partita.kit.files import image_of
from partita.kit.history import TimelineEntry
from partita.kit.inputs import StaleEdit
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find, find_or
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, FieldError, Invalid, NotFound
from partita.kit.urls import UrlTaken
from partita.table import Delete, Page, Put, Transaction

SUBMITTING = Rule("kelifax-submit", most=20, seconds=3600)
UPLOADING = Rule("kelifax-logo", most=30, seconds=3600)
LOGO_BYTES = 600_000
SUBMITTER = "the submitter"
"""Who the log says it was; no username has a space in it."""
_SUBMITTED = (
    *("submitter_first_name", "submitter_last_name", "submitter_email", "submitter_company", "submitter_phone"),
    *("submitter_domain", "resource_name", "resource_url", "usage_purpose", "category", "logo_image", "tags"),
    *("key_features", "use_cases", "learning_resources", "search_text", "licence", "pricing"),
)
_STEPS = 50
_TOLD = {
    "approve": "Approved",
    "reject": "Rejected",
    "reopen": "Under review again",
    "revise": "Changed by you",
    "edit": "Edited by a moderator",
}
"""Decisions that a submitter is told of, in their words."""
_TRIES = 60
_SLUGS_AT_ONCE = 25
_RESERVED_SLUGS = frozenset({"broken", "export", "featured", "import", "log", "many", "reports"})
"""`/moderation/log` is a page, and so are these: a resource with such a slug could not be reached."""


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happened to a submission, as its submitter reads it."""

    what: str
    at: str
    reason: str = ""


class SlugTaken(Exception):
    """Another resource has this slug."""


class Submissions:
    """Submitting a resource, and seeing what became of it."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    async def upload_logo(self, data: bytes, address: str) -> str:
        """Keep a logo for a day, until a submission claims it; returns its name for the submission."""
        await self._kit.limits.check(UPLOADING, address)
        image = await image_of(data, most_bytes=LOGO_BYTES, least=(64, 64))
        file = await self._kit.uploads.keep(LOGOS, image.data, image.kind)
        return file.rpartition("/")[2]

    async def submit(self, submission: Submission, address: str, user_id: str | None = None) -> Resource:
        """Store a submission under the next free slug, unless another resource has its URL."""
        name = slug_or_digest(submission.resource.resource_name)
        if not name:
            raise Invalid(
                FieldError("resource.resourceName", "Use at least one letter or digit: the name becomes a link.")
            )
        await self._kit.limits.check(SUBMITTING, address)
        resource = completed(resource_of(submission, name, str(uuid.uuid4()), stamp(self._kit.clock)))
        try:
            return await self.create(resource.with_(Resource.submitted_by(user_id)), self._claim)
        except UrlTaken as taken:
            raise await url_conflict(self._store, taken, "resource.resourceUrl") from None

    async def create(self, resource: Resource, beside: Callable[[Resource], tuple[Any, ...]]) -> Resource:
        """Store a new resource under its slug, or the next one that is free, with other writes beside it; `UrlTaken` if
        another one has its address."""
        name = resource.resource_slug
        if name in _RESERVED_SLUGS:
            resource = resource.with_(Resource.resource_slug(await self._free_slug(name)))
        for _ in range(_TRIES):
            try:
                await self._store.transact(Transaction(*creation(resource), *beside(resource)))
                return resource
            except SlugTaken:
                resource = resource.with_(Resource.resource_slug(await self._free_slug(name)))
        raise Conflict("Too many people are submitting a resource with this name right now. Try again in a moment.")

    async def status(self, submission_id: str) -> Resource:
        """The resource of a submitter's private link."""
        resource = await self._store.first(schema.submission(submission_id))
        if resource is not None:
            return resource
        gone = await find(self._store, schema.former_submission, submission_id)
        if gone is None:
            raise NotFound("There is no submission with this link. Check that you copied all of it.")
        day = f"{datetime.fromisoformat(gone.gone_at):%-d %B %Y}"
        if gone.withdrawn:
            raise NotFound(f"You withdrew “{gone.resource_name}” on {day}. You can submit it again at any time.")
        raise NotFound(f"Moderators deleted “{gone.resource_name}” on {day}. You can submit it again at any time.")

    async def steps(self, resource: Resource) -> tuple[Step, ...]:
        """What happened to a submission so far, the latest last. Who decided is not its submitter's to know."""
        logged = await self._store.page(schema.decisions_on(resource.resource_slug), limit=_STEPS)
        # An earlier resource may have had the slug.
        decided = [each for each in logged if each.action in _TOLD and each.logged_at >= resource.created_at]
        steps = [Step(_TOLD[each.action], each.logged_at, each.reason) for each in reversed(decided)]
        if resource.is_approved and not any(step.what == "Approved" for step in steps):  # by another program
            steps.append(Step("Approved", resource.approved_at))
        if resource.resource_status == "rejected" and not any(step.what == "Rejected" for step in steps):
            steps.append(Step("Rejected", resource.rejected_at, resource.rejection_reason))
        return (Step("Submitted", resource.created_at), *steps)

    async def last_step(self, resource: Resource) -> TimelineEntry | None:
        """What was done last to a submission, as its submitter reads it."""
        for each in await self._store.page(schema.decisions_on(resource.resource_slug), limit=1):
            return replace(timeline_entry(each), who="you" if each.by == SUBMITTER else "a moderator")
        return None

    async def mine(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[Resource]:
        """What a member submitted while signed in, newest first."""
        return await self._store.page(schema.submissions_by(viewer.id), limit=limit, after=cursor)

    async def known_submitter(self, viewer: Viewer) -> dict[str, str]:
        """What is known of the submitter already: of a member the name and the email address."""
        if not viewer.signed_in:
            return {}
        account = await self._kit.accounts.people.get(viewer.id)
        first, _, last = account.name.strip().rpartition(" ")
        return {"firstName": first or last, "lastName": last if first else "", "companyEmail": account.email or ""}

    async def revise(self, submission_id: str, submission: Submission, address: str, revision: int | None) -> Resource:
        """Change a submission that is not approved; a rejected one waits again. Refused if moderators were faster."""
        await self._kit.limits.check(SUBMITTING, address)

        async def attempt() -> Resource:
            before = await self.to_edit(submission_id, revision)
            now = stamp(self._kit.clock)
            changed = resource_of(submission, before.resource_slug, submission_id, before.created_at)
            waiting = {"resource_status": "pending", "rejected_at": "", "rejection_reason": "", "submitted_at": now}
            fields = changed.model_dump(include=set(_SUBMITTED))
            after = completed(before.model_copy(update={**fields, **waiting}))
            after = after.with_(Resource.revision(before.revision + 1))
            update = rewrite(before, after, *MODERATED).next_version(before)
            claims = self._claim(after) if after.logo_image != before.logo_image else ()
            log_entry = self._logged(before, "revise").with_(Decision.edits(RESOURCE_FIELDS.changes(before, after)))
            try:
                await self._store.transact(Transaction(update, *derived_writes(before, after), Put(log_entry), *claims))
            except UrlTaken as taken:
                raise await url_conflict(self._store, taken, "resource.resourceUrl") from None
            return after

        return await self._store.attempt(attempt)

    async def withdraw(self, submission_id: str, revision: int | None = None) -> None:
        """Delete a submission that is not approved."""

        async def attempt() -> None:
            await self._delete(await self.to_edit(submission_id, revision))

        await self._store.attempt(attempt)

    async def remove_of_one_who_left(self, slug: str) -> None:
        """Delete a submission whose submitter is erased, unless it is approved meanwhile."""

        async def attempt() -> None:
            resource = await find(self._store, schema.resource, slug)
            if resource is not None and not resource.is_approved:
                await self._delete(resource)

        await self._store.attempt(attempt)

    async def _delete(self, before: Resource) -> None:
        reports = await self._store.page(schema.open_reports_of(before.resource_slug), limit=REPORTS_AT_ONCE)
        await self._store.transact(Transaction(*deletion_writes(before, reports, self._logged(before, "withdraw"))))

    async def to_edit(self, submission_id: str, revision: int | None = None) -> Resource:
        """A submission that its submitter may still change, read consistently; `StaleEdit` if it is not at this
        revision any more."""
        known = await self.status(submission_id)
        resource = await find_or(no_resource(known.resource_slug), self._store, schema.resource, known.resource_slug)
        if resource.is_approved:
            message = "It is in the directory now. To have it changed or removed, report a problem on its page."
            raise Conflict(message, code="already_approved")
        if revision not in (None, resource.revision):
            raise StaleEdit(resource.revision)
        return resource

    def _logged(self, resource: Resource, action: str) -> Decision:
        """The log's entry for something that the submitter does now."""
        return Decision(
            slug=resource.resource_slug,
            logged_at=stamp(self._kit.clock),
            entry_id=self._kit.ids.new(),
            by=SUBMITTER,
            action=action,
        )

    def _claim(self, resource: Resource) -> tuple[Delete[Any], ...]:
        """The write that claims the uploaded logo of a resource, if it has one."""
        if resource.logo_file is None:
            return ()
        gone = Invalid(FieldError("resource.logoImage", "This logo has expired. Upload it again."))
        return (self._kit.uploads.claim(resource.logo_file).otherwise(gone),)

    async def _free_slug(self, name: str) -> str:
        """The next of name-2, name-3, … that is free; somebody else may still take it first."""
        first = 2
        while True:
            slugs = tuple(f"{name[:110]}-{number}" for number in range(first, first + _SLUGS_AT_ONCE))
            resources = await self._store.batch_get(schema.resources_found(slugs), consistent=True)
            for slug, resource in zip(slugs, resources, strict=True):
                if resource is None:
                    return slug
            first += _SLUGS_AT_ONCE


def creation(resource: Resource) -> tuple[Any, ...]:
    """The writes that create a resource."""
    return (Put(resource).if_new().otherwise(SlugTaken()), *derived_writes(None, resource))


def resource_of(submission: Submission, slug: str, submission_id: str, now: str) -> Resource:
    """The item that the document's `create_dynamo_item` makes of a form."""
    submitter, resource, details = submission.submitter, submission.resource, submission.details
    return Resource(
        resource_slug=slug,
        submission_id=submission_id,
        created_at=now,
        submitted_at=now,
        submitter_first_name=submitter.first_name,
        submitter_last_name=submitter.last_name,
        submitter_email=submitter.company_email,
        submitter_company=submitter.company,
        submitter_phone=submitter.phone_number,
        submitter_domain=submitter.company_email.rpartition("@")[2],
        resource_name=resource.resource_name,
        resource_url=resource.resource_url,
        usage_purpose=resource.usage_purpose,
        category=resource.category,
        logo_image=resource.logo_image,
        tags=join_tags(resource.tags),
        licence=resource.licence or None,
        pricing=resource.pricing or None,
        key_features=join_features(details.key_features),
        use_cases=join_features(details.use_cases),
        learning_resources=join_learning(details.learning_resources),
        search_text=search_text(resource.resource_name, resource.tags, resource.category, details.key_features),
    )
