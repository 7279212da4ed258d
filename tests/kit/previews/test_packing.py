"""Archives that are packed in ways nobody uses are refused before a byte of them is unpacked."""

from __future__ import annotations

import io
import resource
import zipfile

import pytest

from partita.apps.worthwatch.service.transfer.reading import plain_rows
from partita.kit.previews.package import opened
from partita.kit.previews.refusals import PreviewRefused


def packed(kind: int, name: str, content: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", kind) as archive:
        archive.writestr(name, content)
    return data.getvalue()


@pytest.mark.parametrize(
    ("kind", "size"), [(zipfile.ZIP_BZIP2, 40_000_000), (zipfile.ZIP_LZMA, 2_000_000)], ids=["bzip2", "lzma"]
)
def test_a_bomb_of_another_kind_is_not_lit(kind: int, size: int) -> None:
    """Less than 500 bytes of bzip2 unpack to 40 MB in one step, before any limit of ours is asked."""
    bomb = packed(kind, "watched.csv", b"x" * size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert plain_rows(bomb, "a.zip") == "This zip file is packed in an unusual way. Unpack it and choose one file."
    with pytest.raises(PreviewRefused, match="packed in a way that no office program uses"), opened(bomb):
        pass
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


def test_damaged_lzma_is_refused_in_words() -> None:
    """It was answered with an error of the program: Python's LZMAError is none of the errors that archives raise."""
    damaged = bytearray(packed(zipfile.ZIP_LZMA, "watched.csv", b"Date,Name,Year\n" * 50))
    start = damaged.index(b"watched.csv") + 23
    damaged[start : start + 8] = bytes(byte ^ 0xFF for byte in damaged[start : start + 8])
    assert isinstance(plain_rows(bytes(damaged), "a.zip"), str)
