"""The document's status words of a step, in TOPICS, OUTLINE and DRAFT: the writes that set them."""

from __future__ import annotations

from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.schema import Draft, Outline, StepName, Topics
from partita.store.store import AsyncStore
from partita.table import Action, Update, Write

StepItem = type[Topics] | type[Outline] | type[Draft]
_ITEMS: dict[str, tuple[Any, str]] = {
    "retrieval": (Topics, "retrieval"),
    "outline": (Outline, "outline"),
    "draft": (Draft, "draft"),
}
_READ: dict[str, Any] = {"retrieval": schema.topics, "outline": schema.outline, "draft": schema.draft}
"""Only these three have a status in the document."""


async def pending(_store: AsyncStore, subject: str, step: StepName, now: str) -> tuple[Write, ...]:
    """A step was asked for."""
    return _updated(subject, step, now, status="pending", error=None)


async def begun(_store: AsyncStore, subject: str, step: StepName, now: str) -> tuple[Write, ...]:
    """A worker does it now."""
    return _updated(subject, step, now, status="processing", started_at=now)


async def failed(_store: AsyncStore, subject: str, step: StepName, now: str, error: str) -> tuple[Write, ...]:
    """It failed; what was made before is still there."""
    return _updated(subject, step, now, status="failed", error=error)


async def cancelled(store: AsyncStore, subject: str, step: StepName, now: str, _error: str) -> tuple[Write, ...]:
    """It was cancelled: as it was before."""
    if step not in _ITEMS:
        return ()
    found = await store.get(_READ[step](subject).consistently())
    if found is None:
        return ()
    made = getattr(found, f"{_ITEMS[step][1]}_completed_at") is not None
    return _updated(subject, step, now, status="completed" if made else "pending", error=None)


def _updated(subject: str, step: StepName, now: str, **values: str | None) -> tuple[Write, ...]:
    """The fields of the step's item; it is made if it is not there."""
    if step not in _ITEMS:
        return ()
    item, prefix = _ITEMS[step]
    actions: list[Action[Any]] = [getattr(item, f"{prefix}_{name}").set(value) for name, value in values.items()]
    return (Update(item.key(item.newsletter_code(subject)), *actions, item.updated_at.set_if_missing(now)).or_new(),)
