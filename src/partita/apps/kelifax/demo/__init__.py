"""Demo data: real resources in every state, submitted and decided through the service like any other."""

from __future__ import annotations

import random
import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson

from partita.apps.kelifax.bookkeeping import completed
from partita.apps.kelifax.schema import Decision, Resource
from partita.apps.kelifax.service import KelifaxService, creation, resource_of
from partita.apps.kelifax.submission import Submission, slug_of
from partita.kit.kit import Kit
from partita.kit.problems import Problem
from partita.store.store import AsyncStore
from partita.table import Put, Transaction
from partita.table.types import timestamp

_FILE = Path(__file__).parent / "resources.json"
_MODERATOR = "moderator"
_REPORTS = {
    "regex101": "The page asks me to turn off the ad blocker before it shows anything.",
    "vega-lite": "The quickstart link leads to an older version by now.",
}


async def fill(service: KelifaxService, kit: Kit) -> str:
    """Put the resources in, each as old as the data says; says what it made. Nothing where there is something."""
    if (await service.browse(limit=1)).found or (await service.queue("pending", limit=1)).items:
        return "Kelifax has resources already."
    entries: list[dict[str, Any]] = orjson.loads(_FILE.read_bytes())
    for entry in entries:
        resource = _resource(entry, kit)
        await _put(kit.store, resource, _decision(resource, kit))
    for slug, reason in _REPORTS.items():
        await service.report(slug, reason, "demo")
    return f"Kelifax: {len(entries)} resources.{await _moderator(kit)}"


async def _moderator(kit: Kit) -> str:
    """Somebody who has decided all that was decided; how to sign in as them."""
    accounts = kit.accounts
    try:
        made = await accounts.create_account(
            accounts.operator(), _MODERATOR, f"{_MODERATOR}@example.org", "Mo Moderator", roles=["kelifax:moderator"]
        )
    except Problem:  # there is somebody of this name
        return ""
    return f" Sign in as {_MODERATOR} with the password {made.password} (you choose your own at once)"


async def _put(store: AsyncStore, resource: Resource, decision: Decision | None) -> None:
    logged = [] if decision is None else [Put(decision)]
    await store.transact(Transaction(*creation(resource), *logged))


def _decision(resource: Resource, kit: Kit) -> Decision | None:
    """What the log says of it, where somebody has decided."""
    if resource.resource_status == "pending":
        return None
    approved = resource.resource_status == "approved"
    return Decision(
        slug=resource.resource_slug,
        logged_at=resource.approved_at if approved else resource.rejected_at,
        entry_id=kit.ids.new(),
        by=_MODERATOR,
        action="approve" if approved else "reject",
        reason=resource.rejection_reason,
    )


def _resource(entry: dict[str, Any], kit: Kit) -> Resource:
    """The submission of an entry, in the state the data gives it."""
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
    """As the service gives them: nobody can guess the next."""
    return str(uuid.UUID(int=chance.getrandbits(128), version=4))
