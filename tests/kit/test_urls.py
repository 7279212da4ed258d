from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.urls import AddressError, checked, completed, normalise, same_page, spellings


@pytest.mark.parametrize(
    "other",
    [
        "http://example.org/a",
        "HTTPS://EXAMPLE.org/a",
        "https://example.org:443/a",
        "http://example.org:80/a/",
        "https://example.org/a/?utm_source=x&fbclid=y",
        "https://example.org/a#part",
        "https://example.org./a",
        "https://example.org/%61",
        " https://example.org/a ",
    ],
)
def test_spellings_of_one_address_are_the_same(other: str) -> None:
    assert normalise(other) == normalise("https://example.org/a") == "https://example.org/a"


@pytest.mark.parametrize(
    "other",
    [
        "https://example.org/A",
        "https://example.org/a/b",
        "https://example.org:8443/a",
        "https://www.example.org/a",
        "https://example.org/a?page=2",
        "https://example.org/a%2Fb",
    ],
)
def test_other_addresses_stay_other(other: str) -> None:
    assert normalise(other) != normalise("https://example.org/a")


def test_an_escaped_slash_is_no_slash() -> None:
    assert normalise("https://example.org/a%2fb") == "https://example.org/a%2Fb" != normalise("https://example.org/a/b")


def test_a_name_in_another_script_is_the_same_as_its_ascii_form() -> None:
    assert (
        normalise("https://bücher.example/")
        == normalise("https://xn--bcher-kva.example")
        == "https://xn--bcher-kva.example"
    )


def test_what_does_not_track_people_stays_in_the_address_in_its_order() -> None:
    assert normalise("https://example.org/?b=2&utm_medium=m&a=1&c=") == "https://example.org?b=2&a=1&c="


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "Enter a URL"),
        ("example.org", "starts with http"),
        ("ftp://example.org", "starts with http"),
        ("javascript:alert(1)", "starts with http"),
        ("https://ada:secret@example.org", "username or password"),
        ("https://exa mple.org", "contain spaces"),
        ("https://", "needs a host"),
        ("https://localhost", "needs a host"),
        ("https://example.org:99999", "not a valid URL"),
        ("https://example.org:0", "Port 0"),
        ("https://[::1", "not a valid URL"),
        ("https://-example-.org", "not a valid host name"),
        ("https://example.org/" + "a" * 2000, "At most 2,000"),
        ("https://example.org/\ud800", "invalid character"),
    ],
)
def test_what_is_no_address_says_why(url: str, why: str) -> None:
    with pytest.raises(AddressError, match=why):
        checked(url)


_HOSTS = st.sampled_from(
    [
        *("example.org", "www.example.org", "WWW.Example.org", "www.www.example.org", "www.com", "bücher.example"),
        *("maps.example.org:8443", "www.maps.example.org:8443", "93.184.216.34", "[2606:2800::1]:8080"),
    ]
)
_PATHS = st.text("aB/?&=%2#.ü ", max_size=12).filter(lambda text: " " not in text)


@given(_HOSTS, _PATHS, _HOSTS, _PATHS)
def test_two_addresses_are_the_same_page_exactly_if_they_share_a_spelling(
    one: str, path: str, other: str, other_path: str
) -> None:
    first, second = f"https://{one}/{path}", f"http://{other}/{other_path}"
    assert (same_page(first) == same_page(second)) == bool({*spellings(first)} & {*spellings(second)})
    assert same_page(same_page(first)) == same_page(first)
    assert all({*spellings(each)} == {*spellings(first)} for each in spellings(first))
    assert normalise(first) in spellings(first)  # what is stored is still found


def test_www_makes_no_other_page_but_another_host_does() -> None:
    assert same_page("https://www.example.org/a") == same_page("http://example.org/a/") == "https://example.org/a"
    assert same_page("https://maps.example.org") != same_page("https://example.org")
    assert same_page("https://www.com") == "https://www.com"
    assert spellings("https://93.184.216.34/a") == ("https://93.184.216.34/a",)


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("example.org", "https://example.org"),
        (" www.example.org/a?b=1#c ", "https://www.example.org/a?b=1#c"),
        ("example.org:8443/a", "https://example.org:8443/a"),
        ("bücher.example", "https://bücher.example"),
    ],
)
def test_an_address_without_a_scheme_gets_one(typed: str, url: str) -> None:
    assert checked(completed(typed)) == url


@pytest.mark.parametrize(
    "typed", ["localhost", "//example.org", "javascript:alert(1)", "mailto:ada@example.org", "a.b@example.org", ""]
)
def test_what_is_no_address_does_not_become_one(typed: str) -> None:
    assert completed(typed) == typed
    with pytest.raises(AddressError):
        checked(completed(typed))


@given(st.text(max_size=40))
def test_completing_twice_is_completing_once_and_leaves_addresses_alone(text: str) -> None:
    assert completed(completed(text)) == completed(text)
    assert completed(f"https://{text}") == f"https://{text}"


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_is_refused(text: str) -> None:
    try:
        once = normalise("https://example.org/" + text)
    except AddressError:
        return
    assert normalise(once) == once
