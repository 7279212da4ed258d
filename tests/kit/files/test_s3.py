"""Files in S3, against moto's server: the same promises as in a folder, and addresses that S3 answers by itself."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import time
from base64 import b64decode
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import aiohttp
import boto3
import pytest

from partita.extras import pip
from partita.kit.files import FileNameError, S3Files, s3
from partita.kit.files.s3 import Encryption
from partita.kit.problems import NotFound, TooLarge, Unavailable
from partita.store.answers import ConnectionFailedError
from partita.store.circuit import Circuit
from tests.kit.conftest import HandClock
from tests.serving import CREDENTIALS, Served, moto_server

pytestmark = pytest.mark.anyio
BUCKET = "partita-files"


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with moto_server() as served:
        _boto(served).create_bucket(Bucket=BUCKET)
        yield served


def _boto(served: Served) -> Any:
    return boto3.client("s3", endpoint_url=served.url, **CREDENTIALS)


@pytest.fixture
async def files(server: Served, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[S3Files]:
    async for made in _files(server, monkeypatch):
        yield made


async def _files(
    server: Served, monkeypatch: pytest.MonkeyPatch, encryption: Encryption = "AES256", bucket: str = BUCKET
) -> AsyncIterator[S3Files]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    made = S3Files(bucket, region="us-east-1", endpoint_url=server.url, encryption=encryption)
    yield made
    await made.close()


async def test_a_file_comes_back_with_what_it_is(files: S3Files) -> None:
    await files.save("kelifax/logos/1.png", b"pixels", "image/png")
    found = await files.load("kelifax/logos/1.png")
    assert (found.data, found.content_type, found.size, found.info.public) == (b"pixels", "image/png", 6, False)
    assert await files.info("kelifax/logos/1.png") == found.info
    assert await files.start("kelifax/logos/1.png", 3) == b"pix"
    assert await files.exists("kelifax/logos/1.png")


async def test_an_empty_file_is_a_file(files: S3Files) -> None:
    await files.save("empty", b"", "text/plain")
    assert (await files.load("empty")).data == await files.start("empty") == b""


async def test_what_is_not_there_is_not_found(files: S3Files) -> None:
    for ask in (files.load, files.start):
        with pytest.raises(NotFound):
            await ask("nothing")
    assert await files.info("nothing") is None
    assert not await files.exists("nothing")
    with pytest.raises(NotFound):
        await files.set_public("nothing", True)


async def test_a_deleted_file_is_gone_and_deleting_it_again_is_harmless(files: S3Files) -> None:
    await files.save("a/b", b"x", "text/plain")
    await files.delete("a/b")
    await files.delete("a/b")
    assert not await files.exists("a/b")


@pytest.mark.parametrize("name", ["../x", "/x", "A", "a//b", ""])
async def test_names_follow_the_same_rule_as_in_a_folder(files: S3Files, name: str) -> None:
    with pytest.raises(FileNameError):
        await files.save(name, b"x", "text/plain")
    for use in (files.load, files.start, files.info, files.delete):
        with pytest.raises(FileNameError):
            await use(name)
    for link in (files.url, files.public_url):
        with pytest.raises(FileNameError):
            link(name)


async def test_files_are_encrypted_as_the_settings_say(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: dict[Encryption, str | None] = {"AES256": "AES256", "aws:kms": "aws:kms", "none": None}
    for encryption, told in wanted.items():
        async for files in _files(server, monkeypatch, encryption):
            await files.save("secret", b"x", "text/plain")
            form = files.upload_form("secret", "text/plain", most_bytes=5)
        assert _boto(server).head_object(Bucket=BUCKET, Key="secret").get("ServerSideEncryption") == told
        assert form.fields.get("x-amz-server-side-encryption") == told


async def test_a_link_is_answered_by_s3_as_the_file_was_kept(files: S3Files) -> None:
    await files.save("logo.png", b"pixels", "image/png")
    await files.save("page.html", b"<script>", "text/html")
    async with aiohttp.ClientSession() as session:
        async with session.get(files.url("logo.png")) as shown:
            assert (shown.status, await shown.read()) == (200, b"pixels")
            assert shown.headers["Content-Type"] == "image/png"
            assert shown.headers["Content-Disposition"] == "inline"
        async with session.get(files.url("page.html")) as saved:
            assert saved.headers["Content-Disposition"] == "attachment"
        async with session.get(files.url("logo.png", download_as="ሎጎ.png")) as saved:
            assert saved.headers["Content-Disposition"].startswith("attachment; filename=")


async def test_a_link_names_its_file_its_end_and_the_signature_of_version_four(files: S3Files) -> None:
    url = files.url("a/b.png", seconds=300)
    for part in (f"/{BUCKET}/a/b.png?", "X-Amz-Algorithm=AWS4-HMAC-SHA256", "X-Amz-Expires=600", "X-Amz-Signature="):
        assert part in url
    assert url.startswith(f"{files.origin}/")


async def test_a_link_is_the_one_that_botocore_signs_at_the_start_of_the_window(
    files: S3Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = files.url("a/ b".replace(" ", "-"), seconds=300, download_as="Ä b.pdf")
    signed = dict(parse_qsl(urlsplit(url).query))
    begun = datetime.strptime(signed["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    monkeypatch.setattr("botocore.auth.get_current_datetime", lambda *_, **__: begun)
    theirs = files._client.generate_presigned_url(
        "get_object",
        Params={
            "Bucket": BUCKET,
            "Key": "a/-b",
            "ResponseContentDisposition": signed["response-content-disposition"],
            "ResponseCacheControl": "private, max-age=300, immutable",
        },
        ExpiresIn=600,
    )
    assert dict(parse_qsl(urlsplit(theirs).query)) == signed
    assert urlsplit(theirs).path == urlsplit(url).path


async def test_a_link_is_the_same_for_a_while_and_good_for_at_least_as_long_as_was_asked(
    server: Served, monkeypatch: pytest.MonkeyPatch, clock: HandClock
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    made = S3Files(BUCKET, region="us-east-1", endpoint_url=server.url, clock=clock)
    urls = []
    for _ in range(4):
        urls.append(made.url("a", seconds=3600))
        clock.forward(minutes=20)
    assert urls[0] == urls[1] == urls[2] != urls[3]
    await made.close()


async def test_a_link_ends_at_the_moment_that_it_is_told_at_the_latest(files: S3Files) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    ends = now + timedelta(seconds=90)
    signed = dict(parse_qsl(urlsplit(files.url("a", seconds=3600, until=ends)).query))
    begun = datetime.strptime(signed["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    assert begun + timedelta(seconds=int(signed["X-Amz-Expires"])) == ends
    kept = int(signed["response-cache-control"].partition("max-age=")[2].partition(",")[0])
    assert 80 <= kept <= 90


async def _pieces(size: int, cut: int = 300_000) -> AsyncIterator[bytes]:
    content = bytes(range(256)) * (size // 256 + 1)
    for start in range(0, size, cut):
        yield content[start : min(size, start + cut)]


@pytest.mark.parametrize("size", [0, 1, 300_000, 8_000_000, 8_100_000, 17_000_000])
async def test_a_file_may_come_piece_by_piece(files: S3Files, size: int) -> None:
    info = await files.receive("pieces", _pieces(size), "text/plain", most_bytes=17_000_000)
    found = await files.load("pieces")
    assert (info.size, found.size, found.content_type) == (size, size, "text/plain")
    assert found.data == b"".join([piece async for piece in _pieces(size)])


@pytest.mark.parametrize("size", [1_000, 9_000_000])
async def test_more_than_was_allowed_or_a_sender_that_goes_away_leaves_nothing(files: S3Files, size: int) -> None:
    async def broken() -> AsyncIterator[bytes]:
        async for piece in _pieces(size):
            yield piece
        raise ConnectionResetError

    with pytest.raises(TooLarge):
        await files.receive("large", _pieces(size), "text/plain", most_bytes=size - 1)
    with pytest.raises(ConnectionResetError):
        await files.receive("large", broken(), "text/plain", most_bytes=10_000_000)
    assert not await files.exists("large")
    assert files._client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", []) == []


async def test_what_a_killed_process_left_in_s3_can_be_cleared(files: S3Files) -> None:
    files._client.create_multipart_upload(Bucket=BUCKET, Key="begun/long-ago")
    assert await files.clear_incoming(datetime(2000, 1, 1, tzinfo=UTC)) == 0
    assert await files.clear_incoming(datetime(2999, 1, 1, tzinfo=UTC)) == 1
    assert files._client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", []) == []


async def test_files_are_listed_by_where_their_names_begin(files: S3Files) -> None:
    for name in ("list/a", "list/b/c", "listen/d"):
        await files.save(name, b"xyz", "text/plain")
    found = [each async for each in files.listed("list")]
    assert sorted(each.name for each in found) == ["list/a", "list/b/c"]
    assert {each.size for each in found} == {3}
    assert abs((datetime.now(UTC) - found[0].saved_at).total_seconds()) < 3600


async def test_a_browser_puts_a_file_there_by_a_form(files: S3Files) -> None:
    form = files.upload_form("up/1.txt", "text/plain", most_bytes=100)
    body = aiohttp.FormData()
    for name, value in form.fields.items():
        body.add_field(name, value)
    body.add_field("file", b"from a browser", filename="../../x.html", content_type="text/html")
    async with aiohttp.ClientSession() as session, session.post(form.url, data=body) as answer:
        assert answer.status in (200, 201, 204)
    found = await files.load("up/1.txt")
    assert (found.data, found.content_type) == (b"from a browser", "text/plain")


async def test_what_is_settled_is_not_replaced_by_a_second_file_on_the_same_link(files: S3Files) -> None:
    form = files.upload_form("up/3", "text/plain", most_bytes=100)
    assert await files.settled("up/3", "up/copy") is None
    for data in (b"checked", b"swapped"):
        body = aiohttp.FormData(dict(form.fields))
        body.add_field("file", data, filename="a.txt")
        async with aiohttp.ClientSession() as session, session.post(form.url, data=body) as answer:
            assert answer.status in (200, 201, 204)
        if data == b"checked":
            settled = await files.settled("up/3", "up/copy")
    assert settled is not None
    found = await files.load(settled.name)
    assert (found.data, found.content_type) == (b"checked", "text/plain")


def test_a_form_allows_one_name_one_type_and_a_size_for_a_while(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    files = S3Files(BUCKET, region="us-east-1", endpoint_url=server.url)
    form = files.upload_form("up/2.png", "image/png", most_bytes=100, then="https://partita.example/done")
    policy = json.loads(b64decode(form.fields["policy"]))
    for condition in (
        {"bucket": BUCKET},
        {"key": "up/2.png"},
        {"Content-Type": "image/png"},
        {"success_action_redirect": "https://partita.example/done"},
        ["content-length-range", 0, 100],
    ):
        assert condition in policy["conditions"]
    assert form.fields["key"] == "up/2.png"


async def test_our_own_address_leads_to_a_public_file_only(files: S3Files) -> None:
    await files.save("a", b"a", "image/png")
    assert files.public_url("a") == "/files/a"
    with pytest.raises(NotFound):
        await files.follow("a", {})
    await files.set_public("a", True)
    found = await files.load("a")
    assert (found.info.public, found.content_type, found.data) == (True, "image/png", b"a")
    async with aiohttp.ClientSession() as session, session.get(await files.follow("a", {})) as shown:
        assert await shown.read() == b"a"
    await files.set_public("a", False)
    for name in ("a", "b", "../a"):
        with pytest.raises(NotFound):
            await files.follow(name, {"signature": "x"})


async def test_a_store_that_refuses_is_told_as_unavailable(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    async for files in _files(server, monkeypatch, bucket="not-there"):
        with pytest.raises(Unavailable) as refused:
            await files.save("a", b"a", "text/plain")
        assert (refused.value.code, refused.value.headers) == ("files_unavailable", {"Retry-After": "2"})


async def test_a_store_that_is_not_there_is_told_as_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as silent:  # bound and not listening: connections are refused
        silent.bind(("127.0.0.1", 0))
        nowhere = Served(f"http://127.0.0.1:{silent.getsockname()[1]}", 0)
        async for files in _files(nowhere, monkeypatch):
            with pytest.raises(Unavailable):
                await files.load("a")


def test_boto3_is_loaded_by_nobody_who_does_not_use_s3() -> None:
    program = "import sys; import partita.kit.files; assert not {'boto3', 'botocore'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_without_boto3_the_way_out_is_said() -> None:
    program = """
import sys
sys.modules["boto3"] = None
from partita.kit.files import S3Files
from partita.kit.settings import SettingsError
try:
    S3Files("bucket")
except SettingsError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert said == f"Files in S3 need boto3: {pip('aws')}, or set PARTITA_FILES=local.\n"


async def test_a_silent_endpoint_holds_nobody_for_long_and_is_then_asked_by_one_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(s3, "_ANSWER_SECONDS", 0.5)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        files = S3Files(BUCKET, region="us-east-1", endpoint_url=url)
        assert await files.answers(), "nobody has asked yet"
        begun = time.monotonic()
        waiting = [files.load(f"large-values/{number}") for number in range(30)]
        refusals = await asyncio.gather(*waiting, return_exceptions=True)
        assert all(isinstance(each, Unavailable) for each in refusals)
        assert time.monotonic() - begun < 3, "eight wait, the others are refused"
        begun = time.monotonic()
        with pytest.raises(Unavailable):
            await files.load("one")
        assert time.monotonic() - begun < 0.2
        assert not await files.answers()
        await files.close()


async def test_an_endpoint_that_answers_again_is_noticed_when_readiness_asks(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async for files in _files(server, monkeypatch):
        monkeypatch.setattr(files, "_circuit", Circuit(rest=0.0))
        files._circuit.leave(files._circuit.enter(), ConnectionFailedError("silent"))
        assert await files.answers()
