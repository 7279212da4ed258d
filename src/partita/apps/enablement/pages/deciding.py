"""The decision on something that waits for approval, wherever it is offered."""

from __future__ import annotations

from dataclasses import dataclass

from partita.apps.enablement.inputs import Approval, ChangesRequest, NewComment
from partita.apps.enablement.permissions import Action
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.access import allows, own_work
from partita.apps.enablement.service.desks import Pending
from partita.kit.forms import Parsed
from partita.kit.permissions import Viewer
from partita.kit.problems import Forbidden


@dataclass(frozen=True, slots=True)
class Forms:
    """The forms of a decision, as they were typed."""

    said: Parsed[ChangesRequest] | Parsed[NewComment]
    approval: Parsed[Approval]

    @classmethod
    def empty(cls) -> Forms:
        return cls(Parsed(None), Parsed(None))


@dataclass(frozen=True, slots=True)
class Decision:
    """What `decision.html` needs to offer the decision on something that waits."""

    pending: Pending
    own: Forbidden | None
    """Why the viewer may not decide."""
    deciders: list[str]
    """Who else may, then."""
    forms: Forms


async def decision_of(
    service: EnablementService, viewer: Viewer, pending: Pending, forms: Forms | None = None
) -> Decision:
    """The decision on something that waits: in the queue, on its own page, or beside what changed."""
    own = own_work(viewer, pending.content, pending.changed_by)
    deciders = await service.desks.deciders(viewer) if own is not None else []
    return Decision(pending, own, deciders, forms or Forms.empty())


async def decision_for(service: EnablementService, viewer: Viewer, pending: Pending) -> Decision | None:
    """The decision, if it waits and is the viewer's to look at."""
    decides = pending.waits and allows(viewer, pending.content, Action.DECIDE, service.changing.now())
    return await decision_of(service, viewer, pending) if decides else None
