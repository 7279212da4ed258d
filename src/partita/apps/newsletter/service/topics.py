"""Topics of a newsletter: which there are, which are recommended, and which passages come first or never."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import TOPIC_GROUPS, as_plain, recommended_topics, topic_label
from partita.apps.newsletter.inputs import TopicsEdit
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import SHARED_SHELF, Newsletter, Source, Topics
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.bookkeeping import changed, changed_since, reached, retrieval_settings, touch
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.problems import FieldError, Invalid, NotFound
from partita.table import ChangedMeanwhileError, Put, Transaction
from partita.table.types import timestamp
from partita.table.versions import next_version

Mark = Literal["pinned", "dropped", "none"]
MOST_PINNED = 200
MOST_DROPPED = 500


@dataclass(frozen=True, slots=True)
class TopicChoice:
    """A topic, and what it is to this newsletter."""

    label: str
    group: str
    chosen: bool
    recommended: bool
    passages: int
    thin: bool


class TopicsOf:
    """The topics of newsletters."""

    def __init__(self, kit: Kit, access: Access) -> None:
        self._kit = kit
        self._store = kit.store
        self._access = access

    async def get(self, viewer: Viewer, code: str) -> tuple[Newsletter, Topics]:
        """The newsletter and its topics; none are chosen at first."""
        newsletter = await self._access.newsletter(viewer, code)
        return newsletter, await self.of(newsletter)

    async def of(self, newsletter: Newsletter) -> Topics:
        """The topics of a newsletter that was found."""
        code = newsletter.newsletter_code
        found = await find(self._store, schema.topics, code)
        return found or Topics(newsletter_code=code, updated_at=newsletter.updated_at)

    async def edit(self, viewer: Viewer, code: str, edit: TopicsEdit) -> Topics:
        """Choose topics, sources and search words."""
        changes = dict(edit.changes)
        if "search_words" in changes:
            changes["search_words"] = {topic: words for topic, words in changes["search_words"].items() if words}
        if changes.get("source_ids"):
            await self._check_sources(viewer, code, changes["source_ids"])
        return await self._change(viewer, code, lambda _topics: changes)

    async def _check_sources(self, viewer: Viewer, code: str, chosen: Sequence[str]) -> None:
        """Refuse sources that are not there, or that the viewer may not read. Those that were chosen before may be gone
        meanwhile, and stay."""
        _, topics = await self.get(viewer, code)
        new = tuple(dict.fromkeys(each for each in chosen if each not in topics.source_ids))
        shelves = {code, SHARED_SHELF} if viewer.may(Letters.READ_SOURCES) else {code}
        there = {each.source_id for each in await self._sources(new) if each.shelf in shelves}
        missing = [each for each in new if each not in there]
        if missing:
            raise Invalid(FieldError("source_ids", f"There is no source {missing[0]}, or you may not read it."))

    async def still_searched(self, topics: Topics) -> int:
        """How many of the chosen sources can be searched: some may have been deleted or switched off since."""
        return sum(each.searched for each in await self._sources(topics.source_ids))

    async def _sources(self, source_ids: Sequence[str]) -> list[Source]:
        found = await self._store.batch_get(schema.sources_with(tuple(source_ids))) if source_ids else []
        return [each for each in found if each is not None]

    async def choose_recommended(self, viewer: Viewer, code: str) -> Topics:
        """The recommended topics, unless some are chosen."""

        newsletter, there = await self.get(viewer, code)
        if there.selected_types:
            return there
        recommended = recommended_topics(newsletter.target_audience)
        return await self._change(
            viewer, code, lambda topics: {} if topics.selected_types else {"selected_types": recommended}
        )

    async def mark(self, viewer: Viewer, code: str, chunk_id: str, mark: Mark) -> Topics:
        """Let a passage come first, never, or as it ranks."""

        def change(topics: Topics) -> dict[str, Any]:
            found = {str(each["id"]) for each in passages(topics)}
            if mark != "none" and chunk_id not in found | {*topics.pinned, *topics.excluded}:
                raise NotFound("There is no such passage among what was found.")
            pinned = [each for each in topics.pinned if each != chunk_id]
            excluded = [each for each in topics.excluded if each != chunk_id]
            if mark == "pinned":
                pinned = [*pinned, chunk_id][-MOST_PINNED:]
            elif mark == "dropped":
                excluded = [*excluded, chunk_id][-MOST_DROPPED:]
            return {"pinned": tuple(pinned), "excluded": tuple(excluded)}

        return await self._change(viewer, code, change)

    async def _change(self, viewer: Viewer, code: str, decide: Callable[[Topics], dict[str, Any]]) -> Topics:
        async def attempt() -> Topics:
            newsletter = await self._access.newsletter(viewer, code, write=True)
            now = self._kit.clock.now()
            found = await find(self._store, schema.topics, code)
            before = found or Topics(newsletter_code=code, updated_at=timestamp(now))
            changes = decide(before)
            if not changes and found is not None:
                return before
            after = before.model_copy(update={**changes, "updated_at": timestamp(now)})
            step = reached(newsletter, 2) if after.selected_types else ()
            new = Put(after).if_new().otherwise(ChangedMeanwhileError("The topics"))
            save = new if found is None else changed(found, after)
            await self._store.transact(Transaction(save, touch(newsletter, now, *step)))
            return after if found is None else next_version(after)

        return await self._store.attempt(attempt)


def choices(newsletter: Newsletter, topics: Topics) -> tuple[TopicChoice, ...]:
    """The twelve topics in their groups."""
    recommended = recommended_topics(newsletter.target_audience)
    chosen = {topic_label(each) for each in topics.selected_types}
    counts: dict[str, int] = {}
    for passage in topics.retrieved_content:
        label = topic_label(str(passage.get("topic", "")))
        counts[label] = counts.get(label, 0) + 1
    return tuple(
        TopicChoice(
            label=label,
            group=group,
            chosen=label in chosen,
            recommended=label in recommended,
            passages=counts.get(label, 0),
            thin=label in topics.thin,
        )
        for group, topics_of_group in TOPIC_GROUPS.items()
        for label in topics_of_group.values()
    )


def passages(topics: Topics) -> tuple[dict[str, Any], ...]:
    """What was found, as plain values; a passage of another program has an id by its place."""
    found = (as_plain(each) for each in topics.retrieved_content)
    return tuple({**each, "id": each.get("id") or f"chunk-{number}"} for number, each in enumerate(found, 1))


def outdated(newsletter: Newsletter, topics: Topics) -> tuple[str, ...]:
    """What has changed since content was found."""
    if topics.retrieval_completed_at is None:
        return ()
    return changed_since(as_plain(topics.settings), retrieval_settings(newsletter, topics))
