"""Sharing: who else may read or edit a newsletter or a proposal, and whose review is asked for."""

from __future__ import annotations

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import is_newsletter
from partita.apps.newsletter.inputs import NewShare
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Newsletter, Proposal, Share
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.bookkeeping import changed
from partita.apps.newsletter.service.presence import still_there
from partita.apps.newsletter.service.proposing.states import check_move
from partita.kit.accounts import Account
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer, authorize, refuse_withheld
from partita.kit.problems import Conflict, FieldError, Forbidden, Invalid, NotFound
from partita.table import Delete, Put, Transaction, Update

MOST_SHARES = 100


class Shares:
    """Who may see what."""

    def __init__(self, kit: Kit, access: Access) -> None:
        self._kit = kit
        self._store = kit.store
        self._access = access

    async def of(self, viewer: Viewer, code: str) -> tuple[Share, ...]:
        """With whom it is shared, for those who may read it."""
        await self._access.subject(viewer, code)
        return (await self._store.page(schema.shares_of(code), limit=MOST_SHARES)).items

    async def share(self, viewer: Viewer, code: str, new: NewShare) -> Share:
        """Share with somebody, or change what they may do; only its owner and managers."""
        return await self._store.attempt(lambda: self._share(viewer, code, new))

    async def _share(self, viewer: Viewer, code: str, new: NewShare) -> Share:
        subject = await self._owned(viewer, code)
        person = await self._person(new.to)
        if person.user_id == subject.user_id:
            raise Invalid(FieldError("to", "It is theirs already. Choose somebody else."))
        there = await self.of(viewer, code)
        if len(there) >= MOST_SHARES and all(each.user_id != person.user_id for each in there):
            raise Conflict(f"It is shared with {MOST_SHARES} people already. Remove somebody first.", code="too_many")
        made = Share(
            code=code,
            user_id=person.user_id,
            role=new.role,
            shared_by=viewer.id,
            shared_at=stamp(self._kit.clock),
            review_asked=new.review,
            user_name=person.name,
        )
        if not new.review:
            await self._store.transact(Transaction(Put(made), still_there(subject)))
        elif isinstance(subject, Newsletter):
            asked = Update(
                subject.own_key,
                Newsletter.review_asked_at.set(made.shared_at),
                Newsletter.changes_asked_by.remove(),
                Newsletter.changes_asked_at.remove(),
            )
            gone = NotFound("It has just been deleted.")
            await self._store.transact(Transaction(Put(made), asked.otherwise(gone)))
        elif subject.status == "in_review":
            await self._store.transact(Transaction(Put(made), still_there(subject)))
        else:
            check_move(subject.status, "in_review")
            asked_for = subject.model_copy(update={"status": "in_review", "updated_at": made.shared_at})
            await self._store.transact(Transaction(Put(made), changed(subject, asked_for)))
        return made

    async def suggest(self, viewer: Viewer, text: str) -> list[Account]:
        """People to share with whose username begins with a text."""
        authorize(viewer, Letters.WRITE)
        found = await self._kit.accounts.suggest(text, Letters.WRITE)
        return [person for person in found if person.user_id != viewer.id]

    async def reviews_asked_of(self, viewer: Viewer) -> tuple[Newsletter | Proposal, ...]:
        """What somebody was asked to review and nobody has decided about yet, latest first."""
        shares = await self._store.page(schema.shared_with(viewer.id), limit=MOST_SHARES)
        codes = [share.code for share in shares if share.review_asked]
        newsletters = tuple(code for code in codes if is_newsletter(code))
        proposals = tuple(code for code in codes if not is_newsletter(code))
        found: dict[str, Newsletter | Proposal] = {}
        for each in await self._store.batch_get(schema.newsletters_with(newsletters)) if newsletters else ():
            if each is not None and each.review_asked_at is not None:
                found[each.newsletter_code] = each
        for one in await self._store.batch_get(schema.proposals_with(proposals)) if proposals else ():
            if one is not None and one.status == "in_review":
                found[one.proposal_code] = one
        return tuple(found[code] for code in codes if code in found)

    async def remove(self, viewer: Viewer, code: str, user_id: str) -> None:
        """Stop sharing with somebody; everybody may remove themselves."""
        if user_id == viewer.id:
            await self._access.subject(viewer, code)
        else:
            await self._owned(viewer, code)
        there = await find(self._store, schema.share, code, user_id)
        if there is None:
            raise NotFound("It is not shared with them.")
        await self._store.write(Delete(there.own_key))

    async def _owned(self, viewer: Viewer, code: str) -> Newsletter | Proposal:
        subject = await self._access.subject(viewer, code)
        if subject.user_id != viewer.id and not viewer.may(Letters.MANAGE):
            refuse_withheld(viewer, Letters.MANAGE)
            raise Forbidden("Only its owner can share it.")
        return subject

    async def _person(self, identity: str) -> Account:
        """Whom it is shared with: somebody who may make newsletters, so that they find it."""
        people = self._kit.accounts.people
        person = await people.by_email(identity) if "@" in identity else await people.by_username(identity)
        may = person is not None and Letters.WRITE in await self._kit.accounts.permissions.of(person)
        if person is None or person.suspended or not may:
            raise Invalid(FieldError("to", "Nobody of this name may use newsletters. Check the spelling."))
        return person
