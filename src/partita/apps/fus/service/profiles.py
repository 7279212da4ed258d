"""Profiles: what a person likes, shown to everybody if they want that."""

from __future__ import annotations

from dataclasses import dataclass

from partita.apps.fus import schema
from partita.apps.fus.inputs import ProfileEdit
from partita.apps.fus.schema import Profile, Rating, Site
from partita.apps.fus.service.people import Person
from partita.apps.fus.service.sites import Sites
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound
from partita.table import ChangedMeanwhileError, Put, Update

_LIKED = 4
"""Stars from which somebody likes a site."""
_LOOKED_AT = 100
"""So many of the latest ratings are looked at, however many there are."""
_MOST_SHOWN = 30


@dataclass(frozen=True, slots=True)
class LikedSite:
    """A site and the stars that somebody gave it."""

    site: Site
    stars: int


@dataclass(frozen=True, slots=True)
class PublicProfile:
    """What everybody may see of somebody who wants it."""

    person: Person
    about: str
    likes: tuple[LikedSite, ...]


class Profiles:
    """Nobody has a public profile who has not asked for one."""

    def __init__(self, kit: Kit, sites: Sites) -> None:
        self._kit = kit
        self._store = kit.store
        self._sites = sites

    async def mine(self, viewer: Viewer) -> Profile:
        """The viewer's profile, as it is or would be."""
        return await find(self._store, schema.profile, viewer.id) or Profile(user_id=viewer.id)

    async def save(self, viewer: Viewer, wanted: ProfileEdit) -> Profile:
        """Show it, hide it, or say something else."""

        async def attempt() -> Profile:
            before = await find(self._store, schema.profile, viewer.id)
            wanted.check_revision(1 if before is None else before.revision)
            if before is None:  # the second revision: forms that show none yet were made from the first
                made = Profile(user_id=viewer.id, is_public=wanted.is_public, about=wanted.about, revision=2)
                await self._store.write(Put(made).if_new().otherwise(ChangedMeanwhileError("The profile")))
                return made
            if (wanted.is_public, wanted.about) == (before.is_public, before.about):
                return before
            said = Profile.is_public.set(wanted.is_public), Profile.about.set(wanted.about)
            return await self._store.update(Update(before.own_key, *said).next_version(before))

        return await self._store.attempt(attempt)

    async def public(self, username: str) -> PublicProfile:
        """What somebody likes, latest first; not found unless they want it to be."""
        missing = NotFound("There is no such profile, or its owner does not show it.")
        account = await self._kit.accounts.people.by_username(username) if len(username) <= 100 else None
        if account is None:
            raise missing
        profile = await find(self._store, schema.profile, account.user_id)
        if profile is None or not profile.is_public:
            raise missing
        latest = await self._store.page(schema.my_ratings(account.user_id), limit=_LOOKED_AT)
        liked: list[Rating] = [rating for rating in latest if rating.stars >= _LIKED][:_MOST_SHOWN]
        sites = await self._sites.by_id(rating.site_id for rating in liked)
        likes = [LikedSite(sites[each.site_id], each.stars) for each in liked if each.site_id in sites]
        return PublicProfile(
            Person(account.user_id, account.username, account.name, account.avatar), profile.about, tuple(likes)
        )
