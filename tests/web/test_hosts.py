"""Only the site's own names are answered, and headers open nothing."""

from __future__ import annotations

import string
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.kit.settings import Settings, SettingsError, read_settings
from partita.web.middleware.hosts import Hosts, names_of
from tests.web.conftest import Served, make
from tests.web.visitor import Visitor

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("path", ["/", "/sign-in", "/api/openapi.json", "/metrics", "/static/app.css", "/nowhere"])
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8080",
        "127.0.0.1.evil.example",
        "localhost.evil",
        "",
        # Starlette makes a request's address from this: the path would be another one than that which was routed.
        "127.0.0.1/account/password?evil=",
        "127.0.0.1#",
        "evil@127.0.0.1",
    ],
)
async def test_a_name_that_is_not_ours_is_refused(served: Served, path: str, host: str) -> None:
    answer = await served.visitor().get(path, host=host)
    assert answer.status == 421
    assert "evil" not in answer.text
    assert not answer.headers.get_all("set-cookie", [])


async def test_the_attack_of_a_rebound_name_reads_no_metrics(served: Served) -> None:
    """A page of evil.example, whose name leads to 127.0.0.1 by now, asks from a browser on this machine."""
    browser = Visitor(served.app, "http://evil.example:8080", address="127.0.0.1")
    answer = await browser.ask("GET", "/metrics", headers={"sec-fetch-site": "same-origin"})
    assert (answer.status, b"partita_" in answer.body) == (421, False)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:8080", "127.8.9.1", "localhost.", "127.0.0.1:80"]
)
async def test_names_of_this_machine_are_answered(served: Served, host: str) -> None:
    assert (await served.visitor().get("/sign-in", host=host)).status == 200


async def test_probes_are_answered_under_any_name(served: Served) -> None:
    for path in ("/healthz", "/readyz"):
        assert (await served.visitor().get(path, host="10.1.2.3:9999")).json == {"status": "ok"}


async def test_the_names_of_the_settings_are_answered_and_two_names_are_not(tmp_path: Path) -> None:
    found = make(tmp_path, base_url="https://partita.example", allowed_hosts="www.partita.example, 2001:db8::7")
    async with found.app.router.lifespan_context(found.app):
        for host in ("partita.example", "WWW.partita.example:443", "[2001:db8::7]:443", "localhost:8080"):
            assert (await found.visitor().get("/sign-in", host=host)).status == 200, host
        assert (await found.visitor().get("/sign-in", host="wwww.partita.example")).status == 421
        twice = [(b"host", b"partita.example"), (b"host", b"evil.example")]
        assert not Hosts(found.app, names=names_of(found.suite.kit.settings))._ours({"headers": twice})


async def test_the_address_that_a_connection_came_to_is_a_name_of_ours() -> None:
    hosts = Hosts(_never, names=names_of(Settings()))
    assert hosts._ours({"headers": [(b"host", b"192.168.1.5:8080")], "server": ("192.168.1.5", 8080)})
    assert not hosts._ours({"headers": [(b"host", b"192.168.1.6:8080")], "server": ("192.168.1.5", 8080)})


async def _never(*_: object) -> None:
    raise AssertionError


@given(st.one_of(st.binary(max_size=40), st.text(string.printable, max_size=40).map(str.encode)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_the_header_is_it_is_ours_or_it_is_not(host: bytes) -> None:
    hosts = Hosts(_never, names={"partita.example"})
    ours = hosts._ours({"headers": [(b"host", host)], "server": ("10.0.0.1", 80)})
    if ours:
        name = host.decode().lower()
        known = ("partita.example", "localhost", "127.", "[::1]", "::1", "10.0.0.1", "[10.0.0.1]", "[127.")
        assert name.startswith(known)


def test_a_port_among_the_names_is_refused_with_a_next_step() -> None:
    with pytest.raises(SettingsError, match=r"PARTITA_ALLOWED_HOSTS: www\.example\.org:80: name the host without its"):
        read_settings(allowed_hosts="www.example.org:80")
    with pytest.raises(SettingsError, match="is not the name of a host"):
        read_settings(allowed_hosts="https://www.example.org/")


FORGED = [
    {"x_forwarded_for": "127.0.0.1"},
    {"x_real_ip": "127.0.0.1"},
    {"forwarded": "for=127.0.0.1"},
    {"via": "1.1 proxy"},
    {"x_forwarded_host": "localhost"},
    {"x_forwarded_proto": "https"},
    {"host": "localhost"},
    {"host": "127.0.0.1"},
]


@pytest.mark.parametrize("headers", FORGED, ids=str)
async def test_no_header_opens_the_metrics_of_a_site_behind_a_proxy(tmp_path: Path, headers: dict[str, str]) -> None:
    """The proxy is on the same machine, so that every request comes from 127.0.0.1."""
    found = make(tmp_path, base_url="https://partita.example")
    async with found.app.router.lifespan_context(found.app):
        visitor = found.visitor()
        visitor.address = "127.0.0.1"
        assert (await visitor.get("/metrics", **headers)).status == 303
        assert (await visitor.get("/metrics")).status == 303


@pytest.mark.parametrize("headers", [each for each in FORGED if "host" not in each], ids=str)
async def test_a_header_of_a_proxy_closes_the_metrics(served: Served, headers: dict[str, str]) -> None:
    visitor = served.visitor()
    assert (await visitor.get("/metrics", **headers)).status == 303, "from another machine"
    visitor.address = "127.0.0.1"
    assert (await visitor.get("/metrics", **headers)).status == 303
    assert (await visitor.get("/metrics")).status == 200
