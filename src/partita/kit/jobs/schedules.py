"""Jobs that the clock starts: each due time once, however many processes look at it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import Any

from partita.kit.jobs.jobs import Jobs, KeyTaken, claim_key
from partita.kit.jobs.schema import ScheduleMark, schedule_mark
from partita.table import ChangedMeanwhileError, Put, Transaction, Update
from partita.table.types import timestamp

_log = logging.getLogger(__name__)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Starts a job at an interval, or at a time of day in UTC."""

    name: str
    """`fus.refetch`: what has been started is kept under it, so it stays."""
    kind: str
    """The kind of job."""
    every: timedelta | None = None
    """Counted from 1970, so that all processes agree: an hour is every full hour."""
    at: time | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.every is None) == (self.at is None):
            raise ValueError(f"The schedule {self.name} needs every=timedelta(…) or at=time(…), one of them.")
        if self.every is not None and self.every < timedelta(seconds=1):
            raise ValueError(f"The schedule {self.name} cannot be due more than once a second.")
        if self.at is not None and self.at.tzinfo not in (None, UTC):
            raise ValueError(f"The schedule {self.name}: times of day are in UTC, not in {self.at.tzinfo}.")

    @property
    def key(self) -> str:
        """The key of its jobs. Whoever starts one by hand with it starts none while the clock's runs, and the other way
        round."""
        return f"schedule {self.name}"

    def last_due(self, now: datetime) -> datetime:
        """The latest due time that is not in the future."""
        if self.every is not None:
            return now - (now - _EPOCH) % self.every
        assert self.at is not None
        today = datetime.combine(now.astimezone(UTC).date(), self.at, UTC)
        return today if today <= now else today - _DAY


class Clockwork:
    """Starts what is due. What was missed while nothing ran is started once, for the latest due time; a schedule that
    has never been seen begins with its next one."""

    def __init__(self, jobs: Jobs, schedules: Iterable[Schedule]) -> None:
        self._jobs = jobs
        self._schedules = tuple(schedules)
        self._seen: dict[str, datetime] = {}
        names = [schedule.name for schedule in self._schedules]
        if len(names) != len(set(names)):
            raise ValueError(f"Two schedules have one name: {sorted(names)}")
        for schedule in self._schedules:
            if jobs.kind(schedule.kind) is None:
                raise ValueError(
                    f"The schedule {schedule.name} starts {schedule.kind}, and there is no such kind of job."
                )

    async def start_due(self) -> int:
        """Start a job for every schedule that is due; how many."""
        started = 0
        for schedule in self._schedules:
            due = schedule.last_due(self._jobs.clock.now())
            if self._seen.get(schedule.name) != due:  # what this process has seen costs no request
                started += await self._start(schedule, due)
                self._seen[schedule.name] = due
        return started

    async def _start(self, schedule: Schedule, due: datetime) -> int:
        store, moment = self._jobs.store, timestamp(due)
        mark = await store.get(schedule_mark(schedule.name))
        other = ChangedMeanwhileError("The schedule")  # another process has started it
        try:
            if mark is None:
                first = Put(ScheduleMark(name=schedule.name, last_due=moment)).if_new()
                await store.write(first.otherwise(other))
                return 0
            if mark.last_due >= moment:
                return 0
            new = self._jobs.new(schedule.kind, schedule.arguments, None, key=schedule.key)
            unmoved = ScheduleMark.last_due.equals(mark.last_due)
            move = ScheduleMark.last_due.set(moment)
            try:
                moved = Update(mark.own_key, move, ScheduleMark.job_id.set(new.job_id)).when(unmoved).otherwise(other)
                await store.transact(Transaction(moved, Put(new).if_new(), *claim_key(new)))
            except KeyTaken:
                if await self._jobs.holder(new) is None:  # it is free now
                    return await self._start(schedule, due)
                await store.write(Update(mark.own_key, move).when(unmoved).otherwise(other))
                _log.warning("jobs: %s is due, and its last job has not ended; left out", schedule.name)
                return 0
        except ChangedMeanwhileError:
            return 0
        _log.info("jobs: %s started %s", schedule.name, new.job_id)
        return 1
