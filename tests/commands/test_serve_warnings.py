"""What `partita serve` warns about before it serves."""

from __future__ import annotations

import pytest

from partita.commands.serve import _warnings
from partita.kit.settings import Settings

ON_S3 = {"files": "s3", "s3_bucket": "uploads"}


@pytest.mark.parametrize(
    ("settings", "warned"),
    [
        (Settings(), False),
        (Settings(base_url="http://partita.example"), False),
        (Settings(base_url="https://partita.example"), True),
        (Settings(base_url="https://partita.example", trusted_proxies=("10.0.0.1",)), False),
    ],
)
def test_https_without_trusted_proxies_is_told_at_the_start(settings: Settings, warned: bool) -> None:
    assert [("trusted_proxies is empty" in each) for each in _warnings(settings)] == [True] * warned


@pytest.mark.parametrize(
    ("backend", "secret", "warned"), [("dynamodb", None, 1), ("dynamodb", "s" * 40, 0), ("embedded", None, 0)]
)
def test_machines_without_a_common_secret_are_warned_of(backend: str, secret: str | None, warned: int) -> None:
    settings = Settings.model_validate({"backend": backend, "secret": secret, **ON_S3})
    assert [("PARTITA_SECRET" in each) for each in _warnings(settings)] == [True] * warned


@pytest.mark.parametrize(
    ("backend", "files", "warned"), [("dynamodb", {}, 1), ("dynamodb", ON_S3, 0), ("embedded", {}, 0)]
)
def test_machines_that_keep_files_to_themselves_are_warned_of(backend: str, files: dict[str, str], warned: int) -> None:
    settings = Settings.model_validate({"backend": backend, "secret": "s" * 40, **files})
    assert [("PARTITA_FILES=s3" in each) for each in _warnings(settings)] == [True] * warned
