from __future__ import annotations

from partita.table.recent import Recent


def test_what_nobody_asks_for_is_forgotten() -> None:
    pages: Recent[object, bytes] = Recent(1_000_000)
    pages.add("asked for", b"kept", 2_000)
    for number in range(500):
        pages.add(number, b"x", 12_000)
        assert pages.get("asked for") == b"kept"
    known = [number for number in range(500) if pages.get(number)]
    assert known[-1] == 499
    assert 40 < len(known) < 100


def test_what_is_huge_is_not_kept() -> None:
    pages: Recent[str, bytes] = Recent(1_000_000)
    pages.add("huge", b"x", 20_000)
    assert pages.get("huge") is None
    assert not pages.takes(20_000)


def test_a_memory_of_nothing_keeps_nothing() -> None:
    pages: Recent[str, bytes] = Recent(0)
    pages.add("a", b"x", 1)
    assert pages.get("a") is None
