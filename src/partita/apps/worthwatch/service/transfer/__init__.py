"""Bringing lists and history from elsewhere, and taking them there."""

from partita.apps.worthwatch.service.transfer.exporting import Exporting, Format
from partita.apps.worthwatch.service.transfer.imports import Imports, Review, ReviewedRow
from partita.apps.worthwatch.service.transfer.reading import MOST_BYTES, MOST_ROWS

__all__ = ["MOST_BYTES", "MOST_ROWS", "Exporting", "Format", "Imports", "Review", "ReviewedRow"]
