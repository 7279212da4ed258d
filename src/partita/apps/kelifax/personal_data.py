"""What Kelifax holds about people: submitters, who likes what, and who decided."""

from __future__ import annotations

from typing import Any

from partita.apps.kelifax.schema import Decision, Resource, SavedResource, Upvote
from partita.apps.kelifax.service import KelifaxService
from partita.kit.personal_data import Fate, Holding, Person


def holdings(service: KelifaxService) -> tuple[Holding, ...]:
    """Approved resources stay in the directory, without their submitter."""
    submitter = ("submitter_first_name", "submitter_last_name", "submitter_email", "submitter_company")

    async def fate(resource: Resource) -> Fate:
        return "unnamed" if resource.is_approved else "removed"

    async def withdraw(resource: Resource, _person: Person) -> None:
        await service.submissions.remove_of_one_who_left(resource.resource_slug)

    async def take_back(vote: Upvote, _person: Person) -> None:
        await service.liked.remove_of_one_who_left(vote)

    return (
        Holding(
            Resource,
            "Submissions",
            "submitted_by",
            blank=(*submitter, "submitter_phone"),
            files=lambda resource: (resource.logo_file,) if resource.logo_file else (),
            fate=fate,
            because="the directory keeps what was approved; the company's domain stays, which totals count",
            remove=withdraw,
            is_of=_submitted,
        ),
        Holding(Upvote, "Upvotes", "user_id", remove=take_back),
        Holding(SavedResource, "Saved resources", "user_id"),
        Holding(
            Decision,
            "Decisions of moderators",
            names=("by",),
            because="moderators answer for what they decided, whoever they were",
        ),
    )


def _submitted(resource: Any, person: Person) -> bool:
    """Without signing in, too: by the address."""
    return resource.submitter_email.casefold() in person.addresses
