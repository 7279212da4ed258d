"""Nothing that somebody uploaded acts as a page of ours."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.files import safe_headers


@pytest.mark.parametrize("kind", ["image/png", "image/jpeg", "image/webp", "image/gif"])
def test_pictures_are_shown(kind: str) -> None:
    headers = safe_headers(kind)
    assert headers["Content-Type"] == kind
    assert headers["Content-Disposition"] == "inline"


@pytest.mark.parametrize(
    "kind",
    [
        "text/html",
        "image/svg+xml",
        "application/xhtml+xml",
        "text/xml",
        "application/pdf",
        "text/plain; charset=utf-8",
        "application/javascript",
    ],
)
def test_everything_else_is_downloaded(kind: str) -> None:
    assert safe_headers(kind)["Content-Disposition"] == "attachment"


def test_a_picture_is_downloaded_where_a_name_is_given() -> None:
    shown = safe_headers("image/png", download_as="logo.png")["Content-Disposition"]
    assert shown == "attachment; filename=\"logo.png\"; filename*=UTF-8''logo.png"


@pytest.mark.parametrize(
    "kind", ["", "png", "image/png\r\nX: y", "image/png; a=b\n", "IMAGE/PNG", "image/png,text/html"]
)
def test_what_is_no_content_type_is_served_as_bytes(kind: str) -> None:
    headers = safe_headers(kind)
    assert headers["Content-Type"] == "application/octet-stream"
    assert headers["Content-Disposition"] == "attachment"


def test_browsers_are_told_not_to_guess_and_not_to_run() -> None:
    headers = safe_headers("text/html")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in headers["Content-Security-Policy"].split("; ")
    assert "default-src 'none'" in headers["Content-Security-Policy"].split("; ")


def test_a_name_in_any_script_arrives() -> None:
    shown = safe_headers("text/plain", download_as="ሪፖርት 100%.txt")["Content-Disposition"]
    plain, _, extended = shown.partition("; filename*=UTF-8''")
    assert plain == 'attachment; filename="____ 100_.txt"'
    assert unquote(extended) == "ሪፖርት 100%.txt"


@given(st.text(max_size=100))
def test_no_name_breaks_out_of_its_header(name: str) -> None:
    header = safe_headers("text/plain", download_as=name)["Content-Disposition"]
    assert header.isascii()
    assert header.isprintable()
    assert header.count('"') == 2
    assert header.count(";") == 2
