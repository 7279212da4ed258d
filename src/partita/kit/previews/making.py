"""What a bounded process makes of a file that people sent, or the refusal that they can read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from partita.kit.jobs.child import ChildError, ChildFailedError, ChildMemoryError, ChildTimeoutError, in_child
from partita.kit.previews.refusals import PreviewRefused

T = TypeVar("T")

SECONDS = 20.0
MEGABYTES = 768


async def made(
    function: Callable[..., T], *arguments: object, seconds: float | None = None, megabytes: int | None = None
) -> T:
    """What a function makes of a file in its process; one that brings it down is refused."""
    seconds = SECONDS if seconds is None else seconds
    try:
        return await in_child(function, *arguments, seconds=seconds, megabytes=megabytes or MEGABYTES)
    except ChildTimeoutError as failed:
        raise PreviewRefused(f"Reading this file takes longer than {seconds:g} seconds.") from failed
    except ChildMemoryError as failed:
        raise PreviewRefused("Reading this file takes more memory than there is for it.") from failed
    except ChildError as failed:
        if isinstance(failed, ChildFailedError) and failed.kind == PreviewRefused.__name__:
            raise PreviewRefused(failed.message) from failed
        raise PreviewRefused("This file is damaged. Save it again and try once more.") from failed
