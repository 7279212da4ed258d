"""Pages of titles and of what one does with them: they work without script, and tell others nothing."""

from __future__ import annotations

import html
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import ListEdit, NewItem, NewShow, ProfileEdit, RatingInput, SeenInput
from partita.apps.worthwatch.schema import WORTHWATCH, Merged, Movie, Watchlist
from partita.apps.worthwatch.service.addresses import list_path, title_path
from partita.store.observe import Observation
from partita.table import Delete, Put, Update
from tests.apps.house import kit_on
from tests.apps.worthwatch.conftest import LIBRARIAN, film, new_list
from tests.apps.worthwatch.served import Somebody, WorthWatch, serve
from tests.web.visitor import Answer

pytestmark = pytest.mark.anyio


@pytest.fixture
async def ww(tmp_path: Path) -> AsyncIterator[WorthWatch]:
    with kit_on(tmp_path, WORTHWATCH) as kit:
        yield serve(kit)


def words_of(answer: Answer) -> str:
    """What a page says, without markup."""
    return " ".join(re.sub(r"<[^>]*>", "", answer.shown.partition("<main")[2]).split())


def page_of(title: Movie) -> str:
    return title_path("MOVIE", title.movie_id, title.title)


async def listed(ww: WorthWatch, by: Somebody, on_it: Movie, note: str = "", **fields: Any) -> Watchlist:
    watchlist = await new_list(ww.service, by.who, **{"is_public": True, **fields})
    item = NewItem(content_type="MOVIE", content_id=on_it.movie_id, curator_note=note)
    await ww.service.items.add(by.who, watchlist.watchlist_id, item)
    await ww.worker.drain()
    return watchlist


async def rate(ww: WorthWatch, somebody: Somebody, title: Movie, rating: int, **more: Any) -> None:
    wanted = RatingInput.model_validate({"rating": rating, **more})
    await ww.service.ratings.rate(somebody.who, "MOVIE", title.movie_id, wanted)


async def test_a_title_says_what_it_is_and_why_people_like_it(ww: WorthWatch) -> None:
    facts = {
        "runtime": 99,
        "directors": ["Jerzy Kawalerowicz"],
        "genres": ["Drama", "Thriller"],
        "synopsis": "A train.",
    }
    title, ada = await film(ww.service, "Night Train", release_year=1959, **facts), await ww.curator("Ada")
    await listed(ww, ada, title, "Everybody on this train hides something.", title="Night trains")
    page = await ww.visitor().get(page_of(title))
    assert page.status == 200
    for words in (
        "1959",
        "1 h 39 min",
        "Jerzy Kawalerowicz",
        "Drama, Thriller",
        "A train.",
        "hides something",
        "Night trains",
    ):
        assert words in words_of(page), words
    assert "Nobody has rated it yet" in words_of(page)
    assert '"@type":"Movie"' in page.text


async def test_year_genres_makers_and_cast_lead_to_others_of_them(ww: WorthWatch) -> None:
    facts = {"release_year": 1959, "genres": ["Sci-Fi & more"], "directors": ["Ana & Co"], "cast": ["Zbigniew C."]}
    title, other = await film(ww.service, "Night Train", **facts), await film(ww.service, "Innocent", **facts)
    await film(ww.service, "Unlike", release_year=1990, genres=["Drama"], directors=["Somebody"])
    await ww.worker.drain()
    page = (await ww.visitor().get(page_of(title))).text
    links = [html.unescape(link) for link in re.findall(r'<a class="leads" href="([^"]*)"', page)]
    assert len(links) == 4
    for link in links:
        found = words_of(await ww.visitor().get(link))
        assert (other.title in found, "Unlike" in found) == (True, False), link
    series = await ww.service.titles.add(LIBRARIAN, NewShow(title="Long", start_year=2001, genres=("Drama",)))
    shown = (await ww.visitor().get(title_path("SHOW", series.content_id, "Long"))).text
    assert shown.count("show=series") == 2


async def test_every_mark_belongs_to_a_form_that_is_there_without_script(ww: WorthWatch) -> None:
    mina, ada = await ww.person("Mina"), await ww.curator("Ada")
    title = await film(ww.service, "Alien")
    watchlist = await listed(ww, ada, title)
    await ww.service.marks.want(mina.who, "MOVIE", title.movie_id)
    for path in (
        "/worthwatch/search?q=alien",
        "/worthwatch/search?show=films",
        "/worthwatch/to-watch",
        f"{list_path(watchlist)}?view=posters",
    ):
        page = (await mina.get(path)).text
        named = set(re.findall(r'<button class="mark[^>]* form="([^"]*)"', page))
        assert named == {"marks"}, path
        assert page.count('<form id="marks" method="post"') == 1, path


async def test_grids_show_averages_of_enough_ratings_unless_they_are_hidden(ww: WorthWatch) -> None:
    title, few, mina = await film(ww.service, "Alien"), await film(ww.service, "Aliens"), await ww.person("Mina")
    for number in range(5):
        somebody = await ww.person(f"P{number}")
        await rate(ww, somebody, title, 8)
        if number:
            await rate(ww, somebody, few, 3)
    await ww.worker.drain()
    search = "/worthwatch/search?show=films&q=alien"
    assert re.findall(r"Average (\S+)", words_of(await ww.visitor().get(search))) == ["8.0"]
    await ww.service.people.edit(mina.who, ProfileEdit(hide_averages=True))
    assert "Average" not in words_of(await mina.get(search))
    await ww.service.marks.mark_seen(mina.who, "MOVIE", title.movie_id)
    assert "Average 8.0" in words_of(await mina.get(search))


async def test_what_is_not_known_is_left_out_and_nobody_has_said_why(ww: WorthWatch) -> None:
    show = await ww.service.titles.add(LIBRARIAN, NewShow(title="Bare"))
    page = await ww.visitor().get(title_path("SHOW", show.content_id, "Bare"))
    assert "Nobody has said why yet" in words_of(page)
    assert "None" not in words_of(page)
    assert "On no public list yet" in words_of(page)


async def test_addresses_lead_to_the_one_with_the_right_tail_and_merged_titles_to_the_other(ww: WorthWatch) -> None:
    one, other = await film(ww.service, "One"), await film(ww.service, "Other")
    visitor = ww.visitor()
    for wrong in (f"/worthwatch/titles/film/{one.movie_id}", f"/worthwatch/titles/film/{one.movie_id}/two"):
        answer = await visitor.get(wrong)
        assert (answer.status, answer.location) == (301, page_of(one))
    mark = Merged(content_type="MOVIE", content_id=one.movie_id, into=other.movie_id, merged_at="2026-01-01T00:00:00Z")
    await ww.kit.store.write(Put(mark))
    await ww.kit.store.write(Delete(one.own_key))
    merged = await visitor.get(page_of(one))
    assert (merged.status, merged.location) == (301, page_of(other))
    assert (await visitor.get("/worthwatch/titles/film/nothing/x")).status == 404
    named = await film(ww.service, "Reviews")
    assert "Why people put it on lists" in words_of(await visitor.get(page_of(named))), "a tail is no page of its own"


async def test_an_average_comes_with_five_ratings_and_can_be_hidden_until_it_is_seen(ww: WorthWatch) -> None:
    title, mina = await film(ww.service), await ww.person("Mina")
    for number in range(4):
        await rate(ww, await ww.person(f"P{number}"), title, 8)
    assert "4 ratings so far" in words_of(await ww.visitor().get(page_of(title)))
    await rate(ww, await ww.person("Fifth"), title, 9)
    assert "8.2" in words_of(await ww.visitor().get(page_of(title)))
    await ww.service.people.edit(mina.who, ProfileEdit(hide_averages=True))
    hidden = words_of(await mina.get(page_of(title)))
    assert "hidden until you have seen it" in hidden
    assert "8.2" not in hidden
    await ww.service.marks.mark_seen(mina.who, "MOVIE", title.movie_id)
    assert "8.2" in words_of(await mina.get(page_of(title)))


async def test_one_press_marks_from_any_page_and_comes_back(ww: WorthWatch) -> None:
    mina, title = await ww.person("Mina"), await film(ww.service, "Alien")
    back = "/worthwatch/search?q=alien"
    path = f"/worthwatch/seen/film/{title.movie_id}"
    pressed = await mina.post(path, {"on": "true", "back": back})
    assert (pressed.status, pressed.location) == (303, back)
    mine = await ww.service.shelves.mine(mina.who, "MOVIE", title.movie_id)
    assert mine is not None
    assert mine.seen
    part = await mina.post(path, {"on": "false", "back": back}, hx_request="true")
    assert (part.status, part.text.count("<button")) == (200, 2)
    assert 'aria-pressed="true"' not in part.text
    elsewhere = await mina.post(path, {"on": "true", "back": "//evil.example"})
    assert elsewhere.location == "/worthwatch"
    await rate(ww, mina, title, 9)
    refused = await mina.post(path, {"on": "false", "back": back}, hx_request="true")
    assert 'aria-pressed="true"' in refused.text
    assert "Remove your rating first" in refused.headers["hx-trigger"]
    plain = await mina.follow(await mina.post(path, {"on": "false", "back": "/worthwatch/diary/seen"}))
    assert "Remove your rating first" in words_of(plain)
    assert (await mina.post("/worthwatch/seen/film/nothing", {"on": "true"})).status == 404


async def test_a_visitor_who_presses_is_led_to_sign_in_and_back(ww: WorthWatch) -> None:
    title = await film(ww.service)
    here = page_of(title)
    answer = await ww.visitor().post(
        f"/worthwatch/seen/film/{title.movie_id}", {"on": "true", "back": here}, hx_request="true", hx_current_url=here
    )
    assert (answer.status, answer.headers["hx-redirect"].startswith("/sign-in")) == (401, True)


async def test_a_title_is_rated_by_one_button_and_reviewed_by_a_form(ww: WorthWatch) -> None:
    mina, title = await ww.person("Mina"), await film(ww.service)
    here = page_of(title)
    action = f"/worthwatch/titles/film/{title.movie_id}/rating"
    done = await mina.follow(await mina.post(action, {"rating": "7"}))
    assert "You gave it 7 of 10" in words_of(done)
    reviewed = await mina.follow(
        await mina.post(action, {"rating": "8", "review": "The butler did it.", "hasSpoilers": "true"})
    )
    assert "Your review is saved" in words_of(reviewed)
    seen_by_others = await ww.visitor().get(here)
    assert "Tells the ending" in words_of(seen_by_others), "covered"
    kept = await mina.follow(await mina.post(action, {"rating": "5"}))
    assert "The butler did it." in words_of(kept), "one press leaves the review"
    wrong = await mina.post(action, {"rating": "", "review": "Lost?"})
    assert (wrong.status, "Lost?" in wrong.text) == (422, True)
    unticked = await mina.follow(await mina.post(action, {"rating": "5", "review": "No spoilers now."}))
    assert "No spoilers now." in words_of(unticked)
    assert "Tells the ending" not in words_of(await ww.visitor().get(here))
    assert "Remove your rating" in words_of(await mina.get(f"{action}/remove"))
    gone = await mina.follow(await mina.post(f"{action}/remove"))
    assert "removed" in words_of(gone)
    assert (await mina.get(f"{action}/remove")).status == 404


async def test_to_watch_shows_where_ideas_came_from_sorts_by_length_and_surprises(ww: WorthWatch) -> None:
    ada, mina = await ww.curator("Ada"), await ww.person("Mina")
    empty = await mina.get("/worthwatch/to-watch")
    assert "Nothing to watch yet" in words_of(empty)
    assert (await mina.get("/worthwatch/to-watch/surprise")).location == "/worthwatch/to-watch"
    long, short = await film(ww.service, "Long", runtime=200), await film(ww.service, "Short", runtime=80)
    watchlist = await listed(ww, ada, short, title="Quick ones")
    for title, idea in ((short, watchlist.watchlist_id), (long, "")):
        fields = {"on": "true", "back": "/worthwatch", "fromList": idea}
        await mina.post(f"/worthwatch/to-watch/film/{title.movie_id}", fields)
    page = words_of(await mina.get("/worthwatch/to-watch"))
    assert "from Quick ones by Ada" in page
    by_length = (await mina.get("/worthwatch/to-watch?sort=length")).text
    assert by_length.index("Short") < by_length.index("Long")
    assert (await mina.get("/worthwatch/to-watch/surprise")).location in {page_of(long), page_of(short)}
    assert (await mina.get("/worthwatch/to-watch?sort=length&cursor=x")).status == 400
    await ww.service.lists.edit(ada.who, watchlist.watchlist_id, ListEdit.model_validate({"isPublic": False}))
    assert "Quick ones" not in words_of(await mina.get("/worthwatch/to-watch"))


async def test_a_viewing_is_logged_by_title_day_and_rating_in_one_form(ww: WorthWatch) -> None:
    mina = await ww.person("Mina")
    assert "No viewings yet" in words_of(await mina.get("/worthwatch/diary"))
    one, other = (
        await film(ww.service, "Solaris", release_year=1972),
        await film(ww.service, "Solaris", release_year=2002),
    )
    alone = await film(ww.service, "Stalker")
    sent = {"title": "stalker", "day": "2026-05-01", "rating": "9", "note": "With Ben"}
    logged = await mina.follow(await mina.post("/worthwatch/diary/new", sent))
    for words in ("is in your diary", "May 2026", "With Ben", "9 of 10"):
        assert words in words_of(logged), words
    several = await mina.post("/worthwatch/diary/new", {"title": "Solaris", "day": "2026-05-02"})
    assert several.status == 422
    assert "Which one?" in words_of(several)
    chosen = {"title": "Solaris", "chosen": f"film/{other.movie_id}", "day": "2026-05-02", "rewatch": "true"}
    assert (await mina.post("/worthwatch/diary/new", chosen)).status == 303
    assert "Again" in words_of(await mina.get("/worthwatch/diary"))
    nothing = await mina.post("/worthwatch/diary/new", {"title": "Nothing of that name", "day": "2026-05-02"})
    assert "No film or series is called like this" in words_of(nothing)
    await ww.worker.drain()
    for typed in ("stalk", "stlaker", "the stalker of"):
        asked = await mina.post("/worthwatch/diary/new", {"title": typed, "day": "2026-05-02"})
        assert asked.status == 422, "nothing is guessed in silence"
        assert ("Which one?" in words_of(asked)) == (typed != "the stalker of"), typed
        assert (f'value="film/{alone.movie_id}"' in asked.text) == (typed != "the stalker of"), typed
    late = await mina.post("/worthwatch/diary/new", {"chosen": f"film/{one.movie_id}", "day": "2999-01-01"})
    assert "has not come yet" in words_of(late)
    preset = await mina.get(f"/worthwatch/diary/new?chosen=film/{alone.movie_id}")
    assert "Stalker" in words_of(preset)
    (entry, _) = (await ww.service.diary.entries(mina.who)).items
    gone = f"/worthwatch/diary/{entry.day}/{entry.viewing_id}/delete"
    assert "Solaris" in words_of(await mina.get(gone))
    assert "deleted" in words_of(await mina.follow(await mina.post(gone)))
    eve = await ww.person("Eve")
    assert (await eve.get(gone)).status == 404


async def test_what_was_seen_rated_and_reviewed_are_tabs_of_the_diary(ww: WorthWatch) -> None:
    mina = await ww.person("Mina")
    for tab, words in (("seen", "Nothing seen yet"), ("ratings", "No ratings yet"), ("reviews", "No reviews yet")):
        assert words in words_of(await mina.get(f"/worthwatch/diary/{tab}"))
    title, gone = await film(ww.service, "Kept"), await film(ww.service, "Lost")
    await rate(ww, mina, title, 7, review="Words")
    await rate(ww, mina, gone, 3)
    await ww.service.titles.delete(LIBRARIAN, "MOVIE", gone.movie_id)
    for tab in ("seen", "ratings"):
        shown = (await mina.get(f"/worthwatch/diary/{tab}")).text
        assert "Kept" in shown
        assert "A title that is no more" in shown
    await ww.service.marks.mark_seen(mina.who, "MOVIE", (await film(ww.service, "Unrated")).movie_id)
    assert re.findall(r"7 of 10|3 of 10|Rate it: \w+", words_of(await mina.get("/worthwatch/diary/seen"))) == [
        "Rate it: Unrated",
        "3 of 10",
        "7 of 10",
    ]
    reviews = words_of(await mina.get("/worthwatch/diary/reviews"))
    assert ("Kept" in reviews, "Words" in reviews, "no more" in reviews) == (True, True, False)


async def test_saved_lists_show_news_first_and_a_visit_ends_them(ww: WorthWatch) -> None:
    ada, mina = await ww.curator("Ada"), await ww.person("Mina")
    assert "No saved lists yet" in words_of(await mina.get("/worthwatch/saved"))
    old, new = await film(ww.service, "Old one"), await film(ww.service, "New one")
    watchlist = await listed(ww, ada, old, title="Night trains")
    saved = await mina.post(f"/worthwatch/saved/{watchlist.watchlist_id}", {"on": "true", "back": list_path(watchlist)})
    assert (saved.status, saved.location) == (303, list_path(watchlist))
    assert "of 1 seen" in words_of(await mina.get("/worthwatch/saved"))
    item = NewItem(content_type="MOVIE", content_id=new.movie_id)
    await ww.service.items.add(ada.who, watchlist.watchlist_id, item)
    news = await mina.get("/worthwatch/saved")
    assert "1 new since" in words_of(news)
    assert "New one" in news.text
    assert "Old one" not in news.text
    # The last visit was not long ago, so that this one does not count yet.
    saving = await ww.service.saved.find(mina.who, watchlist.watchlist_id)
    assert saving is not None
    earlier = Update(saving.own_key, schema.SavedWatchlist.visited_at.set("2026-01-01T00:00:00Z"))
    await ww.kit.store.write(earlier)
    await mina.ask("HEAD", list_path(watchlist))
    await mina.get(list_path(watchlist), sec_purpose="prefetch;prerender")
    assert "new since" in words_of(await mina.get("/worthwatch/saved")), "nobody has looked"
    await mina.get(list_path(watchlist))
    assert "new since" not in words_of(await mina.get("/worthwatch/saved"))


async def test_the_bell_and_remove_of_a_saved_list(ww: WorthWatch) -> None:
    ada, mina = await ww.curator("Ada"), await ww.person("Mina")
    watchlist = await listed(ww, ada, await film(ww.service), title="Night trains")
    await mina.post(f"/worthwatch/saved/{watchlist.watchlist_id}", {"on": "true"})
    bell = f"/worthwatch/saved/{watchlist.watchlist_id}/bell"
    assert "not told" in words_of(await mina.follow(await mina.post(bell, {"on": "false"})))
    saving = await ww.service.saved.find(mina.who, watchlist.watchlist_id)
    assert saving is not None
    assert saving.tell_me is False
    assert (await ada.post(bell, {"on": "true"})).status == 404
    await ww.service.lists.edit(
        ada.who, watchlist.watchlist_id, ListEdit.model_validate({"isPublic": False, "title": "Secret plans"})
    )
    page = words_of(await mina.get("/worthwatch/saved"))
    assert ("Night trains" in page, "Not available" in page, "Secret plans" in page) == (True, True, False)
    assert "Night trains" in words_of(await mina.get("/worthwatch/saved/all"))
    gone = await mina.follow(await mina.post(f"/worthwatch/saved/{watchlist.watchlist_id}", {"on": "false"}))
    assert "Night trains" not in words_of(gone).replace("not saved", "")


async def test_curators_add_titles_and_members_are_told_who_may(ww: WorthWatch) -> None:
    ada, mina = await ww.curator("Ada"), await ww.person("Mina")
    assert "Only approved curators" in words_of(await mina.get("/worthwatch/titles/new?title=Stalker"))
    assert 'value="Stalker"' in (await ada.get("/worthwatch/titles/new?title=Stalker")).text
    sent = {"title": "Stalker", "releaseYear": "1979", "genres": "Sci-Fi, Drama", "directors": "Andrei Tarkovsky"}
    added = await ada.follow(await ada.post("/worthwatch/titles/new?kind=film", sent))
    assert "Directed by Andrei Tarkovsky" in words_of(added)
    wrong = await ada.post("/worthwatch/titles/new?kind=series", {"title": "", "startYear": "1700"})
    assert (wrong.status, "1700" in wrong.text) == (422, True)
    assert (await mina.post("/worthwatch/titles/new?kind=film", sent)).status == 403


async def test_private_lists_and_suspended_people_are_on_no_page_of_a_title(ww: WorthWatch) -> None:
    ada, mina, title = await ww.curator("Ada"), await ww.person("Mina"), await film(ww.service)
    await listed(ww, ada, title, "Whispered note", title="Whispered public")
    await listed(ww, ada, title, "Whispered draft", title="Whispered private", is_public=False)
    await rate(ww, ada, title, 2, review="Whispered review")
    paths = (page_of(title), *(f"/worthwatch/titles/film/{title.movie_id}/{part}" for part in ("lists", "reviews")))
    shown = [(await mina.get(path)).text for path in paths]
    assert "Whispered note" in shown[0]
    assert not any("Whispered draft" in text or "Whispered private" in text for text in shown)
    await ww.set_status(ada, "suspended")
    for path in paths:
        answer = await mina.get(path)
        assert answer.status == 200
        assert "Whispered" not in answer.text, path


async def test_my_pages_need_an_account(ww: WorthWatch) -> None:
    for path in ("to-watch", "to-watch/surprise", "diary", "diary/seen", "diary/new", "saved", "saved/all"):
        answer = await ww.visitor().get(f"/worthwatch/{path}")
        assert (answer.status, answer.location.startswith("/sign-in")) == (303, True)


async def test_the_page_of_a_title_costs_at_most_sixteen_units(ww: WorthWatch) -> None:
    title, mina = await film(ww.service, synopsis="x" * 800), await ww.person("Mina")
    people = [await ww.curator(f"Curator {number}") for number in range(8)]
    for each in people:
        await listed(ww, each, title, "A note of some length. " * 10)
        await rate(ww, each, title, 7, review="A review of some length. " * 10)
    await ww.service.marks.mark_seen(mina.who, "MOVIE", title.movie_id, SeenInput())
    calls: list[Observation] = []
    ww.kit.tables.observe(calls.append)
    await mina.get(page_of(title))
    ww.kit.tables.observers.remove(calls.append)
    read = [call for call in calls if call.tables == ("worthwatch",)]
    units = sum(call.units for call in read)
    assert units <= 16, (units, [(call.operation, call.index, call.units) for call in read])
