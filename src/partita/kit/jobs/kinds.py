"""What can be done as a job: a name, a function, and how patient to be with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from partita.kit.jobs.running import Running
    from partita.kit.jobs.schema import Job

Arguments = Mapping[str, Any]
"""What JSON can hold."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came out of it."""

    message: str = ""
    """For whoever started it: `1,204 sites imported.`"""
    path: str | None = None
    """The page that shows it."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """For programs; what JSON can hold."""
    idle: bool = False
    """There was nothing to do. If the clock has started it, such a job leaves no entry: a schedule of every minute
    would fill the lists with them."""


class JobFailed(Exception):
    """Raised by a job that cannot succeed, with the reason in plain words; it is not tried again."""


Run = Callable[["Running", Arguments], Awaitable[Result | None]]
OnEnd = Callable[["Job"], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job. After a kill its function is called again, with what it saved last (`running.saved`); what it does
    between two checkpoints may therefore happen twice, unless it is written by the checkpoint itself."""

    name: str
    """`fus.import`: jobs are stored under it, so it stays."""
    title: str
    """`Import bookmarks`: for people."""
    run: Run
    retries: int = 3
    """How often it is tried again after it failed."""
    seconds: float = 3600.0
    """How long one attempt may take."""
    kept_days: int = 14
    """How long a job can be looked at after it has ended."""
    on_end: OnEnd | None = None
    """What follows once a job has ended for good: done, failed after all its tries, or cancelled. It is called until it
    has returned once, also after a kill; so that what it does happens once, it uses the job's id and end."""
    needs: str | Callable[[Arguments], str] | None = None
    """The permission without which nobody may do this, which may depend on the arguments. Whoever starts it is asked
    where they start it; it is looked at again when it is tried again, and whenever a run begins."""

    def needed(self, job: Job) -> str | None:
        """The permission that this job needs."""
        return self.needs(orjson.loads(job.arguments)) if callable(self.needs) else self.needs

    def pause(self, failures: int) -> float:
        """Seconds until it is tried again: twice as many each time, a quarter of an hour at most."""
        return min(2.0 ** min(failures, 20), 900.0)
