"""What the change stream keeps for lists: headlines and what needs attention, and what an issue of a series has cited.
Each is computed from what is stored, so that a change may be told any number of times."""

from __future__ import annotations

from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import is_newsletter
from partita.apps.newsletter.schema import Issue, Newsletter, Outline
from partita.apps.newsletter.service.outline import plan_of
from partita.apps.newsletter.service.outlining import FOUND, PERSON
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.table import Update

MOST_HEADLINES = 3
_MOST_COUNTED = 100
_MOST_CHUNKS = 500


class Gone(Exception):
    """What was to be kept up to date has been deleted meanwhile."""


class DeskKeeping:
    """Values that follow from others."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    async def follow(self, code: str) -> None:
        """Keep headlines and attention of a newsletter."""
        if not is_newsletter(code):
            return
        newsletter = await find(self._store, schema.newsletter, code)
        if newsletter is None:
            return
        outline = await find(self._store, schema.outline, code)
        headlines = () if outline is None else headlines_of(outline)
        attention = await self._attention(newsletter)
        if (headlines, attention) == (newsletter.headlines, newsletter.attention):
            return
        # Not a revision of the configuration: an edit that is open in a browser stays valid.
        kept = Update(newsletter.own_key, Newsletter.headlines.set(headlines), Newsletter.attention.set(attention))
        await self._write(kept)

    async def cite(self, code: str) -> None:
        """Keep what an issue of a series has cited: later issues rank that lower."""
        newsletter = await find(self._store, schema.newsletter, code)
        draft = await find(self._store, schema.draft, code)
        if newsletter is None or newsletter.series_id is None or draft is None:
            return
        chunks = tuple(dict.fromkeys(str(each["chunk_id"]) for each in draft.citations if each.get("chunk_id")))
        issue = Issue.key(Issue.series_id(newsletter.series_id), Issue.created_at(newsletter.created_at))
        await self._write(Update(issue, Issue.chunk_ids.set(chunks[:_MOST_CHUNKS])))

    async def _attention(self, newsletter: Newsletter) -> dict[str, int]:
        code = newsletter.newsletter_code
        notes = await self._store.page(schema.notes_on(code), limit=_MOST_COUNTED)
        runs = [run async for run in self._store.stream(schema.step_runs(code))]
        shares = [share async for share in self._store.stream(schema.shares_of(code))]
        counts = {
            "notes": sum(note.open for note in notes),
            "failed": sum(run.state == "failed" for run in runs),
            "review": sum(share.review_asked for share in shares),
        }
        return {kind: count for kind, count in counts.items() if count}

    async def _write(self, update: Update[Any]) -> None:
        try:
            await self._store.write(update.otherwise(Gone()))
        except Gone:
            return


def headlines_of(outline: Outline) -> tuple[str, ...]:
    """The first three stories that are told; the opening and the closing are none."""
    stories = (item for section in plan_of(outline).sections for item in section.written)
    return tuple(item.title[:200] for item in stories if item.source in (FOUND, PERSON))[:MOST_HEADLINES]
