"""How large the tests of size are: small with all others, full with `make enablement`."""

from __future__ import annotations

import os

FULL = os.environ.get("PARTITA_SIZES") == "full"


def sized(small: int, full: int) -> int:
    """A number that depends on how long the tests may take."""
    return full if FULL else small


def report(figures: str) -> None:
    """Say what was measured; `make enablement` shows it."""
    print(f"\n{'full size' if FULL else 'small'}: {figures}", flush=True)
