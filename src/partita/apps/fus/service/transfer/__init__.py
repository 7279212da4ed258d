"""Export and import of the catalog: bookmarks as browsers have them, CSV and JSON."""

from partita.apps.fus.service.transfer.reading import MOST_BYTES, MOST_ENTRIES
from partita.apps.fus.service.transfer.report import ImportedRow, Outcome, Report
from partita.apps.fus.service.transfer.rows import Entry, Format
from partita.apps.fus.service.transfer.service import IMPORTING, Transfer

__all__ = [
    "IMPORTING",
    "MOST_BYTES",
    "MOST_ENTRIES",
    "Entry",
    "Format",
    "ImportedRow",
    "Outcome",
    "Report",
    "Transfer",
]
