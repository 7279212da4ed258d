"""The AWS Lambda function for DynamoDB Streams: `partita.commands.stream_function.handle`; see docs/changes.md."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from partita.kit.changes.aws_lambda import StreamFunction

Event = dict[str, Any]


def handle(event: Event, context: object) -> Event:
    """Handle a batch of changes; the streams of all tables may trigger it."""
    return _function()(event, context)


@cache
def _function() -> StreamFunction:
    """Built at the first event and kept for the next ones."""
    from partita.bootstrap import build, shared_worker
    from partita.kit.changes.aws_lambda import StreamFunction
    from partita.kit.settings import read_settings
    from partita.web import logs

    settings = read_settings()
    logs.configure(settings.log_level)
    suite = build(settings)
    return StreamFunction(shared_worker(suite), suite.close, suite.kit.notifications.finish)
