"""What a backup says of itself.

backup.json                       the format, how it is encrypted, and the digest of the manifest
manifest.json, manifest.sealed    the moment, the tables, and every file with its digest
data/…, sealed/…                  the files: as they lie in a data folder, or encrypted and numbered
"""

from __future__ import annotations

import base64
import os
from datetime import datetime
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    field_validator,
    model_validator,
)

from partita.engine.database import FILE_NAME
from partita.store.files import LARGE_VALUES

FORMAT = 2
"""Written only if a file has a name that is not UTF-8; else 1, which earlier versions read too."""
HEADER = "backup.json"
SECRET = "secret"
ACCOUNTS = "partita-accounts"
"""The table that every suite has, and no folder of an engine alone."""
KEYS = (SECRET, "cursor-keys")
"""Files with keys: of a suite, and of a store that a program of your own has opened."""
BACKUPS = "backups"
"""What `CreateBackup` has made."""
UPLOADS = ("files", LARGE_VALUES)
FOLDERS = (*UPLOADS, BACKUPS)
"""The folders of a data folder that are backed up. The search index is made anew, and `place` names the machine."""

_BYTES = "bytes:"
"""Before the name of a file that is not UTF-8, in base64; the path of no file that a backup has begins so."""


def is_text(path: str) -> bool:
    """Whether the name of a file can be written as text."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _written(path: str) -> str:
    return path if is_text(path) else _BYTES + base64.b64encode(os.fsencode(path)).decode()


def _read(path: object) -> object:
    if not isinstance(path, str) or not path.startswith(_BYTES):
        return path
    return os.fsdecode(base64.b64decode(path.removeprefix(_BYTES), validate=True))


Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
FilePath = Annotated[str, BeforeValidator(_read), PlainSerializer(_written)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Encryption(_Part):
    """How the key comes from the passphrase; the bounds keep a changed header from asking for all memory."""

    kdf: Literal["scrypt"] = "scrypt"
    cipher: Literal["AES-256-GCM"] = "AES-256-GCM"
    n: int = Field(ge=2**10, le=2**20)
    r: int = Field(ge=8, le=16)
    p: int = Field(ge=1, le=4)
    salt: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]

    @field_validator("n")
    @classmethod
    def _power_of_two(cls, value: int) -> int:
        if value & (value - 1):
            raise ValueError("n is a power of two")
        return value


class Header(_Part):
    """`backup.json`: what must be known before the rest can be read."""

    format: Literal[1, 2]
    encryption: Encryption | None
    manifest: Digest
    """The SHA-256 of the manifest as it is stored."""


class BackedUpTable(_Part):
    """A table and what is in it."""

    name: str
    items: int = Field(ge=0)
    bytes: int = Field(ge=0)


class BackedUpFile(_Part):
    """A file of the data folder, and where the backup has it."""

    path: FilePath
    bytes: int = Field(ge=0)
    sha256: Digest
    stored: FilePath

    @field_validator("path")
    @classmethod
    def _within(cls, value: str) -> str:
        """Nothing is written anywhere but where a backup takes it from."""
        parts = PurePosixPath(value).parts
        if value != "/".join(parts) or ".." in parts or "\0" in value:
            raise ValueError("a path within the data folder")
        if value not in (FILE_NAME, *KEYS) and (len(parts) < 2 or parts[0] not in FOLDERS):
            raise ValueError("a file that a backup has")
        return value

    @field_validator("stored")
    @classmethod
    def _beside(cls, value: str) -> str:
        parts = PurePosixPath(value).parts
        if value != "/".join(parts) or ".." in parts or "\0" in value or parts[:1] not in (("data",), ("sealed",)):
            raise ValueError("a path within the backup")
        return value


class Manifest(_Part):
    """What is in a backup."""

    partita: str
    """The version that wrote it."""
    moment: Annotated[datetime, Field(strict=False)]
    tables: Annotated[tuple[BackedUpTable, ...], Field(strict=False)]
    files: Annotated[tuple[BackedUpFile, ...], Field(strict=False)]

    @model_validator(mode="after")
    def _whole(self) -> Manifest:
        paths = [file.path for file in self.files]
        if FILE_NAME not in paths or len(set(paths)) < len(paths):
            raise ValueError("the tables, and every path once")
        return self

    @property
    def format(self) -> Literal[1, 2]:
        """The earliest format that can say it."""
        return 1 if all(is_text(file.path) for file in self.files) else 2

    @property
    def items(self) -> int:
        return sum(table.items for table in self.tables)

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)

    @property
    def uploads(self) -> tuple[BackedUpFile, ...]:
        """Uploaded files and large values."""
        return tuple(file for file in self.files if file.path not in (FILE_NAME, *KEYS))

    @property
    def of_suite(self) -> bool:
        """Whether `partita serve` has made the folder; else its tables are another program's."""
        return self.has_secret or any(table.name == ACCOUNTS for table in self.tables)

    @property
    def has_secret(self) -> bool:
        return any(file.path == SECRET for file in self.files)
