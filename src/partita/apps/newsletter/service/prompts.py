"""Prompts of model writers: versions that are never changed, of which the highest one is in use."""

from __future__ import annotations

import asyncio
from typing import get_args

from partita.apps.newsletter import schema
from partita.apps.newsletter.inputs import PromptEdit
from partita.apps.newsletter.schema import Prompt
from partita.apps.newsletter.service.generators.prompts import (
    DEFAULTS,
    PLACEHOLDERS,
    PROMPTS,
    PromptName,
    unknown_placeholders,
)
from partita.apps.newsletter.service.generators.prompts import Prompt as PromptInUse
from partita.kit.clock import stamp
from partita.kit.inputs import StaleEdit
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import FieldError, Invalid, NotFound
from partita.table import Page, Put


class Prompts:
    """The prompts, and their versions."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    async def in_use(self, name: PromptName) -> PromptInUse:
        """The prompt that writers get: the highest version, or the program's own as version 0."""
        newest = await self._store.page(schema.prompt_versions(name), limit=1)
        return (
            PromptInUse(newest.items[0].text, newest.items[0].version) if newest.items else PromptInUse(DEFAULTS[name])
        )

    async def all_in_use(self) -> dict[PromptName, PromptInUse]:
        """Each prompt that writers get."""
        found = await asyncio.gather(*(self.in_use(name) for name in PROMPTS))
        return dict(zip(PROMPTS, found, strict=True))

    async def versions(self, name: str, *, limit: int = 20, cursor: str | None = None) -> Page[Prompt]:
        """The versions that people saved, newest first."""
        return await self._store.page(schema.prompt_versions(known(name)), limit=limit, after=cursor)

    async def names(self, page: Page[Prompt]) -> dict[str, str]:
        """Who saved versions, by id."""
        people = await self._kit.accounts.people.get_many(each.changed_by for each in page)
        return {user_id: person.name for user_id, person in people.items()}

    async def text(self, name: str, version: int) -> str:
        """The text of a version; 0 is the program's own."""
        if version == 0:
            return DEFAULTS[known(name)]
        found = await self._store.get(schema.prompt(known(name), version).consistently()) if version > 0 else None
        if found is None:
            raise NotFound("There is no such version of this prompt.")
        return found.text

    async def save(self, viewer: Viewer, name: str, edit: PromptEdit) -> Prompt:
        """A new version, which is used from now on; refused if somebody else saved one meanwhile."""
        strange = unknown_placeholders(edit.text)
        if strange:
            names = ", ".join(f"{{{each}}}" for each in strange[:5])
            allowed = ", ".join(f"{{{each}}}" for each in PLACEHOLDERS)
            raise Invalid(FieldError("text", f"Nothing fills in {names}. Use {allowed}, or leave out the braces."))
        current = await self.in_use(known(name))
        if edit.version is not None and edit.version != current.version:
            raise StaleEdit(current.version, "version")
        if edit.text == current.text:
            raise Invalid(FieldError("text", "This is the text in use already."))
        new = Prompt(
            name=known(name),
            version=current.version + 1,
            text=edit.text,
            note=edit.note,
            changed_by=viewer.id,
            created_at=stamp(self._kit.clock),
        )
        await self._store.write(Put(new).if_new().otherwise(StaleEdit(new.version, "version")))
        return new


def known(name: str) -> PromptName:
    """The name of a prompt; 404 if there is none of this name."""
    found: PromptName | None = next((each for each in get_args(PromptName) if each == name), None)
    if found is None:
        raise NotFound("There is no such prompt.")
    return found
