"""What is asked is what was checked."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.fetcher import FetchRefused
from partita.kit.fetcher.targets import target

WEB = (80, 443)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "gopher://example.org/",
        "ftp://example.org/a",
        "data:text/html,hello",
        "javascript:alert(1)",
        "dict://example.org:11211/",
        "ldap://example.org/",
        "jar:http://example.org!/a",
        "//example.org/",
        "example.org",
        "",
    ],
)
def test_only_http_and_https_are_followed(url: str) -> None:
    with pytest.raises(FetchRefused):
        target(url, WEB)


@pytest.mark.parametrize("url", ["http://ann:secret@example.org/", "http://ann@example.org/", "http://@example.org/"])
def test_nobodys_name_or_password_is_sent(url: str) -> None:
    with pytest.raises(FetchRefused, match="must not contain a username or password"):
        target(url, WEB)


@pytest.mark.parametrize(
    "host",
    ["2130706433", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1", "0x7f.0.0.1", "127.0.0.0x1", "1.2.3.4.5", "127.0.1"],
)
def test_addresses_spelled_as_other_numbers_are_refused(host: str) -> None:
    with pytest.raises(FetchRefused):
        target(f"http://{host}/", WEB)


@pytest.mark.parametrize("host", ["127.0.0.1", "１２７.0.0.1", "127。0。0。1", "①27.0.0.1"])
def test_addresses_in_other_digits_are_addresses(host: str) -> None:
    found = target(f"http://{host}/", WEB)
    assert str(found.literal) == "127.0.0.1"
    assert found.url.host == "127.0.0.1"


@pytest.mark.parametrize("port", [22, 25, 6379, 8080, 9200, 11211])
def test_other_ports_than_those_of_the_web_are_refused(port: int) -> None:
    with pytest.raises(FetchRefused, match=f"from the ports 80 and 443 only, not from {port}"):
        target(f"http://example.org:{port}/", WEB)
    assert target(f"http://example.org:{port}/", None).port == port
    assert target(f"http://example.org:{port}/", (80, port)).port == port


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("HTTP://Example.ORG:80", "http://example.org/"),
        ("https://example.org:443/a?b=c#d", "https://example.org/a?b=c"),
        ("https://bücher.example/ü?ü=ö", "https://xn--bcher-kva.example/%C3%BC?%C3%BC=%C3%B6"),
        ("https://example.org/%2F%zz", "https://example.org/%2F%zz"),
        ("https://example.org/a;b=1,2?c='d'", "https://example.org/a;b=1,2?c='d'"),
        ("http://[2606:4700:4700::1111]/", "http://[2606:4700:4700::1111]/"),
    ],
)
def test_an_address_is_asked_as_it_was_written(url: str, asked: str) -> None:
    assert str(target(url, WEB).url) == asked


@pytest.mark.parametrize(
    ("location", "asked"),
    [
        ("/b", "https://example.org/b"),
        ("b?c=d", "https://example.org/a/b?c=d"),
        ("//other.example/x", "https://other.example/x"),
        (" http://other.example/with space ", "http://other.example/with%20space"),
        ("/caf\udcc3\udca9", "https://example.org/caf%C3%A9"),
        ("#part", "https://example.org/a/"),
    ],
)
def test_servers_lead_on_as_browsers_understand_them(location: str, asked: str) -> None:
    assert str(target("https://example.org/a/", WEB).towards(location, WEB).url) == asked


def test_characters_that_nobody_can_send_are_refused() -> None:
    with pytest.raises(FetchRefused, match=r"invalid character|nobody can send"):
        target("https://example.org/\ud800", WEB)


@pytest.mark.parametrize("location", ["http://[", "http://[::1", "http://[x]/", "http://a b.example", "\ud800"])
def test_servers_that_lead_nowhere_are_not_followed(location: str) -> None:
    with pytest.raises(FetchRefused):
        target("https://example.org/a/", WEB).towards(location, WEB)


@given(st.text(max_size=60), st.sampled_from(["http://", "https://", "http://example.org/", "http://127.0.0.1", ""]))
def test_any_text_is_refused_or_asked_of_the_host_that_was_checked(text: str, start: str) -> None:
    try:
        found = target(start + text, WEB)
    except FetchRefused:
        return
    assert found.url.raw_host == found.host
    assert found.url.user is None
    again = urlsplit(str(found.url))
    assert again.hostname == found.host
    assert (again.port or {"http": 80, "https": 443}[again.scheme]) == found.port
    assert str(found.url).isascii()
    assert str(found.url).isprintable()
