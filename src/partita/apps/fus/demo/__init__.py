"""Demo data: a catalog in use, written by the same transactions as people's own data."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime, timedelta
from html import escape
from pathlib import Path
from typing import Any, TypeVar

import orjson

from partita.apps.fus.inputs import CollectionInput, NewGroup, NewSite, RatingInput
from partita.apps.fus.schema import SUGGESTED_URL, Collection, Comment, Profile, Site, Suggestion
from partita.apps.fus.service import FusService
from partita.apps.fus.service.bookkeeping import creation, new_comment, rating_writes
from partita.apps.fus.service.collections import collecting
from partita.apps.fus.service.ratings import rating_of
from partita.apps.fus.service.sites import new_site
from partita.kit.clock import id_at
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.table import Put, Transaction, Update
from partita.table.types import timestamp

_FOLDER = Path(__file__).parent
_AT_ONCE = 16
_TO_SIGN_IN_AS = {"ursula": "manages groups", "elif": "edits the catalog", "amara": "a member"}
_COPIED = ("https://www.seat61.com/", "https://velvetyne.fr/")
"""Sites of whose pages there is a copy."""

T = TypeVar("T")
Entry = dict[str, Any]


async def fill(service: FusService, kit: Kit) -> str:
    """Fill an empty catalog; tells what was added, and how to sign in as some of its people."""
    if await service.sites.total():
        return "fus: nothing added, since there are sites already."
    password = secrets.token_urlsafe(12)
    people = await _people(kit, password)
    sites = await _sites(kit, people)
    ratings, comments = _entries("ratings"), _entries("comments")
    await _each(ratings, lambda entry: _rate(kit, entry, sites, people))
    await _each(comments, lambda entry: _comment(kit, entry, sites, people))
    groups = await _groups(service, kit, people)
    await _each(_entries("collections"), lambda entry: _collect(service, kit, entry, sites, people))
    await _each(_entries("suggestions"), lambda entry: _suggest(kit, entry, people))
    for url in _COPIED:
        await _copy(service, kit, sites[url])
    await _each(_entries("profiles"), lambda entry: _show(kit, entry, people))
    report = f"fus: added {len(sites)} sites, {len(ratings)} ratings, {len(comments)} comments and {groups} groups."
    if kit.settings.sign_up:
        names = ", ".join(f"{username} ({what})" for username, what in _TO_SIGN_IN_AS.items())
        report += f" Sign in as {names} with the password {password}"
    return report


async def _people(kit: Kit, password: str) -> dict[str, str]:
    """Everybody's id by username. If people cannot sign up, these people cannot sign in either."""

    async def join(entry: Entry) -> tuple[str, str]:
        username, email, name = entry["username"], entry["email"], entry["name"]
        account = await kit.accounts.people.by_username(username)
        if account is None and kit.settings.sign_up:
            account = await kit.accounts.registration.create(username, email, name, password)
        elif account is None:
            operator = kit.accounts.operator()
            account = (await kit.accounts.administration.create_account(operator, username, email, name)).account
        return username, account.user_id

    return dict(await _each(_entries("people"), join))


async def _sites(kit: Kit, people: dict[str, str]) -> dict[str, Site]:
    """Every site by its address, as old as the data says."""

    async def add(entry: Entry) -> tuple[str, Site]:
        new = NewSite.model_validate({key: entry[key] for key in ("url", "title", "description", "tags")})
        at = _moment(kit, entry["daysAgo"], (1, 5), entry["url"])
        site = new_site(new, id_at(at), timestamp(at), people["ursula"])
        await kit.store.transact(Transaction(*creation(site)))
        return entry["url"], site

    return dict(await _each(_entries("sites"), add))


async def _rate(kit: Kit, entry: Entry, sites: dict[str, Site], people: dict[str, str]) -> None:
    at = timestamp(_moment(kit, entry["daysAgo"], (6, 22), entry["by"] + entry["site"]))
    wanted = RatingInput(stars=entry["stars"], note=entry["note"])
    rating = rating_of(people[entry["by"]], sites[entry["site"]].site_id, wanted, at, None)
    await kit.store.transact(Transaction(*rating_writes(None, rating)))


async def _comment(kit: Kit, entry: Entry, sites: dict[str, Site], people: dict[str, str]) -> None:
    at = _moment(kit, entry["daysAgo"], (6, 22), entry["by"] + entry["body"])
    comment = Comment(
        user_id=people[entry["by"]],
        site_id=sites[entry["site"]].site_id,
        comment_id=id_at(at),
        body=entry["body"],
        created_at=timestamp(at),
        updated_at=timestamp(at),
    )
    await kit.store.transact(Transaction(*new_comment(comment)))


async def _groups(service: FusService, kit: Kit, people: dict[str, str]) -> int:
    operator = kit.accounts.operator()
    entries = _entries("groups")
    for entry in entries:
        # A suite may be built without one of its systems; then nobody can be granted permissions of it.
        granted = tuple(each for each in entry["permissions"] if each in service.groups.permissions)
        new = NewGroup(name=entry["name"], description=entry["description"], permissions=granted)
        await service.groups.create(operator, new)
        for username in entry["members"]:
            await service.groups.add_member(operator, entry["name"], people[username])
    return len(entries)


async def _collect(service: FusService, kit: Kit, entry: Entry, sites: dict[str, Site], people: dict[str, str]) -> None:
    """A collection whose sites came into it one day after the other."""
    viewer = Viewer(user_id=people[entry["by"]])
    made = await service.collections.create(
        viewer, CollectionInput(name=entry["name"], description=entry["description"])
    )
    at = _moment(kit, entry["daysAgo"], (6, 22), entry["name"])
    await kit.store.write(Update(made.own_key, Collection.created_at.set(timestamp(at))))
    for number, url in enumerate(entry["sites"], 1):
        await kit.store.transact(Transaction(*collecting(made, sites[url], timestamp(at + timedelta(days=number)))))
    if entry["shared"]:
        await service.collections.share(viewer, made.collection_id)


async def _suggest(kit: Kit, entry: Entry, people: dict[str, str]) -> None:
    at = _moment(kit, entry["daysAgo"], (6, 22), entry["url"])
    made = Suggestion(
        user_id=people[entry["by"]],
        suggestion_id=id_at(at),
        url=entry["url"],
        title=entry["title"],
        description=entry["description"],
        tags=tuple(entry["tags"]),
        created_at=timestamp(at),
    )
    if "declined" in entry:
        decided = {"decided_at": timestamp(at + timedelta(days=1)), "decided_by": people[entry["decidedBy"]]}
        made = made.model_copy(update={**decided, "status": "declined", "answer": entry["declined"]})
    await kit.store.transact(Transaction(Put(made).if_new(), *SUGGESTED_URL.claim(made)))


async def _copy(service: FusService, kit: Kit, site: Site) -> None:
    """A copy of a page, with the words of the catalog: a demo fetches nothing."""
    page = f"<!doctype html><title>{escape(site.title)}</title><p>{escape(site.description)}</p>"
    at = _moment(kit, 20, (6, 22), site.url)
    await service.copies.keep(site, "elif", site.url, page.encode(), timestamp(at))


async def _show(kit: Kit, entry: Entry, people: dict[str, str]) -> None:
    shown = Update(
        Profile.key(Profile.user_id(people[entry["by"]])),
        Profile.is_public.set(True),
        Profile.about.set(entry["about"]),
    )
    await kit.store.write(shown.or_new())


def _moment(kit: Kit, days_ago: int, hours: tuple[int, int], seed: str) -> datetime:
    """A time of that day, always the same for the same seed; sites come early, ratings and comments later."""
    minute = random.Random(seed).randrange(hours[0] * 60, hours[1] * 60)
    day = (kit.clock.now() - timedelta(days=days_ago)).replace(hour=0, minute=0, second=0, microsecond=0)
    return day + timedelta(minutes=minute)


async def _each(entries: Iterable[Entry], work: Callable[[Entry], Awaitable[T]]) -> list[T]:
    """Some at a time: concurrent writes share their syncs."""
    turns = asyncio.Semaphore(_AT_ONCE)

    async def one(entry: Entry) -> T:
        async with turns:
            return await work(entry)

    return await asyncio.gather(*map(one, entries))


def _entries(name: str) -> list[Entry]:
    entries: list[Entry] = orjson.loads((_FOLDER / f"{name}.json").read_bytes())
    return entries
