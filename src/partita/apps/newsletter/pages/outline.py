"""Outline: what is told, in which order; one column like a table of contents, and the chosen item beside it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from partita.apps.newsletter.formats import target_words
from partita.apps.newsletter.inputs import Gist, ItemEdit, ItemMove, ItemTitle, NewItem, WriterNote
from partita.apps.newsletter.pages.steps import base
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.service import NewsletterService, outlining
from partita.apps.newsletter.service.drafting.made_words import outline_words
from partita.apps.newsletter.service.drafting.values import dropped_whole
from partita.apps.newsletter.service.outline import outdated, plan_of
from partita.apps.newsletter.service.outlining import (
    FOUND,
    PERSON,
    OutlineItem,
    OutlineSection,
    Plan,
    item_version,
)
from partita.apps.newsletter.service.topics import passages
from partita.kit.forms import Parsed, parse, submitted
from partita.kit.history import Field as HistoryField
from partita.kit.history import Fields
from partita.kit.inputs import SNAKE_CASE, Input, Line
from partita.kit.pages import confirm, redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.stale import edited

_OUTLINE = "/editions/{code}/outline"
_ITEM = f"{_OUTLINE}/items/{{item_id}}"
_SECTION = f"{_OUTLINE}/sections/{{section_id}}"
_MOST_MORE = 12
_FIELDS = (
    HistoryField("title", "Headline", "title"),
    HistoryField("description", "Summary", "description"),
    HistoryField("note", "Note to the writer", "note"),
    HistoryField("words", "Words", "words"),
)
ITEM_LOST = "Its headline, summary and note are lost. Regenerating the outline does not bring it back."
SectionName = Annotated[Line, Field(min_length=1, max_length=200)]


class ItemForm(Input):
    """An item as its form has it."""

    model_config = SNAKE_CASE

    title: ItemTitle
    description: Gist = ""
    note: WriterNote = ""
    words: Annotated[int, Field(ge=0, le=5000)] = 0
    rag_reference_ids: tuple[str, ...] = ()
    version: Annotated[str, Field(max_length=64)] = ""
    """Of the item as the form was opened."""


class ItemDeed(Input):
    """What a button of an item does."""

    model_config = SNAKE_CASE

    to: Literal["up", "down", "on", "off", "section", "place"]
    section: str | None = None
    position: Annotated[int, Field(ge=0, le=200)] | None = None


class SectionForm(Input):
    """The name of a section."""

    model_config = SNAKE_CASE

    name: SectionName


class SectionDeed(Input):
    """What a button of a section does."""

    model_config = SNAKE_CASE

    to: Literal["up", "down", "on", "off"]


def add(pages: Routes, service: NewsletterService) -> None:
    """Declare the routes."""
    outlines = service.outline

    async def page(
        request: Request,
        viewer: Viewer,
        code: str,
        item_id: str = "",
        *,
        form: Parsed[Any] | None = None,
        new: Parsed[Any] | None = None,
        refused: Any = None,
    ) -> Response:
        newsletter, outline = await outlines.get(viewer, code)
        topics = await service.topics.of(newsletter)
        plan = plan_of(outline)
        found = {str(each["id"]): each for each in passages(topics)}
        at = plan.place(item_id)
        chosen = None if at is None else plan.sections[at[0]].items[at[1]]
        section = None if at is None else plan.sections[at[0]]
        looks = await service.steps.looks(code)
        may_write = await service.access.may_write(viewer, newsletter)
        return render(
            request,
            "newsletter/outline.html",
            newsletter=newsletter,
            outline=outline,
            plan=plan,
            told=len(plan.stories),
            words=sum(_words(each) for each in plan.sections),
            shares={each.id: _words(each) for each in plan.sections},
            target=target_words(newsletter.length_preference),
            origin=lambda item: _origin(plan, item),
            chosen=chosen,
            section=section,
            form=form or Parsed(None, _values(chosen)),
            new=new or Parsed(None, {}),
            passages=[] if chosen is None else _passages(chosen, section, found, topics.excluded),
            found=found,
            excluded=frozenset(topics.excluded),
            untold=frozenset(each.id for each in plan.items if dropped_whole(each, topics.excluded)),
            look=looks["outline"],
            writing=looks["draft"],
            running=looks["outline"].is_open,
            made=outline_words(outline.made_with),
            outdated=outdated(newsletter, topics, outline),
            ready=bool(topics.retrieved_content),
            item_lost=ITEM_LOST,
            section_lost=section_lost,
            unsourced=await service.unsourced.of(newsletter, topics, plan) if may_write else frozenset(),
            may_write=may_write,
            refused=refused,
            trouble="" if refused is None else " ".join(error.message for error in refused.errors) or refused.detail,
        )

    @pages.get(_OUTLINE, Letters.WRITE)
    async def outline(
        request: Request, viewer: CurrentViewer, code: str, item: Annotated[str, Query(max_length=100)] = ""
    ) -> Response:
        """The outline, with an item open."""
        return await page(request, viewer, code, item)

    @pages.post(f"{_OUTLINE}/generate", Letters.WRITE)
    async def generate(viewer: CurrentViewer, code: str) -> Response:
        """Make the outline, or make it anew."""
        await service.steps.start(viewer, code, "outline")
        return redirect(f"{base(code)}/outline")

    @pages.post(f"{_OUTLINE}/write", Letters.WRITE)
    async def write(viewer: CurrentViewer, code: str) -> Response:
        """Write the draft."""
        await service.steps.start(viewer, code, "draft")
        return redirect(f"{base(code)}/making")

    @pages.post(f"{_OUTLINE}/items", Letters.WRITE, keeps=NewItem)
    async def add_item(request: Request, viewer: CurrentViewer, code: str) -> Response:
        async def save(new: NewItem) -> Response:
            _, item_id = await outlines.add_item(viewer, code, new)
            return redirect(f"{base(code)}/outline?item={item_id}#item", flash="Story added.")

        async def again(form: Parsed[NewItem]) -> Response:
            return await page(request, viewer, code, new=form, refused=form.problem)

        return await submitted(request, NewItem, save, again)

    @pages.post(_ITEM, Letters.WRITE, keeps=ItemForm)
    async def save_item(request: Request, viewer: CurrentViewer, code: str, item_id: str) -> Response:
        """Save an item; if somebody else was faster, both versions are shown."""
        back = f"{base(code)}/outline?item={item_id}#item"

        async def save(form: ItemForm) -> Response:
            edit = ItemEdit(**form.model_dump(exclude=set() if form.version else {"version"}))
            await outlines.edit_item(viewer, code, item_id, edit)
            return redirect(back, flash="Saved.")

        async def again(form: Parsed[ItemForm]) -> Response:
            return await page(request, viewer, code, item_id, form=form)

        async def stored() -> Parsed[ItemForm]:
            _, outline = await outlines.get(viewer, code)
            return Parsed(None, _values(_one(plan_of(outline), item_id)))

        newsletter = await service.access.newsletter(viewer, code)
        titles = {str(each["id"]): _title_of(each) for each in passages(await service.topics.of(newsletter))}
        fields = Fields(*_FIELDS, HistoryField("rag_reference_ids", "Passages", "references", choices=titles))
        return await edited(request, ItemForm, save, again, stored, fields=fields, back=back)

    @pages.get(f"{_ITEM}/remove", Letters.WRITE)
    async def ask_to_remove_item(request: Request, viewer: CurrentViewer, code: str, item_id: str) -> Response:
        """Ask before a story goes."""
        await service.access.newsletter(viewer, code, write=True)
        _, outline = await outlines.get(viewer, code)
        item = _one(plan_of(outline), item_id)
        keep = f"{base(code)}/outline?item={item_id}#item"
        return confirm(request, f"Remove “{item.title}”?", ITEM_LOST, button="Remove story", keep=keep)

    @pages.post(f"{_ITEM}/remove", Letters.WRITE)
    async def remove_item(viewer: CurrentViewer, code: str, item_id: str) -> Response:
        """Remove a story."""
        await outlines.remove_item(viewer, code, item_id)
        told = "Removed. Regenerating the outline will not bring it back."
        return redirect(f"{base(code)}/outline", flash=told, kind="info")

    @pages.post(f"{_ITEM}/deed", Letters.WRITE)
    async def item_deed(request: Request, viewer: CurrentViewer, code: str, item_id: str) -> Response:
        """Move an item, or switch it."""
        deed = _parsed(parse(ItemDeed, await request.form()))
        here = f"{base(code)}/outline"
        if deed.to in ("on", "off"):
            await outlines.edit_item(viewer, code, item_id, ItemEdit(enabled=deed.to == "on"))
            words = "Turned on." if deed.to == "on" else "Turned off: it stays in the outline but is not written."
            return redirect(f"{here}#{item_id}", flash=words)
        if deed.to in ("up", "down"):
            move = ItemMove(direction="up" if deed.to == "up" else "down")
        else:
            move = ItemMove(section=deed.section, position=deed.position)
        await outlines.move_item(viewer, code, item_id, move)
        return redirect(f"{here}#{item_id}", flash="Moved.")

    @pages.post(f"{_OUTLINE}/sections", Letters.WRITE, keeps=SectionForm)
    async def add_section(request: Request, viewer: CurrentViewer, code: str) -> Response:
        async def save(form: SectionForm) -> Response:
            await outlines.add_section(viewer, code, form.name)
            return redirect(f"{base(code)}/outline", flash="Section added before the conclusion. Add stories to it.")

        async def again(form: Parsed[SectionForm]) -> Response:
            return await page(request, viewer, code, refused=form.problem)

        return await submitted(request, SectionForm, save, again)

    @pages.post(_SECTION, Letters.WRITE, keeps=SectionForm)
    async def rename_section(request: Request, viewer: CurrentViewer, code: str, section_id: str) -> Response:
        async def save(form: SectionForm) -> Response:
            change = {"name": form.name}
            await outlines.change_section(viewer, code, lambda plan: outlining.edit_section(plan, section_id, change))
            return redirect(f"{base(code)}/outline#{section_id}", flash="Renamed.")

        async def again(form: Parsed[SectionForm]) -> Response:
            return await page(request, viewer, code, refused=form.problem)

        return await submitted(request, SectionForm, save, again)

    @pages.post(f"{_SECTION}/deed", Letters.WRITE)
    async def section_deed(request: Request, viewer: CurrentViewer, code: str, section_id: str) -> Response:
        """Move a section, or switch it."""
        deed = _parsed(parse(SectionDeed, await request.form()))

        def change(plan: Plan) -> Plan:
            if deed.to in ("up", "down"):
                return outlining.move_section(plan, section_id, -1 if deed.to == "up" else 1)
            return outlining.edit_section(plan, section_id, {"enabled": deed.to == "on"})

        await outlines.change_section(viewer, code, change)
        words = {
            "on": "Section turned on.",
            "off": "Section turned off.",
            "up": "Moved.",
            "down": "Moved.",
        }
        return redirect(f"{base(code)}/outline#{section_id}", flash=words[deed.to])

    @pages.get(f"{_SECTION}/remove", Letters.WRITE)
    async def ask_to_remove_section(request: Request, viewer: CurrentViewer, code: str, section_id: str) -> Response:
        """Ask before a section and its stories go."""
        await service.access.newsletter(viewer, code, write=True)
        _, outline = await outlines.get(viewer, code)
        section = next((each for each in plan_of(outline).sections if each.id == section_id), None)
        if section is None:
            raise NotFound("There is no such section in the outline.")
        question, keep = f"Remove the section “{section.name}”?", f"{base(code)}/outline#{section_id}"
        return confirm(request, question, section_lost(section), button="Remove section", keep=keep)

    @pages.post(f"{_SECTION}/remove", Letters.WRITE)
    async def remove_section(viewer: CurrentViewer, code: str, section_id: str) -> Response:
        """Remove a section with its stories."""
        await outlines.change_section(viewer, code, lambda plan: outlining.remove_section(plan, section_id))
        return redirect(f"{base(code)}/outline", flash="Section removed.", kind="info")


def _parsed(form: Parsed[Any]) -> Any:
    """A button has nothing to be corrected: what is wrong is told on a page of its own."""
    if form.value is None:
        assert form.problem is not None
        raise form.problem
    return form.value


def section_lost(section: OutlineSection) -> str:
    """What is lost with a section, in words."""
    count = len(section.items)
    if not count:
        return "It has no stories. Regenerating the outline does not bring it back."
    stories = "Its story is" if count == 1 else f"Its {count} stories are"
    own = sum(item.source == PERSON for item in section.items)
    yours = "" if not own else f" {own} of them {'is' if own == 1 else 'are'} your own."
    return f"{stories} removed, too, with wording and notes.{yours} Regenerating does not bring them back."


def _one(plan: Plan, item_id: str) -> OutlineItem:
    found = next((item for item in plan.items if item.id == item_id), None)
    if found is None:
        raise NotFound("There is no such item or section in the outline.")
    return found


def _title_of(passage: dict[str, Any]) -> str:
    """What a passage is called where it is compared: its source and its first words."""
    title = passage.get("metadata", {}).get("title") or passage.get("source") or "A passage"
    return f"{title}: {str(passage.get('content', ''))[:80]}"


def _values(item: OutlineItem | None) -> dict[str, Any]:
    if item is None:
        return {}
    return {
        "title": item.title,
        "description": item.description,
        "note": item.note,
        "words": str(item.words or ""),
        "rag_reference_ids": list(item.references),
        "version": item_version(item),
    }


def _words(section: OutlineSection) -> int:
    """The words that a section will have: those of its items, or its own if they have none."""
    return sum(item.words for item in section.written) or (section.words if section.written else 0)


def _origin(plan: Plan, item: OutlineItem) -> str:
    if item.source == PERSON:
        return "yours"
    if item.id in plan.modified("items_edited"):
        return "edited by you"
    return "found" if item.source == FOUND else ""


def _passages(
    item: OutlineItem, section: OutlineSection | None, found: dict[str, dict[str, Any]], dropped: Collection[str]
) -> list[tuple[dict[str, Any], bool]]:
    """The item's passages, ticked, and more of the same topic that nobody has dropped."""
    own = [found.get(each) or {"id": each, "content": "", "metadata": {}} for each in item.references]
    topic = "" if section is None else section.topic
    more = [each for each in found.values() if each["id"] not in item.references and each.get("topic") == topic]
    others = [each for each in found.values() if each["id"] not in item.references and each.get("topic") != topic]
    rest = [each for each in (more if topic else others) if each["id"] not in dropped]
    return [(each, True) for each in own] + [(each, False) for each in rest[:_MOST_MORE]]
