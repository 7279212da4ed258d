"""Enablement as a part of the suite: its tables are made and described; its service and pages come on top of them."""

from __future__ import annotations

from partita.apps.enablement.schema import CONTENT, EVENTS, NOTIFICATIONS, SUBSCRIPTIONS
from partita.kit.kit import Kit
from partita.kit.permissions import Access
from partita.kit.system import Link, System

HUE = 65


def build(_kit: Kit) -> System:
    """The system, on a kit."""
    return System(
        name="enablement",
        title="Enablement",
        purpose="A portal of enablement content with life cycles, subscriptions and analytics.",
        hue=HUE,
        icon="enablement",
        tables=(CONTENT, NOTIFICATIONS, SUBSCRIPTIONS, EVENTS),
        navigation=(Link("Design", "/enablement/design", Access.PUBLIC, "table"),),
    )
