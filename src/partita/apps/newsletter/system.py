"""Newsletter as a part of the suite: its tables are made and described; its service and pages come on top of them."""

from __future__ import annotations

from partita.apps.newsletter.schema import MAIN
from partita.kit.changes.large_values import forget_large_values
from partita.kit.kit import Kit
from partita.kit.permissions import Access
from partita.kit.system import Link, System

HUE = 305


def build(kit: Kit) -> System:
    """The system, on a kit."""
    return System(
        name="newsletter",
        title="Newsletter",
        purpose="A newsletter in four steps, and a proposal writer beside it.",
        hue=HUE,
        icon="newsletter",
        tables=(MAIN,),
        changes=(forget_large_values("newsletter.large_values", MAIN, kit.store),),
        navigation=(Link("Design", "/newsletter/design", Access.PUBLIC, "table"),),
    )
