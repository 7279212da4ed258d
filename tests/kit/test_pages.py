"""Where an address from outside may lead."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.pages import local


@pytest.mark.parametrize("url", ["/", "/kelifax", "/kelifax/resources?q=a&tag=b#c", "/a//b", "/%2F%2Fevil.example"])
def test_a_path_of_this_site_is_kept(url: str) -> None:
    assert local(url) == url


@pytest.mark.parametrize(
    "url",
    [
        None,
        "",
        "kelifax",
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\/evil.example",
        "https://evil.example",
        "javascript:alert(1)",
        "/\t/evil.example",
        "/\r\n/evil.example",
        "/ok\\..\\evil",
        "/with space",
        "/\x00",
        "/" + "x" * 2000,
    ],
)
def test_everything_else_is_not(url: str | None) -> None:
    assert local(url) == "/"
    assert local(url, "/otherwise") == "/otherwise"


@given(st.text(alphabet="/\\\t\r\n:@?#.%abhtps evil", max_size=30))
def test_nothing_leads_to_another_host(url: str) -> None:
    kept = local(url)
    # What browsers do with an address: tabs and line ends go, backslashes are slashes.
    seen = kept.replace("\t", "").replace("\r", "").replace("\n", "").replace("\\", "/")
    assert seen.startswith("/")
    assert not seen.startswith("//")
