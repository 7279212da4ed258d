"""Pages of people and what they say, as a browser without script uses them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from partita.apps.worthwatch.inputs import CommentInput, ListEdit, NewItem, ProfileEdit, RatingInput, TitleInput
from partita.apps.worthwatch.schema import WORTHWATCH
from partita.apps.worthwatch.service.addresses import curator_path, list_path
from partita.store.observe import Observation
from tests.apps.house import kit_on
from tests.apps.worthwatch.conftest import film, new_list, published
from tests.apps.worthwatch.served import Somebody, WorthWatch, serve
from tests.web.visitor import Answer

pytestmark = pytest.mark.anyio
STATEMENT = "I have run a film club in Leeds for ten years, and write a note on every evening."


@pytest.fixture
async def ww(tmp_path: Path) -> AsyncIterator[WorthWatch]:
    with kit_on(tmp_path, WORTHWATCH) as kit:
        yield serve(kit)


async def after(somebody: Somebody, answer: Answer) -> Answer:
    """The page that an answer leads to."""
    assert answer.status == 303, (answer.status, answer.text)
    return await somebody.get(answer.location.partition("#")[0])


async def test_a_curators_page_is_followed_and_says_how_far_one_agrees(ww: WorthWatch) -> None:
    ada, mina = await ww.curator("Ada Lovelace"), await ww.person("Mina")
    titles = [await film(ww.service, f"Film number {number}") for number in range(6)]
    await published(ww.service, ada.who, *titles, title="Night trains")
    favourite = TitleInput(content_type="MOVIE", content_id=titles[0].movie_id)
    await ww.service.people.edit(ada.who, ProfileEdit(bio="Trains, mostly at night.", favourites=(favourite,)))
    rating = RatingInput(rating=9, review="The last act earns all of it.", has_spoilers=True)
    await ww.service.ratings.rate(ada.who, "MOVIE", titles[1].movie_id, rating)
    path = curator_path(ada.id, "Ada Lovelace")
    shown = (await ww.visitor().get(path)).shown
    for text in (
        "Ada Lovelace",
        "Trains, mostly at night.",
        "Night trains",
        "0 followers",
        "Favourites",
        "Tells the ending",
    ):
        assert text in shown, text
    assert (await ww.visitor().get(f"/worthwatch/curators/{ada.id}/old-name")).location == path
    assert "Night trains" in (await ww.visitor().get("/worthwatch/curators")).shown
    followed = await mina.post(f"/worthwatch/following/{ada.id}", {"on": "true", "back": path})
    assert "1 follower" in (await after(mina, followed)).shown
    assert "1 title in common" not in (await mina.get(f"/worthwatch/curators/{ada.id}/agreement")).shown
    for number, title in enumerate(titles):
        await ww.service.ratings.rate(mina.who, "MOVIE", title.movie_id, RatingInput(rating=5 + number % 3))
        await ww.service.ratings.rate(ada.who, "MOVIE", title.movie_id, RatingInput(rating=8))
    assert "You agree 78 % over 6 titles." in (await mina.get(f"/worthwatch/curators/{ada.id}/agreement")).shown
    stopped = await mina.post(f"/worthwatch/following/{ada.id}", {"on": "false", "back": path})
    assert "0 followers" in (await after(mina, stopped)).shown


async def test_curators_are_followed_where_they_are_listed(ww: WorthWatch) -> None:
    ada, bela, mina = await ww.curator("Ada"), await ww.curator("Bela"), await ww.person("Mina")
    path = "/worthwatch/curators"

    async def buttons(somebody: Somebody) -> list[tuple[str, str]]:
        page = (await somebody.get(path)).text
        pattern = r'action="/worthwatch/following/(\w+)">.*?aria-pressed="(\w+)"'
        return re.findall(pattern, page, re.DOTALL)

    assert dict(await buttons(mina)) == {ada.id: "false", bela.id: "false"}
    followed = await mina.post(f"/worthwatch/following/{bela.id}", {"on": "true", "back": path})
    assert followed.location.partition("#")[0] == path
    assert dict(await buttons(mina)) == {ada.id: "false", bela.id: "true"}
    assert [each for each, _ in await buttons(ada)] == [bela.id]
    visitor = (await ww.visitor().get(path)).text
    assert len(re.findall(r'href="/sign-in\?[^"]*curators[^"]*">[^<]*<svg.*?</svg>Follow<', visitor)) == 2


async def test_a_member_has_a_page_without_lists_and_a_suspended_curator_none(ww: WorthWatch) -> None:
    ada, mina = await ww.curator("Ada"), await ww.person("Mina")
    await ww.service.people.edit(mina.who, ProfileEdit(username="Mina", bio="I watch."))
    shown = (await ww.visitor().get(curator_path(mina.id, "Mina"))).shown
    assert "I watch." in shown
    assert "Follow" not in shown
    moderator = await ww.person("Mo", "worthwatch:moderator")
    path = curator_path(ada.id, "Ada")
    suspended = await moderator.post(f"/worthwatch/curators/{ada.id}/suspend", {"reason": "Copied.", "next": path})
    assert "Suspended" in (await after(moderator, suspended)).shown
    for somebody in (ww.visitor(), mina):
        for address in (path, f"/worthwatch/curators/{ada.id}", f"/worthwatch/curators/{ada.id}/other-name"):
            assert (await somebody.get(address)).status == 404
    assert "Copied." in (await ada.get("/worthwatch/apply")).shown
    restored = await moderator.post(f"/worthwatch/curators/{ada.id}/approve", {"reason": "Settled.", "next": path})
    assert restored.status == 303
    assert (await ww.visitor().get(path)).status == 200


async def test_a_profile_is_edited_and_left(ww: WorthWatch) -> None:
    mina, title = await ww.person("Mina Murray"), await film(ww.service, "Alien")
    assert "Mina Murray" in (await mina.get("/worthwatch/profile")).shown
    wrong = await mina.post("/worthwatch/profile", {"username": "M", "bio": "kept words", "mail": "never"})
    assert wrong.status == 422
    assert "kept words" in wrong.shown
    saved = await mina.post(
        "/worthwatch/profile", {"username": "Mina", "bio": "Words", "mail": "weekly", "hideAverages": "true"}
    )
    assert "Profile saved." in (await after(mina, saved)).shown
    user = await ww.service.people.person(mina.id)
    assert (user.username, user.bio, user.mail, user.hide_averages) == ("Mina", "Words", "weekly", True)
    assert title.movie_id in (await mina.get("/worthwatch/profile?find=alien")).text
    favourite = {"contentType": "MOVIE", "contentId": title.movie_id}
    added = await mina.post("/worthwatch/profile/favourites", favourite)
    assert "Favourite added." in (await after(mina, added)).shown
    removed = await mina.post("/worthwatch/profile/favourites/remove", favourite)
    assert "0 of 4" in (await after(mina, removed)).shown
    assert "deleted for good" in (await mina.get("/worthwatch/profile/leave")).shown
    left = await mina.post("/worthwatch/profile/leave", {})
    assert "You have left" in (await after(mina, left)).shown
    assert (await ww.visitor().get(f"/worthwatch/curators/{mina.id}")).status == 404


def _form(page: str, user_id: str, path: str) -> str:
    return page.partition(f'action="/worthwatch/curators/{user_id}/{path}"')[2].partition("</form>")[0]


async def test_somebody_applies_and_is_decided_at_the_desk(ww: WorthWatch) -> None:
    mina, ben = await ww.person("Mina"), await ww.person("Ben")
    moderator = await ww.person("Mo", "worthwatch:moderator")
    sample = await new_list(ww.service, mina.who, title="Secret sample")
    await ww.service.items.add(
        mina.who,
        sample.watchlist_id,
        NewItem(content_type="MOVIE", content_id=(await film(ww.service, "Ran")).movie_id),
    )
    assert "Secret sample" in (await mina.get("/worthwatch/apply")).shown
    short = await mina.post("/worthwatch/apply", {"statement": "Please."})
    assert short.status == 422
    assert "Please." in short.text
    for somebody in (mina, ben):
        fields = {"statement": STATEMENT, "links": "https://example.org"}
        if somebody is mina:
            fields["sampleList"] = sample.watchlist_id
        sent = await somebody.post("/worthwatch/apply", fields)
        assert "waits for a decision" in (await after(somebody, sent)).shown
    assert (await mina.get("/worthwatch/applications")).status == 403
    desk = await moderator.get("/worthwatch/applications")
    for text in (STATEMENT, "Secret sample", "Ran", "2 waiting"):
        assert text in desk.shown, text
    user = await ww.service.people.person(mina.id)
    onward = re.search(r'name="next" value="([^"]*)"', desk.text)
    assert onward is not None
    approved = await moderator.post(
        f"/worthwatch/curators/{mina.id}/approve", {"reason": "Welcome.", "next": onward[1].replace("&amp;", "&")}
    )
    following = await after(moderator, approved)
    assert f"{user.username} is a curator." in following.shown
    assert "1 waiting" in following.shown
    again = await moderator.post(f"/worthwatch/curators/{mina.id}/decline", {"reason": "No."})
    assert again.status == 409
    assert "No.</textarea>" not in again.text, "what was said about Mina is not said about Ben"
    assert '<div class="notice bad" role="alert">' in again.text
    for path, other in (("approve", "decline"), ("decline", "approve")):
        empty = await moderator.post(f"/worthwatch/curators/{ben.id}/{path}", {"reason": ""})
        assert empty.status == 422
        assert empty.text.count('<details class="choice-form" open>') == 1
        form, rest = _form(empty.text, ben.id, path), _form(empty.text, ben.id, other)
        assert 'class="error"' in form
        assert 'class="error"' not in rest
    refused = await moderator.post(f"/worthwatch/curators/{ben.id}/decline", {"reason": "More notes first."})
    assert "Nothing waits" in (await after(moderator, refused)).shown
    state = (await ben.get("/worthwatch/apply")).shown
    assert "More notes first." in state
    assert "You can apply again from" in state


async def test_comments_are_written_answered_edited_and_removed(ww: WorthWatch) -> None:
    ada, mina, eve = await ww.curator("Ada"), await ww.person("Mina"), await ww.person("Eve")
    watchlist = await published(ww.service, ada.who, title="Night trains")
    comments = f"/worthwatch/lists/{watchlist.watchlist_id}/comments"
    page = await ww.visitor().get(list_path(watchlist))
    assert f'hx-get="{comments}"' in page.text
    assert "Sign in to comment" in (await ww.visitor().get(comments)).shown
    written = await mina.post(comments, {"commentText": "Number <four>!"})
    shown = await after(mina, written)
    assert "Comment posted." in shown.shown
    assert "1 comment" in shown.shown
    assert "<four>" not in shown.text
    name = (await ww.service.comments.threads(mina.who, watchlist.watchlist_id)).items[0].entry.name
    part = await eve.ask("GET", comments, headers={"hx-request": "true"})
    assert "<html" not in part.text
    assert "Reply" in part.shown
    empty = await eve.post(comments, {"commentText": "", "replyTo": name})
    assert empty.status == 422
    replied = await eve.post(comments, {"commentText": "Five.", "replyTo": name, "hasSpoilers": "true"})
    shown = await after(eve, replied)
    assert "Reply posted." in shown.shown
    assert "Tells the ending" in shown.shown
    one = f"{comments}/{name}"
    assert (await eve.get(f"{one}/edit")).status == 403
    assert (await eve.get(f"{one}/delete")).status == 403
    edited = await mina.post(f"{one}/edit", {"commentText": "Number three!"})
    shown = await after(mina, edited)
    assert "Number three!" in shown.shown
    assert "edited" in shown.shown
    removed = await ada.post(f"{one}/delete", {})
    shown = await after(ada, removed)
    assert "Removed by the list’s curator." in shown.shown
    assert "Number three!" not in shown.text
    assert "Five." in shown.shown
    await ww.service.lists.edit(ada.who, watchlist.watchlist_id, ListEdit(is_public=False))
    for somebody in (mina, ww.visitor()):
        assert (await somebody.get(comments)).status == 404


async def test_reports_are_worked_off_and_the_log_says_so(ww: WorthWatch) -> None:
    ada, mina = await ww.curator("Ada"), await ww.person("Mina")
    admin = await ww.person("Ad", "worthwatch:admin")
    watchlist = await published(ww.service, ada.who, title="Night trains")
    entry = await ww.service.comments.write(mina.who, watchlist.watchlist_id, CommentInput(comment_text="Buy my soap"))
    assert "Report this list" in (await mina.get(f"/worthwatch/report?what=list&id={watchlist.watchlist_id}")).shown
    for what, id, who in (
        ("list", watchlist.watchlist_id, mina),
        ("comment", f"{watchlist.watchlist_id}/{entry.name}", ada),
    ):
        sent = await who.post("/worthwatch/report", {"what": what, "id": id, "reason": f"This {what} is wrong."})
        assert sent.status == 303
        again = await who.post("/worthwatch/report", {"what": what, "id": id, "reason": "Again."})
        assert again.status == 409
    assert (await mina.get("/worthwatch/reports")).status == 403
    desk = await admin.get("/worthwatch/reports")
    assert "This list is wrong." in desk.shown
    kept = await admin.post(f"/worthwatch/reports/list/{watchlist.watchlist_id}", {"decision": "keep"})
    shown = await after(admin, kept)
    assert "Buy my soap" in shown.shown
    gone = await admin.post(
        f"/worthwatch/reports/comment/{watchlist.watchlist_id}/{entry.name}", {"decision": "remove"}
    )
    assert "Nothing waits" in (await after(admin, gone)).shown
    await ww.worker.drain()
    assert (await mina.get("/worthwatch/log")).status == 403
    log = (await admin.get("/worthwatch/log")).shown
    for verb in ("published list", "commented on", "removed comment", "resolved report"):
        assert verb in log, verb
    assert "removed comment" in (await admin.get(f"/worthwatch/log?by={admin.id}")).shown
    assert "published list" in (await admin.get(f"/worthwatch/log?of=WATCHLIST%23{watchlist.watchlist_id}")).shown
    assert "Nothing happened" in (await admin.get("/worthwatch/log?day=2020-01-01")).shown


async def test_a_curators_page_costs_eighteen_units_however_many_private_lists_there_are(ww: WorthWatch) -> None:
    ada, mina = await ww.curator("Ada"), await ww.person("Mina")
    title = await film(ww.service)
    for number in range(12):
        await published(ww.service, ada.who, title, title=f"List {number}")
    for _ in range(4):
        await ww.service.ratings.rate(
            ada.who, "MOVIE", (await film(ww.service)).movie_id, RatingInput(rating=7, review="x" * 400)
        )
    await ww.worker.drain()
    seen: list[Observation] = []

    async def cost() -> float:
        seen.clear()
        ww.kit.tables.observe(seen.append)
        answer = await mina.get(curator_path(ada.id, "Ada"))
        ww.kit.tables.observers.remove(seen.append)
        assert answer.status == 200
        return sum(call.units for call in seen if WORTHWATCH.name in call.tables)

    before = await cost()
    for _ in range(12):  # as many lists a day as anybody can make, at most
        await new_list(ww.service, ada.who)
    assert await cost() == before
    assert before <= 18
