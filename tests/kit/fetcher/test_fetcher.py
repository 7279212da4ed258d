"""Fetching: what comes back, what is refused, and that nobody is asked who should not be."""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from partita import __version__
from partita.kit.fetcher import Fetched, Fetcher, FetchRefused, fetcher_for
from partita.kit.fetcher.connecting import CheckedConnector
from partita.kit.fetcher.patience import MOST_TIMES, Patience
from partita.kit.fetcher.resolving import SystemResolver
from partita.kit.files.content import PDF
from partita.kit.previews.blocks import Block
from partita.kit.settings import Settings
from tests.kit.fetcher.sites import HOME, PAGE, Names, answer, home_only, onward, serving, visitor
from tests.listening import listening

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["asyncio", "uvloop"])
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    return "asyncio", {"use_uvloop": request.param == "uvloop"}


async def _refused(url: str, fetcher: Fetcher | None = None) -> str:
    with pytest.raises(FetchRefused) as refused:
        await (fetcher or visitor()).fetch(url)
    return refused.value.reason


# -- what comes back


async def test_a_page_comes_back_with_what_it_says() -> None:
    body = b"<title>A page</title><meta name=description content='It is'><p>Hello <b>there</b>"
    async with serving({"/a": answer(body)}) as site:
        found = await visitor().fetch(f"{site.url}/a?b=c#d")
    url, icons = f"{site.url}/a?b=c", (f"{site.url}/favicon.ico",)
    blocks = (Block("paragraph", "Hello there"),)
    assert found == Fetched(url, "A page", "It is", "Hello there", "text/html", blocks, None, icons)


async def test_the_request_says_who_we_are_and_nothing_of_anybody_else() -> None:
    async with serving({"/": answer()}) as site:
        await visitor().fetch(site.url)
    (head,) = site.asked
    lines = {line.partition(": ")[0].lower(): line.partition(": ")[2] for line in head.strip().split("\r\n")[1:]}
    assert head.startswith("GET / HTTP/1.1\r\n")
    assert lines == {
        "host": f"site.example:{site.port}",
        "user-agent": f"partita/{__version__} (+https://partita.example)",
        "accept": "text/html",
        "accept-encoding": "gzip",
        "connection": "close",
    }


async def test_a_packed_page_is_unpacked() -> None:
    whole = gzip.compress(PAGE)
    in_two = gzip.compress(PAGE[:5]) + gzip.compress(PAGE[5:])
    packed = {"Content-Encoding": "gzip"}
    async with serving({"/a": answer(whole, headers=packed), "/b": answer(in_two, headers=packed)}) as site:
        for path in ("/a", "/b"):
            assert (await visitor().fetch(site.url + path)).text == "Hello"


async def test_a_page_in_chunks_is_put_together() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (PAGE[:9], PAGE[9:])) + b"0\r\n\r\n"
    async with serving({"/": head + chunks}) as site:
        assert (await visitor().fetch(site.url)).title == "A page"


async def test_a_page_without_a_length_ends_with_its_connection() -> None:
    async with serving({"/": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE}) as site:
        assert (await visitor().fetch(site.url)).title == "A page"


async def test_the_header_says_how_to_read_the_page() -> None:
    body = "<title>привет</title>".encode("cp1251")
    header = {"Content-Type": 'TEXT/HTML; x=y; charset="Windows-1251"'}
    async with serving({"/": answer(body, headers=header)}) as site:
        assert (await visitor().fetch(site.url)).title == "привет"


async def test_pages_are_not_fetched_where_it_is_switched_off(tmp_path: Path) -> None:
    fetcher = fetcher_for(Settings(data=tmp_path, fetch=False))
    assert await _refused("https://example.org", fetcher) == "Fetching pages is switched off."
    fetcher.close()


async def test_the_settings_say_which_ports(tmp_path: Path) -> None:
    fetcher = fetcher_for(Settings(data=tmp_path, fetch_ports=(80, 443, 8443)))
    assert "There is no public site" in await _refused("http://127.0.0.1:8443", fetcher)
    assert "80 and 443 and 8443 only" in await _refused("http://127.0.0.1:8444", fetcher)
    fetcher.close()


# -- where nobody is asked


async def test_every_address_of_a_name_must_be_public_not_only_the_first() -> None:
    async with serving({"/": answer()}) as site:
        for addresses in (["127.0.0.1", "127.0.0.2"], ["127.0.0.2", "127.0.0.1"], ["::1", "127.0.0.1"], []):
            assert "no public site at site.example" in await _refused(site.url, visitor(Names(addresses)))
    assert site.connections == 0


async def test_a_name_that_leads_elsewhere_by_now_changes_nothing() -> None:
    """DNS rebinding: the first answer is checked and used, whatever the second would be."""
    async with serving({"/": answer(b"<title>checked</title>")}) as checked:
        async with serving({"/": answer(b"<title>inside</title>")}, host="127.0.0.2", port=checked.port) as inside:
            names = Names(["127.0.0.1"], ["127.0.0.2"])
            assert (await visitor(names).fetch(checked.url)).title == "checked"
            assert names.asked == ["site.example"]
            assert "no public site" in await _refused(checked.url, visitor(names))
        assert inside.connections == 0


async def test_a_public_name_that_becomes_this_machine_reaches_nobody() -> None:
    """The same with the real rule: between check and connection nobody asks for the name again."""
    async with serving({"/": answer()}) as site:
        names = Names(["192.0.2.1"], ["127.0.0.1"])
        documentation = ip_address("192.0.2.1")
        fetcher = Fetcher(
            contact="x", ports=None, seconds=0.5, allows=lambda address: address == documentation, resolve=names
        )
        await _refused(site.url, fetcher)
        assert names.asked == ["site.example"]
    assert site.connections == 0


async def test_a_redirect_is_resolved_and_checked_anew() -> None:
    async with serving({"/": onward("/again"), "/again": answer()}) as site:
        names = Names(["127.0.0.1"], ["127.0.0.2"])
        assert "no public site" in await _refused(site.url, visitor(names))
        assert names.asked == ["site.example"] * 2
    assert site.connections == 1


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.2:{port}/",
        "//127.0.0.2:{port}/",
        "http://localhost:{port}/",
        "http://[::1]:{port}/",
        "http://[::ffff:127.0.0.2]:{port}/",
        "http://169.254.169.254/latest/meta-data/",
        "http://2130706434:{port}/",
        "http://0x7f.0.0.2:{port}/",
        "http://127.2:{port}/",
        "http://０x7f.0.0.2:{port}/",
        "http://site.example@127.0.0.2:{port}/",
        "http://127.0.0.2\\@site.example:{port}/",
        "http://127.0.0.2#@site.example:{port}/",
        "file:///etc/passwd",
        "gopher://127.0.0.2:{port}/_GET",
        "ftp://127.0.0.2/",
        "data:text/html,hello",
        "",
    ],
)
async def test_a_redirect_leads_nowhere_that_an_address_would_not(location: str) -> None:
    async with serving({"/": answer(), "/%5C@site.example": answer()}, host="127.0.0.2") as inside:
        where = location.format(port=inside.port)
        async with serving({"/": onward(where)}) as site:
            await _refused(site.url)
        assert inside.connections == 0


async def test_a_connection_is_not_begun_to_an_address_that_is_not_allowed() -> None:
    """Whatever went wrong before, the socket is not opened."""
    async with serving({"/": answer()}) as site:
        for url in (f"http://127.0.0.1:{site.port}", f"http://site.example:{site.port}"):
            connector = CheckedConnector([HOME], lambda _address: False, None)
            async with aiohttp.ClientSession(connector=connector) as session:
                with pytest.raises(aiohttp.ClientConnectorError, match=r"127\.0\.0\.1 is not public"):
                    await session.get(url)
    assert site.connections == 0


async def test_nothing_is_asked_of_another_end_than_the_one_that_was_checked() -> None:
    answers = iter([True, False])  # allowed before the connection, seen to be another afterwards
    async with serving({"/": answer()}) as site:
        connector = CheckedConnector([HOME], lambda _address: next(answers), None)
        async with aiohttp.ClientSession(connector=connector) as session:
            with pytest.raises(aiohttp.ClientConnectionError, match="which is not public"):
                await session.get(site.url)
        assert site.asked == []
    assert next(answers, None) is None


async def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving({}) as proxy, serving({"/": answer()}) as site:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert (await visitor().fetch(site.url)).title == "A page"
    assert proxy.connections == 0


async def test_a_password_file_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "netrc").write_text("machine site.example login ann password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    async with serving({"/": answer()}) as site:
        await visitor().fetch(site.url)
    assert "authorization" not in site.asked[0].lower()


async def test_a_name_that_does_not_exist_and_one_inside_sound_the_same() -> None:
    async def unknown(_host: str, _port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    fetcher = Fetcher(contact="x", resolve=unknown)
    outside = await _refused("https://name.example", fetcher)
    inside = await _refused("https://name.example", Fetcher(contact="x", resolve=Names(["10.0.0.1"])))
    assert outside == inside == "There is no public site at name.example."


@pytest.mark.parametrize("failure", [socket.EAI_AGAIN, socket.EAI_FAIL])
async def test_where_names_cannot_be_looked_up_trying_again_is_the_next_step(failure: int) -> None:
    async def without_network(_host: str, _port: int) -> list[str]:
        raise socket.gaierror(failure, "no name server answers")

    said = await _refused("https://name.example", Fetcher(contact="x", resolve=without_network))
    assert said == "name.example could not be looked up just now. Try again later."


async def test_the_machine_is_asked_for_names_and_this_one_is_found() -> None:
    resolve = SystemResolver()
    assert "127.0.0.1" in await resolve("localhost", 80)
    with pytest.raises(OSError, match=r"\[Errno"):
        await resolve("name.invalid", 80)
    resolve.close()


# -- redirects


async def test_redirects_are_followed_to_the_page() -> None:
    hops: dict[str, Any] = {f"/{n}": onward(f"/{n + 1}", status) for n, status in enumerate((301, 302, 303, 307, 308))}
    async with serving({**hops, "/5": answer()}) as site:
        assert (await visitor().fetch(f"{site.url}/0")).url == f"{site.url}/5"


async def test_six_redirects_are_too_many() -> None:
    async with serving({**{f"/{n}": onward(f"/{n + 1}") for n in range(6)}, "/6": answer()}) as site:
        assert await _refused(f"{site.url}/0") == "The address leads on more than 5 times."
    assert site.connections == 6


async def test_a_circle_is_seen() -> None:
    async with serving({"/a": onward("/b"), "/b": onward("/a#again")}) as site:
        assert await _refused(f"{site.url}/a") == "The address leads in a circle."
    assert site.connections == 2


async def test_no_cookie_is_kept_on_the_way() -> None:
    first = answer(b"", status=302, headers={"Location": "/b", "Set-Cookie": "a=b; Path=/", "Content-Type": ""})
    async with serving({"/": first, "/b": answer()}) as site:
        await visitor().fetch(site.url)
    assert len(site.asked) == 2
    assert "cookie" not in site.asked[1].lower()


# -- pages that are none


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (answer(status=404), "site.example answers 404 (Not Found)."),
        (answer(status=503), "site.example answers 503 (Service Unavailable)."),
        (answer(status=599), "site.example answers 599."),
        (answer(b"", status=304), "site.example answers 304 (Not Modified)."),
        (answer(b"", status=302), "site.example answers 302 (Found)."),
        (answer(headers={"Content-Type": ""}), "does not say what it is"),
        (answer(headers={"Content-Type": "application/pdf"}), "is no web page"),
        (answer(headers={"Content-Type": "text/htmlx"}), "is no web page"),
        (answer(headers={"Content-Type": "application/json; text/html"}), "is no web page"),
        (answer(headers={"Content-Encoding": "br"}), "packed in a way that was not asked for"),
        (answer(headers={"Content-Encoding": "gzip, gzip"}), "packed in a way that was not asked for"),
        (answer(headers={"Content-Encoding": "gzip"}), "cannot be unpacked"),
        (answer(gzip.compress(PAGE)[:-9], headers={"Content-Encoding": "gzip"}), "broke off"),
        (answer(length=1_000), "broke off"),
        (answer(length=100_001), "larger than 0.1 MB"),
        (answer(b"x" * 100_001, headers={"Content-Length": "", "Connection": "close"}), "larger than 0.1 MB"),
        (answer(headers={"X": "y" * 100_000}), "did not answer as a site does"),
        (b"HTTP/1.1 200 " + b"x" * 100_000 + b"\r\n\r\n", "did not answer as a site does"),
        (answer(headers={f"X-{n}": "y" * 1_000 for n in range(2_000)}), "did not answer as a site does"),
        (answer(headers={"Transfer-Encoding": "chunked", "Content-Length": ""}), "did not answer as a site does"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "did not answer as a site does"),
        (b"", "could not be reached"),
    ],
)
async def test_what_is_no_page_is_refused_with_its_reason(said: bytes, reason: str) -> None:
    async with serving({"/": said}) as site:
        assert reason in await _refused(site.url)


async def test_a_site_that_is_not_there_could_not_be_reached() -> None:
    async with serving({}) as site:
        pass
    assert await _refused(site.url) == "site.example could not be reached."


# -- no more than so much, no longer than so long


OK = b"HTTP/1.1 200 OK\r\n"
PACKED_OK = OK + b"Content-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
CHUNKED_OK = OK + b"Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
PAGE_OK = OK + b"Content-Type: text/html\r\n\r\n"
GO_ON = b"HTTP/1.1 100 Continue\r\n\r\n"


def _endless(start: bytes, piece: bytes, pause: float = 0.0) -> Callable[[asyncio.StreamWriter], Awaitable[None]]:
    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(start)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    return send


def _bomb() -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(1_000_000)
    return b"".join(packer.compress(zeros) for _ in range(6)) + packer.flush()


@pytest.mark.parametrize(
    "sent",
    [
        _endless(PAGE_OK, b"x" * 10_000),
        _endless(CHUNKED_OK, b"2710\r\n" + b"x" * 10_000 + b"\r\n"),
        _endless(PACKED_OK, gzip.compress(b"")),
        answer(_bomb(), headers={"Content-Encoding": "gzip"}),
        answer(gzip.compress(bytes(100_001)), headers={"Content-Encoding": "gzip"}),
    ],
    ids=["endless", "endless-chunks", "endless-nothing-packed", "bomb", "a-byte-too-much-unpacked"],
)
async def test_more_than_the_limit_is_never_read(sent: Any) -> None:
    async with serving({"/": sent}) as site:
        assert await _refused(site.url) == "The page is larger than 0.1 MB."


async def test_exactly_the_limit_is_read() -> None:
    body = PAGE + b" " * (100_000 - len(PAGE))
    packed = answer(gzip.compress(body), headers={"Content-Encoding": "gzip"})
    async with serving({"/": answer(body), "/packed": packed}) as site:
        for path in ("/", "/packed"):
            assert (await visitor().fetch(site.url + path)).title == "A page"


@pytest.mark.parametrize(
    "sent",
    [
        _endless(PAGE_OK, b"x", 0.02),
        _endless(OK, b"X: y\r\n", 0.02),
        _endless(PACKED_OK, gzip.compress(b""), 0.02),
        _endless(OK + b"Content-Type: text/html\r\nContent-Length: 50\r\n\r\n", b"", 0.02),
        _endless(b"", b"", 0.02),
        _endless(GO_ON, GO_ON, 0.02),
        _endless(GO_ON, GO_ON * 1_000),
    ],
    ids=["body", "headers", "packed", "silence-after-headers", "silence", "go-on", "go-on-at-once"],
)
async def test_a_site_that_drips_is_left_at_the_deadline(sent: Any) -> None:
    async with serving({"/": sent}) as site:
        begun = time.monotonic()
        assert await _refused(site.url, visitor(seconds=0.4)) == "The page took longer than 0.4 seconds."
        assert time.monotonic() - begun < 5.0


async def test_the_deadline_is_for_all_redirects_together() -> None:
    def slow(location: str) -> Callable[[asyncio.StreamWriter], Awaitable[None]]:
        async def send(writer: asyncio.StreamWriter) -> None:
            await asyncio.sleep(0.3)
            writer.write(onward(location))

        return send

    async with serving({f"/{n}": slow(f"/{n + 1}") for n in range(5)} | {"/5": answer()}) as site:
        assert "longer than 0.7 seconds" in await _refused(f"{site.url}/0", visitor(seconds=0.7))
    assert 1 <= site.connections <= 3


def _pieces(size: int, seconds: float, count: int) -> Callable[[asyncio.StreamWriter], Awaitable[None]]:
    """A PDF that comes in so many pieces, with a pause before each."""

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(answer(b"%PDF-", headers={"Content-Type": PDF}, length=5 + size * count))
        for _ in range(count):
            await asyncio.sleep(seconds)
            writer.write(b"x" * size)
            await writer.drain()

    return send


async def test_a_large_file_that_keeps_coming_gets_more_time_than_a_page() -> None:
    async with serving({"/": _pieces(50_000, 0.1, 8)}) as site:
        begun = time.monotonic()
        found = await visitor(seconds=0.5).fetch_file(site.url, kinds=(PDF,), most_bytes=500_000)
    assert len(found.data) == 400_005
    assert time.monotonic() - begun > 0.5, "it took longer than a page may"


async def test_a_large_file_that_drips_is_left_soon() -> None:
    async with serving({"/": _pieces(100, 0.02, 1_000)}) as site:
        begun = time.monotonic()
        with pytest.raises(FetchRefused, match=r"came too slowly: 0\.0 MB in 0 seconds"):
            await visitor(seconds=0.3).fetch_file(site.url, kinds=(PDF,), most_bytes=500_000)
        assert time.monotonic() - begun < 5.0


async def test_no_file_takes_longer_than_six_pages() -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            await asyncio.sleep(0.001)
            yield b"x" * 10_000

    async def wait() -> None:
        async with Patience(seconds=0.05, page_bytes=1_000, most_bytes=10_000_000) as patience:
            async for _ in patience.taking(endless()):
                pass

    begun = time.monotonic()
    with pytest.raises(FetchRefused, match="came too slowly"):
        await wait()
    assert 0.045 * MOST_TIMES <= time.monotonic() - begun < 5.0  # timers of loops are right to a millisecond


async def test_a_name_that_nobody_answers_for_is_left_at_the_deadline() -> None:
    async def never(_host: str, _port: int) -> list[str]:
        await asyncio.Event().wait()
        return []

    fetcher = Fetcher(contact="x", seconds=0.1, resolve=never)
    assert await _refused("https://name.example", fetcher) == "The page took longer than 0.1 seconds."


async def test_whoever_stops_waiting_leaves_no_connection_behind() -> None:
    arrived = asyncio.Event()
    gone = asyncio.Event()

    async def wait(writer: asyncio.StreamWriter) -> None:
        arrived.set()
        while not writer.transport.is_closing():
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            await asyncio.sleep(0.01)
        gone.set()

    async with serving({"/": wait}) as site:
        fetching = asyncio.create_task(visitor().fetch(site.url))
        await arrived.wait()
        fetching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await fetching
        await asyncio.wait_for(gone.wait(), 10)


# -- https


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for site.example that signs itself, with its key in the same file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Partita's tests")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("site.example")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "certificate.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(made.public_bytes(serialization.Encoding.PEM) + secret)
    return file


async def test_over_https_a_site_must_prove_its_name(certificate: Path) -> None:
    here = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    here.load_cert_chain(certificate)
    trusting = ssl.create_default_context(cafile=str(certificate))
    async with serving({"/": answer()}, tls=here) as site:
        assert (await visitor(tls=trusting).fetch(f"https://site.example:{site.port}/")).title == "A page"
        for url, fetcher in (
            (f"https://other.example:{site.port}/", visitor(tls=trusting)),
            (f"https://127.0.0.1:{site.port}/", visitor(tls=trusting)),
            (f"https://site.example:{site.port}/", visitor()),
        ):
            assert "its certificate is not valid" in await _refused(url, fetcher)
    assert len(site.asked) == 1


async def test_a_site_that_speaks_no_https_could_not_be_reached() -> None:
    async def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example ready\r\n")
        writer.close()

    async with listening(greet) as port:
        assert "could not be reached" in await _refused(f"https://site.example:{port}/")


def test_the_policy_of_these_tests_lets_only_one_address_through() -> None:
    assert home_only(HOME)
    assert not home_only(ip_address("127.0.0.2"))
