"""Text that UTF-8 can say."""

from __future__ import annotations

from partita.dynamo.errors import SerializationError


def encodable(text: str) -> str:
    """The text, unless it holds half a surrogate pair, which UTF-8 cannot say."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise SerializationError("Text must be valid Unicode: it holds half of a surrogate pair") from None
    return text
