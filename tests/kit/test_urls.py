from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.urls import AddressError, checked, normalise


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


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_is_refused(text: str) -> None:
    try:
        once = normalise("https://example.org/" + text)
    except AddressError:
        return
    assert normalise(once) == once
