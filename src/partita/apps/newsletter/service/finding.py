"""Finding by words: newsletters and proposals of one's own and shared ones, and sources."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from partita.apps.newsletter import schema
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Newsletter
from partita.apps.newsletter.service.newsletters import Newsletters, folded_words
from partita.apps.newsletter.service.proposals import in_list, shared_proposals
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer

_MOST = 20
_MOST_READ = 500


class _Named(BaseModel):
    """What is read of a proposal: never its texts."""

    proposal_code: str
    title: str
    description: str
    status: str


@dataclass(frozen=True, slots=True)
class FoundSource:
    """A source with the words, as a list shows it."""

    source_id: str
    title: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What has the words."""

    newsletters: tuple[Newsletter, ...]
    shared: tuple[Newsletter, ...]
    proposals: tuple[tuple[str, str, str], ...]
    """Code, title, status."""
    sources: tuple[FoundSource, ...]

    @property
    def total(self) -> int:
        return len(self.newsletters) + len(self.shared) + len(self.proposals) + len(self.sources)


class Finding:
    """The search of the top bar."""

    def __init__(self, kit: Kit, newsletters: Newsletters) -> None:
        self._store = kit.store
        self._newsletters = newsletters
        self.sources: Callable[[Viewer, str, int], Awaitable[Sequence[FoundSource]]] | None = None
        """Finds sources by words."""

    async def everything(self, viewer: Viewer, words: str) -> Found:
        """The first twenty of each kind."""
        mine = await self._newsletters.mine(viewer, words=words, limit=_MOST)
        shared = await self._newsletters.shared(viewer, words=words, limit=_MOST)
        proposals = await self._proposals(viewer, words) if viewer.may(Letters.PROPOSE) else ()
        sources: Sequence[FoundSource] = ()
        if self.sources is not None and viewer.may(Letters.READ_SOURCES):
            sources = await self.sources(viewer, words, _MOST)
        return Found(mine.items, shared.items, tuple(proposals), tuple(sources))

    async def _proposals(self, viewer: Viewer, words: str) -> list[tuple[str, str, str]]:
        """One's own first, then what others have shared."""
        wanted = folded_words(words)
        found: dict[str, tuple[str, str, str]] = {}
        read = 0
        async for proposal in self._readable(viewer):
            read += 1
            text = f"{proposal.title} {proposal.description} {proposal.proposal_code}".casefold()
            if all(word in text for word in wanted):
                found[proposal.proposal_code] = proposal.proposal_code, proposal.title, proposal.status
            if len(found) == _MOST or read == _MOST_READ:
                break
        return list(found.values())

    async def _readable(self, viewer: Viewer) -> AsyncIterator[_Named]:
        async for proposal in self._store.stream(schema.proposals_of(viewer.id).shown_as(_Named)):
            yield proposal
        codes: list[str] = []
        async for share in self._store.stream(shared_proposals(viewer.id)):
            codes.append(share.code)
            if len(codes) == _MOST:
                for proposal in await in_list(self._store, codes, _Named):
                    yield proposal
                codes.clear()
        for proposal in await in_list(self._store, codes, _Named):
            yield proposal
