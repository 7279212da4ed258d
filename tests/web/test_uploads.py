"""Uploads to the suite as it is served: of any size, in the same memory. PARTITA_UPLOAD_MB=100 tries the largest."""

from __future__ import annotations

import http.client
import os
import re
import time
from collections.abc import Iterator
from hashlib import sha256
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.web.serving import Suite, serving

MEGABYTES = int(os.environ.get("PARTITA_UPLOAD_MB", "24"))
_BLOCK = os.urandom(1_000_000)
_BOUNDARY = "b0undary"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Suite]:
    with serving(tmp_path_factory.mktemp("attic"), "--systems", "tests.attic", "--no-demo") as served:
        yield served


def _head(title: str, filename: str) -> bytes:
    return (
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="title"\r\n\r\n{title}\r\n'
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{filename}"\r\n\r\n'
    ).encode()


def _sent(suite: Suite, title: str, megabytes: int, *, announced: bool = True) -> tuple[int, dict[str, str], str, int]:
    """Send a form; status, headers and body of the answer, and how many blocks were sent before it came."""
    head, tail = _head(title, "Ünsere Datei 1.BIN"), f"\r\n--{_BOUNDARY}--\r\n".encode()
    connection = http.client.HTTPConnection(urlsplit(suite.url).netloc, timeout=60)
    connection.putrequest("POST", "/attic/boxes")
    connection.putheader("Content-Type", f"multipart/form-data; boundary={_BOUNDARY}")
    connection.putheader("Sec-Fetch-Site", "same-origin")
    if announced:
        connection.putheader("Content-Length", str(len(head) + len(tail) + megabytes * len(_BLOCK)))
    else:
        connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    blocks = 0

    def send(data: bytes) -> None:
        connection.send(data if announced else b"%x\r\n%s\r\n" % (len(data), data))

    try:
        send(head)
        for _ in range(megabytes):
            send(_BLOCK)
            blocks += 1
        send(tail)
        if not announced:
            connection.send(b"0\r\n\r\n")
    except (BrokenPipeError, ConnectionResetError):
        pass  # it was refused while it came
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body, blocks


def _peak(suite: Suite) -> int:
    """The most memory that the server has had at any moment since its peak was forgotten."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{suite.pid}/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def _kept(suite: Suite) -> list[Path]:
    folder = suite.log.parent / "data" / "files"
    return [path for path in folder.rglob("*") if path.is_file() and "large-values" not in path.parts]


def test_a_large_file_comes_and_goes_in_the_same_memory(suite: Suite) -> None:
    assert _sent(suite, "Warm-up", 1)[0] == 303
    # Its peak so far is forgotten: to hash a password at the start took more.
    Path(f"/proc/{suite.pid}/clear_refs").write_text("5")
    before = _peak(suite)
    begun = time.monotonic()
    status, _, _, _ = _sent(suite, "Large", MEGABYTES)
    seconds = time.monotonic() - begun
    assert status == 303
    page = suite.get("/attic")[1]
    found = re.search(r'<a href="(/files/[^"]+)">Large', page)
    assert found is not None
    assert f"{MEGABYTES:.1f} MB" in page
    connection = http.client.HTTPConnection(urlsplit(suite.url).netloc, timeout=60)
    connection.request("GET", unescape(found[1]))
    answer = connection.getresponse()
    assert answer.getheader("Content-Disposition", "").endswith("UTF-8''%C3%9Cnsere%20Datei%201.BIN")
    digest, wanted = sha256(), sha256()
    while chunk := answer.read(1 << 20):
        digest.update(chunk)
    for _ in range(MEGABYTES):
        wanted.update(_BLOCK)
    assert digest.digest() == wanted.digest()
    more = _peak(suite) - before
    print(f"{MEGABYTES} MB in {seconds:.2f} s, {more / 1e6:.1f} MB more memory at most")
    assert more < 20_000_000

    connection.request("HEAD", unescape(found[1]))
    answer = connection.getresponse()
    assert (answer.status, answer.getheader("Content-Length"), answer.read()) == (200, str(MEGABYTES * 1_000_000), b"")
    connection.request("GET", unescape(found[1]), headers={"Range": "bytes=1500000-1500009"})
    answer = connection.getresponse()
    assert (answer.status, answer.read()) == (206, _BLOCK[500_000:500_010])
    connection.close()


def test_too_much_is_refused_at_once_and_leaves_nothing(suite: Suite) -> None:
    kept = _kept(suite)
    status, _, _, _ = _sent(suite, "Announced", 102)
    assert status == 413
    assert _kept(suite) == kept


@pytest.mark.skipif(MEGABYTES < 100, reason="sends 100 MB: PARTITA_UPLOAD_MB=100")
def test_too_much_is_refused_while_it_comes_and_leaves_nothing(suite: Suite) -> None:
    kept = _kept(suite)
    status, _, _, blocks = _sent(suite, "Not announced", 300, announced=False)
    assert status == 413
    assert blocks < 150
    assert _kept(suite) == kept


def test_a_form_with_a_mistake_comes_back_and_its_file_is_gone(suite: Suite) -> None:
    kept = _kept(suite)
    status, _, body, _ = _sent(suite, "x", 1)
    assert status == 422
    assert "Title" in body
    assert _kept(suite) == kept


def test_a_script_that_uploads_is_told_where_to_go_and_the_message_waits_there(suite: Suite) -> None:
    connection = http.client.HTTPConnection(urlsplit(suite.url).netloc, timeout=60)
    body = _head("By script", "a.txt") + b"hello" + f"\r\n--{_BOUNDARY}--\r\n".encode()
    connection.request(
        "POST",
        "/attic/boxes",
        body,
        {
            "Content-Type": f"multipart/form-data; boundary={_BOUNDARY}",
            "Sec-Fetch-Site": "same-origin",
            "X-Upload-Progress": "1",
        },
    )
    answer = connection.getresponse()
    assert (answer.status, answer.getheader("X-Location"), answer.getheader("Location")) == (200, "/attic", None)
    assert "flash=" in (answer.getheader("Set-Cookie") or "")
    connection.close()
