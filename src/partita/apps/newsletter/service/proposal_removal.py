"""Deleting a proposal: nobody finds it from now on; files, private sources, versions and shares follow."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import as_plain
from partita.apps.newsletter.schema import Proposal
from partita.apps.newsletter.service.files import PROPOSALS, own_files
from partita.apps.newsletter.service.proposals import Proposals
from partita.apps.newsletter.service.source_removal import SourceRemovals
from partita.apps.newsletter.service.steps import Steps
from partita.kit.jobs import Arguments, Job, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.table import ChangedMeanwhileError, Delete, Query, Write

KIND = "newsletter.remove-proposal"
_BATCH = 25


class ProposalRemovals:
    """Deleting proposals."""

    def __init__(self, kit: Kit, proposals: Proposals, sources: SourceRemovals, steps: Steps) -> None:
        self._kit = kit
        self._store = kit.store
        self._proposals = proposals
        self._sources = sources
        self._steps = steps

    @property
    def kind(self) -> JobKind:
        return JobKind(KIND, "Delete a proposal", self._run)

    async def delete(self, viewer: Viewer, code: str) -> None:
        """Delete a proposal; the rest follows as a job that begins in the same transaction."""
        await self._begin((await self._proposals.deletable(viewer, code)).proposal, viewer)

    async def remove(self, proposal: Proposal, *, by: str) -> None:
        """Delete a proposal whose owner is erased; if it changed meanwhile, it is looked at again."""
        with suppress(ChangedMeanwhileError):
            await self._begin(proposal, Viewer(user_id=by))

    async def _begin(self, proposal: Proposal, viewer: Viewer) -> None:
        code = proposal.proposal_code

        def beside(_: Job) -> tuple[Write, ...]:
            mine = Delete(proposal.own_key).unless_changed(proposal, Proposal.revision)
            return (mine.otherwise(ChangedMeanwhileError("The proposal")),)

        exported = [as_plain(each).get("s3_key") for each in proposal.exports.values() if isinstance(each, dict)]
        arguments = {"code": code, "files": [str(each) for each in exported if each]}
        await self._kit.jobs.start(KIND, arguments, viewer, key=code, title=f"Delete “{proposal.title}”", beside=beside)

    async def _run(self, running: Running, arguments: Arguments) -> Result:
        code = arguments["code"]
        await running.progress("Stopping what runs")
        await self._steps.stop_all(code)
        await running.progress("Deleting files")
        for name in own_files(PROPOSALS, code, arguments["files"]):
            await self._kit.files.delete(name)
        async for source in self._store.stream(schema.sources(code)):
            await self._sources.delete_private(source.source_id)
        for query in (
            schema.text_versions(code),
            schema.notes_on(code),
            schema.shares_of(code),
            schema.step_runs(code),
        ):
            await running.progress("Deleting versions and shares")
            await self._delete(query)
        return Result("Deleted with everything that belonged to it.", "/newsletter/proposals")

    async def _delete(self, query: Query[Any]) -> None:
        keys = [row.own_key async for row in self._store.stream(query)]
        for first in range(0, len(keys), _BATCH):
            await self._store.batch_write([Delete(key) for key in keys[first : first + _BATCH]])
