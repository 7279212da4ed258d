"""The writer that writes what a model could not."""

from __future__ import annotations

from partita.apps.newsletter.service.generators.extractive import ExtractiveWriter
from partita.apps.newsletter.service.generators.writer import Writer


def offline_writer() -> Writer:
    """The offline writer."""
    return ExtractiveWriter()
