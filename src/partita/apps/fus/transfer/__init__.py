"""The catalog as a file, both ways: bookmarks as browsers keep them, CSV and JSON."""

from partita.apps.fus.transfer.rows import Entry, Format
from partita.apps.fus.transfer.service import MOST_BYTES, MOST_ENTRIES, Imported, Report, Transfer

__all__ = ["MOST_BYTES", "MOST_ENTRIES", "Entry", "Format", "Imported", "Report", "Transfer"]
