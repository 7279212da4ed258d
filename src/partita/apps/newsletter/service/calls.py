"""Reading a call: its demands become a checklist with exact words and pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import as_stored
from partita.apps.newsletter.inputs import ProposalEdit
from partita.apps.newsletter.schema import Proposal
from partita.apps.newsletter.service.proposals import OpenProposal, Proposals, files_of, with_requirements
from partita.apps.newsletter.service.proposing.requirements import (
    CallText,
    Requirement,
    offer_in,
    renewed,
    requirements_in,
)
from partita.apps.newsletter.service.steps import Look, Step, Steps, Work
from partita.kit.jobs import JobFailed
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict

_MOST_CHUNKS = 3_000


class Calls:
    """The step *Read the call*."""

    def __init__(self, kit: Kit, proposals: Proposals, steps: Steps) -> None:
        self._kit = kit
        self._store = kit.store
        self._proposals = proposals
        self._steps = steps

    @property
    def step(self) -> Step:
        return Step("requirements", self._run, ready=self._ready, seconds=120.0)

    async def start(self, viewer: Viewer, code: str) -> Look:
        """Read the call's demands."""
        return await self._steps.start(viewer, code, "requirements")

    async def look(self, code: str) -> Look:
        """How far that is."""
        return await self._steps.look(code, "requirements")

    async def take_offer(self, viewer: Viewer, code: str) -> OpenProposal:
        """Take over the deadline and the amount that the call seems to tell."""
        there = await self._proposals.read(viewer, code, write=True)
        offer = there.metadata.get("offer")
        offered = dict(offer) if isinstance(offer, Mapping) else {}
        facts = {name: offered[name] for name in ("deadline", "amount", "currency") if offered.get(name)}
        if not facts:
            raise Conflict("The call tells neither a deadline nor an amount.", code="nothing_offered")
        return await self._proposals.edit(viewer, code, ProposalEdit(**facts))

    async def _ready(self, code: str, _: Mapping[str, Any]) -> None:
        proposal = await find(self._store, schema.proposal, code)
        ids = [] if proposal is None else call_sources(proposal)
        if not ids:
            raise Conflict("Add the call first: its file, on the page of the proposal.", code="step_not_ready")
        found = await self._store.batch_get(schema.sources_with(tuple(ids)).keys)
        if not any(each is not None and each.chunk_count for each in found):
            failed = next((each.error for each in found if each is not None and each.status == "failed"), None)
            words = failed or "The call is still being read. Try again in a moment."
            raise Conflict(words, code="step_not_ready")

    async def _run(self, work: Work) -> None:
        proposal = await find(self._store, schema.proposal, work.subject)
        if proposal is None:
            raise JobFailed("The proposal was deleted meanwhile.")
        await work.progress("Reading the call")
        passages: list[CallText] = []
        for source_id in call_sources(proposal):
            async for chunk in self._store.stream(schema.chunks_of(source_id)):
                if chunk.kind == "text" and len(passages) < _MOST_CHUNKS:
                    passages.append(CallText(chunk.text, chunk.page, source_id, chunk.turns))
        found: tuple[Requirement, ...] = await work.in_thread(requirements_in, passages)
        await work.progress("Making the checklist")
        offer = offer_in(found, self._kit.clock.now().date())
        told = {name: value for name, value in (("deadline", offer.deadline), ("amount", offer.amount)) if value}
        if offer.amount and offer.currency:
            told["currency"] = offer.currency

        def change(before: OpenProposal) -> Proposal:
            sections = [each.section for each in before.sections]
            requirements = renewed(before.requirements, found, sections)
            return with_requirements(before.proposal, requirements, offer=as_stored(told))

        write = await self._proposals.put_back(work.subject, change)
        if write is None:
            raise JobFailed("The proposal was deleted meanwhile.")
        count = len(found)
        message = f"{count} requirements." if count != 1 else "1 requirement."
        await work.finish(write, message=message, path=f"/newsletter/proposals/{work.subject}")


def call_sources(proposal: Proposal) -> list[str]:
    """The sources that were read from the files of the call."""
    return [str(each["source_id"]) for each in files_of(proposal).get("call", ()) if each.get("source_id")]
