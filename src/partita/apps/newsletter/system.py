"""Newsletter as a part of the suite: its tables are made and described; its service and pages come on top of them."""

from __future__ import annotations

from partita.apps.newsletter.schema import MAIN
from partita.kit.kit import Kit
from partita.kit.permissions import Access
from partita.kit.system import Link, System

HUE = 150


def build(_kit: Kit) -> System:
    """The system, on a kit."""
    return System(
        name="newsletter",
        title="Newsletter",
        purpose="A newsletter in four steps, and a proposal writer beside it.",
        hue=HUE,
        tables=(MAIN,),
        navigation=(Link("Design", "/newsletter/design", Access.PUBLIC, "table"),),
    )
