"""The demo's people, titles and lists."""

from __future__ import annotations

from typing import Any

from partita.apps.worthwatch.demo import texts
from partita.apps.worthwatch.demo.moments import DAY, MORNING, Demo, each
from partita.apps.worthwatch.formats import content_name
from partita.apps.worthwatch.inputs import NewMovie, NewShow
from partita.apps.worthwatch.schema import USER_EMAIL, User, Watchlist, WatchlistItem
from partita.apps.worthwatch.service.labels import label_of, named_as
from partita.apps.worthwatch.service.lists import actions
from partita.apps.worthwatch.service.live import beside, settled
from partita.apps.worthwatch.service.order import START, STEP
from partita.apps.worthwatch.service.titles import beside as names_and_guards
from partita.apps.worthwatch.service.titles import new_title, one_use_more
from partita.kit.accounts import Account
from partita.table import Put, Transaction, Update

_TITLES_AT_ONCE = 45
_CURATES = ("curator", "suspended")
"""Whoever is suspended was a curator before."""


async def load_people(demo: Demo, password: str) -> None:
    """Accounts and profiles. If people cannot sign up, these people cannot sign in either."""

    async def join(person: texts.Person) -> Account:
        accounts = demo.kit.accounts
        account = await accounts.people.by_username(person.username)
        if account is None and demo.kit.settings.sign_up:
            account = await accounts.registration.create(person.username, person.email, person.name, password)
        elif account is None:
            made = accounts.administration.create_account(
                accounts.operator(), person.username, person.email, person.name
            )
            account = (await made).account
        if person.role in ("admin", "moderator", "librarian"):
            await accounts.administration.set_roles(
                accounts.operator(), account.user_id, (f"worthwatch:{person.role}",)
            )
        return account

    joined = await each(demo.texts.people, join)
    for person, account in zip(demo.texts.people, joined, strict=True):
        at = demo.at(person.days_ago, MORNING, person.username)
        curates = person.role in _CURATES
        demo.people[person.username] = User(
            user_id=account.user_id,
            email=person.email,
            username=person.name,
            created_at=at,
            updated_at=at,
            bio=person.bio,
            is_curator=curates,
            curator_status="approved" if curates else "pending" if person.role == "applicant" else None,
            updated_by=account.user_id,
        )
    # Somebody who has just come has no profile: it is made at their first own action.
    known = [demo.people[person.username] for person in demo.texts.people if person.role != "nothing"]
    await each(known, lambda user: demo.kit.store.transact(Transaction(Put(user).if_new(), *USER_EMAIL.claim(user))))


async def load_titles(demo: Demo) -> None:
    """Titles with their names and guards, and people's favourites among them."""
    for entry in demo.texts.titles:
        at = demo.at(entry.days_ago, MORNING, entry.id)
        by = demo.id_of(entry.added_by) if entry.added_by else None
        title = new_title(_new(entry), entry.id, at, by, checked=not entry.unchecked)
        demo.titles[entry.id] = title
    for entry in demo.texts.titles:
        if entry.maybe_same is not None:
            same = content_name(*demo.ref(entry.maybe_same))
            demo.titles[entry.id] = demo.titles[entry.id].model_copy(update={"maybe_same": same})

    async def add(title: Any) -> None:
        await demo.kit.store.transact(Transaction(Put(title).if_new(), *names_and_guards(None, title)))

    async def prefer(person: texts.Person) -> None:
        favourites = tuple(named_as(demo.titles[each]) for each in person.favourites)
        user = demo.people[person.username]
        await demo.kit.store.write(Update(user.own_key, User.favourites.set(favourites)))

    await each(demo.titles.values(), add)
    await each([person for person in demo.texts.people if person.favourites], prefer)


def _new(entry: texts.Title) -> NewMovie | NewShow:
    facts: dict[str, Any] = {
        "title": entry.title,
        "other_titles": entry.other_titles,
        "genres": entry.genres,
        "cast": entry.cast,
        "synopsis": entry.synopsis or "",
        "imdb_id": entry.imdb_id,
    }
    if entry.type == "MOVIE":
        return NewMovie(**facts, release_year=entry.year, directors=entry.directors, runtime=entry.runtime)
    return NewShow(
        **facts,
        start_year=entry.year,
        end_year=entry.end_year,
        creators=entry.creators,
        number_of_seasons=entry.seasons,
        number_of_episodes=entry.episodes,
        status=entry.status,
    )


async def load_lists(demo: Demo) -> None:
    """Lists with their titles; what is public is published when it is complete."""
    await each(demo.texts.lists, lambda entry: _list(demo, entry))


async def _list(demo: Demo, entry: texts.TitleList) -> None:
    store = demo.kit.store
    created = demo.at(entry.days_ago, MORNING, entry.id)
    published = demo.at(entry.days_ago, DAY, entry.id)
    by = demo.id_of(entry.by)
    cover = tuple(named_as(demo.titles[item.title]) for item in entry.items[:5])
    items = [
        WatchlistItem(
            watchlist_id=entry.id,
            content_type=demo.titles[item.title].content_type,
            content_id=item.title,
            position=START + place * STEP,
            curator_note=item.note,
            added_at=max(created, demo.at(item.days_ago, MORNING, entry.id + item.title)),
            label=label_of(demo.titles[item.title]),
            note_spoils=item.note_spoils or None,
            live_since=published if entry.public else None,
        )
        for place, item in enumerate(entry.items)
    ]
    last = max(item.added_at for item in items)
    draft = Watchlist(
        watchlist_id=entry.id,
        curator_id=by,
        title=entry.title,
        description=entry.description,
        is_public=False,
        tags=entry.tags,
        created_at=created,
        updated_at=last,
        is_ranked=entry.ranked or None,
        last_item_at=last,
        cover_items=cover,
        updated_by=by,
    )
    await store.write(Put(draft).if_new())
    for start in range(0, len(items), _TITLES_AT_ONCE):
        some = items[start : start + _TITLES_AT_ONCE]
        uses = (one_use_more(demo.titles[item.content_id]) for item in some)
        counted = Update(draft.own_key, Watchlist.item_count.add(len(some)))
        await store.transact(Transaction(counted, *(Put(item).if_new() for item in some), *uses))
    whole = draft.with_(Watchlist.item_count(len(items)))
    after = settled(whole.with_(Watchlist.is_public(entry.public)), published)
    if after != whole:
        own = Update(draft.own_key, *actions(whole, after))
        await store.transact(Transaction(own, *await beside(store, whole, after)))
    demo.lists[entry.id] = after
