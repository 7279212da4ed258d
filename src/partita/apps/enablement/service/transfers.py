"""Handing over everything that somebody owns, as a job: what is handed over leaves the owner's list, so that after a
kill the work goes on with what is left."""

from __future__ import annotations

from partita.apps.enablement import schema
from partita.apps.enablement.formats import folded
from partita.apps.enablement.inputs import Transfer
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service.audience import JOB_DONE, job_done
from partita.apps.enablement.service.fanouts import Fanouts
from partita.apps.enablement.service.lifecycle import Lifecycle
from partita.kit.accounts import Account
from partita.kit.jobs import Arguments, Job, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import Conflict, FieldError, Invalid, NotFound
from partita.table import Put

KIND = "enablement.transfer"
_MOST_COUNTED = 200


class Transfers:
    """Moves everything of an owner."""

    def __init__(self, kit: Kit, lifecycle: Lifecycle, fanouts: Fanouts) -> None:
        self._kit = kit
        self._store = kit.store
        self._lifecycle = lifecycle
        self._fanouts = fanouts

    async def count(self, viewer: Viewer, owner_id: str) -> int:
        """How many items somebody owns, up to 200."""
        authorize(viewer, Enablement.MANAGE)
        return len(await self._store.page(schema.content_of_owner(owner_id), limit=_MOST_COUNTED))

    async def owner(self, owner_id: str) -> Account | None:
        """Whose content it is; None if their account is gone."""
        return await self._kit.accounts.people.find(owner_id)

    async def heirs(self, viewer: Viewer, owner_id: str) -> list[Account]:
        """Who else may write, by name."""
        authorize(viewer, Enablement.MANAGE)
        holders = await self._kit.accounts.permissions.holders(str(Enablement.WRITE))
        people = await self._kit.accounts.people.get_many(each for each in holders if each != owner_id)
        return sorted(people.values(), key=lambda person: folded(person.name))

    async def suggest(self, viewer: Viewer, text: str) -> list[Account]:
        """People who may write and whose username begins with a text, for the field that names a new owner."""
        authorize(viewer, Enablement.WRITE)
        return await self._kit.accounts.suggest(text, Enablement.WRITE)

    async def start(self, viewer: Viewer, owner_id: str, transfer: Transfer) -> Job:
        """Start to hand over everything of an owner, whose account may be gone, to somebody who may write."""
        authorize(viewer, Enablement.MANAGE)
        heir = await self._lifecycle.heir(transfer)
        if heir.user_id == owner_id:
            raise Invalid(FieldError("to", "They own this already. Choose somebody else."))
        if not await self.count(viewer, owner_id):
            raise NotFound("They own no content.", code="no_content")
        owner = await self.owner(owner_id)
        name = owner.name if owner is not None else "somebody who is gone"
        arguments = {"owner": owner_id, "name": name, "to": transfer.to, "comment": transfer.comment}
        title = f"Hand over content of {name} to {heir.name}"
        return await self._kit.jobs.start(KIND, arguments, viewer, key=owner_id, title=title)

    @property
    def kind(self) -> JobKind:
        return JobKind(KIND, "Hand over content", self._run, needs=Enablement.MANAGE)

    async def _run(self, running: Running, arguments: Arguments) -> Result:
        viewer = await self._kit.starters.viewer(running.user_id)
        transfer = Transfer(to=arguments["to"], comment=arguments["comment"])
        moved: int = running.saved or 0
        async for content in self._store.stream(schema.content_of_owner(arguments["owner"])):
            try:
                await self._lifecycle.hand_over(viewer, content.content_id, transfer)
            except (Conflict, NotFound):  # it has changed hands or was deleted, and the list does not know yet
                continue
            moved += 1
            await running.progress("Handing over", done=moved)
            await running.checkpoint(moved)
        words = f"{moved:,} {'item' if moved == 1 else 'items'} handed over."
        told = job_done(viewer.id, f"Content of {arguments['name']} handed over", "/enablement", words)
        cause = self._fanouts.due(
            f"transfer.{running.job_id}", JOB_DONE, arguments["owner"], running.created_at, details=told
        )
        await self._store.write(Put(cause))
        return Result(words, "/enablement", {"items": moved})
