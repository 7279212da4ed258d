"""Encrypted files: what was written comes back, and nothing else does."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.backup import BackupError, sealing
from partita.kit.backup.sealing import Seal, check_passphrase, new_encryption
from tests.kit.backup.folders import PASSPHRASE, QUICK

SEAL = Seal(PASSPHRASE, QUICK)
SMALL = 32  # bytes of a chunk here, so that small files have several
PIECE = SMALL + 16


@pytest.fixture(autouse=True, scope="module")
def _small_chunks() -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sealing, "CHUNK", SMALL)
        yield


def _sealed(data: bytes, name: str = "sealed/1") -> bytes:
    return b"".join(SEAL.sealed(name, [data]))


def _opened(data: bytes, name: str = "sealed/1", seal: Seal = SEAL) -> bytes:
    return b"".join(seal.opened(name, BytesIO(data)))


@given(st.lists(st.binary(max_size=100), max_size=5))
def test_what_was_sealed_in_any_pieces_is_opened_as_it_was(pieces: list[bytes]) -> None:
    sealed = b"".join(SEAL.sealed("sealed/1", pieces))
    assert _opened(sealed) == b"".join(pieces)
    assert b"".join(pieces)[:16] not in sealed or len(b"".join(pieces)) < 8


@given(st.binary(max_size=200), st.integers(0, 10_000), st.integers(1, 255))
def test_no_changed_byte_is_taken(data: bytes, at: int, by: int) -> None:
    sealed = bytearray(_sealed(data))
    sealed[at % len(sealed)] ^= by
    with pytest.raises(BackupError, match="changed or damaged"):
        _opened(bytes(sealed))


@given(st.binary(min_size=SMALL + 1, max_size=200), st.data())
def test_chunks_cannot_be_cut_off_left_out_doubled_or_moved(data: bytes, choose: st.DataObject) -> None:
    sealed = _sealed(data)
    chunks = [sealed[start : start + PIECE] for start in range(0, len(sealed), PIECE)]
    other = choose.draw(st.lists(st.sampled_from(range(len(chunks))), max_size=len(chunks) + 1))
    rearranged = b"".join(chunks[number] for number in other)
    if rearranged == sealed:
        assert _opened(rearranged) == data
    else:
        with pytest.raises(BackupError, match="changed or damaged"):
            _opened(rearranged)


@given(st.binary(max_size=100), st.integers(1, 1000))
def test_a_file_cut_anywhere_is_refused(data: bytes, less: int) -> None:
    sealed = _sealed(data)
    with pytest.raises(BackupError, match="changed or damaged"):
        _opened(sealed[: -min(less, len(sealed))])


def test_a_file_cannot_take_the_place_of_another_nor_be_opened_with_another_key() -> None:
    sealed = _sealed(b"one")
    for name, seal in (("sealed/2", SEAL), ("sealed/1", Seal(PASSPHRASE + ".", QUICK))):
        with pytest.raises(BackupError, match=f"^{name} is not as it was written"):
            _opened(sealed, name, seal)


def test_two_backups_with_one_passphrase_have_different_keys() -> None:
    first, second = (QUICK.model_copy(update={"salt": new_encryption().salt}) for _ in range(2))
    assert first.salt != second.salt
    sealed = b"".join(Seal(PASSPHRASE, first).sealed("sealed/1", [b"one"]))
    with pytest.raises(BackupError):
        _opened(sealed, seal=Seal(PASSPHRASE, second))


def test_a_new_backup_makes_guessing_slow() -> None:
    assert (new_encryption().n, new_encryption().r) == (2**17, 8)


@given(st.binary(min_size=12, max_size=40), st.binary(min_size=12, max_size=40))
def test_any_bytes_of_the_environment_are_a_passphrase_of_their_own(one: bytes, other: bytes) -> None:
    first, second = (each.decode(errors="surrogateescape") for each in (one, other))
    sealed = b"".join(Seal(first, QUICK).sealed("sealed/1", [b"one"]))
    assert _opened(sealed, seal=Seal(first, QUICK)) == b"one"
    if one != other:
        with pytest.raises(BackupError, match="changed or damaged"):
            _opened(sealed, seal=Seal(second, QUICK))


@given(st.text(min_size=11, max_size=20), st.integers(0xD800, 0xDC7F).map(chr))
def test_a_passphrase_that_no_encoding_has_is_refused_before_anything_is_written(text: str, half: str) -> None:
    for refused in (check_passphrase, lambda passphrase: Seal(passphrase, QUICK)):
        with pytest.raises(BackupError, match="no encoding has"):
            refused(text + half)


def test_a_short_passphrase_is_refused_with_a_hint() -> None:
    check_passphrase("x" * 12)
    with pytest.raises(BackupError, match=r"has 11 characters; it needs at least 12\. Four or five random words"):
        check_passphrase("x" * 11)
