"""Pages of stars: by value, of one site, one's own; a click saves, and can be taken back."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from html import unescape

import pytest

from partita.apps.fus.inputs import CommentInput, RatingInput
from partita.apps.fus.schema import FUS
from partita.kit.permissions import Viewer
from tests.apps.fus.conftest import member as somebody
from tests.apps.fus.conftest import put
from tests.apps.fus.served import Fus, Somebody, serve
from tests.apps.house import kit_on

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def fus(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Fus]:
    with kit_on(tmp_path_factory.mktemp("stars"), FUS) as kit:
        yield serve(kit)


@pytest.fixture
async def member(fus: Fus) -> Somebody:
    return await fus.person("Mia Member")


async def test_ratings_of_a_value_and_of_a_site_name_people_and_hide_notes(fus: Fus, member: Somebody) -> None:
    site = await put(fus.service, "Old Maps")
    path = f"/fus/sites/{site.site_id}"
    await member.post(f"{path}/rating", {"stars": "4", "note": "My secret"})
    await fus.service.ratings.rate(somebody(), site.site_id, RatingInput(stars=2))
    four = (await fus.visitor().get("/fus/ratings?stars=4")).shown
    assert "Old Maps" in four
    assert "Mia Member" in four
    assert "My secret" not in four
    assert "Old Maps" not in (await fus.visitor().get("/fus/ratings?stars=5")).shown
    shown = (await fus.visitor().get(path)).shown
    links = re.findall(rf'href="({re.escape(path)}/ratings\?stars=\d)"', shown)
    assert links == [f"{path}/ratings?stars=4", f"{path}/ratings?stars=2"], "bars without ratings lead nowhere"
    given = (await fus.visitor().get(links[0])).shown
    assert "1 rating with 4 stars" in given
    assert "Mia Member" in given
    assert "My secret" not in given
    assert "Deleted account" in (await fus.visitor().get(links[1])).shown
    for nonsense in ("/fus/ratings?stars=x", f"{path}/ratings?stars=9"):
        assert (await fus.visitor().get(nonsense)).status == 200


async def test_a_click_is_taken_back_to_what_there_was(fus: Fus, member: Somebody) -> None:
    site = await put(fus.service)
    path = f"/fus/sites/{site.site_id}"
    first = await member.follow(await member.post(f"{path}/rating", {"stars": "3", "note": "Keep this"}))
    undo_first = _undo(first.text)
    again = await member.follow(await member.post(f"{path}/rating", {"stars": "5"}))
    undone = await member.follow(await member.post(_undo(again.text)))
    assert "Undone." in undone.shown
    rating = await fus.service.ratings.my_rating(await _viewer(fus, member), site.site_id)
    assert (rating.stars, rating.note) == (3, "Keep this")
    same = await member.follow(await member.post(f"{path}/rating", {"stars": "3", "note": "Other words"}))
    assert "/rating/undo" not in same.text, "a note alone has nothing to undo"
    for _ in range(2):  # pressed twice
        assert (await member.post(undo_first)).status == 303
    assert (await fus.service.sites.site(site.site_id)).rating_histogram == (0, 0, 0, 0, 0)


async def test_a_list_replaces_the_stars_of_one_row_with_a_way_back(fus: Fus, member: Somebody) -> None:
    site = await put(fus.service)
    answer = await member.post(f"/fus/sites/{site.site_id}/rating", {"stars": "5", "next": "/fus"}, hx_request="true")
    assert answer.text.count('aria-pressed="true"') == 1
    assert "<strong>5.0</strong> (1)" in answer.text
    back = await member.post(_undo(answer.text), hx_request="true")
    assert back.status == 200
    assert "No ratings yet" in back.text
    assert "Undo" not in back.text


async def test_my_ratings_are_searched_and_narrowed_by_their_histogram(fus: Fus, member: Somebody) -> None:
    for title, stars in (("Knots", "5"), ("Lamps", "5"), ("Moths", "2")):
        site = await put(fus.service, title)
        await member.post(f"/fus/sites/{site.site_id}/rating", {"stars": stars, "note": f"Note of {title}"})
    await fus.worker.drain()
    shown = (await member.get("/fus/me/ratings?sort=title")).shown
    assert "3 ratings" in shown
    five = re.search(r'href="(/fus/me/ratings\?[^"]*stars=5[^"]*)"', shown)
    assert five is not None
    narrowed = (await member.get(five[1])).shown
    assert "My ratings with 5 stars" in narrowed
    assert "2 ratings of 3" in narrowed
    assert narrowed.index("Knots</a>") < narrowed.index("Lamps</a>")
    assert "Moths</a>" not in narrowed
    words = (await member.get("/fus/me/ratings?q=moths")).shown
    assert "1 rating of 3" in words
    assert "Nothing matches" in (await member.get("/fus/me/ratings?q=zzz&stars=7&sort=x")).shown
    api = await member.api("GET", "/me/ratings?stars=5&sort=title")
    assert [each["site"]["title"] for each in api.json["items"]] == ["Knots", "Lamps"]


async def test_the_home_has_one_large_search_totals_and_ways_in(fus: Fus, member: Somebody) -> None:
    site = await put(fus.service, "Best of all")
    await fus.service.ratings.rate(somebody(), site.site_id, RatingInput(stars=5))
    await fus.worker.drain()
    home = (await member.get("/fus")).shown
    assert home.count('type="search"') == 1
    assert 'href="/fus?mine=unrated"' in home
    assert 'href="/fus?stars=4&sort=rating"' in home
    visitor = (await fus.visitor().get("/fus")).shown
    assert "mine=unrated" not in visitor, "whoever has no ratings is not asked about them"
    assert (await fus.visitor().get("/fus?mine=unrated")).status == 200
    best = (await member.get("/fus?stars=4&sort=rating")).shown
    assert "Sites with 4 stars and more" in best
    assert "Best of all" in best
    assert "Best of all" in (await member.get("/fus?mine=unrated&q=best+of+all")).shown
    await member.post(f"/fus/sites/{site.site_id}/rating", {"stars": "1"})
    assert "Best of all</a>" not in (await member.get("/fus?mine=unrated&sort=title")).shown


async def test_comments_have_links_stars_and_answers_on_the_page(fus: Fus, member: Somebody) -> None:
    site = await put(fus.service)
    path = f"/fus/sites/{site.site_id}"
    body = 'See https://example.org/a?b=1&c=2 and <b> "www.example.org"'
    written = await fus.service.comments.write(await _viewer(fus, member), site.site_id, CommentInput(body=body))
    await member.post(f"{path}/rating", {"stars": "4"})
    page = (await member.get(path)).text
    assert '<a href="https://example.org/a?b=1&amp;c=2" rel="' in page
    assert "nofollow" in page
    assert "&lt;b&gt;" in page
    assert 'aria-label="4.0 of 5 stars"' in page.partition('id="comments"')[2]
    answering = re.search(r'href="([^"]*\?reply=[^"]*)#comment-form"', page)
    assert answering is not None
    form = (await member.get(unescape(answering[1]))).shown
    assert "You are replying to Mia Member" in form
    assert f'name="replyTo" value="{written.comment.name}"' in form
    await member.post(f"{path}/comments", {"body": "An answer", "replyTo": written.comment.name})
    shown = (await member.get(path)).text
    assert 'class="answer"' in shown
    assert "in reply to" in shown
    await fus.service.comments.delete(await _viewer(fus, member), site.site_id, written.comment.name)
    gone = await member.post(f"{path}/comments", {"body": "Too late", "replyTo": written.comment.name})
    assert gone.status == 422
    assert "has been deleted" in gone.shown
    assert "Too late" in gone.shown
    assert 'name="replyTo"' not in gone.shown, "sent again, it is a plain comment"


async def _viewer(fus: Fus, who: Somebody) -> Viewer:
    return await fus.kit.accounts.recognition.from_session(who.cookies["partita"])


def _undo(page: str) -> str:
    found = re.search(r'action="([^"]*/rating/undo[^"]*)"', page)
    assert found is not None
    return unescape(found[1])
