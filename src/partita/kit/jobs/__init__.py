"""Jobs: work that outlasts its request, with lease, heartbeat, progress, cancel and retry; and the clock's own."""

from partita.kit.jobs.child import ChildError, child_kind, in_child
from partita.kit.jobs.jobs import Jobs
from partita.kit.jobs.kinds import Arguments, JobFailed, JobKind, Result
from partita.kit.jobs.running import JobCancelled, JobLost, JobStopped, Running
from partita.kit.jobs.schedules import Schedule
from partita.kit.jobs.schema import Job
from partita.kit.jobs.worker import JobWorker

__all__ = [
    "Arguments",
    "ChildError",
    "Job",
    "JobCancelled",
    "JobFailed",
    "JobKind",
    "JobLost",
    "JobStopped",
    "JobWorker",
    "Jobs",
    "Result",
    "Running",
    "Schedule",
    "child_kind",
    "in_child",
]
