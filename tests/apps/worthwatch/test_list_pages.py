"""Pages of lists, as a browser without script uses them: found, read, shared, written, published, copied, deleted."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import ItemEdit, ListEdit, NewItem, NewList, ProfileEdit, RatingInput
from partita.apps.worthwatch.schema import WORTHWATCH, Follow, Movie, SavedWatchlist, Watchlist
from partita.apps.worthwatch.service.addresses import list_path, secret_path
from partita.kit.clock import stamp
from partita.store.observe import Observation
from partita.table import Put, Update
from tests.apps.house import kit_on
from tests.apps.worthwatch.conftest import film
from tests.apps.worthwatch.served import Somebody, WorthWatch, serve
from tests.apps.worthwatch.test_reading import seen
from tests.web.visitor import Answer

pytestmark = pytest.mark.anyio


@pytest.fixture
async def ww(tmp_path: Path) -> AsyncIterator[WorthWatch]:
    with kit_on(tmp_path, WORTHWATCH) as kit:
        yield serve(kit)


async def with_titles(
    ww: WorthWatch, somebody: Somebody, *titles: str, public: bool = True, **fields: Any
) -> tuple[Watchlist, list[Movie]]:
    new = NewList(title=fields.pop("title", "Night trains"), is_public=public, **fields)
    watchlist = await ww.service.lists.create(somebody.who, new)
    films = [await film(ww.service, title, runtime=100, genres=["Horror"]) for title in titles]
    for each in films:
        wanted = NewItem(content_type="MOVIE", content_id=each.movie_id, curator_note=f"Why {each.title}")
        await ww.service.items.add(somebody.who, watchlist.watchlist_id, wanted)
    await ww.worker.drain()
    return await ww.service.lists.watchlist(watchlist.watchlist_id), films


async def after(somebody: Somebody, answer: Answer) -> Answer:
    """The page that an answer leads to; what follows a # is for browsers alone."""
    assert answer.status == 303, (answer.status, answer.text)
    return await somebody.get(answer.location.partition("#")[0])


async def test_a_list_has_its_first_poster_on_the_start_page(ww: WorthWatch) -> None:
    _, films = await with_titles(ww, await ww.curator("Ada"), "Alien", "Ran")
    (line,) = re.findall(r'<ul class="headlines">(.*?)</ul>', (await ww.visitor().get("/")).text, re.DOTALL)
    assert f'<img class="face filled" src="/worthwatch/posters/film/{films[0].movie_id}/' in line


async def test_discover_shows_lists_tags_and_curators_and_what_to_do_with_none(ww: WorthWatch) -> None:
    empty = (await ww.visitor().get("/worthwatch")).shown
    assert "No lists yet" in empty
    assert "Become a curator" in empty
    ada, mina = await ww.curator("Ada"), await ww.person("Mina")
    watchlist, _ = await with_titles(ww, ada, "Alien", "Ran", tags=("Trains", "noir"), description="Slow. Then fast.")
    shown = (await ww.visitor().get("/worthwatch")).shown
    assert "Today’s list" in shown
    assert "Slow." in shown
    assert f'href="{list_path(watchlist)}"' in shown
    assert 'href="/worthwatch?tag=trains"' in shown
    assert "Follow somebody" not in shown
    assert "Follow somebody whose taste you like" in (await mina.get("/worthwatch")).shown
    tagged = (await ww.visitor().get("/worthwatch?tag=TRAINS")).shown
    assert "Lists about trains" in tagged
    assert "1 list" in tagged
    assert 'href="/worthwatch/lists.atom?tag=' in tagged
    assert "No lists about nothing" in (await ww.visitor().get("/worthwatch?tag=nothing")).shown
    for sort in ("new", "popular"):
        everything = (await ww.visitor().get(f"/worthwatch?sort={sort}")).shown
        assert ("Night trains" in everything, ">1 list<" in everything) == (True, True)


async def test_a_list_is_read_by_everybody_and_ticked_by_members(ww: WorthWatch) -> None:
    ada, mina = await ww.curator("Ada"), await ww.person("Mina")
    watchlist, films = await with_titles(ww, ada, "Alien", "Ran", "Élite", description="For <long> rides.")
    path = list_path(watchlist)
    answer = await ww.visitor().get(path)
    assert answer.status == 200
    assert "For <long> rides." in answer.shown
    assert "<long>" not in answer.text
    assert "3 titles" in answer.shown
    assert "5 h" in answer.shown
    assert "of 3 seen" not in answer.shown
    assert 'formaction="/worthwatch/seen/' not in answer.shown
    assert len(answer.body) < 60_000
    await seen(ww.kit, mina.who, films[0].movie_id)
    mine = (await mina.get(path)).shown
    assert re.search(r"<strong class=\"number\">1</strong> of <span class=\"number\">3</span> seen", mine)
    assert f'formaction="/worthwatch/seen/film/{films[1].movie_id}"' in mine
    assert "Why Ran" in (await mina.get(f"{path}?view=rows")).shown
    order = re.findall(r'alt="(\w+) \(', (await mina.get(f"{path}?view=posters&sort=title")).shown)
    assert order == ["Alien", "Élite", "Ran"]
    assert "Alien" not in re.findall(r'alt="(\w+) \(', (await mina.get(f"{path}?show=unseen&view=posters")).shown)
    await seen(ww.kit, mina.who, *(each.movie_id for each in films))
    assert "You have seen all of these" in (await mina.get(f"{path}?show=unseen")).shown
    assert "You have seen every title" in (await mina.get(path)).shown
    assert "No series on this list" in (await mina.get(f"{path}?show=series")).shown
    counted = await mina.get(f"/worthwatch/lists/{watchlist.watchlist_id}/progress", hx_request="true")
    assert "<html" not in counted.text
    picked = await ww.visitor().get(f"/worthwatch/lists/{watchlist.watchlist_id}/pick")
    assert picked.location.startswith("/worthwatch/titles/film/")
    assert "seen all" in (await after(mina, await mina.get(f"/worthwatch/lists/{watchlist.watchlist_id}/pick"))).shown
    moved = await ww.visitor().get(f"/worthwatch/lists/{watchlist.watchlist_id}/old-title?sort=year")
    assert moved.location == f"{path}?sort=year"


async def test_a_list_that_is_called_like_a_page_has_an_address_of_its_own(ww: WorthWatch) -> None:
    ada = await ww.curator("Ada")
    watchlist, _ = await with_titles(ww, ada, "Alien", title="Edit")
    assert "<h1>Edit</h1>" in (await ww.visitor().get(list_path(watchlist))).text


async def test_what_is_private_hidden_or_revoked_is_not_found_anywhere(ww: WorthWatch) -> None:
    ada, eve = await ww.curator("Ada"), await ww.person("Eve")
    private, (secret_film,) = await with_titles(ww, ada, "Hidden Gem", title="Private thoughts", public=False)
    public, _ = await with_titles(ww, ada, "Alien", title="Public thoughts", tags=("a",))
    shared = await ww.service.lists.share(ada.who, private.watchlist_id)
    link = secret_path(shared)
    page = await ww.visitor().get(link)
    assert page.status == 200
    assert "Why Hidden Gem" in (await ww.visitor().get(f"{link}?view=rows")).shown
    assert 'content="noindex"' in page.text
    assert "/worthwatch/saved/" not in page.text
    await ww.service.lists.revoke(ada.who, private.watchlist_id)
    await ww.set_status(ada, "suspended")
    one = f"/worthwatch/lists/{private.watchlist_id}"
    other = f"/worthwatch/lists/{public.watchlist_id}"
    for who in (ww.visitor(), eve):
        for path in (
            link,
            list_path(private),
            list_path(public),
            *(
                f"{each}/{part}"
                for each in (one, other)
                for part in ("more", "pick", "edit", "titles.atom", "progress")
            ),
            f"/worthwatch/embed/{private.watchlist_id}",
            f"/worthwatch/embed/{public.watchlist_id}",
            f"/worthwatch/pictures/{public.watchlist_id}/x.png",
            f"/worthwatch/curators/{ada.id}/lists.atom",
            f"{one}/items/film/{secret_film.movie_id}",
            f"{one}/find?q=hid",
        ):
            answer = await who.get(path)
            assert answer.status in (404, 303), path
            assert answer.status == 404 or answer.location.startswith("/sign-in"), path
            assert " thoughts" not in answer.text, path
        for path in ("/worthwatch", "/worthwatch?tag=a", "/worthwatch?sort=popular", "/worthwatch/lists.atom"):
            assert " thoughts" not in (await who.get(path)).text, path
    for part in ("copy", "publish", "take-back", "share", "revoke", "delete", "several", "items"):
        assert (await eve.post(f"{one}/{part}", {"does": "top", "chosen": "x"})).status in (303, 403, 404), part
    assert (await ww.kit.store.get(schema.watchlist(private.watchlist_id))) is not None
    assert "because you are suspended" in (await ada.get(list_path(public))).shown or not public.hidden


async def test_a_list_is_written_without_script(ww: WorthWatch) -> None:
    ada = await ww.curator("Ada")
    alien, ran = await film(ww.service, "Alien"), await film(ww.service, "Ran")
    made = await ada.post("/worthwatch/lists/new", {"title": "Night trains", "description": "Slow."})
    edit = made.location
    here = edit.removesuffix("/edit")
    list_id = here.rpartition("/")[2]
    assert "Add the first title" in (await ada.get(edit)).shown
    found = (await ada.get(f"{edit}?q=alien")).shown
    assert f'name="contentId" value="{alien.movie_id}"' in found
    for each in (alien, ran):
        added = await ada.post(f"{here}/items", {"contentType": "MOVIE", "contentId": each.movie_id})
        assert f"{each.title} added." in (await after(ada, added)).shown
    again = await after(ada, await ada.post(f"{here}/items", {"contentType": "MOVIE", "contentId": ran.movie_id}))
    assert "on the list already" in again.shown
    assert "On the list" in (await ada.get(f"{edit}?q=alien")).shown

    async def order() -> list[str]:
        return [item.content_id for item in await ww.service.items.all_in_order(list_id)]

    moved = await ada.post(f"{here}/items/film/{ran.movie_id}/move", {"position": "1"})
    assert "Ran moved." in (await after(ada, moved)).shown
    assert await order() == [ran.movie_id, alien.movie_id]
    page = (await ada.get(edit)).text
    version = re.search(r'name="version" value="(\w+)">\s*<label class="for-readers" for="note-', page)
    assert version is not None
    note = f"{here}/items/film/{ran.movie_id}/note"
    saved = await ada.post(note, {"curatorNote": "Rain & war.", "noteSpoils": "true", "version": version[1]})
    assert saved.status == 303, saved.text
    item = await ww.service.items.item(list_id, "MOVIE", ran.movie_id)
    assert (item.curator_note, item.note_spoils) == ("Rain & war.", True)
    stale = await ada.post(note, {"curatorNote": "Other words.", "version": version[1]})
    assert stale.status == 409
    assert "Rain & war." in stale.shown
    assert "Other words." in stale.shown
    removed = await ada.post(f"{here}/items/film/{ran.movie_id}/remove")
    undo = re.search(r'action="([^"]+/restore)"', (await after(ada, removed)).text)
    assert undo is not None
    assert await order() == [alien.movie_id]
    assert "Ran is back." in (await after(ada, await ada.post(undo[1]))).shown
    assert await order() == [ran.movie_id, alien.movie_id]
    item = await ww.service.items.item(list_id, "MOVIE", ran.movie_id)
    assert (item.curator_note, item.note_spoils) == ("Rain & war.", True)
    top = {"chosen": f"film/{alien.movie_id}", "does": "top"}
    assert "1 title moved to the top" in (await after(ada, await ada.post(f"{here}/several", top))).shown
    assert await order() == [alien.movie_id, ran.movie_id]
    both = [("chosen", f"film/{each.movie_id}") for each in (alien, ran)]
    assert (
        "2 titles removed" in (await after(ada, await ada.post(f"{here}/several", [*both, ("does", "remove")]))).shown
    )
    assert await order() == []
    assert "Choose at least one" in (await after(ada, await ada.post(f"{here}/several", {"does": "top"}))).shown


async def test_facts_are_edited_and_a_stale_edit_shows_both_texts(ww: WorthWatch) -> None:
    ada = await ww.curator("Ada")
    watchlist, _ = await with_titles(ww, ada, "Alien", public=False)
    edit = f"/worthwatch/lists/{watchlist.watchlist_id}/edit"
    page = (await ada.get(edit)).text
    version = re.search(r'name="version" value="(\w+)"><input type="hidden" name="opened" value="([^"]*)"', page)
    assert version is not None
    facts = {"title": "Day trains", "description": "Fast.", "tags": "trains, Trains, day", "version": version[1]}
    assert (await ada.post(edit, {**facts, "isRanked": "true"})).status == 303
    stored = await ww.service.lists.watchlist(watchlist.watchlist_id)
    assert (stored.title, stored.tags, stored.is_ranked) == ("Day trains", ("trains", "day"), True)
    assert stored.is_public is False
    stale = await ada.post(edit, {**facts, "title": "Mine instead", "opened": version[2]})
    assert stale.status == 409
    assert "Mine instead" in stale.shown
    assert "Day trains" in stale.shown
    wrong = await ada.post(edit, {"title": "", "description": "Kept"})
    assert wrong.status == 422
    assert "Kept" in wrong.shown


async def test_publish_take_back_share_copy_and_delete(ww: WorthWatch) -> None:
    ada, mina = await ww.curator("Ada"), await ww.person("Mina")
    watchlist, _ = await with_titles(ww, ada, "Alien", "Ran", public=False)
    here = f"/worthwatch/lists/{watchlist.watchlist_id}"
    assert "Published" in (await after(ada, await ada.post(f"{here}/publish"))).shown
    assert (await ww.visitor().get(list_path(watchlist))).status == 200
    copied = await mina.post(f"{here}/copy")
    page = await after(mina, copied)
    assert "This list is yours" in page.shown
    assert "Share by link" in page.shown
    assert ">Publish<" not in page.text.replace("\n", "")
    copy_id = copied.location.split("/")[3]
    copy = await ww.service.lists.watchlist(copy_id)
    assert "after" in (await mina.get(list_path(copy))).shown
    assert "Why Alien" not in (await mina.get(f"{list_path(copy)}?view=rows")).shown
    refused = await mina.post(f"/worthwatch/lists/{copy_id}/publish")
    assert refused.status == 403
    await mina.post(f"/worthwatch/lists/{copy_id}/share")
    link = re.search(r"<code>[^<]*(/worthwatch/shared/[^<]+)</code>", (await mina.get(copied.location)).text)
    assert link is not None
    assert (await ww.visitor().get(link[1])).status == 200
    await mina.post(f"/worthwatch/lists/{copy_id}/revoke")
    assert (await ww.visitor().get(link[1])).status == 404
    assert "Taken back" in (await after(ada, await ada.post(f"{here}/take-back"))).shown
    assert (await ww.visitor().get(list_path(watchlist))).status == 404
    mine = (await ada.get("/worthwatch/me/lists")).shown
    assert "Only for you" in mine
    assert "will be lost" in (await ada.get(f"{here}/delete")).shown
    await ada.post(f"{here}/delete")
    assert "No lists yet" in (await ada.get("/worthwatch/me/lists")).shown


async def test_feeds_head_picture_embed_and_sitemap_tell_of_live_lists(ww: WorthWatch) -> None:
    ada = await ww.curator("Ada")
    watchlist, films = await with_titles(ww, ada, "Alien", "Ran", tags=("a",), description="Slow & long.")
    await ww.service.items.edit(ada.who, watchlist.watchlist_id, "MOVIE", films[1].movie_id, ItemEdit(note_spoils=True))
    visitor = ww.visitor()
    for path in ("lists.atom", "lists.atom?tag=A", "lists.rss", f"curators/{ada.id}/lists.atom"):
        feed = await visitor.get(f"/worthwatch/{path}")
        assert feed.status == 200, path
        assert "Night trains" in feed.text, path
    titles = (await visitor.get(f"/worthwatch/lists/{watchlist.watchlist_id}/titles.atom")).text
    assert "Why Alien" in titles
    assert "Why Ran" not in titles, "it tells the ending"
    page = (await visitor.get(list_path(watchlist))).text
    assert '"@type":"ItemList"' in page
    assert "titles.atom" in page
    picture = re.search(r'property="og:image" content="[^"]*(/worthwatch/pictures/[^"]+)"', page)
    assert picture is not None
    drawn = await visitor.get(picture[1])
    assert drawn.body.startswith(b"\x89PNG")
    old = await visitor.get(f"/worthwatch/pictures/{watchlist.watchlist_id}/old.png")
    assert old.location == picture[1]
    embed = await visitor.get(f"/worthwatch/embed/{watchlist.watchlist_id}")
    assert "frame-ancestors *" in embed.headers["content-security-policy"]
    assert embed.headers["cross-origin-resource-policy"] == "cross-origin"
    assert embed.headers.get_all("set-cookie") is None
    assert embed.text.count('<img class="poster') == 2
    assert 'class="shell"' not in embed.text
    assert list_path(watchlist) in (await visitor.get("/sitemaps/worthwatch/1.xml")).text
    await ww.service.lists.edit(ada.who, watchlist.watchlist_id, ListEdit(is_public=False))
    assert list_path(watchlist) not in (await visitor.get("/sitemaps/worthwatch/1.xml")).text


@pytest.mark.parametrize(("titles", "visitors", "members"), [(24, 12, 26), (100, 26, 80)])
async def test_what_the_page_of_a_list_reads(ww: WorthWatch, titles: int, visitors: float, members: float) -> None:
    ada, mina = await ww.curator("Ada"), await ww.person("Mina")
    names = [f"A film of some length, number {number}" for number in range(titles)]
    watchlist, films = await with_titles(ww, ada, *names, tags=("a", "b"), description="For long rides. " * 20)
    await seen(ww.kit, mina.who, *(each.movie_id for each in films))
    await ww.service.saved.save(mina.who, watchlist.watchlist_id)
    calls: list[Observation] = []
    ww.kit.store.observe(calls.append)
    for who, most in ((ww.visitor(), visitors), (mina, members)):
        calls.clear()
        assert (await who.get(list_path(watchlist))).status == 200
        units = sum(call.units for call in calls if "worthwatch" in call.tables)
        assert units <= most, [(call.operation, call.index, call.units) for call in calls]


async def test_what_the_page_of_a_list_weighs(ww: WorthWatch) -> None:
    """A whole page has 48 titles; as rows it has their notes too."""
    ada, mina = await ww.curator("Ada"), await ww.person("Mina")
    watchlist, films = await with_titles(ww, ada, *(f"A film of some length, no. {each}" for each in range(49)))
    await seen(ww.kit, mina.who, *(each.movie_id for each in films[::2]))
    path = list_path(watchlist)
    assert len((await ww.visitor().get(f"{path}?view=posters")).body) <= 45_000
    assert len((await ww.visitor().get(f"{path}?view=rows")).body) <= 60_000
    posters = await mina.get(f"{path}?view=posters")
    assert posters.text.count('<li class="tile') == 48
    assert len(posters.body) <= 60_000
    assert len((await mina.get(f"{path}?view=rows")).body) <= 60_000
    assert len((await mina.get(path)).body) <= 60_000, "rows on a phone, posters in a wide window"
    assert len((await mina.get(f"{path}?view=rows", accept_encoding="gzip")).body) <= 10_000, "as it is sent"


async def test_rows_show_the_average_without_reading_the_titles(ww: WorthWatch) -> None:
    ada, mina, noor = await ww.curator("Ada"), await ww.person("Mina"), await ww.person("Noor")
    watchlist, films = await with_titles(ww, ada, "Loved", "Hardly rated")
    for given in (8, 8, 9, 7, 8):
        rater = await ww.person("A rater")
        await ww.service.ratings.rate(rater.who, "MOVIE", films[0].movie_id, RatingInput(rating=given))
    await ww.service.ratings.rate(mina.who, "MOVIE", films[1].movie_id, RatingInput(rating=1))
    await ww.worker.drain()
    await ww.service.people.edit(noor.who, ProfileEdit(hide_averages=True))
    path = f"{list_path(watchlist)}?view=rows"
    calls: list[Observation] = []
    ww.kit.store.observe(calls.append)
    page = (await mina.get(path)).text
    assert page.count("★ 8.0") == 1, "of one rating there is no average"
    assert sum(call.units for call in calls if "worthwatch" in call.tables) <= 8
    assert "★" not in (await noor.get(path)).text, "who wants to see no average sees none"


async def test_what_discover_reads(ww: WorthWatch) -> None:
    curators = [await ww.curator(f"Curator {number}") for number in range(8)]
    mina = await ww.person("Mina")
    for number in range(14):
        await with_titles(ww, curators[number % 8], "One", "Two", "Three", "Four", "Five", tags=("a", f"t{number}"))
    for each in curators:
        follow = Follow(user_id=mina.id, curator=each.id, followed_at=stamp(ww.kit.clock))
        await ww.kit.store.write(Put(follow))
    calls: list[Observation] = []
    ww.kit.store.observe(calls.append)
    for who, most in ((ww.visitor(), 30), (mina, 50)):
        calls.clear()
        page = await who.get("/worthwatch")
        assert page.text.count('class="list-card') >= 14
        units = sum(call.units for call in calls if "worthwatch" in call.tables)
        assert units <= most, [(call.operation, call.index, call.units) for call in calls]


async def test_a_visit_makes_what_was_new_old(ww: WorthWatch) -> None:
    ada, mina = await ww.curator("Ada"), await ww.person("Mina")
    watchlist, _ = await with_titles(ww, ada, "Alien")
    await ww.service.saved.save(mina.who, watchlist.watchlist_id)
    new = await film(ww.service, "Ran")
    await ww.service.items.add(ada.who, watchlist.watchlist_id, NewItem(content_type="MOVIE", content_id=new.movie_id))
    long_ago = "2020-01-01T00:00:00.000000Z"
    key = SavedWatchlist.key(SavedWatchlist.user_id(mina.id), SavedWatchlist.watchlist_id(watchlist.watchlist_id))
    await ww.kit.store.write(Update(key, SavedWatchlist.visited_at.set(long_ago)))
    assert "2 titles new since your last visit" in (await mina.get(list_path(watchlist), sec_purpose="prefetch")).shown
    assert "2 titles new since your last visit" in (await mina.get(list_path(watchlist))).shown
    assert "new since your last visit" not in (await mina.get(list_path(watchlist))).shown
