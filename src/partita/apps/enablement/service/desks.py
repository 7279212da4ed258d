"""What waits for somebody: the approval queue, reviews that are due, and an owner's desk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from partita.apps.enablement import schema
from partita.apps.enablement.formats import day_after, day_of, today_of
from partita.apps.enablement.permissions import Enablement, State
from partita.apps.enablement.schema import Content, ContentChange, Proposal, Report, Stats
from partita.apps.enablement.service.access import state_of
from partita.apps.enablement.service.changing import Changing
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import NotFound
from partita.table import Page

SOON = 14
"""So many days before its day a review is due soon."""
FAR = "2999-12-31"
MOST_COUNTED = 20
_MOST_NAMED = 6
_MOST_OWN = 500
_MOST_REPORTS = 500
ReviewDue = Literal["soon", "overdue", "all"]


@dataclass(frozen=True, slots=True)
class Pending:
    """Something that was submitted: a draft, or the proposal to change what is released."""

    content: Content
    proposal: Proposal | None = None

    @property
    def source(self) -> Content | Proposal:
        return self.proposal or self.content

    @property
    def content_id(self) -> str:
        return self.content.content_id

    @property
    def title(self) -> str:
        """The title as it will be."""
        if self.proposal is not None and "title" in self.proposal.proposed:
            return self.proposal.fields.title or self.content.title
        return self.content.title

    @property
    def version(self) -> str:
        """What a decision names."""
        return self.source.version

    @property
    def submitted_at(self) -> str | None:
        return self.source.submitted_at

    @property
    def submitted_by(self) -> str | None:
        return self.source.submitted_by

    @property
    def changed_by(self) -> str | None:
        return self.source.changed_by

    @property
    def change_note(self) -> str | None:
        return self.source.change_note

    @property
    def waits(self) -> bool:
        """Whether it waits for a decision."""
        return self.source.approval_state == "waiting"

    @property
    def is_change(self) -> bool:
        """Whether readers have an earlier version."""
        return self.proposal is not None or self.content.ever_approved


@dataclass(frozen=True, slots=True)
class OwnDesk:
    """What waits for an owner, most urgent first, and the rest of their work."""

    changes_requested: Sequence[Pending] = ()
    reports: Sequence[tuple[Content, Report]] = ()
    reviews: Sequence[Content] = ()
    expired: Sequence[Content] = ()
    drafts: Sequence[Pending] = ()
    waiting: Sequence[Pending] = ()
    scheduled: Sequence[Pending] = ()
    released: Sequence[Content] = ()
    stats: dict[str, Stats] = field(default_factory=dict)
    """Numbers of what is released, by content id."""

    @property
    def urgent(self) -> int:
        """How many things wait for the owner."""
        return len(self.changes_requested) + len(self.reports) + len(self.reviews)

    @property
    def empty(self) -> bool:
        """Whether there is nothing at all."""
        rest = (self.expired, self.drafts, self.waiting, self.scheduled, self.released)
        return not self.urgent and not any(rest)


class Desks:
    """Lists of what waits."""

    def __init__(self, kit: Kit, changing: Changing) -> None:
        self._kit = kit
        self._store = kit.store
        self._changing = changing

    async def queue(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[Pending]:
        """What waits for approval, the longest waiting first; for approvers."""
        authorize(viewer, Enablement.APPROVE)
        page = await self._store.page(schema.in_approval("waiting"), limit=limit, after=cursor)
        return Page(tuple(await self._pending(page.items)), page.next_cursor)

    async def pending(self, viewer: Viewer, content_id: str) -> Pending:
        """One that waits for approval, or is scheduled; `NotFound` if it does not."""
        authorize(viewer, Enablement.APPROVE)
        content = await self._changing.content(content_id)
        proposal = None if content.status == "Draft" else await self._changing.proposal(content_id)
        found = Pending(content, proposal)
        if not found.waits:
            raise NotFound(f"“{content.title}” does not wait for approval any more.", code="not_waiting")
        return found

    async def decisions(self, viewer: Viewer, *, limit: int = 5) -> list[ContentChange]:
        """The last decisions of this month, newest first; for an empty queue."""
        authorize(viewer, Enablement.APPROVE)
        month = today_of(self._changing.now())[:7]
        page = await self._store.page(schema.changes_in(month), limit=50)
        return [each for each in page if each.action in ("approved", "scheduled", "changes_requested")][:limit]

    async def deciders(self, viewer: Viewer) -> list[str]:
        """Who else may decide, by name: for somebody who may not decide on their own work."""
        authorize(viewer, Enablement.APPROVE)
        holders = [
            each for each in await self._kit.accounts.permissions.holders(Enablement.APPROVE) if each != viewer.id
        ]
        people = await self._kit.accounts.people.get_many(holders[:_MOST_NAMED])
        return sorted(each.name or each.username for each in people.values())

    async def waiting_count(self, viewer: Viewer) -> int:
        """How many wait for approval, up to `MOST_COUNTED`."""
        authorize(viewer, Enablement.APPROVE)
        return len((await self._store.page(schema.in_approval("waiting"), limit=MOST_COUNTED)).items)

    async def review(
        self, viewer: Viewer, due: ReviewDue = "all", *, limit: int = 50, cursor: str | None = None
    ) -> Page[Content]:
        """Released content whose review is overdue or comes within 14 days, the longest overdue first: everything for
        approvers, their own for others."""
        authorize(viewer, Enablement.WRITE)
        today = today_of(self._changing.now())
        query = {
            "overdue": schema.review_due(day_after(today, -1)),
            "soon": schema.review_between(today, day_after(today, SOON)),
            "all": schema.review_due(FAR),
        }[due]
        if not viewer.may(Enablement.APPROVE):
            query = query.where(Content.owner_user_id.equals(viewer.id))
        page = await self._store.page(query, limit=limit, after=cursor)
        now = self._changing.now()
        return Page(tuple(each for each in page if state_of(each, now) is State.RELEASED), page.next_cursor)

    async def stats(self, content_ids: Sequence[str]) -> dict[str, Stats]:
        """The numbers of several items, by id; only for items that the viewer may see numbers of."""
        found = await self._store.batch_get(schema.stats_of(tuple(content_ids))) if content_ids else []
        return {each.of_content: each for each in found if each is not None}

    async def own(self, viewer: Viewer, owner: str | None = None) -> OwnDesk:
        """The viewer's desk; administrators open anybody's."""
        authorize(viewer, Enablement.WRITE if owner in (None, viewer.user_id) else Enablement.MANAGE)
        of = owner or viewer.id
        now = self._changing.now()
        today = today_of(now)
        contents = (await self._store.page(schema.content_of_owner(of), limit=_MOST_OWN)).items
        states = {each.content_id: state_of(each, now) for each in contents}
        approved = [each for each in contents if states[each.content_id] in (State.RELEASED, State.SCHEDULED)]
        ids = tuple(each.content_id for each in approved)
        found = await self._store.batch_get(schema.proposals_of(ids)) if ids else []
        proposals = {each.of_content: each for each in found if each is not None}
        work = [
            Pending(each, proposals.get(each.content_id))
            for each in contents
            if each.status == "Draft" or each.content_id in proposals
        ]
        released = [each for each in approved if states[each.content_id] is State.RELEASED]
        by_state = {
            state: [each for each in work if each.source.approval_state == state]
            for state in ("changes_requested", None, "waiting", "scheduled")
        }
        still_scheduled = [Pending(each) for each in approved if states[each.content_id] is State.SCHEDULED]
        return OwnDesk(
            changes_requested=by_state["changes_requested"],
            reports=await self._reports({each.content_id: each for each in contents}),
            reviews=sorted(
                (each for each in released if (day_of(each.review_due_date) or FAR) <= day_after(today, SOON)),
                key=lambda each: each.review_due_date or "",
            ),
            expired=[each for each in contents if states[each.content_id] in (State.SOFT_EXPIRED, State.HARD_EXPIRED)],
            drafts=by_state[None],
            waiting=by_state["waiting"],
            scheduled=[*by_state["scheduled"], *still_scheduled],
            released=released,
            stats=await self.stats([each.content_id for each in released]),
        )

    async def _reports(self, own: dict[str, Content]) -> list[tuple[Content, Report]]:
        if not own:
            return []
        page = await self._store.page(schema.open_reports(), limit=_MOST_REPORTS)
        return [(own[report.of_content], report) for report in page if report.of_content in own]

    async def _pending(self, rows: Iterable[Content | Proposal]) -> list[Pending]:
        """Rows of the queue with the content that they change."""
        waiting = list(rows)
        ids = tuple(row.of_content for row in waiting if isinstance(row, Proposal))
        found = await self._store.batch_get(schema.content_found(ids)) if ids else []
        contents = {each.content_id: each for each in found if each is not None}
        return [
            Pending(contents[row.of_content], row) if isinstance(row, Proposal) else Pending(row)
            for row in waiting
            if isinstance(row, Content) or row.of_content in contents
        ]
