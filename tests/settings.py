"""Settings for tests. To read the environment takes longer than to make some tables, so it is done once for each
environment."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from partita.kit.settings import PREFIX, Settings


def settings_for(folder: Path, **given: bool | str) -> Settings:
    """As `Settings(data=folder, **given)`."""
    environment = ((name, value) for name, value in os.environ.items() if name.startswith(PREFIX))
    return _read(tuple(sorted(environment)), tuple(sorted(given.items()))).model_copy(update={"data": folder})


@cache
def _read(_environment: tuple[tuple[str, str], ...], given: tuple[tuple[str, Any], ...]) -> Settings:
    return Settings(**dict(given))
