"""Buckets of exports and imports: each is a folder below one that the engine is given; objects are files in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from partita.dynamo.errors import ValidationError
from partita.lasting import sync
from partita.private_files import private_file, private_folder

NAME = r"[a-zA-Z0-9]+[.\-\w]*[a-zA-Z0-9]+"
_UNFINISHED = ".unfinished-"


class Buckets:
    """The folder of all buckets; without one, every bucket is refused."""

    def __init__(self, root: Path | None) -> None:
        self._root = root

    @property
    def there(self) -> bool:
        return self._root is not None

    def folder(self, bucket: str) -> Path:
        """The folder of a bucket, which has to be there."""
        if self._root is None:
            raise ValidationError(
                "This engine has no folder for exports and imports. Start it with one: "
                "partita dynamodb --exports FOLDER"
            )
        folder = self._root / bucket
        if not folder.is_dir():
            raise ValidationError(
                f"The bucket {bucket} is not there. Make a folder of this name in the engine's folder for exports."
            )
        return folder

    def check_prefix(self, prefix: str) -> None:
        """Refuse a prefix that would leave the bucket or could not be the name of a file."""
        parts = prefix.rstrip("/").split("/")
        if prefix and (any(part in ("", ".", "..") for part in parts) or "\x00" in prefix or "\\" in prefix):
            raise ValidationError(f"The prefix {prefix!r} cannot be used: name folders with single / between them.")

    @contextmanager
    def writing(self, bucket: str, key: str) -> Iterator[BinaryIO]:
        """A new object, readable by its owner only; it gets its name when it is whole. What a crash leaves is written
        over when the object is written again: nobody else may write it at the same time."""
        target = self.folder(bucket) / key
        private_folder(target.parent)
        unfinished = target.with_name(f"{_UNFINISHED}{target.name}")
        private_file(unfinished)
        try:
            with unfinished.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(target)
            sync(target.parent)
        finally:
            unfinished.unlink(missing_ok=True)

    def put(self, bucket: str, key: str, content: bytes) -> None:
        with self.writing(bucket, key) as file:
            file.write(content)

    def objects(self, bucket: str, prefix: str) -> list[tuple[str, Path]]:
        """The objects whose keys begin with a prefix, and their keys, in order; links lead nowhere."""
        root = self.folder(bucket)
        found: list[tuple[str, Path]] = []
        for folder, _, names in os.walk(root):
            for name in names:
                path = Path(folder, name)
                key = path.relative_to(root).as_posix()
                if key.startswith(prefix) and not name.startswith(_UNFINISHED) and not path.is_symlink():
                    found.append((key, path))
        return sorted(found)
