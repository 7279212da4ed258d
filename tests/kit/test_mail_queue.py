"""Queued mail goes out once, as far as SMTP allows; what cannot be known is tried once more, as the same message."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from partita.kit.mail import MaybeDelivered, Message, NotDelivered, Undeliverable
from partita.kit.mail_queue import CLAIM, PAUSES, MailQueue
from partita.kit.schema import QueuedMail, queued_mail
from partita.store import EmbeddedStore
from partita.table import Put
from tests.kit.between import late_store
from tests.kit.conftest import HandClock

pytestmark = pytest.mark.anyio
MESSAGE = Message("ada@example.org", "Hello", "Text with a secret", "<p>Text</p>", "m1", "https://x.example/u?token=t")


class Killed(BaseException):
    """The process dies while it talks to the server."""


@dataclass
class Server:
    """Takes mail, or does what the test wants."""

    answers: list[BaseException] = field(default_factory=list)
    taken: list[Message] = field(default_factory=list)

    async def send(self, message: Message) -> None:
        await asyncio.sleep(0)
        if self.answers:
            raise self.answers.pop(0)
        self.taken.append(message)


@dataclass
class SlowServer:
    """Answers when the test wants."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    answer: asyncio.Event = field(default_factory=asyncio.Event)
    taken: list[Message] = field(default_factory=list)

    async def send(self, message: Message) -> None:
        self.asked.set()
        await self.answer.wait()
        self.taken.append(message)


async def _state(house: EmbeddedStore) -> QueuedMail:
    found = await house.asynchronous.get(queued_mail("m1").consistently())
    assert found is not None
    return found


async def test_a_mail_is_sent_once_however_often_it_is_queued_and_by_whomever(
    house: EmbeddedStore, clock: HandClock
) -> None:
    server = Server()
    queues = [MailQueue(house.asynchronous, server, clock) for _ in range(4)]
    new = await asyncio.gather(*(queue.add(MESSAGE) for queue in queues for _ in range(3)))
    await asyncio.gather(*(queue.send_waiting() for queue in queues), *(queue.deliver("m1") for queue in queues))
    for queue in queues:
        await queue.finish()
    assert new.count(True) == 1
    assert server.taken == [MESSAGE]
    sent = await _state(house)
    assert (sent.state, sent.text, sent.html, sent.queued) == ("sent", "", "", None)  # its secrets are forgotten
    assert await queues[0].add(MESSAGE) is False


async def test_a_mail_that_another_process_sends_meanwhile_is_not_sent_again(
    house: EmbeddedStore, clock: HandClock
) -> None:
    server = Server([NotDelivered("later")])
    first = MailQueue(house.asynchronous, server, clock)
    await first.add(MESSAGE)
    await first.finish()
    clock.forward(minutes=1)
    store = late_store(house.engine, lambda: clock.now().timestamp(), lambda: first.deliver("m1"))
    assert await MailQueue(store, server, clock).deliver("m1") is False
    assert server.taken == [MESSAGE]


async def test_a_refused_mail_is_tried_again_later_and_given_up_at_last(
    house: EmbeddedStore, clock: HandClock, caplog: pytest.LogCaptureFixture
) -> None:
    server = Server([NotDelivered("later") for _ in range(100)])
    queue = MailQueue(house.asynchronous, server, clock)
    await queue.add(MESSAGE)
    await queue.finish()
    assert await queue.send_waiting() == 0
    for pause in PAUSES:
        assert (await _state(house)).state == "waiting"
        clock.forward(seconds=pause.total_seconds() - 1)
        tries = (await _state(house)).tries
        await queue.send_waiting()
        assert (await _state(house)).tries == tries  # not yet
        clock.forward(seconds=1)
        await queue.send_waiting()
        assert (await _state(house)).tries == tries + 1
    failed = await _state(house)
    assert (failed.state, failed.text) == ("failed", "")
    assert "given up after 7 tries" in caplog.text
    clock.forward(days=2)
    assert await queue.send_waiting() == 0


async def test_a_mail_that_is_refused_once_is_sent_the_next_time(house: EmbeddedStore, clock: HandClock) -> None:
    server = Server([NotDelivered("later")])
    queue = MailQueue(house.asynchronous, server, clock)
    await queue.add(MESSAGE)
    await queue.finish()
    clock.forward(minutes=1)
    assert await queue.send_waiting() == 1
    assert server.taken == [MESSAGE]


async def test_an_address_that_does_not_exist_is_given_up_at_once(house: EmbeddedStore, clock: HandClock) -> None:
    queue = MailQueue(house.asynchronous, Server([Undeliverable("nobody")]), clock)
    await queue.add(MESSAGE)
    await queue.finish()
    assert (await _state(house)).state == "failed"


@pytest.mark.parametrize("times", [1, 2])
async def test_a_mail_without_an_answer_is_tried_once_more(house: EmbeddedStore, clock: HandClock, times: int) -> None:
    server = Server([MaybeDelivered("?") for _ in range(times)])
    queue = MailQueue(house.asynchronous, server, clock)
    await queue.add(MESSAGE)
    await queue.finish()
    for _ in range(4):
        clock.forward(days=1)
        await queue.send_waiting()
    assert len(server.taken) == (1 if times == 1 else 0)
    assert (await _state(house)).state == ("sent" if times == 1 else "failed")


@pytest.mark.parametrize("times", [1, 2])
async def test_a_mail_whose_process_died_is_tried_once_more_as_the_same_message(
    house: EmbeddedStore, clock: HandClock, times: int
) -> None:
    server = Server([Killed() for _ in range(times)])
    queue = MailQueue(house.asynchronous, server, clock, lambda: clock.now().timestamp())
    await queue.add(MESSAGE)
    for number in range(times):
        with pytest.raises(Killed):
            await (queue.deliver("m1") if number else queue.finish())
        assert await queue.send_waiting() == 0  # it is claimed
        clock.forward(seconds=CLAIM.total_seconds() + 1)
    sent = await queue.send_waiting()
    state = await _state(house)
    if times == 1:
        assert (sent, server.taken, state.state) == (1, [MESSAGE], "sent")
    else:
        assert (sent, server.taken, state.state) == (0, [], "failed")
        assert "it may have gone out" in state.error


@pytest.mark.parametrize("ahead", [-3500, -301, 301, 3500])
async def test_a_mail_that_is_being_sent_is_not_sent_by_a_machine_with_another_clock(
    house: EmbeddedStore, clock: HandClock, ahead: int
) -> None:
    """Their clocks differ by almost an hour; each counts seconds rightly."""
    seconds, others = 0.0, HandClock()
    others.forward(seconds=ahead)
    slow = SlowServer()
    first = MailQueue(house.asynchronous, slow, clock)
    server = Server()
    second = MailQueue(house.asynchronous, server, others, lambda: seconds)
    await first.add(MESSAGE)
    await slow.asked.wait()
    for _ in range(11):  # almost five minutes, by its own count, from its first look on
        assert await second.send_waiting() == 0
        assert await second.deliver("m1") is False
        seconds += 27.0
        others.forward(seconds=27)
    slow.answer.set()
    await first.finish()
    assert (await _state(house)).state == "sent"
    seconds += 4000
    others.forward(seconds=4000)
    assert await second.send_waiting() == 0
    assert (len(slow.taken), server.taken) == (1, [])


@pytest.mark.parametrize("ahead", [-3500, 0, 3500])
async def test_a_mail_of_a_machine_that_died_is_sent_within_the_time_of_a_claim(
    house: EmbeddedStore, clock: HandClock, ahead: int
) -> None:
    seconds, others = 0.0, HandClock()
    others.forward(seconds=ahead)
    dying = MailQueue(house.asynchronous, Server([Killed()]), clock)
    await dying.add(MESSAGE)
    with pytest.raises(Killed):
        await dying.finish()
    server = Server()
    survivor = MailQueue(house.asynchronous, server, others, lambda: seconds)
    for look in range(int(CLAIM.total_seconds() / 30) + 1):
        assert server.taken == [], look
        await survivor.send_waiting()
        seconds += 30.0
        others.forward(seconds=30)
    assert server.taken == [MESSAGE]


@pytest.mark.parametrize("ahead", [-3500, 3500])
async def test_a_mail_of_a_machine_that_died_before_it_sent_it_is_sent_at_the_next_look(
    house: EmbeddedStore, clock: HandClock, ahead: int
) -> None:
    others = HandClock()
    others.forward(seconds=ahead)
    dying = MailQueue(house.asynchronous, Server(), clock)
    await house.asynchronous.write(Put(dying.entry(MESSAGE)))
    server = Server()
    assert await MailQueue(house.asynchronous, server, others).send_waiting() == 1
    assert server.taken == [MESSAGE]


async def test_what_cannot_be_queued_is_refused(house: EmbeddedStore, clock: HandClock) -> None:
    queue = MailQueue(house.asynchronous, Server(), clock)
    with pytest.raises(ValueError, match="needs an id"):
        await queue.add(Message("ada@example.org", "x", "y"))


@pytest.mark.parametrize("refusal", [None, Undeliverable, MaybeDelivered])
async def test_a_mail_that_leaves_no_trace_is_gone_once_it_was_sent_or_given_up(
    house: EmbeddedStore, clock: HandClock, caplog: pytest.LogCaptureFixture, refusal: type[NotDelivered] | None
) -> None:
    server = Server() if refusal is None else Server([refusal(f"{MESSAGE.to} is unknown") for _ in range(2)])
    queue = MailQueue(house.asynchronous, server, clock)
    last = replace(MESSAGE, leaves_no_trace=True)
    await house.asynchronous.write(Put(queue.entry(last)))
    queue.send_soon("m1")
    await queue.finish()
    if refusal is MaybeDelivered:
        assert (await _state(house)).error == "no answer", "the server's words may repeat the address"
        clock.forward(minutes=1)
        await queue.send_waiting()
    assert not await queue.knows("m1")
    assert server.taken == ([] if refusal else [last])
    assert MESSAGE.to not in caplog.text
    assert ("given up" in caplog.text) is (refusal is not None)
