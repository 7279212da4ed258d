"""Export and import of the catalog: bookmarks as browsers have them, CSV and JSON."""

from partita.apps.fus.service.transfer.rows import Entry, Format
from partita.apps.fus.service.transfer.service import MOST_BYTES, MOST_ENTRIES, ImportedRow, Report, Transfer

__all__ = ["MOST_BYTES", "MOST_ENTRIES", "Entry", "Format", "ImportedRow", "Report", "Transfer"]
