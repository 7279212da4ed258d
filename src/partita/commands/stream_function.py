"""The AWS Lambda function for DynamoDB Streams: `partita.commands.stream_function.handle`; docs/changes.md says how."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from partita.kit.changes.aws_lambda import StreamFunction

Event = dict[str, Any]


def handle(event: Event, context: object) -> Event:
    """React to a batch of changes; each table's stream may trigger it."""
    return _function()(event, context)


@cache
def _function() -> StreamFunction:
    """Built when the first event comes; the process answers many."""
    from partita.bootstrap import build, shared_worker
    from partita.kit.changes.aws_lambda import StreamFunction
    from partita.kit.settings import read_settings
    from partita.web import logs

    settings = read_settings()
    logs.configure(settings.log_level)
    suite = build(settings)
    return StreamFunction(shared_worker(suite), suite.close)
