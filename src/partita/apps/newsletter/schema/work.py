"""Steps that are under way or have failed, and what is being deleted. The work itself is jobs of the house."""

from __future__ import annotations

from typing import Any, Literal

from partita.apps.newsletter.schema.main import MAIN, StepName
from partita.table import Attribute, BatchGet, Get, Item, Query, access_pattern, attribute, key_part
from partita.table.types import Timestamp

StepState = Literal["running", "done", "failed", "cancelled"]


# 1. Steps
class StepRun(Item, table=MAIN, pk="STEP#{subject}", sk="{step}"):
    """The last run of a step: two presses start one. Its lease, progress and phase are the job's."""

    subject: Attribute[str] = key_part()
    """The code of a newsletter or proposal, or the id of a source."""
    step: Attribute[StepName] = key_part()
    run_id: Attribute[str]
    """The job; what a run writes depends on it, so that one that was replaced writes nothing."""
    state: Attribute[StepState] = attribute(default="running")
    requested_by: Attribute[str]
    requested_at: Attribute[Timestamp]
    finished_at: Attribute[Timestamp | None] = attribute(default=None)
    error: Attribute[str | None] = attribute(default=None, max_length=1000)
    """Why it failed, and what to do."""
    inputs: Attribute[dict[str, Any]] = attribute(default_factory=dict, max_length=10)
    partial: Attribute[dict[str, Any]] = attribute(default_factory=dict, large=32_000)
    """What is finished of a run that has not ended well: the next one goes on from there."""


@access_pattern("The last run of a step", MAIN, documented=False, subject="NL-20260126-A1B2", step="draft")
def step_run(subject: str, step: StepName) -> Get[StepRun]:
    return StepRun.get(StepRun.subject(subject), StepRun.step(step))


@access_pattern("The last runs of all steps of something", MAIN, documented=False, subject="NL-20260126-A1B2")
def step_runs(subject: str) -> Query[StepRun]:
    return StepRun.query(StepRun.subject(subject))


# 2. Deleting
class Removal(Item, table=MAIN, pk="REMOVAL#{subject}", sk="METADATA"):
    """A newsletter, proposal or source that was deleted: hidden at once, the rest goes in batches."""

    subject: Attribute[str] = key_part()
    title: Attribute[str]
    removed_by: Attribute[str]
    removed_at: Attribute[Timestamp]
    series_id: Attribute[str | None] = attribute(default=None)
    issue_at: Attribute[Timestamp | None] = attribute(default=None)
    """With the series, the key of its issue."""
    link_digest: Attribute[str | None] = attribute(default=None)
    file_keys: Attribute[tuple[str, ...]] = attribute(default=(), max_length=200)
    """Files that no item names any more."""


@access_pattern("What is being deleted", MAIN, documented=False, subject="NL-20260126-A1B2")
def removal(subject: str) -> Get[Removal]:
    return Removal.get(Removal.subject(subject))


@access_pattern(
    "The last runs of a step of several subjects", MAIN, documented=False, subjects=("s1", "s2"), step="intake"
)
def runs_of(subjects: tuple[str, ...], step: StepName) -> BatchGet[StepRun]:
    return BatchGet(tuple(StepRun.key(StepRun.subject(subject), StepRun.step(step)) for subject in subjects))
