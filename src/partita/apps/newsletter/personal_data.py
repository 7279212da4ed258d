"""What the newsletter system holds about people: what they write alone, what they share, and who did what to it."""

from __future__ import annotations

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import as_plain
from partita.apps.newsletter.schema import (
    Brand,
    Draft,
    Link,
    Newsletter,
    Note,
    Outline,
    Prompt,
    Proposal,
    Removal,
    Share,
    Source,
    StepRun,
    TextVersion,
    Topics,
)
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.files import EDITIONS
from partita.kit.kit import Kit
from partita.kit.personal_data import Fate, Holding, Person


def holdings(service: NewsletterService, kit: Kit) -> tuple[Holding, ...]:
    """What was approved or shared is the organisation's, and stays without a name; drafts of one's own go."""

    async def shared(code: str) -> bool:
        return bool((await kit.store.page(schema.shares_of(code), limit=1)).items)

    async def fate_of_letter(letter: Newsletter) -> Fate:
        kept = letter.approved_at is not None or await shared(letter.newsletter_code)
        return "unnamed" if kept else "removed"

    async def fate_of_proposal(proposal: Proposal) -> Fate:
        kept = proposal.status not in ("draft", "archived") or await shared(proposal.proposal_code)
        return "unnamed" if kept else "removed"

    async def remove_letter(letter: Newsletter, person: Person) -> None:
        await service.removals.remove(letter.newsletter_code, by=person.stand_in)

    async def remove_proposal(proposal: Proposal, person: Person) -> None:
        await service.proposal_removals.remove(proposal, by=person.stand_in)

    team = "what was approved or shared is the organisation's"
    said = "a review stays readable for those who go on with it"
    library = "the library is the organisation's"
    return (
        Holding(
            Newsletter,
            "Newsletters",
            "user_id",
            also=("approved_by", "changes_asked_by"),
            names=("user_name",),
            blank=("user_email",),
            parts=lambda letter: (schema.whole_newsletter(letter.newsletter_code),),
            files_of_part=_files_of_letter,
            fate=fate_of_letter,
            because=team,
            remove=remove_letter,
        ),
        Holding(
            Proposal,
            "Proposals",
            "user_id",
            also=("metadata",),
            names=("user_name", "metadata"),
            blank=("user_email",),
            files=_files,
            fate=fate_of_proposal,
            because=team,
            remove=remove_proposal,
        ),
        Holding(
            Share,
            "What others share with you",
            "user_id",
            also=("shared_by",),
            names=("user_name",),
            because="what you share with others stays shared",
        ),
        Holding(TextVersion, "Versions of texts", also=("by",), names=("by_name",), because=team),
        Holding(Note, "Notes on texts", also=("by", "resolved_by"), names=("by_name",), because=said),
        Holding(Source, "Sources", also=("created_by",), because=library),
        Holding(StepRun, "Steps of the work", also=("requested_by", "inputs"), because=team),
        Holding(Link, "Secret links", also=("created_by",), because=team),
        Holding(Brand, "The look of editions", also=("changed_by",), because=library),
        Holding(Prompt, "Prompts", also=("changed_by",), because=library),
        Holding(Removal, "Deletions under way", also=("removed_by",), because=team),
    )


def _files_of_letter(part: Newsletter | Topics | Outline | Draft) -> tuple[str, ...]:
    """Exports and pictures; only of this newsletter, whatever another program wrote into its draft."""
    if not isinstance(part, Draft):
        return ()
    own = f"{EDITIONS}/{part.newsletter_code}/"
    named = [as_plain(each).get("s3_key") for each in (*part.exports.values(), *part.images) if isinstance(each, dict)]
    return tuple(name for name in named if isinstance(name, str) and name.startswith(own))


def _files(proposal: Proposal) -> tuple[str, ...]:
    exported = [as_plain(each).get("s3_key") for each in proposal.exports.values() if isinstance(each, dict)]
    return tuple(str(each) for each in exported if each)
