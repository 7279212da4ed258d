"""What fus holds about people: ratings, comments, collections, suggestions, groups, and who did what to the catalog."""

from __future__ import annotations

from partita.apps.fus.schema import (
    SUGGESTED_URL,
    Collection,
    CollectionLink,
    CollectionMark,
    Comment,
    GroupLog,
    GroupRemoval,
    Membership,
    PageCopy,
    Profile,
    Rating,
    Site,
    SiteLog,
    SiteRemoval,
    SuggestedUrl,
    Suggestion,
)
from partita.apps.fus.service import FusService
from partita.apps.fus.service.leaving import Leaving
from partita.apps.fus.service.removal import uncollect
from partita.kit.kit import Kit
from partita.kit.personal_data import Holding, Person
from partita.table import Delete, Transaction


def holdings(service: FusService, kit: Kit) -> tuple[Holding, ...]:
    """The catalog stays as it is; what people said of it goes with them, and is counted out."""
    leaving = Leaving(kit, service.ratings, service.comments, service.collections)
    catalog = "the catalog is everybody's"

    async def uncollected(mark: CollectionMark, _person: Person) -> None:
        await uncollect(kit.store, mark)

    async def withdraw(made: Suggestion, _person: Person) -> None:
        guard = SUGGESTED_URL.release(made) if made.waits else ()
        await kit.store.transact(Transaction(Delete(made.own_key).unless_changed(made, Suggestion.status), *guard))

    return (
        Holding(Rating, "Ratings and notes", "user_id", remove=leaving.rating),
        Holding(
            Comment,
            "Comments",
            "user_id",
            also=("reply_to",),
            because="answers to your comments stay, without your name",
            remove=leaving.comment,
        ),
        Holding(Collection, "Collections", "user_id", remove=leaving.collection),
        Holding(CollectionLink, "Collections", "of_user"),
        Holding(CollectionMark, "Collections", "of_user", remove=uncollected),
        Holding(Profile, "Profile", "user_id", after_others=True),
        Holding(
            Suggestion,
            "Suggestions",
            "user_id",
            also=("decided_by",),
            because="others keep their answer, without the name of whoever decided",
            remove=withdraw,
        ),
        Holding(SuggestedUrl, "Suggestions", "of_user", after_others=True),
        Holding(
            Membership,
            "Membership in groups",
            "user_id",
            also=("added_by",),
            because="others stay in their groups, without the name of whoever added them",
            names=("added_by",),
            remove=leaving.membership,
        ),
        Holding(Site, "Sites of the catalog", also=("added_by",), because=catalog),
        Holding(PageCopy, "Copies of pages", also=("copied_by",), names=("copied_by",), because=catalog),
        Holding(SiteLog, "History of the catalog", also=("by",), names=("by",), because="it tells what was changed"),
        Holding(
            GroupLog,
            "History of groups",
            also=("by", "details"),
            names=("by",),
            because="it tells who could do what, and since when",
        ),
        Holding(SiteRemoval, "Deletions under way", also=("removed_by",), names=("removed_by",), because=catalog),
        Holding(GroupRemoval, "Deletions under way", also=("removed_by",), names=("removed_by",), because=catalog),
    )
