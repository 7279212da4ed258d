"""The log: who changed what others can see, once for each change; nothing of what is private, no words of people."""

from __future__ import annotations

import pytest

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import CommentEdit, CommentInput, ListEdit, MovieEdit, ProfileEdit
from partita.apps.worthwatch.schema import Mine, SavedWatchlist, Viewing
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.system import build
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.table import Put
from tests.apps.house import replay, worker_of
from tests.apps.worthwatch.conftest import LIBRARIAN, MODERATOR, add, curator, film, member, new_list

pytestmark = pytest.mark.anyio


async def test_what_others_can_see_is_logged_once(kit: Kit, service: WorthWatchService) -> None:
    system = build(kit)
    ada, ben, title = await curator(kit), await member(kit), await film(service)
    watchlist = await new_list(service, ada, title="Draft", tags=("noir",))
    await add(service, ada, watchlist, title)
    await service.lists.edit(ada, watchlist.watchlist_id, ListEdit(title="Night trains", is_public=True))
    await service.lists.edit(ada, watchlist.watchlist_id, ListEdit(title="Night trains, again"))
    said = await service.comments.write(ben, watchlist.watchlist_id, CommentInput(comment_text="Words of Ben"))
    await service.comments.edit(ben, watchlist.watchlist_id, said.name, CommentEdit(comment_text="Other words"))
    await service.comments.delete(ada, watchlist.watchlist_id, said.name)
    await add(service, ada, watchlist, await film(service, "Alien"))
    await service.lists.edit(ada, watchlist.watchlist_id, ListEdit(is_public=False))
    await service.lists.edit(ada, watchlist.watchlist_id, ListEdit(title="Private thoughts"))
    await worker_of(kit, system).drain()
    await replay(kit, system, "worthwatch.log")
    page = (await service.logs.of(f"WATCHLIST#{watchlist.watchlist_id}")).items
    verbs = [(each.log.verb, each.log.who) for each in reversed(page)]
    assert sorted(verbs, key=str) == sorted(
        [
            ("published list", ada.id),
            ("edited list", ada.id),
            ("commented", ben.id),
            ("edited comment", ben.id),
            ("removed comment", ada.id),
            ("added title", None),
            ("took back list", ada.id),
        ],
        key=str,
    )
    edited = next(each.log for each in page if each.log.verb == "edited list")
    assert (edited.before, edited.after) == ({"title": "Night trains"}, {"title": "Night trains, again"})
    for secret in ("Draft", "Private thoughts", "Words of Ben", "Other words"):
        assert secret not in repr(page)
    by_ben = (await service.logs.by(ben.id)).items
    assert {each.log.verb for each in by_ben} == {"commented", "edited comment"}
    today = stamp(kit.clock)[:10]
    assert len((await service.logs.on_day(today, limit=100)).items) >= len(page)


async def test_private_doings_are_not_logged(kit: Kit, service: WorthWatchService) -> None:
    system = build(kit)
    viewer = await member(kit)
    await worker_of(kit, system).drain()
    before = await kit.store.count(schema.log_on(stamp(kit.clock)[:10]))
    now = stamp(kit.clock)
    for item in (
        Mine(user_id=viewer.id, content_type="MOVIE", content_id="m1", marked_at=now),
        Viewing(user_id=viewer.id, day="2026-05-01", viewing_id="v1", content_type="MOVIE", content_id="m1"),
        SavedWatchlist(user_id=viewer.id, watchlist_id="w1", saved_at=now),
    ):
        await kit.store.write(Put(item))
    draft = await new_list(service, viewer, title="Draft")
    await service.lists.edit(viewer, draft.watchlist_id, ListEdit(title="Other"))
    await service.lists.delete(viewer, draft.watchlist_id)
    await worker_of(kit, system).drain()
    assert await kit.store.count(schema.log_on(now[:10])) == before


async def test_decisions_profiles_and_facts_say_who(kit: Kit, service: WorthWatchService) -> None:
    system = build(kit)
    ada, title = await curator(kit), await film(service, "Alien")
    await service.people.edit(ada, ProfileEdit(bio="Born in a cinema."))
    await service.curators.suspend(MODERATOR, ada.id, "Copied notes.")
    await service.titles.edit(LIBRARIAN, title.movie_id, MovieEdit(runtime=117))
    await worker_of(kit, system).drain()
    of_ada = (await service.logs.of(f"USER#{ada.id}")).items
    assert {(each.log.verb, each.log.who) for each in of_ada} >= {
        ("edited profile", ada.id),
        ("changed status", MODERATOR.id),
        ("suspended curator", MODERATOR.id),
    }
    assert "Born in a cinema." not in repr([each.log for each in of_ada])
    of_title = (await service.logs.of(f"MOVIE#{title.movie_id}")).items
    assert next((each.log.verb, each.log.after) for each in of_title) == ("edited facts", {"runtime": 117})
