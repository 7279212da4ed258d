"""An upload of 50 MB weighs little: memory stays, others are served, and what breaks off leaves nothing attached."""

from __future__ import annotations

import asyncio
import http.client
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
import psutil
import pytest

from tests.apps.enablement.served import PASSWORD
from tests.web.serving import Suite, serving

SIZE = 50_000_000
_HEAD = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n'
_TAIL = b"\r\n--x--\r\n"


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Suite, str]]:
    """The suite as a process of its own, and the token of a contributor."""
    folder = tmp_path_factory.mktemp("weight")
    token = asyncio.run(_contributor(folder / "data"))
    with serving(folder, "--no-demo", "--workers", "1", environment={"PARTITA_FETCH": "false"}) as suite:
        yield suite, token


async def _contributor(folder: Path) -> str:
    from partita.bootstrap import build
    from partita.kit.settings import Settings

    suite = build(Settings(data=folder, fetch=False))
    accounts = suite.kit.accounts
    account = await accounts.registration.create("carla", "carla@example.org", "Carla", PASSWORD)
    await accounts.administration.set_roles(accounts.operator(), account.user_id, ["enablement:contributor"])
    session = await accounts.sessions.sign_in("carla", PASSWORD, user_agent="Test/1.0")
    viewer = await accounts.recognition.from_session(session.token)
    token = await accounts.tokens.create(viewer, "test", viewer.permissions, 1)
    await suite.close()
    return token.text


def _ask(suite: Suite, token: str, method: str, path: str, content: Any = None) -> tuple[int, Any]:
    there = http.client.HTTPConnection(urlsplit(suite.url).netloc, timeout=60)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    there.request(method, path, None if content is None else orjson.dumps(content), headers)
    answer = there.getresponse()
    body = answer.read()
    there.close()
    return answer.status, orjson.loads(body) if body else None


def _begin(suite: Suite, token: str) -> tuple[str, dict[str, Any]]:
    status, made = _ask(suite, token, "POST", "/api/enablement/content", {"title": "Large"})
    assert status == 201
    path = f"/api/enablement/content/{made['content_id']}"
    status, upload = _ask(suite, token, "POST", f"{path}/uploads", {"file_name": "a.txt", "size_bytes": SIZE})
    assert status == 201
    return path, upload


def _downloaded(suite: Suite, token: str, path: str) -> int:
    """How many bytes come back, by the link that a download leads to."""
    there = http.client.HTTPConnection(urlsplit(suite.url).netloc, timeout=60)
    there.request("GET", f"{path}/download", headers={"Authorization": f"Bearer {token}"})
    answer = there.getresponse()
    answer.read()
    assert answer.status == 302
    there.request("GET", answer.headers["Location"])
    answer = there.getresponse()
    assert (answer.status, answer.headers["Content-Length"]) == (200, str(SIZE)), "a browser can show how far it is"
    size = 0
    while piece := answer.read(1 << 20):
        size += len(piece)
    there.close()
    return size


def _send(suite: Suite, url: str, size: int) -> socket.socket:
    """Send so many bytes of a form that announces all of them."""
    host, port = urlsplit(suite.url).netloc.split(":")
    there = socket.create_connection((host, int(port)), 60)
    announced = len(_HEAD) + SIZE + len(_TAIL)
    lines = [
        f"POST {url} HTTP/1.1",
        f"Host: {host}:{port}",
        "Content-Type: multipart/form-data; boundary=x",
        f"Content-Length: {announced}",
        "Sec-Fetch-Site: same-origin",
        "Connection: close",
    ]
    there.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + _HEAD)
    piece = b"0123456789abcde\n" * 8192
    sent = 0
    while sent < size:
        part = piece[: min(len(piece), size - sent)]
        there.sendall(part)
        sent += len(part)
    return there


def test_memory_stays_and_others_are_served_meanwhile(portal: tuple[Suite, str]) -> None:
    suite, token = portal
    path, upload = _begin(suite, token)
    process = psutil.Process(suite.pid)
    tree = [process, *process.children(recursive=True)]
    before = sum(each.memory_info().rss for each in tree)
    answers: list[bytes] = []

    def sending() -> None:
        there = _send(suite, upload["url"], SIZE)
        there.sendall(_TAIL)
        answers.append(there.recv(4096))
        there.close()

    thread = threading.Thread(target=sending)
    highest = before
    waits: list[float] = []
    thread.start()
    while thread.is_alive() or len(waits) < 100:
        begun = time.monotonic()
        assert suite.get("/healthz")[0] == 200
        waits.append(time.monotonic() - begun)
        highest = max(highest, sum(each.memory_info().rss for each in tree))
    thread.join()
    assert answers[0].startswith(b"HTTP/1.1 204")
    assert highest - before <= 20_000_000, f"{(highest - before) / 1e6:.1f} MB more"
    slow = sum(wait > 0.1 for wait in waits)
    assert slow <= len(waits) / 10, f"{slow} of {len(waits)} took longer than 100 ms; the longest {max(waits):.3f} s"
    status, edited = _ask(suite, token, "POST", f"{path}/attach", {"upload_id": upload["upload_id"]})
    assert (status, edited["version"]) == (200, "0.2")
    assert _ask(suite, token, "GET", path)[1]["size_bytes"] == SIZE
    assert _downloaded(suite, token, path) == SIZE
    heavier = sum(each.memory_info().rss for each in tree) - before
    assert heavier <= 20_000_000, f"{heavier / 1e6:.1f} MB more"


def test_what_breaks_off_halfway_is_not_attached(portal: tuple[Suite, str]) -> None:
    suite, token = portal
    path, upload = _begin(suite, token)
    _send(suite, upload["url"], SIZE // 2).close()
    status, problem = _ask(suite, token, "POST", f"{path}/attach", {"upload_id": upload["upload_id"]})
    assert (status, problem["code"]) == (409, "not_arrived")
    assert _ask(suite, token, "GET", path)[1]["file_name"] is None
