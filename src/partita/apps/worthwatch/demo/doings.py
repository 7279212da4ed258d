"""What the demo's people do: rate, review, keep, follow, comment, apply, report, import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from itertools import groupby
from typing import Any

from partita.apps.worthwatch.demo import texts
from partita.apps.worthwatch.demo.moments import DAY, EVENING, Demo, each
from partita.apps.worthwatch.demo.tastes import DemoRating
from partita.apps.worthwatch.formats import comment_name
from partita.apps.worthwatch.inputs import ImportChoices, TitleInput
from partita.apps.worthwatch.schema import (
    MOVIE_RATING,
    SHOW_RATING,
    Application,
    Comment,
    Follow,
    ListTotals,
    Mine,
    Movie,
    Queued,
    Rating,
    Report,
    SavedWatchlist,
    User,
    Viewing,
)
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.labels import Ref, Title, label_of
from partita.apps.worthwatch.service.reports import key_of
from partita.kit.clock import id_at
from partita.kit.permissions import Viewer
from partita.table import Put, Transaction, Update
from partita.table.types import timestamp

_AT_ONCE = 90
"""So many things of one list, curator or title are counted in one transaction."""


async def load_ratings(demo: Demo, ratings: Iterable[DemoRating]) -> None:
    """All ratings of a title in one transaction with its sums; then what everybody has seen."""
    reviews = {(review.title, review.by): review for review in demo.texts.reviews}
    by_title = groupby(sorted(ratings, key=lambda each: each.title), key=lambda each: each.title)
    given = {title: [_rating(demo, one, reviews.get((one.title, one.by))) for one in some] for title, some in by_title}

    async def count(title: str) -> None:
        for some in _in_parts(given[title]):
            rated = _summed(demo.titles[title], [rating.rating for rating in some])
            demo.titles[title] = rated
            await demo.kit.store.transact(Transaction(_sums(rated), *(Put(rating).if_new() for rating in some)))

    await each(given, count)
    await demo.kit.store.batch_write(Put(mine) for mine in _marks(demo, given))


def _rating(demo: Demo, rating: DemoRating, review: texts.Review | None) -> Rating:
    content_type, content_id = demo.ref(rating.title)
    return Rating(
        user_id=demo.id_of(rating.by),
        content_type=content_type,
        content_id=content_id,
        rating=rating.rating,
        review=review.body if review else None,
        rated_at=demo.at(rating.days_ago, EVENING, f"{rating.by}/{rating.title}"),
        has_spoilers=(review.has_spoilers if review else False) or None,
    )


def _summed(title: Title, stars: Sequence[int]) -> Title:
    """The title with so many ratings more."""
    sums: dict[str, Any] = {
        "rating_count": (title.rating_count or 0) + len(stars),
        "rating_sum": (title.rating_sum or 0) + sum(stars),
    }
    for number in set(stars):
        name = f"rated_{number}"
        sums[name] = (getattr(title, name) or 0) + stars.count(number)
    after = title.model_copy(update=sums)
    mean = MOVIE_RATING.mean(after) if isinstance(after, Movie) else SHOW_RATING.mean(after)
    return after.model_copy(update={"rating": mean})


def _sums(title: Title) -> Update[Any]:
    """The update that writes a title's sums: nobody else has them while the demo is loaded."""
    kind: Any = type(title)
    names = ("rating_count", "rating_sum", "rating", *(f"rated_{number}" for number in range(1, 11)))
    values = ((kind.__attributes__[name], getattr(title, name)) for name in names)
    return Update(title.own_key, *(attribute.set(value) for attribute, value in values if value is not None))


def _marks(demo: Demo, given: dict[str, list[Rating]]) -> Iterable[Mine]:
    """What is known of each person and title: ratings mark as seen, viewings are counted, the rest is queued."""
    marks: dict[tuple[str, Ref], dict[str, Any]] = {}
    for ratings in given.values():
        for rating in ratings:
            ref = rating.content_type, rating.content_id
            marks[rating.user_id, ref] = {"marked_at": rating.rated_at, "rating": rating.rating}
    for shelves in demo.texts.shelves:
        user = demo.id_of(shelves.by)
        for viewing in shelves.viewings:
            mark = marks.setdefault((user, demo.ref(viewing.title)), {})
            day = _day(demo, viewing)
            mark["times"] = mark.get("times", 0) + 1
            mark["last_seen_on"] = max(mark.get("last_seen_on", day), day)
            mark.setdefault("marked_at", demo.at(viewing.days_ago, EVENING, viewing.title))
        for queued in shelves.to_watch:
            marks.setdefault((user, demo.ref(queued.title)), {})["queued"] = True
    for (user, (content_type, content_id)), mark in marks.items():
        yield Mine(user_id=user, content_type=content_type, content_id=content_id, **mark)


async def load_shelves(demo: Demo) -> None:
    """Saved lists and followed curators with their counts; To watch and diaries."""
    saved: dict[str, list[SavedWatchlist]] = {}
    followed: dict[str, list[Follow]] = {}
    kept: list[Queued | Viewing] = []
    for shelves in demo.texts.shelves:
        user = demo.id_of(shelves.by)
        for entry in shelves.saved:
            saved.setdefault(entry.list, []).append(_saved(demo, user, entry))
        for follow in shelves.follows:
            at = demo.at(follow.days_ago, DAY, shelves.by + follow.curator)
            curator = demo.id_of(follow.curator)
            followed.setdefault(curator, []).append(Follow(user_id=user, curator=curator, followed_at=at))
        kept += [_queued(demo, user, entry) for entry in shelves.to_watch]
        kept += [_viewing(demo, user, entry) for entry in shelves.viewings]

    async def save(watchlist_id: str) -> None:
        for some in _in_parts(saved[watchlist_id]):
            key = ListTotals.key(ListTotals.watchlist_id(watchlist_id))
            counted = Update(key, ListTotals.save_count.add(len(some))).or_new()
            await demo.kit.store.transact(Transaction(counted, *(Put(each).if_new() for each in some)))

    async def follow_curator(curator: str) -> None:
        for some in _in_parts(followed[curator]):
            counted = Update(User.key(User.user_id(curator)), User.follower_count.add(len(some)))
            await demo.kit.store.transact(Transaction(counted, *(Put(each).if_new() for each in some)))

    await each(saved, save)
    await each(followed, follow_curator)
    await demo.kit.store.batch_write(Put(entry) for entry in kept)


def _saved(demo: Demo, user: str, entry: texts.SavedList) -> SavedWatchlist:
    return SavedWatchlist(
        user_id=user,
        watchlist_id=entry.list,
        saved_at=demo.at(entry.days_ago, EVENING, user + entry.list),
        visited_at=demo.at(min(entry.visited_days_ago, entry.days_ago), EVENING, user + entry.list),
        saved_title=demo.lists[entry.list].title,
    )


def _queued(demo: Demo, user: str, entry: texts.QueuedTitle) -> Queued:
    content_type, content_id = demo.ref(entry.title)
    return Queued(
        user_id=user,
        content_type=content_type,
        content_id=content_id,
        queued_at=demo.at(entry.days_ago, EVENING, user + entry.title),
        from_list=entry.from_list,
        label=label_of(demo.titles[entry.title]),
    )


def _viewing(demo: Demo, user: str, entry: texts.Viewing) -> Viewing:
    content_type, content_id = demo.ref(entry.title)
    return Viewing(
        user_id=user,
        day=_day(demo, entry),
        viewing_id=id_at(demo.moment(entry.days_ago, EVENING, entry.title)),
        content_type=content_type,
        content_id=content_id,
        rewatch=entry.rewatch or None,
        label=label_of(demo.titles[entry.title]),
        note=entry.note,
    )


def _day(demo: Demo, entry: texts.Viewing) -> str:
    return (demo.started - timedelta(days=entry.days_ago)).date().isoformat()


async def load_comments(demo: Demo) -> None:
    """The comments of a list in one transaction with its total; each a moment after what it answers."""
    named = _comment_moments(demo)
    replies = Counter(entry.reply_to for entry in demo.texts.comments if entry.reply_to is not None)
    by_list: dict[str, list[Comment]] = {}
    for entry in demo.texts.comments:
        created_at, user_id = named[entry.id]
        comment = Comment(
            watchlist_id=entry.list,
            user_id=user_id,
            comment_text=entry.body,
            created_at=created_at,
            reply_to=comment_name(*named[entry.reply_to]) if entry.reply_to else None,
            reply_count=replies.get(entry.id),
            has_spoilers=entry.has_spoilers or None,
        )
        by_list.setdefault(entry.list, []).append(comment)

    async def say(watchlist_id: str) -> None:
        for some in _in_parts(by_list[watchlist_id]):
            key = ListTotals.key(ListTotals.watchlist_id(watchlist_id))
            counted = Update(key, ListTotals.comment_count.add(len(some))).or_new()
            await demo.kit.store.transact(Transaction(counted, *(Put(comment).if_new() for comment in some)))

    await each(by_list, say)


async def load_applications(demo: Demo) -> None:
    """Applications that wait; the profiles of who applied say so already."""
    await demo.kit.store.batch_write(
        Put(
            Application(
                user_id=demo.id_of(entry.by),
                applied_at=demo.at(entry.days_ago, DAY, entry.by),
                statement=entry.statement,
                links=entry.links,
                sample_list=entry.sample,
            )
        )
        for entry in demo.texts.applications
    )


async def load_imports(demo: Demo, service: WorthWatchService) -> None:
    """A file that somebody has begun to review."""
    for entry in demo.texts.imports:
        by = Viewer(user_id=demo.id_of(entry.by), username=entry.by, name=demo.people[entry.by].username)
        text = "".join(f"{line}\r\n" for line in entry.file)
        review = await service.imports.begin(by, text.encode(), entry.file_name)
        chosen = {
            each.row: TitleInput(content_type=ref[0], content_id=ref[1])
            for each in entry.choices
            if each.title is not None
            for ref in (demo.ref(each.title),)
        }
        left = tuple(each.row for each in entry.choices if each.title is None)
        await service.imports.choose(by, review.item.import_id, ImportChoices(choices=chosen, leave_out=left))


async def load_reports(demo: Demo) -> None:
    """Reports that wait."""
    names = _comment_names(demo)
    things: dict[str, Callable[[str], str]] = {
        "list": str,
        "comment": lambda ref: "/".join(names[ref]),
        "review": lambda ref: _review_id(demo, *ref.split("/")),
    }
    await demo.kit.store.batch_write(
        Put(
            Report(
                what=key_of(entry.what, things[entry.what](entry.ref)),
                user_id=demo.id_of(entry.by),
                reported_at=demo.at(entry.days_ago, DAY, entry.by + entry.ref),
                reason=entry.reason,
            )
        )
        for entry in demo.texts.reports
    )


def _review_id(demo: Demo, title: str, by: str) -> str:
    return "/".join((*demo.ref(title), demo.id_of(by)))


def _comment_names(demo: Demo) -> dict[str, tuple[str, str]]:
    """The list and the public name of each comment."""
    moments = _comment_moments(demo)
    return {entry.id: (entry.list, comment_name(*moments[entry.id])) for entry in demo.texts.comments}


def _comment_moments(demo: Demo) -> dict[str, tuple[str, str]]:
    """When each comment was written and by whom: a moment after what it answers, and never in the future."""
    moments: dict[str, tuple[str, str]] = {}
    count = len(demo.texts.comments)
    for place, entry in enumerate(demo.texts.comments):
        day = demo.moment(entry.days_ago, (7, 8), entry.list)
        at = min(day + timedelta(minutes=place), demo.started - timedelta(minutes=count - place))
        moments[entry.id] = timestamp(at), demo.id_of(entry.by)
    return moments


async def suspend(demo: Demo, service: WorthWatchService) -> None:
    """Whoever is suspended was a curator until now: their lists vanish."""
    for person in demo.texts.people:
        if person.role == "suspended":
            gone = User.curator_status.set("suspended"), User.is_curator.set(False)
            await demo.kit.store.write(Update(demo.people[person.username].own_key, *gone))
            for entry in demo.texts.lists:
                if entry.by == person.username:
                    await service.lists.set_hidden(entry.id, True)


def _in_parts(entries: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (entries[start : start + _AT_ONCE] for start in range(0, len(entries), _AT_ONCE))
