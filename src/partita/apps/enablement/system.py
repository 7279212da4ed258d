"""Enablement as a part of the suite: its tables, rules and clock; its pages come on top of them."""

from __future__ import annotations

from partita.apps.enablement.changes import handlers
from partita.apps.enablement.permissions import ROLES, Enablement, members
from partita.apps.enablement.schema import CONTENT, EVENTS, NOTIFICATIONS, SUBSCRIPTIONS
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.clock import SCHEDULES, jobs
from partita.apps.enablement.service.texts import TEXTS
from partita.kit.files import OwnedFiles
from partita.kit.kit import Kit
from partita.kit.permissions import Access
from partita.kit.system import Link, System

HUE = 65


def build(kit: Kit) -> System:
    """The system, on a kit."""
    service = EnablementService(kit)
    return System(
        name="enablement",
        title="Enablement",
        purpose="A portal of enablement content with life cycles, subscriptions and analytics.",
        hue=HUE,
        icon="enablement",
        tables=(CONTENT, NOTIFICATIONS, SUBSCRIPTIONS, EVENTS),
        permissions=Enablement,
        roles=ROLES,
        members=members(kit.settings.enablement_viewers),
        navigation=(Link("Design", "/enablement/design", Access.PUBLIC, "table"),),
        changes=handlers(service),
        files=(OwnedFiles(TEXTS, service.files.named),),
        jobs=jobs(service.clock),
        schedules=SCHEDULES,
    )
