"""The outline of a newsletter: what a person does to it, and what the writer made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import as_plain, as_stored, is_newsletter
from partita.apps.newsletter.inputs import ItemEdit, ItemMove, NewItem, OutlineEdit
from partita.apps.newsletter.schema import MOST_ITEMS, MOST_SECTIONS, Newsletter, Outline, Topics
from partita.apps.newsletter.service import outlining
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.bookkeeping import changed, changed_since, outline_settings, touch
from partita.apps.newsletter.service.outlining import NewSection, Plan, read_plan, stored_modifications, stored_sections
from partita.kit.inputs import StaleEdit
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, FieldError, Invalid, NotFound
from partita.table import ChangedMeanwhileError, Put, Transaction, Write
from partita.table.types import timestamp
from partita.table.versions import next_version


class Outlines:
    """The outlines of newsletters."""

    def __init__(self, kit: Kit, access: Access) -> None:
        self._kit = kit
        self._store = kit.store
        self._access = access

    async def get(self, viewer: Viewer, code: str) -> tuple[Newsletter, Outline]:
        """The newsletter and its outline; empty at first."""
        newsletter = await self._access.newsletter(viewer, code)
        return newsletter, await self.of(newsletter)

    async def of(self, newsletter: Newsletter) -> Outline:
        """The outline of a newsletter that was found."""
        code = newsletter.newsletter_code
        found = await find(self._store, schema.outline, code)
        return found or Outline(newsletter_code=code, updated_at=newsletter.updated_at)

    # -- what a person does

    async def replace(self, viewer: Viewer, code: str, edit: OutlineEdit) -> Outline:
        """The whole outline: sections and items in their order; what is missing is removed."""
        if sum(len(section.items) for section in edit.sections) > MOST_ITEMS:
            raise Invalid(FieldError("sections", f"An outline has at most {MOST_ITEMS} items."))
        return await self._change(viewer, code, lambda plan: _replaced(plan, edit), revision=edit.revision)

    async def add_item(self, viewer: Viewer, code: str, new: NewItem) -> tuple[Outline, str]:
        """A person's own story; the outline and the id of the item."""
        made: list[str] = []

        def change(plan: Plan) -> Plan:
            if len(plan.items) >= MOST_ITEMS:
                raise Conflict(f"An outline has at most {MOST_ITEMS} items. Remove one first.", code="too_many_items")
            fields = new.model_dump(exclude={"section", "title"})
            after, item_id = outlining.add_item(plan, new.section, new.title, **fields)
            made[:] = [item_id]
            return after

        return await self._change(viewer, code, change), made[0]

    async def edit_item(self, viewer: Viewer, code: str, item_id: str, edit: ItemEdit) -> Outline:
        """Change an item's words, references or switch, unless somebody else has changed its words since they were
        seen."""
        changes = edit.changes

        def change(plan: Plan) -> Plan:
            at = plan.place(item_id)
            if at is not None:
                edit.check_version(outlining.item_version(plan.sections[at[0]].items[at[1]]))
            return outlining.edit_item(plan, item_id, changes)

        return await self._change(viewer, code, change)

    async def move_item(self, viewer: Viewer, code: str, item_id: str, move: ItemMove) -> Outline:
        """Move an item: a step up or down, or to a place."""

        def change(plan: Plan) -> Plan:
            if move.direction is not None:
                return outlining.step_item(plan, item_id, move.direction)
            return outlining.move_item(plan, item_id, move.section, move.position)

        return await self._change(viewer, code, change)

    async def remove_item(self, viewer: Viewer, code: str, item_id: str) -> Outline:
        """Remove an item; making the outline anew does not bring it back."""
        return await self._change(viewer, code, lambda plan: outlining.remove_item(plan, item_id))

    async def add_section(self, viewer: Viewer, code: str, name: str) -> Outline:
        """A person's own section, before the closing."""

        def change(plan: Plan) -> Plan:
            if len(plan.sections) >= MOST_SECTIONS:
                raise Conflict(
                    f"An outline has at most {MOST_SECTIONS} sections. Remove one first.", code="too_many_sections"
                )
            return outlining.add_section(plan, name)[0]

        return await self._change(viewer, code, change)

    async def change_section(self, viewer: Viewer, code: str, change: Callable[[Plan], Plan]) -> Outline:
        """Rename, switch, move or remove a section, with a function of `outlining`."""
        return await self._change(viewer, code, change)

    async def _change(
        self, viewer: Viewer, code: str, change: Callable[[Plan], Plan], *, revision: int | None = None
    ) -> Outline:
        async def attempt() -> Outline:
            newsletter = await self._access.newsletter(viewer, code, write=True)
            found = await find(self._store, schema.outline, code)
            if found is None or not found.sections:
                raise Conflict("There is no outline yet. Make one first.", code="step_not_ready")
            if revision is not None and revision != found.revision:
                raise StaleEdit(found.revision)
            plan = plan_of(found)
            try:
                after = change(plan)
            except LookupError:
                raise NotFound("There is no such item or section in the outline.") from None
            if after == plan:
                return found
            now = self._kit.clock.now()
            saved = _with_plan(found, after, timestamp(now))
            await self._store.transact(Transaction(changed(found, saved), touch(newsletter, now)))
            return next_version(saved)

        return await self._store.attempt(attempt)

    # -- what the writer made

    async def generated(
        self,
        newsletter: Newsletter,
        topics: Topics,
        proposed: Sequence[NewSection],
        made_with: Mapping[str, Any] | None = None,
    ) -> Write:
        """The write of a new outline, for the step's transaction: what a person did to the old one is kept. If somebody
        edits it at the same moment, the transaction is refused and the step tries again. `made_with` says how."""
        assert is_newsletter(newsletter.newsletter_code)
        found = await find(self._store, schema.outline, newsletter.newsletter_code)
        now = timestamp(self._kit.clock.now())
        before = found or Outline(newsletter_code=newsletter.newsletter_code, updated_at=now)
        plan = outlining.regenerate(plan_of(before), proposed)
        after = _with_plan(before, plan, now).model_copy(
            update={
                "outline_status": "completed",
                "outline_completed_at": now,
                "outline_error": None,
                "generated_at": now,
                "settings": as_stored(outline_settings(newsletter, topics)),
                "made_with": as_stored(made_with or {}),
            }
        )
        if found is None:
            return Put(after).if_new().otherwise(ChangedMeanwhileError("The outline"))
        return changed(found, after)


def plan_of(outline: Outline) -> Plan:
    """An outline as a value."""
    return read_plan(outline.sections, outline.user_modifications, outline.last_numbers)


def outdated(newsletter: Newsletter, topics: Topics, outline: Outline) -> tuple[str, ...]:
    """What has changed since the outline was made."""
    if not outline.sections or outline.generated_at is None:
        return ()
    return changed_since(as_plain(outline.settings), outline_settings(newsletter, topics))


def _with_plan(outline: Outline, plan: Plan, now: str) -> Outline:
    return outline.model_copy(
        update={
            "sections": stored_sections(plan),
            "user_modifications": stored_modifications(plan, outline.user_modifications),
            "last_numbers": dict(plan.last_numbers),
            "updated_at": now,
        }
    )


def _replaced(plan: Plan, edit: OutlineEdit) -> Plan:
    """The plan as somebody sent it whole, made by the same deeds that a person does one by one."""
    known = {section.id for section in plan.sections}
    items = {item.id for item in plan.items}
    for section in edit.sections:
        if section.id and section.id not in known:
            raise Invalid(FieldError("sections", f"There is no section {section.id!r}; leave the id out to add one."))
        for item in section.items:
            if item.id and item.id not in items:
                raise Invalid(FieldError("sections", f"There is no item {item.id!r}; leave the id out to add one."))
    wanted = [item.id for section in edit.sections for item in section.items if item.id]
    if len(set(wanted)) != len(wanted):
        raise Invalid(FieldError("sections", "An item can be in one place only."))
    ids: list[str] = []
    for section in edit.sections:
        if section.id:
            plan = outlining.edit_section(plan, section.id, {"name": section.name, "enabled": section.enabled})
            ids.append(section.id)
        else:
            plan, made = outlining.add_section(plan, section.name)
            ids.append(made)
    for section_id, section in zip(ids, edit.sections, strict=True):
        order: list[str] = []
        for item in section.items:
            fields = item.model_dump(exclude={"id", "title", "enabled"})
            if item.id:
                plan = outlining.edit_item(plan, item.id, {**fields, "title": item.title, "enabled": item.enabled})
                order.append(item.id)
            else:
                plan, made = outlining.add_item(plan, section_id, item.title, **fields)
                plan = plan if item.enabled else outlining.edit_item(plan, made, {"enabled": False})
                order.append(made)
        wanted += [each for each in order if each not in wanted]
        plan = _in_order(plan, section_id, order)
    for gone in [item.id for item in plan.items if item.id not in wanted]:
        plan = outlining.remove_item(plan, gone)
    for gone in [section.id for section in plan.sections if section.id not in ids]:
        plan = outlining.remove_section(plan, gone)
    for place, section_id in enumerate(ids):
        there = [section.id for section in plan.sections].index(section_id)
        plan = outlining.move_section(plan, section_id, place - there)
    return plan


def _in_order(plan: Plan, section_id: str, order: Sequence[str]) -> Plan:
    """The items of a section in an order; only those that have to are moved."""
    for place, item_id in enumerate(order):
        section = next(each for each in plan.sections if each.id == section_id)
        there = [item.id for item in section.items if item.id in order]
        if place >= len(there) or there[place] != item_id:
            others = [item.id for item in section.items]
            goal = others.index(there[place]) if place < len(there) else len(others)
            plan = outlining.move_item(plan, item_id, section_id, goal)
    return plan
