"""What follows a change: what the desk shows of a newsletter, where sources are cited, whom to tell, files that no item
names, and items that another program wrote."""

from __future__ import annotations

from partita.apps.newsletter.formats import as_plain
from partita.apps.newsletter.schema import (
    MAIN,
    Cited,
    Draft,
    Newsletter,
    Note,
    Outline,
    Proposal,
    Removal,
    Share,
    Source,
    StepRun,
)
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.notifications import LetterNotifications
from partita.kit.adoption import adoption_handler
from partita.kit.changes import Change, Handler
from partita.kit.changes.large_values import forget_large_values, small_images, whole_images
from partita.kit.kit import Kit


def handlers(kit: Kit, service: NewsletterService) -> tuple[Handler, ...]:
    """The handlers; each may see a change twice."""

    async def desk(change: Change) -> None:
        """Headlines and what needs attention."""
        code = _code(change)
        if code is not None:
            await service.desk.follow(code)

    async def cite(change: Change) -> None:
        before, after = await whole_images(kit.store, change, Draft)
        draft = after or before
        if draft is not None:
            await service.citing.follow_draft(before, after)
            await service.desk.cite(draft.newsletter_code)
        old, new = await whole_images(kit.store, change, Proposal)
        if old is not None or new is not None:
            await service.citing.follow_proposal(old, new)
        for source_id in _recounted(change):
            await service.citing.recount(source_id)

    async def read_in(change: Change) -> None:
        """A source whose reading was never started: the process may have been killed after it was added."""
        before, after = change.read(Source)
        if before is None and after is not None and after.status == "waiting":
            await service.intake.begin(after)

    async def remove(change: Change) -> None:
        before, after = change.read(Removal)
        if before is None and after is not None and after.subject.startswith("NL-"):
            await service.removals.begin(after)

    notifications = LetterNotifications(kit)

    async def tell(change: Change) -> None:
        """People of what is shared with them, and of notes and decisions on what is theirs."""
        shared_before, share = change.read(Share)
        if share is not None and (shared_before is None or shared_before.shared_at != share.shared_at):
            await notifications.tell_shared(share)
        noted_before, note = change.read(Note)
        if note is not None and noted_before is None:
            await notifications.tell_noted(note)
        before, newsletter = change.read(Newsletter)
        if newsletter is not None and before is not None and before.approved_at != newsletter.approved_at:
            await notifications.tell_approved(newsletter)
        was, proposal = small_images(change, Proposal)
        if proposal is not None and was is not None and _decided(was, proposal):
            await notifications.tell_decided(proposal)

    return (
        adoption_handler("newsletter.adoption", MAIN, service.adoptions),
        Handler("newsletter.citing", MAIN, cite),
        Handler("newsletter.desk", MAIN, desk),
        Handler("newsletter.intake", MAIN, read_in),
        Handler("newsletter.notifications", MAIN, tell),
        service.passages.handler(),
        Handler("newsletter.removal", MAIN, remove),
        forget_large_values("newsletter.large_values", MAIN, kit.store),
    )


def _code(change: Change) -> str | None:
    """The newsletter whose desk entry may have changed."""
    for outline in small_images(change, Outline):
        if outline is not None:
            return outline.newsletter_code
    for note in change.read(Note):
        if note is not None:
            return note.code
    for share in change.read(Share):
        if share is not None:
            return share.code
    for run in small_images(change, StepRun):
        if run is not None:
            return run.subject
    return None


def _recounted(change: Change) -> set[str]:
    """The source whose number of drafts may be wrong: rows can also come back from a copy, in any order."""
    found = {each.source_id for each in change.read(Cited) if each is not None}
    before, after = change.read(Source)
    if after is not None and (before is None or before.cited_in != after.cited_in):
        found.add(after.source_id)
    return found


def _decided(before: Proposal, after: Proposal) -> bool:
    """Whether a reviewer has just approved a proposal; its owner may also change the status themselves."""
    reviews = [as_plain(each.metadata).get("review") for each in (before, after)]
    return before.status == "in_review" and after.status == "ready" and reviews[0] != reviews[1]
