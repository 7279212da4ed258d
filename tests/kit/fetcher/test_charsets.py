"""Bytes become text by what is said of them, nearest first."""

from __future__ import annotations

import codecs
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.fetcher import charsets
from partita.kit.fetcher.charsets import text_of, without_half_a_character


@pytest.mark.parametrize(
    ("data", "declared", "text"),
    [
        ("é".encode(), None, "é"),
        ("é".encode(), "utf-8", "é"),
        (b"\xe9", None, "é"),
        (b"\x80", "iso-8859-1", "€"),
        (b"\xe9", "UTF-8", "\ufffd"),
        ("é".encode("utf-16"), None, "é"),
        (codecs.BOM_UTF8 + "é".encode(), "iso-8859-1", "é"),
        ("日本".encode("shift_jis"), "Shift_JIS", "日本"),
        ("日本".encode("euc_jp"), " euc-jp ", "日本"),
        ("中文".encode("gbk"), "gb2312", "中文"),
        ("привет".encode("koi8_r"), "koi8-r", "привет"),
        ("привет".encode("cp1251"), "windows-1251", "привет"),
        (b'<meta charset="windows-1251">' + "привет".encode("cp1251"), None, '<meta charset="windows-1251">привет'),
        (b"<meta charset=utf-16>" + "é".encode(), None, "<meta charset=utf-16>é"),
        (b"<meta charset=utf-8>\xe9", "windows-1252", "<meta charset=utf-8>é"),
        (b"\xe9", "no-such-charset", "é"),
    ],
)
def test_the_nearest_word_counts(data: bytes, declared: str | None, text: str) -> None:
    assert text_of(data, declared) == text


def test_an_old_declaration_counts_too() -> None:
    page = b'<META http-equiv="Content-Type" content="text/html; charset=iso-8859-2">\xb1'
    assert text_of(page).endswith("ą")


def test_every_name_leads_to_a_codec_of_text() -> None:
    for codec in charsets._CODECS.values():
        assert b"text".decode(codec, "replace")


@given(
    st.binary(max_size=200),
    st.text(max_size=20) | st.sampled_from(["zip", "hex", "idna", "unicode_escape", "undefined"]),
)
def test_no_name_and_no_bytes_are_an_error(data: bytes, declared: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(text_of(data, declared), str)


@given(st.text(min_size=1), st.integers(0, 400))
def test_the_start_of_a_text_is_a_start_of_its_characters(text: str, length: int) -> None:
    """A law: wherever a text in UTF-8 is cut, no character is lost but the one that is cut."""
    data = text.encode()
    start = without_half_a_character(data[:length])
    assert text.startswith(start.decode())
    assert len(text[: len(start.decode()) + 1].encode()) > min(length, len(data) - 1)
