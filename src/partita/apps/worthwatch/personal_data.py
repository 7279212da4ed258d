"""What WorthWatch holds about people: profiles, lists, ratings, what they watched and said, and who changed what."""

from __future__ import annotations

from typing import Any

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.schema import (
    Application,
    Comment,
    CuratorPointer,
    EmailGuard,
    Follow,
    Import,
    ListCopy,
    ListRemoval,
    Log,
    Merged,
    Mine,
    Movie,
    Queued,
    Rating,
    Report,
    SavedWatchlist,
    Show,
    User,
    UserRemoval,
    Viewing,
    Watchlist,
)
from partita.apps.worthwatch.service import WorthWatchService
from partita.kit.personal_data import Holding, Person
from partita.table import Query


def holdings(service: WorthWatchService) -> tuple[Holding, ...]:
    """What leaving takes goes as if they had left; an approved curator's published lists stay, without a name."""

    async def leave(_item: Any, person: Person) -> None:
        await service.leaving.erase(person)

    nobody = "it is nobody's own, and the id in it leads to nobody"
    return (
        Holding(
            User,
            "Profile",
            "user_id",
            names=("email", "username"),
            also=("updated_by",),
            because="profiles of others stay, without the name of whoever changed them",
            files=_face,
            remove=leave,
        ),
        Holding(EmailGuard, "Profile", "of_user", names=("address",), remove=leave),
        Holding(
            Watchlist,
            "Lists",
            "curator_id",
            also=("updated_by",),
            because="published lists of an approved curator stay, without a name",
            files=_cover,
            parts=_titles,
            remove=leave,
        ),
        Holding(CuratorPointer, "Lists", "curator", remove=leave),
        Holding(Rating, "Ratings and reviews", "user_id", remove=leave),
        Holding(SavedWatchlist, "Saved lists", "user_id", remove=leave),
        Holding(Mine, "What you have seen", "user_id", remove=leave),
        Holding(Queued, "What you want to watch", "user_id", remove=leave),
        Holding(Viewing, "Diary", "user_id", remove=leave),
        Holding(Import, "Imports", "user_id", remove=leave),
        Holding(
            Follow,
            "Whom you follow",
            "user_id",
            also=("curator",),
            others="removed",
            remove=leave,
        ),
        Holding(
            Application,
            "Applications",
            "user_id",
            also=("decided_by",),
            because="others keep the decision, without the name of whoever decided",
            remove=leave,
        ),
        Holding(UserRemoval, "Profile", "user_id", remove=leave),
        Holding(
            Comment,
            "Places of comments",
            "user_id",
            also=("reply_to",),
            fate=_emptied,
            others="stays",
            because="the text goes; the place stays, empty, so that answers stay where they were",
            remove=leave,
        ),
        Holding(
            Report,
            "Reports",
            "user_id",
            also=("what", "resolved_by"),
            fate="stays",
            others="stays",
            because="moderators answer for what was reported; the id leads to nobody",
        ),
        Holding(
            Log,
            "Log of changes",
            also=("what", "who", "before", "after"),
            because="it tells what happened to lists and titles that everybody sees",
            is_of=lambda log, person: log.what == f"USER#{person.user_id}",
        ),
        Holding(Movie, "Titles", also=("updated_by",), because="the catalog is everybody's"),
        Holding(Show, "Titles", also=("updated_by",), because="the catalog is everybody's"),
        Holding(ListCopy, "Work under way", also=("by",), because=nobody),
        Holding(Merged, "Work under way", also=("merged_by",), because=nobody),
        Holding(ListRemoval, "Work under way", also=("of_curator", "removed_by"), others="stays", because=nobody),
    )


async def _emptied(comment: Comment) -> Any:
    return "removed" if comment.removed_by is None else "stays"


def _face(user: User) -> tuple[str, ...]:
    return (user.face,) if user.face else ()


def _titles(watchlist: Watchlist) -> tuple[Query[Any], ...]:
    of = watchlist.watchlist_id
    return schema.items_of(of), schema.removed_items(of)


def _cover(watchlist: Watchlist) -> tuple[str, ...]:
    return (watchlist.cover_file,) if watchlist.cover_file else ()
