"""Backups: everything that a data folder keeps, as of one moment, in a folder that can be checked and restored."""

from partita.kit.backup.errors import BackupError
from partita.kit.backup.manifest import Manifest
from partita.kit.backup.moments import restore_data, to_second
from partita.kit.backup.reading import is_encrypted
from partita.kit.backup.restoring import restore
from partita.kit.backup.taking import back_up

__all__ = ["BackupError", "Manifest", "back_up", "is_encrypted", "restore", "restore_data", "to_second"]
