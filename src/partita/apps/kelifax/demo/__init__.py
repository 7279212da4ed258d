"""Demo data: real resources of every status, with the writes of the service."""

from __future__ import annotations

import random
import secrets
import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson

from partita.apps.kelifax import schema
from partita.apps.kelifax.formats import slug_of
from partita.apps.kelifax.inputs import Submission
from partita.apps.kelifax.schema import Decision, Resource
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.bookkeeping import completed
from partita.apps.kelifax.service.submissions import creation, resource_of
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import Problem
from partita.store.store import AsyncStore
from partita.table import Put, Transaction
from partita.table.types import timestamp

_FOLDER = Path(__file__).parent
_MODERATOR = "moderator"
_MANY = 300
"""Views of a resource that is looked at every month."""
_VIEWS_TO_UPVOTE = 150
"""After so many views, about one more member likes a resource."""
_REPORTS = {
    "regex101": "The page asks me to turn off the ad blocker before it shows anything.",
    "vega-lite": "The quickstart link leads to an older version by now.",
}


async def fill(service: KelifaxService, kit: Kit) -> str:
    """Add the resources of the data file, each as old as it says, unless there are resources; says what was added."""
    if len(await service.resources.browse(limit=1)) or len(await service.moderation.queue("pending", limit=1)):
        return "Kelifax has resources already."
    entries = _entries("resources")
    month = timestamp(kit.clock.now())[:7]
    for entry in entries:
        resource = _resource(entry, kit)
        await _put(kit.store, resource, _decision(resource, kit))
        if resource.view_count >= _MANY:
            of_month = random.Random(resource.resource_slug).randrange(resource.view_count // 10)
            await kit.store.write(schema.add_to_month(month, resource.resource_slug, of_month))
    for slug, reason in _REPORTS.items():
        await service.reports.add(slug, reason, "demo")
    upvotes = await _upvote(service, kit, entries)
    return f"Kelifax: {len(entries)} resources, {upvotes} upvotes.{await _moderator(kit)}"


def _entries(name: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = orjson.loads((_FOLDER / f"{name}.json").read_bytes())
    return entries


async def _upvote(service: KelifaxService, kit: Kit, entries: list[dict[str, Any]]) -> int:
    """Members like what many people look at; says how many upvotes there are."""
    members = [await _member(kit, person) for person in _entries("people")]
    total = 0
    for entry in entries:
        if entry["status"] != "approved":
            continue
        name = entry["resource"]["resourceName"]
        likely = round(entry["views"] / _VIEWS_TO_UPVOTE)
        for member in random.Random(name).sample(members, min(likely, len(members))):
            await service.liked.upvote(member, slug_of(name))
            total += 1
    return total


async def _member(kit: Kit, person: dict[str, str]) -> Viewer:
    """Somebody with an account, into which nobody can sign in."""
    account = await kit.accounts.people.by_username(person["username"])
    if account is None:
        password = secrets.token_urlsafe(24)
        account = await kit.accounts.registration.create(person["username"], person["email"], person["name"], password)
    return Viewer(user_id=account.user_id)


async def _moderator(kit: Kit) -> str:
    """Create the moderator whose name is on all decisions; how to sign in."""
    accounts = kit.accounts
    try:
        created = await accounts.administration.create_account(
            accounts.operator(), _MODERATOR, f"{_MODERATOR}@example.org", "Mo Moderator", roles=["kelifax:moderator"]
        )
    except Problem:  # the name is taken
        return ""
    return f" Sign in as {_MODERATOR} with the password {created.password} (you will choose your own)"


async def _put(store: AsyncStore, resource: Resource, decision: Decision | None) -> None:
    logged = [] if decision is None else [Put(decision)]
    await store.transact(Transaction(*creation(resource), *logged))


def _decision(resource: Resource, kit: Kit) -> Decision | None:
    """The log entry of a resource, unless it is pending."""
    if resource.resource_status == "pending":
        return None
    return Decision(
        slug=resource.resource_slug,
        logged_at=resource.approved_at if resource.is_approved else resource.rejected_at,
        entry_id=kit.ids.new(),
        by=_MODERATOR,
        action="approve" if resource.is_approved else "reject",
        reason=resource.rejection_reason,
    )


def _resource(entry: dict[str, Any], kit: Kit) -> Resource:
    """The resource of an entry, with the entry's status."""
    chance = random.Random(entry["resource"]["resourceName"])
    submission = Submission.model_validate({key: entry[key] for key in ("submitter", "resource", "details")})
    submitted = kit.clock.now() - timedelta(days=entry["daysAgo"], minutes=chance.randrange(600))
    decided = timestamp(min(submitted + timedelta(hours=chance.randrange(2, 40)), kit.clock.now()))
    status = entry["status"]
    slug, submission_id = slug_of(submission.resource.resource_name), _submission_id(chance)
    resource = resource_of(submission, slug, submission_id, timestamp(submitted))
    update: dict[str, Any] = {"resource_status": status}
    if status == "approved":
        update |= {"approved_at": decided, "featured": entry["featured"], "view_count": entry["views"]}
        update |= {"last_viewed": decided if entry["views"] else ""}
    elif status == "rejected":
        update |= {"rejected_at": decided, "rejection_reason": entry["rejectionReason"]}
    return completed(resource.model_copy(update=update))


def _submission_id(chance: random.Random) -> str:
    """Like those of the service: nobody can guess the next."""
    return str(uuid.UUID(int=chance.getrandbits(128), version=4))
