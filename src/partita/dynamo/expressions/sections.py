"""An update in the order it is written: section by section, each where its first action stands."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from partita.dynamo.expressions.tree import Update, UpdateAction


def in_sections(update: Update) -> Update:
    """The same update with the actions of each section in one row; where they are already, the update itself."""
    if len(update.actions) < 2 or _is_in_sections(update.actions):
        return update
    sections: dict[type[UpdateAction], list[UpdateAction]] = {}
    for action in update.actions:
        sections.setdefault(type(action), []).append(action)
    return Update(tuple(chain.from_iterable(sections.values())), update.legacy)


def _is_in_sections(actions: Iterable[UpdateAction]) -> bool:
    seen: list[type[UpdateAction]] = []
    for action in actions:
        section = type(action)
        if not seen or section is not seen[-1]:
            if section in seen:
                return False
            seen.append(section)
    return True
