"""Submissions: what visitors send for review, the logo that goes with it, and how far the review is."""

from __future__ import annotations

import uuid
from typing import Any

from partita.apps.kelifax import schema
from partita.apps.kelifax.formats import join_features, join_learning, join_tags, search_text, slug_of
from partita.apps.kelifax.inputs import Submission
from partita.apps.kelifax.schema import LOGOS, Resource
from partita.apps.kelifax.service.bookkeeping import completed, derived_writes
from partita.apps.kelifax.service.resources import url_conflict
from partita.kit.clock import stamp
from partita.kit.files import image_of
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.problems import Conflict, FieldError, Invalid, NotFound
from partita.kit.urls import UrlTaken
from partita.table import Delete, Put, Transaction

SUBMITTING = Rule("kelifax-submit", most=20, seconds=3600)
UPLOADING = Rule("kelifax-logo", most=30, seconds=3600)
LOGO_BYTES = 600_000
_TRIES = 60
_SLUGS_AT_ONCE = 25
_RESERVED_SLUGS = frozenset({"featured", "log", "reports"})
"""`/moderation/log` is a page, and so are these: a resource with such a slug could not be reached."""


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

    async def submit(self, submission: Submission, address: str) -> Resource:
        """Store a submission under the next free slug, unless another resource has its URL."""
        name = slug_of(submission.resource.resource_name)
        if not name:
            raise Invalid(
                FieldError(
                    "resource.resourceName", "Use at least one letter from A to Z or a digit: it becomes a link."
                )
            )
        await self._kit.limits.check(SUBMITTING, address)
        slug = await self._free_slug(name) if name in _RESERVED_SLUGS else name
        resource = completed(resource_of(submission, slug, str(uuid.uuid4()), stamp(self._kit.clock)))
        for _ in range(_TRIES):
            try:
                await self._store.transact(Transaction(*creation(resource), *self._claim(resource)))
                return resource
            except SlugTaken:
                resource = resource.model_copy(update={"resource_slug": await self._free_slug(name)})
            except UrlTaken as taken:
                raise await url_conflict(self._store, taken, "resource.resourceUrl") from None
        raise Conflict("Too many people are submitting a resource with this name right now. Try again in a moment.")

    async def status(self, submission_id: str) -> Resource:
        """The resource of a submitter's private link."""
        resource = await self._store.first(schema.submission(submission_id))
        if resource is None:
            raise NotFound("There is no submission with this link. Check that you copied all of it.")
        return resource

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
        key_features=join_features(details.key_features),
        use_cases=join_features(details.use_cases),
        learning_resources=join_learning(details.learning_resources),
        search_text=search_text(resource.resource_name, resource.tags, resource.category, details.key_features),
    )
