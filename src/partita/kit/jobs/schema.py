"""Jobs in the house's table: each with its state, its lease and how far it is; who holds a key; when schedules ran."""

from __future__ import annotations

from typing import Any, Literal

import orjson

from partita.kit.schema import HOUSE
from partita.table import Attribute, Get, Item, Query, access_pattern, attribute, camel_case, key_part
from partita.table.types import Timestamp

QUEUE = HOUSE.index(
    "jobQueue", pk="jobQueue", sk="dueAt", projection="KEYS_ONLY", purpose="Jobs that wait, or whose lease runs out"
)
JOBS_OF = HOUSE.index("jobsOf", pk="jobsOf", sk="jobId", projection="KEYS_ONLY", purpose="Jobs of a person")
ALL_JOBS = HOUSE.index("jobs", pk="jobs", sk="jobId", projection=("state",), purpose="All jobs")

State = Literal["waiting", "running", "done", "failed", "cancelled"]
OPEN: tuple[State, ...] = ("waiting", "running")


# 1. Jobs. A heartbeat changes only the queue among the indexes: the lists hold keys alone.
class Job(
    Item,
    table=HOUSE,
    pk="JOB#{job_id}",
    sk="JOB",
    keys={"jobQueue": "JOBS", "jobsOf": "USER#{user_id}", "jobs": "JOBS"},
    names=camel_case,
):
    """A piece of work that outlasts the request which started it."""

    job_id: Attribute[str]
    kind: Attribute[str] = attribute(max_length=100)
    """`fus.import`."""
    title: Attribute[str] = attribute(max_length=200)
    """What it does, for people."""
    arguments: Attribute[str] = attribute(default="{}")
    """JSON."""
    user_id: Attribute[str | None] = attribute(default=None)
    """Who started it; None for the clock and the command line."""
    by_claim: Attribute[bool] = attribute(default=False)
    """Started with a token of OpenID, whose claims may grant what no role here does: that is not looked at again."""
    once_key: Attribute[str | None] = attribute(default=None)
    """While it is open there is no other job of this kind with the key."""
    state: Attribute[State] = attribute(default="waiting")
    due_at: Attribute[Timestamp | None] = attribute(default=None)
    """When a worker may take it: not before its time, or when its lease has run out. None once it has ended, and
    what follows (`JobKind.on_end`) is done."""
    token: Attribute[str | None] = attribute(default=None, repr=False)
    """Made anew for every owner: who has another one must not write."""
    owner: Attribute[str | None] = attribute(default=None)
    heartbeat_at: Attribute[Timestamp | None] = attribute(default=None)
    cancelling: Attribute[bool] = attribute(default=False)
    attempts: Attribute[int] = attribute(default=0, ge=0)
    """How often it was begun."""
    failures: Attribute[int] = attribute(default=0, ge=0)
    """How often it failed since it was started or retried."""
    stalls: Attribute[int] = attribute(default=0, ge=0)
    """How often it was begun since it last got ahead: work that kills its process must not do so for ever."""
    checkpoint: Attribute[str | None] = attribute(default=None)
    """JSON: where the next owner goes on."""
    step: Attribute[str] = attribute(default="", max_length=200)
    done: Attribute[int] = attribute(default=0, ge=0)
    total: Attribute[int | None] = attribute(default=None, ge=0)
    message: Attribute[str] = attribute(default="", max_length=1000)
    result: Attribute[str | None] = attribute(default=None)
    """JSON."""
    result_message: Attribute[str] = attribute(default="", max_length=1000)
    result_path: Attribute[str | None] = attribute(default=None, max_length=2000)
    error: Attribute[str] = attribute(default="", max_length=1000)
    """In plain words, for whoever started it."""
    detail: Attribute[str] = attribute(default="", max_length=4000)
    """The error as programmers read it, for operators."""
    created_at: Attribute[Timestamp]
    started_at: Attribute[Timestamp | None] = attribute(default=None)
    finished_at: Attribute[Timestamp | None] = attribute(default=None)
    expires_at: Attribute[int | None] = attribute(default=None)
    """Some days after it has ended."""

    @property
    def result_values(self) -> dict[str, Any] | None:
        """What came out of it, for programs."""
        return None if self.result is None else orjson.loads(self.result)

    @property
    def is_open(self) -> bool:
        """Whether it waits or runs."""
        return self.state in OPEN


@access_pattern("A job", HOUSE, documented=False, job_id="01")
def job(job_id: str) -> Get[Job]:
    return Job.get(Job.job_id(job_id))


@access_pattern("Jobs that a worker may take, oldest first", HOUSE, documented=False, now="2026-01-01T00:00:00.000000Z")
def due_jobs(now: str) -> Query[Job]:
    return Job.query(QUEUE).at_most(Job.due_at(now))


@access_pattern("A person's jobs, newest first", HOUSE, documented=False, user_id="1")
def jobs_of(user_id: str) -> Query[Job]:
    return Job.query(JOBS_OF, Job.user_id(user_id)).newest_first()


@access_pattern("All jobs, newest first", HOUSE, documented=False)
def all_jobs() -> Query[Job]:
    return Job.query(ALL_JOBS).newest_first()


# 2. The guard of a key, in the transactions that open and end the job.
class JobKey(Item, table=HOUSE, pk="JOBKEY#{kind}#{once_key}", sk="JOBKEY", names=camel_case):
    """Which open job has a key."""

    kind: Attribute[str] = key_part()
    once_key: Attribute[str] = key_part()
    of_job: Attribute[str]


@access_pattern("The open job with a key", HOUSE, documented=False, kind="fus.import", key="1")
def job_key(kind: str, key: str) -> Get[JobKey]:
    return JobKey.get(JobKey.kind(kind), JobKey.once_key(key)).consistently()


# 3. Schedules: moving the mark and starting the job is one transaction, so that each due time starts one.
class ScheduleMark(Item, table=HOUSE, pk="SCHEDULE#{name}", sk="SCHEDULE", names=camel_case):
    """Up to when a schedule has started its jobs."""

    name: Attribute[str] = key_part()
    last_due: Attribute[Timestamp]
    job_id: Attribute[str | None] = attribute(default=None)
    """The job that it started last."""


@access_pattern("When a schedule was last due", HOUSE, documented=False, name="fus.fetch")
def schedule_mark(name: str) -> Get[ScheduleMark]:
    return ScheduleMark.get(ScheduleMark.name(name)).consistently()


HOUSE.accept("hot-partition", QUEUE, ALL_JOBS, because="jobs are started by people: some a minute, not many a second")
HOUSE.accept("second-read", QUEUE, JOBS_OF, ALL_JOBS, because="heartbeats would rewrite every index that holds more")
