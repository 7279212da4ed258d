"""A door on a free port, on each kind of loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

import pytest

from partita.engine.door import DoorLimits, DoorThread
from partita.engine.door import thread as door_thread
from tests.engine.door.wire import Client, StandIn

OpenDoor = Callable[..., DoorThread]


@pytest.fixture
def backend() -> StandIn:
    return StandIn()


@pytest.fixture(params=["uvloop", "asyncio"])
def open_door(request: pytest.FixtureRequest, backend: StandIn, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenDoor]:
    """Opens doors with the limits given by name; all are closed in the end."""
    if request.param == "asyncio":
        monkeypatch.setattr(door_thread, "new_loop", asyncio.new_event_loop)
    with ExitStack() as stack:

        def open_one(keys: dict[str, str] | None = None, origins: Sequence[str] = (), **limits: float) -> DoorThread:
            bounds = DoorLimits(**{"stop_seconds": 5.0, **limits})  # type: ignore[arg-type]
            return stack.enter_context(DoorThread(backend, keys=keys, limits=bounds, origins=origins))

        yield open_one


@pytest.fixture
def door(open_door: OpenDoor) -> DoorThread:
    return open_door()


@pytest.fixture
def client(door: DoorThread) -> Iterator[Client]:
    with Client(door.port) as client:
        yield client
