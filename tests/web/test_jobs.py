from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing
from datetime import timedelta
from typing import Any

import pytest
from starlette.types import Message

from partita.kit.jobs import Job
from partita.kit.live import MOST_AT_ONCE
from partita.kit.permissions import Viewer
from partita.web.templates import moment
from tests.web import press
from tests.web.conftest import Person, Served

pytestmark = pytest.mark.anyio


async def _start(served: Served, person: Person, **arguments: Any) -> Job:
    account = person.account
    viewer = Viewer(user_id=account.user_id, username=account.username, name=account.name, via="session")
    return await served.suite.kit.jobs.start("press.print", {"pages": 2, **arguments}, viewer)


async def _end(served: Served, person: Person, job: Job) -> dict[str, Any]:
    for _ in range(1000):
        answer = await person.get(f"/api/jobs/{job.job_id}")
        assert answer.status == 200, answer.text
        if answer.json["state"] not in ("waiting", "running"):
            ended: dict[str, Any] = answer.json
            return ended
        await asyncio.sleep(0.01)
    raise AssertionError("it does not end")


async def test_a_press_leads_to_the_page_of_the_job_and_a_second_one_to_the_same(served: Served) -> None:
    ada = await served.person("Ada", "press:editor")
    first = await ada.post("/press/print?pages=200")
    second = await ada.post("/press/print?pages=200")
    assert first.location == second.location
    page = await ada.follow(first)
    assert page.status == 200
    assert "Print the <edition>" in page.shown
    assert "<edition>" not in page.text
    assert f'data-live="{first.location}/events"' in page.text
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in page.text
    await ada.post(f"{first.location}/cancel")


async def test_the_page_says_how_it_ended_after_somebody_has_left_and_come_back(served: Served) -> None:
    ada = await served.person("Ada")
    job = await _start(served, ada)
    assert (await _end(served, ada, job))["state"] == "done"
    page = await (await served.enter(ada.account)).get(f"/jobs/{job.job_id}")
    assert "All <pages> printed." in page.shown
    assert "All <pages>" not in page.text
    assert '<a href="/press">Look at the result</a>' in page.text
    assert "data-live" not in page.text
    assert "http-equiv" not in page.text


async def test_the_page_of_a_job_that_is_to_begin_later_says_when(served: Served) -> None:
    ada = await served.person("Ada")
    jobs, viewer = served.suite.kit.jobs, Viewer(user_id=ada.account.user_id, via="session")
    job = await jobs.start("press.print", {"pages": 2}, viewer, after=timedelta(days=7))
    page = await ada.get(f"/jobs/{job.job_id}")
    assert f"It begins {moment(job.due_at)}." in page.text
    assert "in a moment" not in page.shown


async def test_others_are_told_that_there_is_no_such_job(served: Served) -> None:
    ada, ben = await served.person("Ada"), await served.person("Ben")
    job = await _start(served, ada)
    for path in (f"/jobs/{job.job_id}", f"/jobs/{job.job_id}/events", f"/api/jobs/{job.job_id}"):
        missing = path.replace(job.job_id, "0" * 26)
        mine, none = await ben.get(path), await ben.get(missing)
        assert mine.status == none.status == 404
        assert (await served.visitor().get(path)).status in (303, 401)
    for path in (f"/jobs/{job.job_id}/cancel", f"/jobs/{job.job_id}/retry"):
        assert (await ben.post(path)).status == 404
    assert (await ben.call("DELETE", f"/api/jobs/{job.job_id}", sec_fetch_site="same-origin")).status == 404
    assert (await _end(served, ada, job))["state"] == "done"


async def test_administrators_see_everybodys_jobs(served: Served) -> None:
    ada, eve = await served.person("Ada"), await served.person("Eve", "admin")
    job = await _start(served, ada)
    assert (await ada.get("/admin/jobs")).status == 403
    assert (await eve.get(f"/jobs/{job.job_id}")).status == 200
    await _end(served, ada, job)
    for path in ("/admin/jobs", "/admin/jobs?state=done"):
        page = await eve.get(path)
        assert (page.status, f"/jobs/{job.job_id}" in page.text) == (200, True)
    assert f"/jobs/{job.job_id}" not in (await eve.get("/admin/jobs?state=failed")).text
    assert (await eve.get("/admin/jobs?state=odd")).status == 422


async def test_my_jobs_are_listed_newest_first(served: Served) -> None:
    ada, ben = await served.person("Ada"), await served.person("Ben")
    assert "No jobs yet" in (await ada.get("/account/jobs")).shown
    jobs = []
    for _ in range(2):
        jobs.append(await _start(served, ada))
        await asyncio.sleep(0.002)
    theirs = await _start(served, ben)
    page = await ada.get("/account/jobs")
    at = [page.text.index(f"/jobs/{job.job_id}") for job in reversed(jobs)]
    assert at == sorted(at)
    assert theirs.job_id not in page.text
    listed = await ada.get("/api/jobs?limit=1")
    assert [each["id"] for each in listed.json["items"]] == [jobs[1].job_id]
    rest = await ada.get(f"/api/jobs?limit=1&cursor={listed.json['next_cursor']}")
    assert [each["id"] for each in rest.json["items"]] == [jobs[0].job_id]


async def test_a_running_job_is_cancelled_from_its_page_and_started_again(served: Served) -> None:
    ada = await served.person("Ada")
    job = await _start(served, ada, pages=5000)
    answer = await ada.post(f"/jobs/{job.job_id}/cancel")
    assert answer.location == f"/jobs/{job.job_id}"
    assert (await _end(served, ada, job))["state"] == "cancelled"
    page = await ada.get(f"/jobs/{job.job_id}")
    assert "Try again" in page.shown
    assert (await ada.post(f"/jobs/{job.job_id}/cancel")).status == 409
    assert (await ada.post(f"/jobs/{job.job_id}/retry")).status == 303
    await ada.call("DELETE", f"/api/jobs/{job.job_id}", sec_fetch_site="same-origin")
    assert (await _end(served, ada, job))["state"] == "cancelled"


async def test_a_failed_job_says_why(served: Served) -> None:
    ada = await served.person("Ada")
    job = await _start(served, ada, fails=True)
    ended = await _end(served, ada, job)
    assert (ended["state"], ended["error"]) == ("failed", "The <press> is out of ink. Fill it up.")
    page = await ada.get(f"/jobs/{job.job_id}")
    assert "The <press> is out of ink." in page.shown
    assert "<press>" not in page.text


async def test_programs_follow_cancel_and_retry_by_the_api(served: Served) -> None:
    ada = await served.person("Ada", "press:editor")
    kit = served.suite.kit
    viewer = await kit.accounts.recognition.from_session(ada.cookies["partita"])
    token = (await kit.accounts.tokens.create(viewer, "test", viewer.permissions, 1)).text
    job = await _start(served, ada, pages=5000)
    program = served.visitor()
    told = (await program.call("GET", f"/api/jobs/{job.job_id}", token=token)).json
    assert (told["id"], told["kind"], told["result"]) == (job.job_id, "press.print", None)
    asked = await program.call("DELETE", f"/api/jobs/{job.job_id}", token=token)
    assert asked.status == 200
    assert asked.json["cancelling"] or asked.json["state"] == "cancelled"
    await _end(served, ada, job)
    twice = await program.call("DELETE", f"/api/jobs/{job.job_id}", token=token)
    assert (twice.status, twice.json["code"]) == (409, "job_ended")
    assert (await program.call("POST", f"/api/jobs/{job.job_id}/retry", token=token)).status == 200
    await program.call("DELETE", f"/api/jobs/{job.job_id}", token=token)
    done = await _start(served, ada)
    assert (await _end(served, ada, done))["result"] == {"pages": 2}


async def _events(person: Person, path: str) -> AsyncGenerator[str, None]:
    """What comes over a connection that stays open."""
    pieces: asyncio.Queue[bytes | None] = asyncio.Queue()
    cookies = "; ".join(f"{name}={value}" for name, value in person.cookies.items())
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "", "state": {},
        "headers": [(b"host", b"127.0.0.1:8080"), (b"cookie", cookies.encode()), (b"accept-encoding", b"gzip")],
        "client": ("192.0.2.7", 50000), "server": ("127.0.0.1", 80),
    }  # fmt: skip

    async def receive() -> Message:
        return await asyncio.Future()

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            assert message["status"] == 200
            assert (b"content-type", b"text/event-stream; charset=utf-8") in message["headers"]
        else:
            await pieces.put(message.get("body", b""))
            if not message.get("more_body"):
                await pieces.put(None)

    async def ask() -> None:
        await person.app(scope, receive, send)

    task = asyncio.create_task(ask())
    try:
        while (piece := await asyncio.wait_for(pieces.get(), 20)) is not None:
            yield piece.decode()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_the_parts_of_the_page_come_as_they_change_until_the_job_ends(served: Served) -> None:
    ada = await served.person("Ada")
    job = await _start(served, ada, pages=60)
    events = [piece async for piece in _events(ada, f"/jobs/{job.job_id}/events")]
    states = [each for each in events if each.startswith("event: state\n")]
    assert len(states) >= 2
    assert all('id="job-state"' in each and 'id="job-progress"' in each for each in states)
    assert all(line.startswith(("event: ", "data: ")) for each in states for line in each.strip().splitlines())
    assert "Printing &lt;pages&gt;" in "".join(states)
    assert "All &lt;pages&gt; printed." in states[-1]
    assert events[-2:] == ["event: end\ndata:\n\n", ""]


async def test_nobody_watches_more_at_once_than_a_few_and_what_is_closed_does_not_count(served: Served) -> None:
    ada = await served.person("Ada")
    job = await _start(served, ada, pages=5000)
    path = f"/jobs/{job.job_id}/events"
    async with AsyncExitStack() as stack:
        for _ in range(MOST_AT_ONCE):
            stream = await stack.enter_async_context(aclosing(_events(ada, path)))
            assert (await anext(stream)).startswith("retry: ")
        refused = await ada.get(path)
        assert (refused.status, refused.headers["retry-after"]) == (429, "50")
    async with aclosing(_events(ada, path)) as stream:
        assert (await anext(stream)).startswith("retry: ")
    await ada.post(f"/jobs/{job.job_id}/cancel")


async def test_what_a_system_starts_with_is_started_once_before_the_first_request(served: Served) -> None:
    assert press.STARTED.count(served.suite.kit.settings.data) == 1


async def test_an_administrator_rebuilds_the_search_index_by_a_job(served: Served) -> None:
    ada, eve = await served.person("Ada"), await served.person("Eve", "admin")
    assert (await ada.post("/admin/jobs/search-rebuild")).status == 403
    page = await eve.follow(await eve.post("/admin/jobs/search-rebuild"))
    assert "Build the search index anew" in page.shown
    job = await served.suite.kit.jobs.start("house.search-rebuild", {"catalog": "none"}, None)
    assert (await _end(served, eve, job))["error"] == "There is no search catalog none. There are: none."
