"""Property tests here are quick or slow as the machine is; only what they find counts."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("partita", deadline=None, max_examples=60)
settings.load_profile("partita")
