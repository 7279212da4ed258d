"""Suggestions: members say what the catalog lacks, and those who may add sites decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from partita.apps.fus import schema
from partita.apps.fus.formats import comment_parts
from partita.apps.fus.inputs import DeclineInput, NewSite, NewSuggestion
from partita.apps.fus.schema import SUGGESTED_URL, Site, Suggestion
from partita.apps.fus.service.bookkeeping import Write
from partita.apps.fus.service.people import People, Person
from partita.apps.fus.service.sites import Sites, deletion
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find_or, follow_page
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, FieldError, NotFound
from partita.table import ChangedMeanwhileError, Delete, Page, Put, Transaction, Update

SUGGESTING = Rule("fus-suggest", most=30, seconds=86_400)


class AlreadySuggested(Conflict):
    """A suggestion with this address waits."""

    code = "already_suggested"

    def __init__(self) -> None:
        detail = "This address was suggested already, and waits for a decision."
        super().__init__(detail, errors=[FieldError("url", detail)])


@dataclass(frozen=True, slots=True)
class SuggestionBy:
    """A suggestion, whose it is, and who has decided on it."""

    suggestion: Suggestion
    by: Person
    decided_by: Person | None = None


class Suggestions:
    """What members suggest."""

    def __init__(self, kit: Kit, people: People, sites: Sites) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._sites = sites

    async def suggest(self, viewer: Viewer, new: NewSuggestion) -> Suggestion:
        """Suggest a site that is neither in the catalog nor suggested already."""
        await self._kit.limits.check(SUGGESTING, viewer.id)
        await self._sites.refuse_known(new.url)
        made = Suggestion(
            user_id=viewer.id,
            suggestion_id=self._kit.ids.new(),
            url=new.url,
            title=new.title,
            description=new.description,
            tags=new.tags,
            created_at=stamp(self._kit.clock),
        )
        guard = SUGGESTED_URL.otherwise(lambda _there: AlreadySuggested())
        await self._store.transact(Transaction(Put(made).if_new(), *guard.claim(made)))
        return made

    async def mine(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[Suggestion]:
        """What the viewer suggested, newest first."""
        return await self._store.page(schema.my_suggestions(viewer.id), limit=limit, after=cursor)

    async def my_suggestion(self, viewer: Viewer, suggestion_id: str) -> Suggestion:
        """A suggestion of the viewer's own."""
        missing = NotFound("You have made no such suggestion.")
        return await find_or(missing, self._store, schema.suggestion, viewer.id, suggestion_id)

    async def waiting(self, *, limit: int = 20, cursor: str | None = None) -> Page[SuggestionBy]:
        """What waits for a decision, oldest first."""

        async def follow(made: Sequence[Suggestion]) -> list[SuggestionBy]:
            people = await self._people.named(each.user_id for each in made)
            return [SuggestionBy(each, people[each.user_id]) for each in made]

        return await follow_page(self._store, schema.waiting_suggestions(), follow, limit=limit, after=cursor)

    async def count_waiting(self, most: int) -> int:
        """How many wait, up to `most`."""
        return len(await self._store.page(schema.waiting_suggestions(), limit=most))

    async def find(self, name: str) -> SuggestionBy:
        """A suggestion, whether it waits or not."""
        missing = NotFound("There is no such suggestion. It may have been withdrawn.")
        parts = comment_parts(name)
        if parts is None:
            raise missing
        made = await find_or(missing, self._store, schema.suggestion, *parts)
        people = await self._people.named(each for each in (made.user_id, made.decided_by) if each)
        return SuggestionBy(made, people[made.user_id], people[made.decided_by] if made.decided_by else None)

    async def accept(self, viewer: Viewer, name: str, new: NewSite) -> Site:
        """Add the site, as it was edited, in the name of whoever suggested it; the decision is in the same
        transaction."""
        before = await self._waiting(name)

        def decision(site: Site) -> tuple[Write, ...]:
            return self._decision(viewer, before, status="accepted", became=site.site_id)

        try:
            return await self._sites.add(viewer, new, added_by=before.user_id, beside=decision)
        except ChangedMeanwhileError:
            raise _decided() from None

    async def decline(self, viewer: Viewer, name: str, declined: DeclineInput) -> Suggestion:
        """Leave the site out, and say why."""
        before = await self._waiting(name)
        try:
            await self._store.transact(
                Transaction(*self._decision(viewer, before, status="declined", answer=declined.answer))
            )
        except ChangedMeanwhileError:
            raise _decided() from None
        return before

    async def reopen(self, viewer: Viewer, name: str) -> Suggestion:
        """Take a decision of the viewer's own back: the suggestion waits again. A site that it became is deleted,
        unless somebody has done something with it since."""

        async def attempt() -> Suggestion:
            before = (await self.find(name)).suggestion
            if before.waits or before.decided_by != viewer.id:
                raise Conflict("Somebody has decided on this suggestion since, or it waits.", code="decided")
            cleared = {"status": "waiting", "decided_at": None, "decided_by": None, "answer": "", "became": None}
            after = before.model_copy(update=cleared)
            guard = SUGGESTED_URL.otherwise(lambda _there: AlreadySuggested())
            own = Update.between(before, after).next_version(before), *guard.move(before, after)
            if before.became is None:
                await self._sites.refuse_known(before.url)
                await self._store.transact(Transaction(*own))
            else:
                await self._store.transact(Transaction(*own, *await self._removal(viewer, before.became)))
            return after

        return await self._store.attempt(attempt)

    async def _removal(self, viewer: Viewer, site_id: str) -> tuple[Write, ...]:
        """What deletes a site that is as it was added."""
        try:
            site = await self._sites.site(site_id)
        except NotFound:
            raise _in_use() from None
        if site.revision > 1 or site.number_of_ratings or site.number_of_comments:
            raise _in_use()
        return deletion(self._kit, viewer, site, untouched=True)

    async def withdraw(self, viewer: Viewer, suggestion_id: str) -> Suggestion:
        """Take back a suggestion of the viewer's own that waits."""
        before = await self.my_suggestion(viewer, suggestion_id)
        if not before.waits:
            raise _decided()
        gone = Delete(before.own_key).unless_changed(before, Suggestion.status)
        try:
            await self._store.transact(Transaction(gone, *SUGGESTED_URL.release(before)))
        except ChangedMeanwhileError:
            raise _decided() from None
        return before

    async def _waiting(self, name: str) -> Suggestion:
        made = (await self.find(name)).suggestion
        if not made.waits:
            raise _decided()
        return made

    def _decision(self, viewer: Viewer, before: Suggestion, **fields: str) -> tuple[Write, ...]:
        more = {"decided_at": stamp(self._kit.clock), "decided_by": viewer.id, **fields}
        after = before.model_copy(update=more)
        return Update.between(before, after).next_version(before), *SUGGESTED_URL.move(before, after)


def _in_use() -> Conflict:
    detail = "This cannot be undone: somebody has edited, rated, discussed or deleted the site since."
    return Conflict(detail, code="site_in_use")


def _decided() -> Conflict:
    return Conflict("Somebody has decided on this suggestion already.", code="decided")
