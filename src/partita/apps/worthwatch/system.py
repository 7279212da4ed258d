"""WorthWatch as a part of the suite: its tables, rules and what follows changes; its pages come on top of them."""

from __future__ import annotations

from partita.apps.worthwatch.changes import handlers
from partita.apps.worthwatch.permissions import MEMBERS, ROLES, WorthWatch
from partita.apps.worthwatch.schema import WORTHWATCH
from partita.apps.worthwatch.service import WorthWatchService
from partita.kit.kit import Kit
from partita.kit.permissions import Access
from partita.kit.system import Link, System

HUE = 25


def build(kit: Kit) -> System:
    """The system, on a kit."""
    service = WorthWatchService(kit)
    return System(
        name="worthwatch",
        title="WorthWatch",
        purpose="Curator-led watchlists: movies and shows worth your evening, with notes on why.",
        hue=HUE,
        icon="worthwatch",
        tables=(WORTHWATCH,),
        permissions=WorthWatch,
        roles=ROLES,
        members=frozenset(map(str, MEMBERS)),
        navigation=(Link("Design", "/worthwatch/design", Access.PUBLIC, "table"),),
        changes=handlers(kit, service),
    )
