"""The addresses of files, over HTTP."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import parse_qsl, urlsplit

import aiohttp
import boto3
import pytest
import uvicorn
from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, Response
from yarl import URL

from partita.kit.files import Files, LocalFiles, OwnedFiles, S3Files, file_routes
from partita.kit.permissions import NOBODY, Viewer
from partita.kit.problems import Forbidden, Problem
from partita.kit.serving import Application, Serving
from tests.kit.conftest import HandClock
from tests.serving import CREDENTIALS, moto_server

pytestmark = pytest.mark.anyio
PNG_START = b"\x89PNG\r\n\x1a\n"


async def _nobody(_request: Request) -> Viewer:
    return NOBODY


async def _told(_request: Request, problem: Exception) -> Response:
    assert isinstance(problem, Problem)
    return JSONResponse({"code": problem.code}, problem.status)


@contextmanager
def _served(app: FastAPI) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off"))
    listening = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
        listening.close()


@pytest.fixture
async def files(tmp_path: Path, clock: HandClock) -> AsyncIterator[LocalFiles]:
    made = LocalFiles(tmp_path / "files", [b"k" * 32], clock)
    yield made
    await made.close()


@pytest.fixture
async def site(files: LocalFiles) -> AsyncIterator[aiohttp.ClientSession]:
    with _served(_app(files)) as url:
        async with aiohttp.ClientSession(url) as session:
            yield session


def _app(files: Files, *owners: OwnedFiles) -> Application:
    app = Application()
    app.serving = cast(Serving, SimpleNamespace(recognise=_nobody))
    app.add_exception_handler(Problem, _told)
    app.include_router(file_routes(files, owners).router)
    return app


async def test_a_signed_link_shows_the_file_with_safe_headers(files: LocalFiles, site: aiohttp.ClientSession) -> None:
    await files.save("a/b.html", b"<script>", "text/html")
    async with site.get(files.url("a/b.html")) as answer:
        assert (answer.status, await answer.read()) == (200, b"<script>")
        assert answer.headers["Content-Type"] == "text/html"
        assert answer.headers["Content-Disposition"] == "attachment"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "sandbox" in answer.headers["Content-Security-Policy"]
        assert answer.headers["Content-Length"] == "8"
        assert answer.headers["Cache-Control"].startswith("private")


async def test_a_picture_is_shown_and_downloaded_where_the_link_says_so(
    files: LocalFiles, site: aiohttp.ClientSession
) -> None:
    await files.save("a.png", b"pixels", "image/png", public=True)
    async with site.get(files.public_url("a.png")) as answer:
        assert answer.headers["Content-Disposition"] == "inline"
        assert answer.headers["Cache-Control"].startswith("public")
    async with site.get(files.url("a.png", download_as="Ḷogo.png")) as answer:
        assert (
            answer.headers["Content-Disposition"]
            == "attachment; filename=\"_ogo.png\"; filename*=UTF-8''%E1%B8%B6ogo.png"
        )


async def test_a_name_to_save_as_counts_only_in_a_signed_link(files: LocalFiles, site: aiohttp.ClientSession) -> None:
    await files.save("a.png", b"pixels", "image/png")
    async with site.get(files.url("a.png") + "&download=virus.exe") as answer:
        assert answer.status == 403


async def test_no_link_no_file(files: LocalFiles, site: aiohttp.ClientSession, clock: HandClock) -> None:
    await files.save("a", b"a", "text/plain")
    expired = files.url("a", seconds=10)
    clock.forward(seconds=20)
    for path, status, code in (
        ("/files/a", 404, "not_found"),
        ("/files/nothing", 404, "not_found"),
        ("/files/..%2f..%2fetc%2fpasswd", 404, "not_found"),
        ("/files/a/%2e%2e/b", 404, "not_found"),
        ("/files/%ff", 404, "not_found"),
        ("/files/a?signature=x&expires=9999999999", 403, "invalid_link"),
        (expired, 403, "link_expired"),
    ):
        async with site.get(URL(path, encoded=True)) as answer:
            assert (answer.status, (await answer.json()).get("code")) == (status, code), path


async def test_who_has_the_file_is_not_sent_it_again(files: LocalFiles, site: aiohttp.ClientSession) -> None:
    await files.save("a", b"a", "text/plain", public=True)
    async with site.get("/files/a") as answer:
        tag = answer.headers["ETag"]
    async with site.get("/files/a", headers={"If-None-Match": tag}) as answer:
        assert (answer.status, await answer.read()) == (304, b"")
    await files.save("a", b"b", "text/plain", public=True)
    async with site.get("/files/a", headers={"If-None-Match": tag}) as answer:
        assert (answer.status, await answer.read()) == (200, b"b")


async def test_a_large_file_arrives_whole(files: LocalFiles, site: aiohttp.ClientSession) -> None:
    content = bytes(range(256)) * 20_000
    await files.save("large", content, "application/octet-stream", public=True)
    async with site.get("/files/large") as answer:
        assert await answer.read() == content


async def test_a_reader_that_goes_away_holds_no_file_open(files: LocalFiles, site: aiohttp.ClientSession) -> None:
    await files.save("large", b"x" * 50_000_000, "application/octet-stream", public=True)
    host = urlsplit(str(site._base_url))
    for _ in range(3):
        reader, writer = await asyncio.open_connection(host.hostname, host.port)
        writer.write(b"GET /files/large HTTP/1.1\r\nHost: x\r\n\r\n")
        assert await reader.readexactly(100)
        writer.transport.abort()
    for _ in range(200):
        if not [path for path in Path("/proc/self/fd").iterdir() if _leads_to(path, "large")]:
            return
        await asyncio.sleep(0.05)
    raise AssertionError("somebody still holds the file open")


def _leads_to(path: Path, name: str) -> bool:
    try:
        return path.readlink().name == name
    except OSError:
        return False


# -- ranges

CONTENT = bytes(range(256)) * 3_000  # several chunks


async def test_any_range_of_a_file_is_the_slice(files: LocalFiles, site: aiohttp.ClientSession) -> None:
    await files.save("a", CONTENT, "application/octet-stream")
    size, url = len(CONTENT), files.url("a")
    for header, start, end in (
        ("bytes=0-0", 0, 1),
        ("bytes=0-", 0, size),
        ("bytes=5-9", 5, 10),
        ("bytes=262143-262145", 262_143, 262_146),
        (f"bytes={size - 1}-", size - 1, size),
        ("bytes=-7", size - 7, size),
        (f"bytes=-{size + 5}", 0, size),
        (f"bytes=100-{size * 9}", 100, size),
    ):
        async with site.get(url, headers={"Range": header}) as answer:
            assert (answer.status, await answer.read()) == (206, CONTENT[start:end]), header
            assert answer.headers["Content-Range"] == f"bytes {start}-{end - 1}/{size}"
            assert answer.headers["Content-Length"] == str(end - start)


async def test_a_range_after_the_end_is_refused_with_the_size(files: LocalFiles, site: aiohttp.ClientSession) -> None:
    await files.save("a", b"abc", "text/plain", public=True)
    for header in ("bytes=3-", "bytes=99-100", "bytes=-0"):
        async with site.get("/files/a", headers={"Range": header}) as answer:
            assert (answer.status, answer.headers["Content-Range"]) == (416, "bytes */3")


async def test_a_range_counts_only_for_the_file_that_was_begun(files: LocalFiles, site: aiohttp.ClientSession) -> None:
    await files.save("a", b"abc", "text/plain", public=True)
    async with site.get("/files/a") as answer:
        tag = answer.headers["ETag"]
        assert answer.headers["Accept-Ranges"] == "bytes"
    async with site.get("/files/a", headers={"Range": "bytes=1-1", "If-Range": tag}) as answer:
        assert (answer.status, await answer.read()) == (206, b"b")
    async with site.get("/files/a", headers={"Range": "bytes=1-1", "If-None-Match": tag}) as answer:
        assert answer.status == 304
    await files.save("a", b"xyz", "text/plain", public=True)
    async with site.get("/files/a", headers={"Range": "bytes=1-1", "If-Range": tag}) as answer:
        assert (answer.status, await answer.read()) == (200, b"xyz")


async def test_what_a_link_shows_is_kept_by_its_holder_until_the_link_ends(
    files: LocalFiles, site: aiohttp.ClientSession, clock: HandClock
) -> None:
    await files.save("a.png", b"pixels", "image/png")
    url = files.url("a.png")
    async with site.get(url) as answer:
        assert answer.headers["Cache-Control"] == "private, max-age=7200, immutable"
    clock.forward(minutes=30)
    async with site.get(url) as answer:
        assert answer.headers["Cache-Control"] == "private, max-age=5400, immutable"


# -- uploads


def _form(content: bytes, field: str = "file") -> aiohttp.FormData:
    form = aiohttp.FormData()
    form.add_field(field, content, filename="../x.html", content_type="text/html")
    return form


async def test_a_form_brings_a_file(files: LocalFiles, site: aiohttp.ClientSession) -> None:
    form = files.upload_form("up/1", "image/png", most_bytes=300_000)
    async with site.post(form.url, data=_form(PNG_START + b"x" * (300_000 - len(PNG_START)))) as answer:
        assert answer.status == 204
    found = await files.load("up/1")
    assert (found.size, found.content_type, found.info.public) == (300_000, "image/png", False)


async def test_of_two_files_on_one_link_the_first_that_ends_stays(
    files: LocalFiles, site: aiohttp.ClientSession
) -> None:
    form = files.upload_form("up/1", "image/png", most_bytes=300_000)
    go_on = asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        yield PNG_START + b"x" * 100_000
        await go_on.wait()
        yield b"swapped"

    async def send_slowly() -> tuple[int, str]:
        late = aiohttp.MultipartWriter("form-data")
        late.append(slowly()).set_content_disposition("form-data", name="file", filename="a.png")
        async with site.post(form.url, data=late) as answer:
            return answer.status, (await answer.json())["code"]

    sending = asyncio.create_task(send_slowly())
    incoming = files._folder / ".incoming"
    while not any(incoming.iterdir()):
        await asyncio.sleep(0.01)
    async with site.post(form.url, data=_form(PNG_START + b"checked")) as answer:
        assert answer.status == 204
    go_on.set()
    assert await sending == (409, "already_sent")
    assert (await files.load("up/1")).data == PNG_START + b"checked"
    assert not any(incoming.iterdir())


async def test_a_form_leads_on_where_it_was_told_to(files: LocalFiles, site: aiohttp.ClientSession) -> None:
    form = files.upload_form("up/1", "image/png", most_bytes=300_000, then="/done?file=up/1")
    async with site.post(form.url, data=_form(PNG_START), allow_redirects=False) as answer:
        assert (answer.status, answer.headers["Location"]) == (303, "/done?file=up/1")


async def test_more_than_the_form_allows_is_too_large(files: LocalFiles, site: aiohttp.ClientSession) -> None:
    form = files.upload_form("up/1", "image/png", most_bytes=1_000)
    for size in (1_001, 9_000, 500_000):
        async with site.post(form.url, data=_form(PNG_START + b"x" * (size - len(PNG_START)))) as answer:
            assert (answer.status, (await answer.json())["code"]) == (413, "too_large")
    assert not await files.exists("up/1")


async def test_a_form_that_is_none_is_a_bad_request(files: LocalFiles, site: aiohttp.ClientSession) -> None:
    url = files.upload_form("up/1", "image/png", most_bytes=1_000).url
    broken: dict[str, Any] = {"data": b"--x\r\nbroken", "headers": {"Content-Type": "multipart/form-data; boundary=y"}}
    begun = b'--y\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n' + PNG_START
    cut: dict[str, Any] = {**broken, "data": begun}
    for asked in ({"data": _form(b"x", "other")}, {"data": {"file": "text"}}, {"data": b"x"}, broken, cut):
        async with site.post(url, **asked) as answer:
            assert (answer.status, (await answer.json())["code"]) == (400, "file_missing")
    assert not await files.exists("up/1")


async def test_a_file_that_is_not_what_was_signed_is_refused(files: LocalFiles, site: aiohttp.ClientSession) -> None:
    url = files.upload_form("up/1", "image/png", most_bytes=1_000).url
    async with site.post(url, data=_form(b"MZ\x90\x00")) as answer:
        assert (answer.status, (await answer.json())["code"]) == (415, "wrong_kind")
    assert not await files.exists("up/1")


async def test_nobody_uploads_without_a_link(files: LocalFiles, site: aiohttp.ClientSession, clock: HandClock) -> None:
    await files.save("a", b"a", "text/plain", public=True)
    expired = files.upload_form("a", "text/plain", most_bytes=100, seconds=300).url
    clock.forward(seconds=300)
    for url in ("/files/a", files.url("a"), expired, files.upload_form("a", "text/plain", most_bytes=9).url + "0"):
        async with site.post(url, data=_form(b"b")) as answer:
            assert answer.status == 403
    assert (await files.load("a")).data == b"a"


# -- S3


async def test_a_public_file_in_s3_is_found_by_way_of_us_and_posted_there_directly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    with moto_server() as s3:
        boto3.client("s3", endpoint_url=s3.url, **CREDENTIALS).create_bucket(Bucket="partita")
        files = S3Files("partita", region="us-east-1", endpoint_url=s3.url)
        await files.save("a.png", b"pixels", "image/png", public=True)
        await files.save("b.png", b"pixels", "image/png")
        with _served(_app(files)) as url:
            async with aiohttp.ClientSession(url) as site:
                async with site.get("/files/a.png", allow_redirects=False) as answer:
                    assert answer.status == 302
                    assert answer.headers["Location"].startswith(f"{files.origin}/partita/a.png?")
                async with site.get("/files/a.png") as answer:
                    assert await answer.read() == b"pixels"
                async with site.get("/files/b.png") as answer:
                    assert answer.status == 404
                async with site.post("/files/a.png", data=_form(b"x")) as answer:
                    assert answer.status == 404
        await files.close()


async def test_the_owner_of_a_file_in_s3_is_asked_whenever_a_link_is_followed(
    monkeypatch: pytest.MonkeyPatch, clock: HandClock
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    owner = _Owner()
    with moto_server() as s3:
        boto3.client("s3", endpoint_url=s3.url, **CREDENTIALS).create_bucket(Bucket="partita")
        files = S3Files("partita", region="us-east-1", endpoint_url=s3.url, clock=clock, keys=[b"k" * 32])
        await files.save("own/a", b"pixels", "text/plain")
        with _served(_app(files, owner.files)) as url:
            async with aiohttp.ClientSession(url) as site:
                link = files.url("own/a", claim="of c1", download_as="a.txt")
                async with site.get(URL(link, encoded=True), allow_redirects=False) as answer:
                    assert (answer.status, answer.headers["Cache-Control"]) == (302, "private, no-store")
                    there = dict(parse_qsl(urlsplit(answer.headers["Location"]).query))
                assert int(there["X-Amz-Expires"]) <= 60
                assert "a.txt" in there["response-content-disposition"]
                assert owner.asked == [("own/a", "of c1")]
                for refused in (link.replace("c1", "c2"), link + "0", "/files/own/a"):
                    async with site.get(URL(refused, encoded=True), allow_redirects=False) as answer:
                        assert answer.status in (403, 404)
                owner.closed = True
                async with site.get(URL(link, encoded=True), allow_redirects=False) as answer:
                    assert (answer.status, (await answer.json())["code"]) == (403, "closed")
        await files.close()


# -- links that are checked


@dataclass
class _Owner:
    """Says of its files whether links to them may be followed."""

    closed: bool = False
    asked: list[tuple[str, str]] = field(default_factory=list)

    async def may_follow(self, name: str, claim: str) -> None:
        self.asked.append((name, claim))
        if self.closed:
            raise Forbidden("Closed.", code="closed")

    @property
    def files(self) -> OwnedFiles:
        async def named() -> AsyncIterator[str]:
            yield "own/a"

        return OwnedFiles("own", named, self.may_follow)


async def test_the_owner_of_a_file_is_asked_whenever_a_link_is_followed(files: LocalFiles) -> None:
    owner = _Owner()
    for name in ("own/a", "owners/a"):
        await files.save(name, b"text", "text/plain")
    with _served(_app(files, owner.files)) as url:
        async with aiohttp.ClientSession(url) as site:

            async def status(link: str) -> int:
                async with site.get(URL(link, encoded=True)) as answer:
                    return answer.status

            link = files.url("own/a", claim="of c1")
            assert [await status(link), await status(link)] == [200, 200]
            assert owner.asked == [("own/a", "of c1")] * 2
            assert await status(files.url("own/a")) == 403  # without a claim nobody can be asked
            assert await status(files.url("owners/a")) == 200
            owner.closed = True
            assert await status(link) == 403
