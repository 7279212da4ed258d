"""Newsletters: making and configuring them, lists of them, the next issue and copies."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import uuid4

from partita.apps.newsletter import formats, schema
from partita.apps.newsletter.inputs import NewNewsletter, NewsletterEdit
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Draft, Issue, Newsletter, Outline, Share, Topics
from partita.apps.newsletter.service.access import Access, no_newsletter
from partita.apps.newsletter.service.bookkeeping import is_touched
from partita.apps.newsletter.service.issue_labels import counted_on
from partita.apps.newsletter.service.outlining import PERSON, read_plan, stored_modifications, stored_sections
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find, follow_page
from partita.kit.permissions import Viewer, authorize
from partita.table import ChangedMeanwhileError, Page, Put, Query, Transaction, Update, Write
from partita.table.types import timestamp

MAKING = Rule("newsletter-new", most=60, seconds=3600)
_TRIES = 20
_COPIED = (
    *("description", "target_audience", "tone_professional", "tone_technical", "format_type", "length_preference"),
    *("frequency", "geographic_focus", "language", "theme", "preheader", "generator"),
)

Sort = Literal["touched", "created"]
Status = Literal["draft", "completed", "exported"]


@dataclass(frozen=True, slots=True)
class Whole:
    """A newsletter with its steps; None for those that were not reached."""

    newsletter: Newsletter
    topics: Topics | None
    outline: Outline | None
    draft: Draft | None


class CodeTaken(Exception):
    """The code that was drawn belongs to another newsletter."""


class Newsletters:
    """Everything about a newsletter as one thing."""

    def __init__(self, kit: Kit, access: Access) -> None:
        self._kit = kit
        self._store = kit.store
        self._access = access

    # -- making

    async def create(self, viewer: Viewer, new: NewNewsletter) -> Newsletter:
        """A newsletter with its configuration."""
        authorize(viewer, Letters.WRITE)
        await self._kit.limits.check(MAKING, viewer.id)
        return await self._put(await self._made(viewer, **new.model_dump()))

    async def next_issue(self, viewer: Viewer, code: str) -> Newsletter:
        """The next issue of a newsletter: its configuration, topics, outline frame and standing items; the issue is
        counted up, and what earlier issues cited ranks lower. Of a newsletter that is shared for reading it begins a
        series of one's own."""
        authorize(viewer, Letters.WRITE)
        await self._kit.limits.check(MAKING, viewer.id)

        async def attempt() -> Newsletter:
            whole = await self.full(viewer, code)
            before = whole.newsletter
            # Who only reads it has no business in its series: theirs is another one, which begins with their issue.
            joins = await self._access.may_write(viewer, before)
            series = (before.series_id if joins else None) or self._kit.ids.new()
            number = before.issue_number or 1
            issues = [issue async for issue in self._store.stream(schema.issues_of(series))]
            following = max([number, *(issue.issue_number for issue in issues)]) + 1
            made = await self._made(
                viewer,
                **_copied(before),
                title=before.title,
                issue_label=counted_on(before.issue_label, following - number),
                series_id=series,
                issue_number=following,
            )
            beside: list[Write] = []
            if joins and before.series_id is None:
                joined = Update(before.own_key, Newsletter.series_id.set(series), Newsletter.issue_number.set(number))
                beside.append(
                    joined.when(Newsletter.series_id.missing()).otherwise(ChangedMeanwhileError("The newsletter"))
                )
                beside.append(Put(_issue(before, series, number, _cited(whole.draft))).if_new())
            beside.append(Put(_issue(made, series, following, ())).if_new())
            return await self._put(made, whole, frame_only=True, beside=beside)

        return await self._store.attempt(attempt)

    async def duplicate(self, viewer: Viewer, code: str) -> Newsletter:
        """A copy of configuration, topics with what was found for them, and outline; the draft is written anew."""
        authorize(viewer, Letters.WRITE)
        await self._kit.limits.check(MAKING, viewer.id)
        whole = await self.full(viewer, code)
        before = whole.newsletter
        title = f"Copy of {before.title}"[:200]
        made = await self._made(viewer, **_copied(before), title=title, issue_label=before.issue_label)
        return await self._put(made, whole, frame_only=False)

    async def _made(self, viewer: Viewer, **fields: Any) -> Newsletter:
        account = await self._kit.accounts.people.find(viewer.id)
        now = timestamp(self._kit.clock.now())
        return Newsletter(
            id=str(uuid4()),
            newsletter_code=formats.newsletter_code(self._kit.clock.now()),
            user_id=viewer.id,
            user_email=(account.email if account is not None else None) or "",
            user_name=viewer.name,
            created_at=now,
            updated_at=now,
            touched_at=now,
            **fields,
        )

    async def _put(
        self,
        newsletter: Newsletter,
        source: Whole | None = None,
        *,
        frame_only: bool = False,
        beside: Sequence[Write] = (),
    ) -> Newsletter:
        """Claim a code; if it is taken, draw another."""
        for _ in range(_TRIES):
            items = () if source is None else _steps(newsletter, source, frame_only=frame_only)
            own = Put(newsletter).if_new().otherwise(CodeTaken())
            # An issue of a series names the code, so that it is made anew with it.
            named = tuple(_named(write, newsletter) for write in beside)
            try:
                await self._store.transact(Transaction(own, *(Put(item).if_new() for item in items), *named))
            except CodeTaken:
                code = formats.newsletter_code(self._kit.clock.now())
                newsletter = newsletter.with_(Newsletter.newsletter_code(code))
            else:
                return newsletter
        raise CodeTaken(f"{_TRIES} codes of today were taken one after the other")

    # -- configuring

    async def edit(self, viewer: Viewer, code: str, edit: NewsletterEdit) -> Newsletter:
        """Change the configuration. Nothing is generated by it; pages say which steps are older."""

        async def attempt() -> Newsletter:
            before = await self._access.newsletter(viewer, code, write=True)
            edit.check_revision(before.revision)
            now = self._kit.clock.now()
            changes: dict[str, Any] = {**edit.changes, "updated_at": timestamp(now)}
            if not is_touched(before, now):
                changes["touched_at"] = timestamp(now)
            after = before.model_copy(update=changes)
            return await self._store.write(
                Update.between(before, after).next_version(before).otherwise(_gone_or_changed), returning="new"
            )

        return await self._store.attempt(attempt)

    # -- reading

    async def get(self, viewer: Viewer, code: str) -> Newsletter:
        """The configuration."""
        return await self._access.newsletter(viewer, code)

    async def full(self, viewer: Viewer, code: str) -> Whole:
        """All items of a newsletter, by one query."""
        await self._access.newsletter(viewer, code)
        items = [item async for item in self._store.stream(schema.whole_newsletter(code))]

        def only(kind: type[Any]) -> Any:
            return next((item for item in items if isinstance(item, kind)), None)

        newsletter = only(Newsletter)
        if newsletter is None:
            raise no_newsletter()
        return Whole(newsletter, only(Topics), only(Outline), only(Draft))

    async def mine(
        self,
        viewer: Viewer,
        *,
        sort: Sort = "touched",
        status: Status | None = None,
        words: str | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Newsletter]:
        """The viewer's own, last edited or newest first; with words, those that have all of them."""
        query: Query[Newsletter] = (
            schema.newsletters_touched(viewer.id) if sort == "touched" else schema.newsletters_of(viewer.id)
        )
        if status is not None:
            query = query.where(Newsletter.status.equals(status))
        wanted = folded_words(words or "")
        if not wanted:
            return await self._store.page(query, limit=limit, after=cursor)

        async def follow(some: Sequence[Newsletter]) -> list[Newsletter]:
            return [newsletter for newsletter in some if has_words(newsletter, wanted)]

        # Somebody's own newsletters are dozens, so that their list is read and not an index of all.
        return await follow_page(self._store, query, follow, limit=limit, after=cursor)

    async def shared(
        self, viewer: Viewer, *, words: str | None = None, limit: int = 20, cursor: str | None = None
    ) -> Page[Newsletter]:
        """What others have shared with the viewer, newest share first."""
        wanted = folded_words(words or "")

        async def follow(shares: Sequence[Share]) -> list[Newsletter]:
            codes = tuple(share.code for share in shares if formats.is_newsletter(share.code))
            found = await self._store.batch_get(schema.newsletters_with(codes).keys) if codes else []
            return [each for each in found if each is not None and has_words(each, wanted)]

        return await follow_page(self._store, schema.shared_with(viewer.id), follow, limit=limit, after=cursor)

    async def several(self, codes: Sequence[str]) -> dict[str, Newsletter]:
        """Those of them that exist, by code; whoever asks has checked who may see them."""
        wanted = tuple(dict.fromkeys(codes))
        found = await self._store.batch_get(schema.newsletters_with(wanted).keys) if wanted else []
        return {each.newsletter_code: each for each in found if each is not None}

    async def attention(self, viewer: Viewer) -> tuple[Newsletter, ...]:
        """Which of the viewer's latest newsletters need them: open notes, failed steps. A review that they asked for
        needs somebody else."""
        page = await self._store.page(schema.newsletters_touched(viewer.id), limit=50)
        return tuple(newsletter for newsletter in page if newsletter.attention.keys() - {"review"})

    async def earlier(self, newsletter: Newsletter) -> dict[str, int]:
        """Chunk id → the number of the earlier issue that cited it last. An issue that was made later is none."""
        if newsletter.series_id is None:
            return {}
        cited: dict[str, int] = {}
        before = schema.issues_before(newsletter.series_id, newsletter.created_at)
        async for issue in self._store.stream(before):
            for chunk_id in issue.chunk_ids:
                cited.setdefault(chunk_id, issue.issue_number)
        return cited

    async def find(self, code: str) -> Newsletter | None:
        """For work in the background, which has no viewer."""
        return await find(self._store, schema.newsletter, code)


def folded_words(text: str) -> tuple[str, ...]:
    """The words of a question, as they are compared."""
    return tuple(unicodedata.normalize("NFKC", text).casefold().split())


def has_words(newsletter: Newsletter, words: Iterable[str]) -> bool:
    """Whether title, headlines, description, region, label or code have all of them, as parts of words too."""
    parts = (newsletter.title, *newsletter.headlines, newsletter.description, newsletter.geographic_focus)
    text = " ".join((*parts, newsletter.issue_label, newsletter.newsletter_code))
    folded = unicodedata.normalize("NFKC", text).casefold()
    return all(word in folded for word in words)


def _copied(before: Newsletter) -> dict[str, Any]:
    return {name: getattr(before, name) for name in _COPIED}


def _issue(newsletter: Newsletter, series_id: str, number: int, chunk_ids: tuple[str, ...]) -> Issue:
    return Issue(
        series_id=series_id,
        created_at=newsletter.created_at,
        newsletter_code=newsletter.newsletter_code,
        issue_number=number,
        chunk_ids=chunk_ids,
    )


def _cited(draft: Draft | None) -> tuple[str, ...]:
    cited = () if draft is None else draft.citations
    return tuple(dict.fromkeys(str(each["chunk_id"]) for each in cited if each.get("chunk_id")))[:500]


def _named(write: Write, newsletter: Newsletter) -> Write:
    """A write that names the newsletter's code, which may have been drawn again."""
    if isinstance(write, Put) and isinstance(write.item, Issue) and write.item.created_at == newsletter.created_at:
        return Put(write.item.with_(Issue.newsletter_code(newsletter.newsletter_code))).if_new()
    return write


def _steps(newsletter: Newsletter, source: Whole, *, frame_only: bool) -> list[Topics | Outline]:
    """The topics and the outline of another newsletter, for this one."""
    code, now = newsletter.newsletter_code, newsletter.created_at
    items: list[Topics | Outline] = []
    if source.topics is not None:
        topics = source.topics
        found: dict[str, Any] = {}
        if not frame_only:
            found = {
                "retrieval_status": "completed" if topics.retrieved_content else "pending",
                "retrieval_completed_at": topics.retrieval_completed_at,
                "retrieved_content": topics.retrieved_content,
                "total_chunks_retrieved": topics.total_chunks_retrieved,
                "settings": topics.settings,
                "thin": topics.thin,
                "pinned": topics.pinned,
                "excluded": topics.excluded,
            }
        items.append(
            Topics(
                newsletter_code=code,
                selected_types=topics.selected_types,
                source_ids=topics.source_ids,
                search_words=topics.search_words,
                any_age=topics.any_age,
                updated_at=now,
                **found,
            )
        )
    if source.outline is not None and source.outline.sections:
        items.append(_outline(code, now, source.outline, frame_only=frame_only))
    return items


def _outline(code: str, now: str, before: Outline, *, frame_only: bool) -> Outline:
    """The outline, or only its sections and the items that stand in every issue (an editorial, contacts): the person's
    own that rest on no passages. A story of last week's passages is none of them."""
    plan = read_plan(before.sections, before.user_modifications, before.last_numbers)
    sections = stored_sections(plan)
    if not frame_only:
        return Outline(
            newsletter_code=code,
            sections=sections,
            user_modifications=before.user_modifications,
            last_numbers=dict(plan.last_numbers),
            outline_status="completed" if before.outline_status == "completed" else "pending",
            settings=before.settings,
            made_with=before.made_with,
            generated_at=before.generated_at,
            updated_at=now,
        )
    own = {item.id for item in plan.items if item.source == PERSON and not item.references}
    standing = tuple(
        section | {"items": [item for item in section["items"] if item["id"] in own]} for section in sections
    )
    kept = read_plan(standing, {"items_added": sorted(own)}, plan.last_numbers)
    return Outline(
        newsletter_code=code,
        sections=standing,
        user_modifications=stored_modifications(kept, {}),
        last_numbers=dict(plan.last_numbers),
        updated_at=now,
    )


def _gone_or_changed(there: Newsletter | None) -> Exception:
    return no_newsletter() if there is None else ChangedMeanwhileError("The newsletter")
