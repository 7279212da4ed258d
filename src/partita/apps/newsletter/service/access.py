"""Who may read and write a newsletter or a proposal: its owner, those it is shared with, and managers. For everybody
else there is none."""

from __future__ import annotations

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import is_newsletter
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Newsletter, Proposal
from partita.kit.kit import Kit
from partita.kit.lists import find, find_or
from partita.kit.permissions import Viewer, refuse_withheld
from partita.kit.problems import Forbidden, NotFound


class Access:
    """Finding newsletters and proposals for somebody."""

    def __init__(self, kit: Kit) -> None:
        self._store = kit.store

    async def newsletter(self, viewer: Viewer, code: str, *, write: bool = False) -> Newsletter:
        """A newsletter that the viewer may read, or write."""
        found = await find_or(no_newsletter(), self._store, schema.newsletter, code)
        await self._check(viewer, code, found.user_id, no_newsletter(), write=write)
        return found

    async def proposal(self, viewer: Viewer, code: str, *, write: bool = False) -> Proposal:
        """A proposal that the viewer may read, or write."""
        found = await find_or(no_proposal(), self._store, schema.proposal, code)
        await self._check(viewer, code, found.user_id, no_proposal(), write=write)
        return found

    async def subject(self, viewer: Viewer, code: str, *, write: bool = False) -> Newsletter | Proposal:
        """Either of them, by its code."""
        if is_newsletter(code):
            return await self.newsletter(viewer, code, write=write)
        return await self.proposal(viewer, code, write=write)

    def owns(self, viewer: Viewer, subject: Newsletter | Proposal) -> bool:
        """Whether somebody may share and delete it."""
        return viewer.id == subject.user_id or viewer.may(Letters.MANAGE)

    async def may_write(self, viewer: Viewer, subject: Newsletter | Proposal) -> bool:
        """Whether somebody who may read it may write it as well."""
        if self.owns(viewer, subject):
            return True
        code = subject.newsletter_code if isinstance(subject, Newsletter) else subject.proposal_code
        share = await find(self._store, schema.share, code, viewer.id)
        return share is not None and share.role == "editor"

    async def _check(self, viewer: Viewer, code: str, owner: str, missing: NotFound, *, write: bool) -> None:
        if viewer.id == owner or viewer.may(Letters.MANAGE):
            return
        share = await find(self._store, schema.share, code, viewer.id)
        if share is None:
            raise missing
        if write and share.role != "editor":
            refuse_withheld(viewer, Letters.MANAGE)
            raise Forbidden("This is shared with you for reading. Ask its owner to let you edit it.")


def no_newsletter() -> NotFound:
    """There is none with this code, for this viewer."""
    return NotFound("There is no such newsletter.")


def no_proposal() -> NotFound:
    """There is none with this code, for this viewer."""
    return NotFound("There is no such proposal.")
