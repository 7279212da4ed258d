"""Three machines whose files are on S3: whatever is sent to one is served by all, whole or not at all."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPException

import orjson
import pytest

from tests.kit.previews.samples import pdf
from tests.machines.bucket import open_bucket
from tests.machines.place import SECONDS, Answer, Machine, open_place, until
from tests.machines.portal import API, Portal
from tests.machines.proxy import Proxy
from tests.sent_forms import form_with_file

ROUNDS = int(os.environ.get("PARTITA_MACHINES", "1"))
READY, PAGE = 2.0, 5.0
"""Seconds, as docs/operations.md has them."""
LATE = 4.0
"""What a busy computer may take beside."""
PREVIEW = "enablement.preview"
PUTS = 4
"""Files that are made of a PDF with two pages: its cover, two pictures, its words."""
BROKEN_OFF = (
    ("UploadPart", 1),
    ("CreateMultipartUpload", 0),
    ("CompleteMultipartUpload", 0),
    ("UploadPart", 0),
    ("HeadObject", 0),
)
"""Where a machine is killed that takes a file: at this request to S3, after so many others of its kind."""
DAYS = 48.0
"""Hours after which files are old enough for the sweep."""


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Portal]:
    with open_bucket() as bucket, open_place(tmp_path_factory.mktemp("files") / "place") as place:
        yield Portal(place, bucket)


@pytest.mark.timeout(600)
def test_a_file_that_is_sent_by_one_machine_is_served_by_all_at_once_whole_and_in_parts(portal: Portal) -> None:
    first, second, third = machines = portal.be_well()
    data = pdf("Prices", "Discounts")
    content_id = portal.draft(first)
    upload_id = portal.send(second, content_id, "prices.pdf", data)
    portal.attach(third, content_id, upload_id)
    for each in machines:
        whole = portal.get(each, f"{API}/{content_id}/download")
        assert (whole.status, whole.body) == (200, data)
        part = portal.get(each, f"{API}/{content_id}/download", Range="bytes=5-20")
        assert (part.status, part.body) == (206, data[5:21])
        assert part.headers["content-range"] == f"bytes 5-20/{len(data)}"
        end = portal.get(each, f"{API}/{content_id}/download", Range="bytes=-7")
        assert (end.status, end.body) == (206, data[-7:])
    # Or its files would be those that the next test waits for.
    _has_its_preview_everywhere(portal, content_id)


@pytest.mark.timeout(3600)
def test_a_preview_whose_machine_is_killed_is_made_by_another_and_nothing_of_it_is_served_before(
    portal: Portal,
) -> None:
    for number in range(ROUNDS):
        machines = portal.be_well()
        content_id = portal.draft(machines[0], f"Draft {number}")
        upload_id = portal.send(machines[0], content_id, "prices.pdf", pdf("Prices", f"Discounts {number}"))
        held = portal.bucket.proxy.meet("PutObject", 100, after=(2 + number) % PUTS)
        portal.attach(machines[1], content_id, upload_id)
        assert held.await_somebody(SECONDS)
        owner = portal.job_about(content_id, PREVIEW).owner
        killed = next(each for each in machines if str(owner).endswith(f"/{each.process.pid}"))
        for each in machines:
            assert portal.content(each, content_id)["preview_state"] == "making"
            assert portal.get(each, f"{API}/{content_id}/pages/1").status == 404
            assert portal.get(each, f"{API}/{content_id}/cover").headers["content-type"] == "image/svg+xml"
        killed.kill()
        portal.bucket.proxy.be_well()
        _has_its_preview_everywhere(portal, content_id)
        assert portal.job_about(content_id, PREVIEW).attempts > 1
        portal.previewed = content_id


@pytest.mark.timeout(3600)
def test_a_file_whose_machine_is_killed_while_it_arrives_is_nowhere_and_what_there_is_of_it_is_swept(
    portal: Portal,
) -> None:
    folder = "newsletter/sources"
    for number in range(ROUNDS):
        operation, after = BROKEN_OFF[number % len(BROKEN_OFF)]
        killed, *others = portal.be_well()
        before = portal.bucket.names(folder)
        data = f"Round {number}. ".encode() + b"All about atlases. " * 450_000
        body, headers = form_with_file(data, "atlas.txt", "files", {})
        held = portal.bucket.proxy.meet(operation, 100, after=after)
        with ThreadPoolExecutor(1) as threads:
            sent = threads.submit(_sent, killed, body, {**portal.headers, **headers})
            assert held.await_somebody(SECONDS)
            killed.kill()
            portal.bucket.proxy.be_well()
            assert sent.result(SECONDS) is None, "nobody was told that it is there"
        left = portal.bucket.names(folder) - before
        for name in left:
            assert portal.bucket.load(name) == data, "in S3 there is all of a file, or nothing"
        for each in others:
            listed = portal.get(each, "/api/newsletter/sources")
            assert orjson.loads(listed.body)["items"] == []
        portal.place.time_of_day.pass_by(DAYS)
        portal.place.engine.maintenance.run()
        until(lambda: portal.bucket.names(folder) == before)  # noqa: B023
        job = portal.sweep_at_once(1)[0]
        assert job.state == "done", job.message
        assert portal.bucket.unfinished() == 0
        portal.be_well()


FAULTS: dict[str, Callable[[Proxy], None]] = {"silent": Proxy.fall_silent, "overloaded": Proxy.overload}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("fault", FAULTS)
def test_while_s3_does_not_do_what_is_asked_nobody_waits_for_long_and_all_is_well_after(
    portal: Portal, fault: str
) -> None:
    portal.be_well()
    content_id = portal.previewed or _previewed(portal)
    rows = ["/api/enablement/content", "/enablement", "/enablement/mine"]
    files = [f"{API}/{content_id}", f"{API}/{content_id}/pages/1", f"/enablement/content/{content_id}"]
    paths = [*rows, *files, f"{API}/{content_id}/cover"]
    assert {answer.status for _, answer in _asked(portal, paths)} == {200}
    FAULTS[fault](portal.bucket.proxy)
    for path, answer in _asked(portal, paths):
        assert answer.status == (200 if path in rows else 503), (path, answer.body)
        assert answer.status == 200 or answer.headers.get("retry-after") == "2", (path, answer.headers)
        assert answer.seconds < PAGE + LATE, path
    for path, answer in _asked(portal, ["/readyz", "/healthz"]):
        assert answer.status == (503 if (path, fault) == ("/readyz", "silent") else 200)
        assert answer.seconds < READY + LATE, path
    portal.bucket.proxy.be_well()
    until(lambda: {answer.status for _, answer in _asked(portal, [*paths, "/readyz"])} == {200})
    _has_its_preview_everywhere(portal, content_id)


@pytest.mark.timeout(3600)
def test_two_sweeps_at_once_on_two_machines_delete_no_file_that_an_item_names_or_is_about_to(portal: Portal) -> None:
    for number in range(ROUNDS):
        machines = portal.be_well()
        # From now on every file is old at once, so that nothing but its name protects it.
        portal.place.time_of_day.pass_by(DAYS)
        nobodys = {
            f"{folder}/nobodys-{number}-{each}"
            for folder in ("enablement/files", "newsletter/sources")
            for each in range(5)
        }
        for name in nobodys:
            portal.bucket.save(name, b"left behind")
        files: dict[str, bytes] = {}
        stop = threading.Event()

        def write(
            machines: list[Machine] = machines, files: dict[str, bytes] = files, stop: threading.Event = stop
        ) -> None:
            while not stop.is_set():
                turn = len(files)
                here, there = machines[turn % 3], machines[(turn + 1) % 3]
                content_id = portal.draft(here, f"Draft {turn}")
                data = f"Prices of round {turn}.\n".encode() * 20
                portal.attach(there, content_id, portal.send(here, content_id, "prices.txt", data))
                files[content_id] = data

        with ThreadPoolExecutor(1) as threads:
            writing = threads.submit(write)
            until(lambda: len(files) > 2 or writing.done())  # noqa: B023
            portal.bucket.proxy.meet("ListObjects", 2)
            jobs = portal.sweep_at_once(2)
            stop.set()
            writing.result(SECONDS)
        assert [job.state for job in jobs] == ["done", "done"], [job.message for job in jobs]
        assert not nobodys & portal.bucket.names()
        for content_id, data in files.items():
            for each in machines:
                answer = portal.get(each, f"{API}/{content_id}/download")
                assert (answer.status, answer.body) == (200, data)
            until(lambda: portal.content(machines[0], content_id)["preview_state"] == "ready")  # noqa: B023
            assert "It costs 100." in portal.page(machines[1], f"/enablement/content/{content_id}").body.decode()


def _asked(portal: Portal, paths: list[str]) -> list[tuple[str, Answer]]:
    """What all machines say to all of it, asked at the same time; an address of the API with a token, pages by a
    browser."""
    asked = [(each, path) for path in paths for each in portal.machines]
    with ThreadPoolExecutor(len(asked)) as threads:
        get = lambda each: (portal.get if each[1].startswith("/api/") else portal.page)(*each)  # noqa: E731
        return [(path, answer) for (_, path), answer in zip(asked, threads.map(get, asked), strict=True)]


def _previewed(portal: Portal) -> str:
    """Content with a file that has a preview."""
    machine = portal.machines[0]
    content_id = portal.draft(machine)
    portal.attach(machine, content_id, portal.send(machine, content_id, "prices.pdf", pdf("Prices", "Discounts")))
    _has_its_preview_everywhere(portal, content_id)
    return content_id


def _has_its_preview_everywhere(portal: Portal, content_id: str) -> None:
    """Made once, and the same at all machines that live."""
    machines = [each for each in portal.machines if not each.killed]
    until(lambda: all(portal.content(each, content_id)["preview_state"] == "ready" for each in machines))
    for path in ("cover", "pages/1", "pages/2"):
        answers = [portal.get(each, f"{API}/{content_id}/{path}") for each in machines]
        assert {(each.status, each.headers["content-type"]) for each in answers} == {(200, "image/webp")}
        assert len({each.body for each in answers}) == 1
    assert portal.get(machines[0], f"{API}/{content_id}/pages/3").status == 404


def _sent(machine: Machine, body: bytes, headers: dict[str, str]) -> Answer | None:
    """What became of a form; None if the machine never answered."""
    with suppress(OSError, HTTPException):
        return machine.post("/api/newsletter/sources/files", body, **headers)
    return None
