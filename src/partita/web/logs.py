"""The log: one JSON object per line."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import orjson

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message", "taskName"}


class JsonLines(logging.Formatter):
    """A record with its message and its `extra` values."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "event": record.getMessage(),
        }
        line.update((name, value) for name, value in vars(record).items() if name not in _STANDARD)
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return orjson.dumps(line, default=str).decode()


@contextmanager
def told(log: logging.Logger) -> Iterator[None]:
    """Log what a command says with one logger; other commands log warnings alone, and as plain text."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


def configure(level: str) -> None:
    """Log everything to standard error, uvicorn's messages too."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    # Only warnings of the server; the start message is printed on standard output.
    logging.getLogger("uvicorn").setLevel(max(logging.WARNING, root.level) if level != "debug" else logging.DEBUG)
    # What a layout could not do as asked, and which library it would rather use: nothing that an operator can act on.
    logging.getLogger("weasyprint").setLevel(logging.CRITICAL if level != "debug" else logging.DEBUG)
