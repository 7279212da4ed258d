"""Outlines as values: reading and storing them, what a person does to them, and making them anew. All of it is pure."""

from partita.apps.newsletter.service.outlining.anew import NewSection, NewStory, regenerate
from partita.apps.newsletter.service.outlining.edits import (
    add_item,
    add_section,
    edit_item,
    edit_section,
    move_item,
    move_section,
    remove_item,
    remove_section,
    step_item,
)
from partita.apps.newsletter.service.outlining.plan import (
    FOUND,
    PERSON,
    WRITTEN,
    OutlineItem,
    OutlineSection,
    Plan,
    item_version,
    read_plan,
    stored_modifications,
    stored_sections,
)

__all__ = [
    "FOUND",
    "PERSON",
    "WRITTEN",
    "NewSection",
    "NewStory",
    "OutlineItem",
    "OutlineSection",
    "Plan",
    "add_item",
    "add_section",
    "edit_item",
    "edit_section",
    "item_version",
    "move_item",
    "move_section",
    "read_plan",
    "regenerate",
    "remove_item",
    "remove_section",
    "step_item",
    "stored_modifications",
    "stored_sections",
]
