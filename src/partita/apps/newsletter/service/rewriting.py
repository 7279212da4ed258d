"""A selection said in other words: shorter, simpler, more formal. Only a model can do that."""

from __future__ import annotations

from partita.apps.newsletter import schema
from partita.apps.newsletter.inputs import RewriteWish
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.drafting.values import citation_of, edition_of, found_in
from partita.apps.newsletter.service.generators.service import Generators
from partita.apps.newsletter.service.generators.values import RewriteTask
from partita.apps.newsletter.service.generators.writer import WriterFailed
from partita.apps.newsletter.service.writing.values import Citation, Passage
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, Unavailable

REWRITES = Rule("newsletter-rewrites", most=60, seconds=3600)


class Rewriting:
    """Lets a model say a piece of a text in other words; nothing is saved."""

    def __init__(self, kit: Kit, access: Access, generators: Generators) -> None:
        self._kit = kit
        self._store = kit.store
        self._access = access
        self._generators = generators

    async def rewrite(self, viewer: Viewer, code: str, wanted: RewriteWish) -> str:
        """The piece in other words, with its citations; refused without a model."""
        newsletter = await self._access.newsletter(viewer, code, write=True)
        if not await self._generators.can_rewrite(newsletter):
            raise Conflict("The offline writer cannot say things in other words. A model can.", code="no_model")
        await self._kit.limits.check(REWRITES, viewer.id)
        writer = await self._generators.writer_for(newsletter)
        draft = await find(self._store, schema.draft, code)
        topics = await find(self._store, schema.topics, code)
        found = {each.passage.id: each.passage for each in found_in(topics, newsletter.language)} if topics else {}
        cited = [citation_of(each) for each in (draft.citations if draft is not None else ())]
        passages = {each.n: found.get(each.chunk_id) or _quoted(each) for each in cited}
        edition = edition_of(newsletter, self._kit.clock.now().date())
        try:
            written = await writer.rewrite(RewriteTask(edition, wanted.text, wanted.wish, passages))
        except WriterFailed as failed:
            raise Unavailable(str(failed)) from failed
        return written.text


def _quoted(citation: Citation) -> Passage:
    """What the draft keeps of a passage that was found earlier."""
    return Passage(citation.chunk_id, citation.source_id, citation.quote, citation.title, published=citation.date)
