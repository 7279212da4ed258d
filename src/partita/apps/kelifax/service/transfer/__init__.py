"""Import and export of the directory: CSV, JSON, and lists in Markdown."""

from partita.apps.kelifax.service.transfer.importing import FOLDER, KIND, Importing, ImportReport, Outcome
from partita.apps.kelifax.service.transfer.reading import MOST_BYTES, MOST_ENTRIES, Format
from partita.apps.kelifax.service.transfer.service import Transfer

__all__ = ["FOLDER", "KIND", "MOST_BYTES", "MOST_ENTRIES", "Format", "ImportReport", "Importing", "Outcome", "Transfer"]
