"""People, curators, comments, reports and the log over HTTP: who may do what, and what is never to be seen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import pytest

from partita.apps.worthwatch.schema import WORTHWATCH
from partita.apps.worthwatch.service import WorthWatchService
from tests.apps.house import kit_on
from tests.apps.worthwatch.conftest import film, published
from tests.apps.worthwatch.served import Somebody, WorthWatch, serve

pytestmark = pytest.mark.anyio
STATEMENT = "I have run a film club in Leeds for ten years, and write a note on every evening."


@pytest.fixture
async def ww(tmp_path: Path) -> AsyncIterator[WorthWatch]:
    with kit_on(tmp_path, WORTHWATCH) as kit:
        yield serve(kit)


async def live(service: WorthWatchService, ada: Somebody) -> str:
    return (await published(service, ada.who, title="Night trains")).watchlist_id


async def test_a_profile_is_made_edited_seen_and_left(ww: WorthWatch) -> None:
    mina, title = await ww.person("Mina"), await film(ww.service, "Alien", release_year=1979)
    assert (await mina.api("GET", "/me")).status == 404
    favourite = {"contentType": "MOVIE", "contentId": title.movie_id}
    edited = await mina.api("PATCH", "/me", {"username": "Mina", "bio": "Trains.", "favourites": [favourite]})
    assert (edited.status, edited.json["username"], edited.json["mail"]) == (200, "Mina", "never")
    assert edited.json["favourites"] == [{**favourite, "title": "Alien", "year": 1979}]
    wrong = await mina.api("PATCH", "/me", {"username": "x", "bio": "b" * 501})
    assert {each["field"] for each in wrong.json["errors"]} == {"username", "bio"}
    seen = await ww.visitor().call("GET", f"/api/worthwatch/users/{mina.id}")
    assert (seen.status, seen.json["bio"], seen.json["followerCount"]) == (200, "Trains.", 0)
    assert not {"email", "curatorStatus", "mail", "hideAverages"} & set(seen.json)
    exported = await mina.api("GET", "/me/export")
    assert exported.json["profile"]["bio"] == "Trains."
    assert "attachment" in exported.headers["content-disposition"]
    left = await mina.api("DELETE", "/me", {"keepLists": True})
    assert (left.status, left.json) == (202, {"keepsLists": False})
    assert (await ww.visitor().call("GET", f"/api/worthwatch/users/{mina.id}")).status == 404
    assert (await mina.api("PATCH", "/me", {"bio": "Back."})).json["code"] == "still_leaving"
    await ww.worker.drain()
    assert (await mina.api("PATCH", "/me", {"bio": "Back."})).status == 200


async def test_an_application_is_decided_with_a_reason(ww: WorthWatch) -> None:
    mina, moderator = await ww.person("Mina"), await ww.person("Mo", "worthwatch:moderator")
    assert (await mina.api("GET", "/me/curator-application")).json["mayApply"] is True
    short = await mina.api("POST", "/me/curator-application", {"statement": "Please."})
    assert (short.status, short.json["errors"][0]["field"]) == (422, "statement")
    applied = await mina.api("POST", "/me/curator-application", {"statement": STATEMENT})
    assert (applied.status, applied.json["decision"]) == (201, None)
    again = await mina.api("POST", "/me/curator-application", {"statement": STATEMENT})
    assert (again.status, again.json["code"]) == (409, "already_applied")
    assert (await mina.api("GET", "/applications")).status == 403
    assert (await mina.api("GET", "/curators?status=pending")).status == 403
    assert (await ww.visitor().call("GET", "/api/worthwatch/curators?status=pending")).status == 401
    (waits,) = (await moderator.api("GET", "/applications")).json["items"]
    assert (waits["userId"], waits["statement"]) == (mina.id, STATEMENT)
    assert (await mina.api("POST", f"/curators/{mina.id}/approve", {"reason": "Me."})).status == 403
    assert (await moderator.api("POST", f"/curators/{mina.id}/approve", {})).status == 422
    approved = await moderator.api("POST", f"/curators/{mina.id}/approve", {"reason": "Welcome."})
    assert (approved.status, approved.json["isCurator"]) == (200, True)
    assert (await moderator.api("POST", f"/curators/{mina.id}/decline", {"reason": "No."})).status == 409
    assert [each["userId"] for each in (await ww.visitor().call("GET", "/api/worthwatch/curators")).json["items"]] == [
        mina.id
    ]
    state = (await mina.api("GET", "/me/curator-application")).json
    assert (state["curatorStatus"], state["application"]["reason"]) == ("approved", "Welcome.")


async def test_following_and_agreement(ww: WorthWatch) -> None:
    ada, mina = await ww.curator("Ada"), await ww.person("Mina")
    assert (await ww.visitor().call("PUT", f"/api/worthwatch/following/{ada.id}")).status == 401
    assert [(await mina.api("PUT", f"/following/{ada.id}")).status for _ in range(2)] == [200, 200]
    assert [each["username"] for each in (await mina.api("GET", "/following")).json["items"]] == ["Ada"]
    found = (await mina.api("GET", f"/curators/{ada.id}/agreement")).json
    assert (found["common"], found["percent"], found["missing"]) == (0, None, 5)
    assert (await mina.api("PUT", f"/following/{mina.id}")).status == 409
    assert (await mina.api("PUT", "/following/nobody")).status == 404
    assert [(await mina.api("DELETE", f"/following/{ada.id}")).status for _ in range(2)] == [204, 204]
    await ww.set_status(ada, "suspended")
    assert (await mina.api("GET", f"/curators/{ada.id}/agreement")).status == 404


async def test_comments_have_threads_and_owners(ww: WorthWatch) -> None:
    ada, mina, eve = await ww.curator("Ada"), await ww.person("Mina"), await ww.person("Eve")
    path = f"/watchlists/{await live(ww.service, ada)}/comments"
    assert (await ww.visitor().call("POST", f"/api/worthwatch{path}", {"commentText": "x"})).status == 401
    first = await mina.api("POST", path, {"commentText": "Number four!"})
    assert first.status == 201
    one = f"{path}/{quote(first.json['commentId'])}"
    reply = await eve.api("POST", path, {"commentText": "Five!", "replyTo": first.json["commentId"]})
    assert reply.json["replyTo"] == first.json["commentId"]
    assert (await eve.api("PATCH", one, {"commentText": "Mine"})).status == 403
    assert (await mina.api("PATCH", one, {"commentText": "Number three!"})).json["editedAt"] is not None
    (thread,) = (await ww.visitor().call("GET", f"/api/worthwatch{path}")).json["items"]
    assert (thread["commentText"], thread["replyCount"]) == ("Number three!", 1)
    assert [each["commentText"] for each in thread["replies"]] == ["Five!"]
    assert [each["commentText"] for each in (await eve.api("GET", f"{one}/replies")).json["items"]] == ["Five!"]
    assert (await eve.api("DELETE", one)).status == 403
    assert (await ada.api("DELETE", one)).status == 204
    (thread,) = (await eve.api("GET", path)).json["items"]
    assert (thread["removedBy"], thread["commentText"], thread["by"]) == ("curator", "", None)


async def test_reports_are_resolved_and_everything_is_in_the_log(ww: WorthWatch) -> None:
    ada, mina = await ww.curator("Ada"), await ww.person("Mina")
    moderator, admin = await ww.person("Mo", "worthwatch:moderator"), await ww.person("Ad", "worthwatch:admin")
    list_id = await live(ww.service, ada)
    comment = (await mina.api("POST", f"/watchlists/{list_id}/comments", {"commentText": "Rude"})).json["commentId"]
    wanted = {"what": "comment", "id": f"{list_id}/{comment}", "reason": "It is rude."}
    assert (await ada.api("POST", "/reports", wanted)).status == 201
    assert (await ada.api("POST", "/reports", wanted)).json["code"] == "already_reported"
    assert (await ada.api("GET", "/reports")).status == 403
    (waits,) = (await moderator.api("GET", "/reports")).json["items"]
    assert (waits["what"], waits["reason"], waits["isThere"]) == ("comment", "It is rude.", True)
    resolve = {"what": "comment", "id": waits["id"], "decision": "remove"}
    assert (await ada.api("POST", "/reports/resolve", resolve)).status == 403
    assert (await moderator.api("POST", "/reports/resolve", resolve)).json == {"ended": 1}
    assert (await moderator.api("POST", "/reports/resolve", resolve)).status == 404
    assert (await ada.api("GET", f"/watchlists/{list_id}/comments")).json["items"] == []
    await ww.worker.drain()
    assert (await moderator.api("GET", "/log")).status == 403
    entries = (await admin.api("GET", "/log")).json["items"]
    assert {"published list", "commented", "removed comment", "resolved report"} <= {each["verb"] for each in entries}
    of_list = (await admin.api("GET", f"/log?of={quote(f'WATCHLIST#{list_id}')}")).json["items"]
    assert "published list" in {each["verb"] for each in of_list}
    by_mina = (await admin.api("GET", f"/log?by={mina.id}")).json["items"]
    assert {each["verb"] for each in by_mina} >= {"commented"}
    assert (await admin.api("GET", "/log?day=today")).status == 400


async def test_what_is_private_hidden_or_removed_is_not_to_be_seen(ww: WorthWatch) -> None:
    ada, mina = await ww.curator("Ada"), await ww.person("Mina")
    moderator = await ww.person("Mo", "worthwatch:moderator")
    list_id = await live(ww.service, ada)
    comments = f"/watchlists/{list_id}/comments"
    name = quote((await mina.api("POST", comments, {"commentText": "Hidden words"})).json["commentId"])
    await moderator.api("POST", f"/curators/{ada.id}/suspend", {"reason": "So."})
    for drained in (False, True):
        if drained:
            await ww.worker.drain()
        for somebody in (mina, moderator):
            for path in (
                comments,
                f"{comments}/{name}",
                f"{comments}/{name}/replies",
                f"/users/{ada.id}",
                f"/curators/{ada.id}/agreement",
            ):
                assert (await somebody.api("GET", path)).status == 404, path
            assert (await somebody.api("POST", comments, {"commentText": "x"})).status == 404
            report = {"what": "list", "id": list_id, "reason": "So."}
            assert (await somebody.api("POST", "/reports", report)).status == 404
        assert (await mina.api("GET", "/curators")).json["items"] == []
