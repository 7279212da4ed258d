"""WorthWatch as a part of the suite: its tables are made and described; its service and pages come on top of them."""

from __future__ import annotations

from partita.apps.worthwatch.schema import WORTHWATCH
from partita.kit.kit import Kit
from partita.kit.permissions import Access
from partita.kit.system import Link, System

HUE = 25


def build(_kit: Kit) -> System:
    """The system, on a kit."""
    return System(
        name="worthwatch",
        title="WorthWatch",
        purpose="Curator-led watchlists: movies and shows worth your evening, with notes on why.",
        hue=HUE,
        icon="worthwatch",
        tables=(WORTHWATCH,),
        navigation=(Link("Design", "/worthwatch/design", Access.PUBLIC, "table"),),
    )
