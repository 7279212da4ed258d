"""The rules of Kelifax: who may submit what, what a decision changes, and what the public may see."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, get_args

from partita.apps.kelifax import schema
from partita.apps.kelifax.bookkeeping import UrlTaken, changes, completed, rests_on, rewritten
from partita.apps.kelifax.formats import (
    LearningResource,
    join_features,
    join_learning,
    join_tags,
    search_text,
    spelled_tag,
    split_features,
    split_tags,
)
from partita.apps.kelifax.schema import MODERATED, Category, Decision, Logo, Report, Resource, Status
from partita.apps.kelifax.search import CATALOG
from partita.apps.kelifax.submission import LOGO_NAME, Edit, Submission, slug_of
from partita.kit.clock import stamp
from partita.kit.files import image_of
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.permissions import Viewer
from partita.kit.problems import BadRequest, Conflict, FieldError, Invalid, NotFound
from partita.table import Check, Delete, Put, Transaction, Update
from partita.table.errors import KeyPartError
from partita.table.steps import Page

CATEGORIES: tuple[Category, ...] = get_args(Category)
STATUSES: tuple[Status, ...] = get_args(Status)
Sort = Literal["newest", "popular"]

SUBMITTING = Rule("kelifax-submit", most=20, seconds=3600)
UPLOADING = Rule("kelifax-logo", most=30, seconds=3600)
REPORTING = Rule("kelifax-report", most=20, seconds=3600)
LOGO_BYTES = 600_000
_LOGO_KINDS = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}
_LOGO_SECONDS = 86_400
_TRIES = 60
_REPORTS_AT_ONCE = 40
"""A transaction has a hundred writes; tags, totals and the guard of a resource need some of them."""
PAGES_OF_MODERATION = frozenset({"log", "reports"})
"""No slugs: a resource of this name would hide behind `/moderation/log`."""


class SlugTaken(Exception):
    """Another resource has this slug."""


@dataclass(frozen=True, slots=True)
class Found:
    """A resource in a list, with what a search marked in it."""

    resource: Resource
    marks: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of resources."""

    found: tuple[Found, ...]
    next_cursor: str | None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Analytics:
    """What moderators want to know."""

    statuses: Mapping[str, int]
    categories: Mapping[str, int]
    domains: tuple[tuple[str, int], ...]
    days: tuple[tuple[str, int], ...]
    popular: tuple[Resource, ...]


class KelifaxService:
    """Everything that can be done."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    # -- submitting

    async def upload_logo(self, data: bytes, who: str) -> str:
        """Keep a logo for a day, until a submission names it; its name."""
        await self._kit.limits.check(UPLOADING, who)
        image = await image_of(data, kinds=frozenset(_LOGO_KINDS), most_bytes=LOGO_BYTES, least=(64, 64))
        name = f"{self._kit.ids.new()}.{_LOGO_KINDS[image.kind]}"
        await self._kit.files.save(logo_file(name), image.data, image.kind)
        expires = int(self._kit.clock.now().timestamp()) + _LOGO_SECONDS
        await self._store.write(Put(Logo(name=name, expires_at=expires)).if_new())
        return name

    async def submit(self, submission: Submission, who: str) -> Resource:
        """Take a submission; the slug is the next that is free, and the URL is nobody else's."""
        name = slug_of(submission.resource.resource_name)
        if not name:
            raise Invalid(
                FieldError(
                    "resource.resourceName", "Use at least one letter from A to Z or a digit: it becomes a link."
                )
            )
        await self._kit.limits.check(SUBMITTING, who)
        slug = await self._free_slug(name) if name in PAGES_OF_MODERATION else name
        resource = completed(resource_of(submission, slug, str(uuid.uuid4()), stamp(self._kit.clock)))
        for _ in range(_TRIES):
            try:
                await self._store.transact(Transaction(*creation(resource)))
                return resource
            except SlugTaken:
                slug = await self._free_slug(name)
                resource = resource.model_copy(update={"resource_slug": slug})
            except UrlTaken as taken:
                raise await self._url_taken(taken.slug, "resource.resourceUrl") from None
        raise Conflict("Very many people submit something of this name right now. Try again in a moment.")

    async def _free_slug(self, name: str) -> str:
        """The next of name-2, name-3, … that nobody has; somebody may still be faster."""
        first = 2
        while True:
            names = [f"{name[:110]}-{number}" for number in range(first, first + 25)]
            found = await self._store.batch_get(
                [Resource.key(Resource.resource_slug(slug)) for slug in names], consistent=True
            )
            for slug, resource in zip(names, found, strict=True):
                if resource is None:
                    return slug
            first += 25

    async def _url_taken(self, slug: str, field: str) -> Conflict:
        other = await self._store.get(schema.resource(slug))
        if other is not None and other.resource_status == "approved":
            told = f"This address is in the directory already, as {slug}."
        else:
            told = "This address was submitted already and is waiting for review."
        return Conflict(told, code="url_taken", errors=[FieldError(field, told)])

    async def submission_status(self, submission_id: str) -> Resource:
        """The resource of a submitter's private link."""
        page = await self._store.page(schema.submission(submission_id), limit=1)
        if not page.items:
            raise NotFound("There is no submission with this link. Check that all of it was copied.")
        return page.items[0]

    # -- what everybody sees

    async def browse(
        self,
        *,
        category: Category | None = None,
        tag: str | None = None,
        text: str = "",
        sort: Sort = "newest",
        limit: int = 20,
        cursor: str | None = None,
    ) -> Listing:
        """Approved resources: by relevance where words are searched for, else the newest or most viewed first."""
        tag = spelled_tag(tag or "") or None
        if text.strip():
            return await self._search(text, category, tag, limit, cursor)
        if tag is not None:
            if sort == "popular":
                raise Invalid(FieldError("sort", "Resources with a tag can be listed by newest only."))
            return await self._tagged(tag, category, limit, cursor)
        if sort == "popular":
            query = schema.popular_resources() if category is None else schema.popular_in(category)
        else:
            query = schema.approved_resources() if category is None else schema.approved_in(category)
        page = await self._store.page(query, limit=limit, after=cursor)
        return Listing(tuple(Found(resource, {}) for resource in page), page.next_cursor)

    async def _search(
        self, text: str, category: Category | None, tag: str | None, limit: int, cursor: str | None
    ) -> Listing:
        filters = {name: value for name, value in (("category", category), ("tag", tag)) if value is not None}
        page = await self._kit.search.find(CATALOG, text, filters=filters, limit=limit, cursor=cursor)
        resources = await self._approved([hit.id for hit in page.hits])
        found = tuple(Found(resources[hit.id], hit.highlights) for hit in page.hits if hit.id in resources)
        return Listing(found, page.next_cursor, page.total)

    async def _tagged(self, tag: str, category: Category | None, limit: int, cursor: str | None) -> Listing:
        query = schema.approved_with_tag(tag) if category is None else schema.approved_with_tag_in(tag, category)
        page = await self._store.page(query, limit=limit, after=cursor)
        resources = await self._approved([entry.slug for entry in page])
        found = tuple(Found(resources[entry.slug], {}) for entry in page if entry.slug in resources)
        return Listing(found, page.next_cursor)

    async def _approved(self, slugs: list[str]) -> dict[str, Resource]:
        items = await self._store.batch_get([Resource.key(Resource.resource_slug(slug)) for slug in slugs])
        return {item.resource_slug: item for item in items if item is not None and item.resource_status == "approved"}

    async def detail(self, slug: str) -> Resource:
        """An approved resource; others are as good as not there."""
        resource = await self._find(slug)
        if resource.resource_status != "approved":
            raise _unknown(slug)
        return resource

    async def related(self, resource: Resource, limit: int = 4) -> tuple[Resource, ...]:
        """Others of the same category, newest first."""
        page = await self._store.page(schema.approved_in(resource.category), limit=limit + 1)
        return tuple(other for other in page if other.resource_slug != resource.resource_slug)[:limit]

    async def count_views(self, slug: str, views: int = 1) -> None:
        """So many more visitors have seen an approved resource; nothing where it was taken back meanwhile."""
        seen = Update(
            Resource.key(Resource.resource_slug(slug)),
            Resource.view_count.add(views),
            Resource.last_viewed.set(stamp(self._kit.clock)),
        )
        with suppress(NotFound):
            await self._store.write(seen.when(Resource.resource_status.equals("approved")).otherwise(_unknown(slug)))

    async def featured(self, limit: int = 6) -> tuple[Resource, ...]:
        return (await self._store.page(schema.featured_resources(), limit=limit)).items

    async def categories(self) -> dict[Category, int]:
        """How many approved resources each category has."""
        totals = await self._store.page(schema.totals("category"), limit=len(CATEGORIES))
        counts = {total.counted_as: total.count for total in totals}
        return {category: counts.get(category, 0) for category in CATEGORIES}

    async def statuses(self) -> dict[str, int]:
        """How many resources each status has."""
        totals = await self._store.page(schema.totals("status"), limit=len(STATUSES))
        counts = {total.counted_as: total.count for total in totals}
        return {status: counts.get(status, 0) for status in STATUSES}

    async def report(self, slug: str, reason: str, who: str) -> None:
        """Somebody thinks something is wrong with an approved resource."""
        plain = reason.strip()
        if not 1 <= len(plain) <= 1000:
            raise Invalid(FieldError("reason", "Say what is wrong, in at most 1,000 characters."))
        await self.detail(slug)
        await self._kit.limits.check(REPORTING, who)
        report = Report(slug=slug, entry_id=self._kit.ids.new(), logged_at=stamp(self._kit.clock), reason=plain)
        # A report of what is being deleted would stay open: nobody could look at what it is about.
        public = Check(Resource.key(Resource.resource_slug(slug)), Resource.resource_status.equals("approved"))
        await self._store.transact(Transaction(Put(report).if_new(), public.otherwise(_unknown(slug))))

    # -- moderation

    async def queue(self, status: Status, *, limit: int = 20, cursor: str | None = None) -> Page[Resource]:
        """Resources of a status: what waits longest first, decided ones newest first."""
        query = schema.pending_resources() if status == "pending" else schema.resources_with_status(status)
        return await self._store.page(query, limit=limit, after=cursor)

    async def inspect(self, slug: str) -> Resource:
        """A resource whatever its status, with all that is known."""
        return await self._find(slug)

    async def approve(self, viewer: Viewer, slug: str) -> Resource:
        """Let the public see a resource."""
        now = stamp(self._kit.clock)

        def approved(resource: Resource) -> Resource:
            if resource.resource_status == "approved":
                raise Conflict("This resource is approved already.", code="already_approved")
            return resource.model_copy(
                update={
                    "resource_status": "approved",
                    "approved_at": now,
                    "rejected_at": "",
                    "rejection_reason": "",
                }
            )

        return await self._change(viewer, slug, "approve", "", approved)

    async def reject(self, viewer: Viewer, slug: str, reason: str) -> Resource:
        """Keep a resource from the public, or take it back; the submitter is told why."""
        plain = reason.strip()
        if not 1 <= len(plain) <= 1000:
            raise Invalid(FieldError("reason", "Say why, in at most 1,000 characters: the submitter will read it."))
        now = stamp(self._kit.clock)

        def rejected(resource: Resource) -> Resource:
            if resource.resource_status == "rejected":
                raise Conflict("This resource is rejected already.", code="already_rejected")
            return resource.model_copy(
                update={
                    "resource_status": "rejected",
                    "rejected_at": now,
                    "rejection_reason": plain,
                    "approved_at": "",
                    "featured": False,
                }
            )

        return await self._change(viewer, slug, "reject", plain, rejected)

    async def feature(self, viewer: Viewer, slug: str, *, featured: bool) -> Resource:
        """Put an approved resource in front, or back among the others."""

        def chosen(resource: Resource) -> Resource:
            if resource.resource_status != "approved":
                raise Conflict("Only an approved resource can be featured.", code="not_approved")
            if resource.featured == featured:
                told = "This resource is featured already." if featured else "This resource is not featured."
                raise Conflict(told, code="already_featured" if featured else "not_featured")
            return resource.model_copy(update={"featured": featured})

        return await self._change(viewer, slug, "feature" if featured else "unfeature", "", chosen)

    async def edit(self, viewer: Viewer, slug: str, edit: Edit) -> Resource:
        """Change what is said about a resource, unless it is not what the editor saw; its slug and its time stay."""
        if not edit.model_fields_set - {"revision"}:
            raise BadRequest("Nothing to change was sent.", code="nothing_to_change")

        def edited(resource: Resource) -> Resource:
            if edit.revision is not None and edit.revision != resource.revision:
                raise _changed_meanwhile()
            return resource.model_copy(update=_edited(resource, edit))

        return await self._change(viewer, slug, "edit", "", edited, seen=() if edit.revision is None else MODERATED)

    async def delete(self, viewer: Viewer, slug: str) -> None:
        """Remove a resource, its tags, its claim on its URL, and close reports; what is left follows by the stream."""

        async def attempt() -> None:
            before = await self._find(slug)
            reports = await self._store.page(schema.open_reports_of(slug), limit=_REPORTS_AT_ONCE)
            closed = [Update(report.own_key, Report.state.set("closed")) for report in reports]
            gone = Delete(before.own_key).unless_changed(before, *rests_on(before, before))
            log = self._decision(viewer, slug, "delete", "")
            await self._store.transact(Transaction(gone, *changes(before, None), *closed, Put(log)))

        await self._store.attempt(attempt)

    async def _change(
        self,
        viewer: Viewer,
        slug: str,
        action: str,
        reason: str,
        decide: Callable[[Resource], Resource],
        seen: tuple[str, ...] = (),
    ) -> Resource:
        """Read, decide, write: all of it or nothing, and anew where somebody changed what it rests on meanwhile."""

        async def attempt() -> Resource:
            before = await self._find(slug)
            decided = decide(before)
            if decided == before:
                return before
            after = completed(decided).with_(Resource.revision(before.revision + 1))
            changed = rewritten(before, after, *seen).next_version(before)
            log = self._decision(viewer, slug, action, reason, _told(before, after) if action == "edit" else ())
            try:
                await self._store.transact(Transaction(changed, *changes(before, after), Put(log)))
            except UrlTaken as taken:
                raise await self._url_taken(taken.slug, "resourceUrl") from None
            return after

        return await self._store.attempt(attempt)

    def _decision(self, viewer: Viewer, slug: str, action: str, reason: str, changed: tuple[str, ...] = ()) -> Decision:
        return Decision(
            slug=slug,
            logged_at=stamp(self._kit.clock),
            entry_id=self._kit.ids.new(),
            by=viewer.username or viewer.id,
            action=action,
            reason=reason,
            changed=changed,
        )

    async def log(self, *, limit: int = 20, cursor: str | None = None) -> Page[Decision]:
        return await self._store.page(schema.decisions(), limit=limit, after=cursor)

    async def open_reports(self, *, limit: int = 20, cursor: str | None = None) -> Page[Report]:
        return await self._store.page(schema.open_reports(), limit=limit, after=cursor)

    async def history_of(self, slug: str, limit: int = 20) -> tuple[Decision, ...]:
        """What was decided about a resource, newest first; also of one that is gone."""
        return (await self._store.page(schema.decisions_on(slug), limit=limit)).items

    async def open_reports_of(self, slug: str, limit: int = 20) -> tuple[Report, ...]:
        """Reports of a resource that nobody has dealt with, newest first."""
        return (await self._store.page(schema.open_reports_of(slug), limit=limit)).items

    async def close_report(self, viewer: Viewer, slug: str, entry_id: str) -> None:
        """A report was dealt with."""
        closed = Update(Report.key(Report.slug(slug), Report.entry_id(entry_id)), Report.state.set("closed"))
        known = closed.when(Report.state.equals("open")).otherwise(
            NotFound("There is no open report with this id; somebody may have closed it.")
        )
        log = self._decision(viewer, slug, "close report", "")
        await self._store.transact(Transaction(known, Put(log)))

    async def analytics(self) -> Analytics:
        categories = await self._totals("category")
        domains, days = await self._totals("domain"), await self._totals("day")
        popular = await self._store.page(schema.popular_resources(), limit=10)
        return Analytics(
            statuses=await self.statuses(),
            categories={category: categories.get(category, 0) for category in CATEGORIES},
            domains=tuple(sorted(domains.items(), key=lambda entry: (-entry[1], entry[0]))[:20]),
            days=tuple(sorted(days.items())[-30:]),
            popular=popular.items,
        )

    async def _totals(self, kind: Any) -> dict[str, int]:
        return {total.counted_as: total.count async for total in self._store.stream(schema.totals(kind)) if total.count}

    async def _find(self, slug: str) -> Resource:
        try:
            resource = await self._store.get(schema.resource(slug).consistently())
        except KeyPartError:  # no slug is written like this
            resource = None
        if resource is None:
            raise _unknown(slug)
        return resource

    def logo_url(self, resource: Resource) -> str | None:
        """A link to the logo that works for a while; for an approved resource, or for those who may moderate."""
        return self._kit.files.url(logo_file(resource.logo_image)) if has_logo(resource) else None


def logo_file(name: str) -> str:
    return f"kelifax/logos/{name}"


def has_logo(resource: Resource) -> bool:
    """Whether there is a file of ours; another program names files of its own."""
    return re.fullmatch(LOGO_NAME, resource.logo_image) is not None


def _unknown(slug: str) -> NotFound:
    return NotFound(f"There is no resource {slug!r}. It may have been removed.")


def _told(before: Resource, after: Resource) -> tuple[str, ...]:
    """What an edit changed, for the log: the attributes that moderators write, not those that follow from them."""
    changed = (field for field in MODERATED if getattr(before, field) != getattr(after, field))
    return tuple(Resource.__attributes__[field].stored_name for field in changed)


def _changed_meanwhile() -> Conflict:
    told = "Somebody changed this resource after you had opened it. Look at it as it is now, and change it again."
    return Conflict(told, code="changed_meanwhile", errors=[FieldError("revision", told)])


def creation(resource: Resource) -> tuple[Any, ...]:
    writes: list[Any] = [Put(resource).if_new().otherwise(SlugTaken()), *changes(None, resource)]
    if resource.logo_image:
        gone = Invalid(FieldError("resource.logoImage", "This logo is not there any more. Upload it again."))
        writes.append(Delete(Logo.key(Logo.name(resource.logo_image))).if_there().otherwise(gone))
    return tuple(writes)


def resource_of(submission: Submission, slug: str, submission_id: str, now: str) -> Resource:
    """The item that the document's `create_dynamo_item` makes of a form."""
    who, what, details = submission.submitter, submission.resource, submission.details
    return Resource(
        resource_slug=slug,
        submission_id=submission_id,
        created_at=now,
        submitted_at=now,
        submitter_first_name=who.first_name,
        submitter_last_name=who.last_name,
        submitter_email=who.company_email,
        submitter_company=who.company,
        submitter_phone=who.phone_number,
        submitter_domain=who.company_email.rpartition("@")[2],
        resource_name=what.resource_name,
        resource_url=what.resource_url,
        usage_purpose=what.usage_purpose,
        category=what.category,
        logo_image=what.logo_image,
        tags=join_tags(what.tags),
        key_features=join_features(details.key_features),
        use_cases=join_features(details.use_cases),
        learning_resources=join_learning(
            [LearningResource(title=each.title, url=each.url, type=each.type) for each in details.learning_resources]
        ),
        search_text=search_text(what.resource_name, what.tags, what.category, details.key_features),
    )


def _edited(resource: Resource, edit: Edit) -> dict[str, Any]:
    update: dict[str, Any] = {
        field: value
        for field in ("resource_name", "resource_url", "usage_purpose", "category")
        if (value := getattr(edit, field)) is not None
    }
    if edit.tags is not None:
        update["tags"] = join_tags(edit.tags)
    if edit.key_features is not None:
        update["key_features"] = join_features(edit.key_features)
    if edit.use_cases is not None:
        update["use_cases"] = join_features(edit.use_cases)
    if edit.learning_resources is not None:
        update["learning_resources"] = join_learning(
            [LearningResource(title=each.title, url=each.url, type=each.type) for each in edit.learning_resources]
        )
    after = resource.model_copy(update=update)
    update["search_text"] = search_text(
        after.resource_name, split_tags(after.tags), after.category, split_features(after.key_features)
    )
    return update
