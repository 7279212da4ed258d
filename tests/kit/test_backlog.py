"""Which handlers are behind is said exactly, wherever each of them is, and whoever asks."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from partita.engine import Engine
from partita.kit.changes import Change, Handler
from partita.kit.changes.backlog import Backlog, Ends
from partita.table import Put
from tests.kit.test_changes import NOTES, Note, Place

NAMES = ("quick", "slow", "last")
STEPS = st.lists(st.sampled_from(("write", "look", *NAMES)), max_size=25)


@given(steps=STEPS)
@settings(max_examples=30, deadline=None)
def test_who_has_not_handled_what_was_written_before_is_behind_and_nobody_else(steps: list[str]) -> None:
    async def see(_: Change) -> None:
        pass

    async def story(place: Place) -> None:
        handlers = {name: Handler(name, NOTES, see) for name in NAMES}
        workers = {name: place.worker(handler) for name, handler in handlers.items()}

        def backlog() -> Backlog:  # as another process has it
            return Backlog(place.store.asynchronous, place.engine.call_async, handlers.values(), lambda each: each.name)

        written, handled = 0, dict.fromkeys(NAMES, 0)
        looks: list[tuple[int, Ends]] = []
        for step in (*steps, "look"):
            if step == "write":
                written += 1
                place.store.write(Put(Note(id=str(written))))
            elif step == "look":
                looks.append((written, await backlog().ends()))
            else:
                await workers[step].drain()
                handled[step] = written
        for until, ends in looks:
            late = tuple(name for name in NAMES if handled[name] < until)
            assert await backlog().behind(ends) == late
        for worker in workers.values():
            await worker.drain()
        assert all([await backlog().behind(ends) == () for _, ends in looks])

    with Engine.temporary(background=False) as engine:
        asyncio.run(story(Place(engine)))
