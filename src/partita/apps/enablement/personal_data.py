"""What the portal holds about people: what they follow, read and vote for, and who made, approved and used content."""

from __future__ import annotations

from partita.apps.enablement import schema
from partita.apps.enablement.schema import (
    ActiveUser,
    Collection,
    Content,
    ContentChange,
    Event,
    Fanout,
    Follow,
    Import,
    ImportsOf,
    MustRead,
    Notification,
    PortalUpload,
    Proposal,
    Reader,
    RecentUse,
    Removal,
    Report,
    Rollup,
    SavedViews,
    Subscription,
    SubscriptionMatch,
    Summary,
    Version,
    Vote,
)
from partita.apps.enablement.service import EnablementService
from partita.kit.kit import Kit
from partita.kit.personal_data import Fate, Holding, Person
from partita.table import Delete


def holdings(service: EnablementService, kit: Kit) -> tuple[Holding, ...]:
    """Content and its history are the organisation's; numbers of use stay exact, without people."""

    async def forget_upload(upload: PortalUpload, _person: Person) -> None:
        await kit.files.delete(upload.s3_key)
        await kit.store.write(Delete(upload.own_key))

    async def forget_import(work: Import, _person: Person) -> None:
        await kit.files.delete(work.rows_key)
        await kit.store.write(Delete(work.own_key))

    async def take_back(vote: Vote, _person: Person) -> None:
        await service.votes.remove_of_one_who_left(vote)

    async def unsubscribe(subscription: Subscription, _person: Person) -> None:
        matches = [match.own_key for match in schema.matches_of(subscription)]
        await kit.store.batch_write([Delete(subscription.own_key), *map(Delete, matches)])

    content = "content and what became of it are the organisation's"
    numbers = "numbers of use stay exact, without people"
    return (
        Holding(Subscription, "Subscriptions", "user_id", remove=unsubscribe),
        Holding(SubscriptionMatch, "Subscriptions", "subscriber"),
        Holding(Follow, "What you follow", "person", also=("followed_id",), others="removed"),
        Holding(SavedViews, "Views of the library", "person"),
        Holding(
            Notification,
            "Notifications",
            "user_id",
            also=("link", "cause", "about"),
            texts=("title", "message"),
            because="other people's go on without the name",
        ),
        Holding(Vote, "Votes", "voter", remove=take_back),
        Holding(PortalUpload, "Uploads under way", "uploaded_by", files=_uploaded, remove=forget_upload),
        Holding(Import, "Imports", "begun_by", files=_rows, remove=forget_import),
        Holding(ImportsOf, "Imports", "person"),
        Holding(RecentUse, "What you used a moment ago", "person"),
        Holding(
            MustRead,
            "What you have confirmed to have read",
            "reader",
            also=("asked_by", "open_reader"),
            fate=_fate_of_reading,
            because="that it was read is kept, without the name; what is still to be read goes",
        ),
        Holding(
            Content,
            "Content",
            also=("owner_user_id", "submitted_by", "changed_by", "confirmed_by"),
            because=content,
        ),
        Holding(ContentChange, "History of content", also=("changed_by", "comment"), because=content),
        Holding(
            Proposal,
            "Changes that are proposed",
            also=("begun_by", "changed_by", "submitted_by", "approved_by", "fields", "proposed"),
            because=content,
        ),
        Holding(Version, "Versions of content", also=("approved_by", "written_by", "fields"), because=content),
        Holding(Report, "Reports", also=("reported_by", "closed_by"), because=content),
        Holding(Collection, "Collections", also=("made_by",), because=content),
        Holding(Fanout, "Work under way", also=("caused_by", "details"), names=("details",), because=content),
        Holding(Removal, "Work under way", also=("removed_by",), because=content),
        Holding(Event, "Events", "user_id", also=("metadata",), fate="unnamed", because=numbers),
        Holding(Reader, "Numbers of use", "person", fate="unnamed", because=numbers),
        Holding(ActiveUser, "Numbers of use", "person", fate="unnamed", because=numbers),
        Holding(Rollup, "Numbers of use", also=("subject",), because=numbers),
        Holding(Summary, "Numbers of use", also=("rankings",), others="removed", because="it is made anew"),
    )


async def _fate_of_reading(reading: MustRead) -> Fate:
    return "removed" if reading.confirmed_at is None else "unnamed"


def _uploaded(upload: PortalUpload) -> tuple[str, ...]:
    return (upload.s3_key,)


def _rows(work: Import) -> tuple[str, ...]:
    return (work.rows_key,)
