"""The store of files that the settings name."""

from __future__ import annotations

from collections.abc import Sequence

from partita.kit.clock import Clock
from partita.kit.files.local import LocalFiles
from partita.kit.files.s3 import S3Files
from partita.kit.keys import signing_keys
from partita.kit.settings import Settings, SettingsError

_FOLDER = "files"


def files_for(settings: Settings, clock: Clock) -> LocalFiles | S3Files:
    """In the data folder, or in S3."""
    if settings.files == "s3":
        return s3_for(settings, clock, keys=signing_keys(settings, "files"))
    return LocalFiles(settings.data / _FOLDER, signing_keys(settings, "files"), clock)


def s3_for(settings: Settings, clock: Clock | None = None, *, keys: Sequence[bytes] = ()) -> S3Files:
    """The bucket of the settings."""
    if settings.s3_bucket is None:
        raise SettingsError("PARTITA_S3_BUCKET must be set too.")
    return S3Files(
        settings.s3_bucket,
        region=settings.region,
        endpoint_url=settings.s3_endpoint_url,
        encryption=settings.s3_encryption,
        clock=clock,
        keys=keys,
    )
