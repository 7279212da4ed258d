"""Names lead to one place each, and what people save a file as hides nothing."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from partita.kit.files.names import FileNameError, download_name, segments_of


@pytest.mark.parametrize("name", ["a", "kelifax/logos/0abc.png", "a/b-c/d_e/f.tar.gz", "9/_x/-y", "a" * 100])
def test_names_of_plain_parts_are_taken(name: str) -> None:
    assert "/".join(segments_of(name)) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "/",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "../a",
        "a/../b",
        "a/./b",
        "a/.hidden",
        ".incoming/x",
        "a\\b",
        "A",
        "é",
        "a b",
        "a%2fb",
        "a\x00b",
        "a\n",
        "a:b",
        "~",
        "a" * 101,
        "/".join(["abcdefghi"] * 31),
    ],
)
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(FileNameError, match="is no name of a file"):
        segments_of(name)


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ("report.pdf", "report.pdf"),
        ("የክልል ሪፖርት.docx", "የክልል ሪፖርት.docx"),
        ("../../etc/passwd", "etc passwd"),
        ("C:\\temp\\a.txt", "C temp a.txt"),
        ("invoice\u202efdp.exe", "invoice fdp.exe"),
        ("می\u200cخواهم.txt", "می\u200cخواهم.txt"),
        ("a\r\nSet-Cookie: b=1.txt", "a Set-Cookie b=1.txt"),
        ("  .  ", "file"),
        ("", "file"),
        ("x" * 500 + ".pdf", "x" * 120 + ".pdf"),
    ],
)
def test_what_people_save_a_file_as_is_readable_and_harmless(wanted: str, shown: str) -> None:
    assert download_name(wanted) == shown


@given(st.text(max_size=300))
@example("\ud800.txt")
@example(". . .")
def test_any_text_becomes_a_name_to_save_a_file_as(wanted: str) -> None:
    shown = download_name(wanted)
    assert 0 < len(shown) <= 131
    assert download_name(shown) == shown
    assert not set(shown) & set('/\\"<>|:*?')
    assert not any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in shown)
    assert shown.encode()
