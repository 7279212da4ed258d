"""A kind may look at the things themselves when it is read: names and numbers of now, and nothing that was hidden."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from partita.kit.notifications import Channels, Kind, MailPace, Words
from tests.kit.notifications.conftest import KINDS, World

pytestmark = pytest.mark.anyio
ARTICLES: dict[str, str | None] = {}
LOOKS: list[int] = []


async def _look_up(told: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any] | None]:
    LOOKS.append(len(told))
    found = [(each, ARTICLES[each["id"]]) for each in told]
    return [None if title is None else {**each, "title": title, "link": f"/{title}"} for each, title in found]


def _kind(mail: MailPace) -> Kind:
    return Kind(
        "press.looked-up",
        "An article",
        lambda data, _count: Words(data["title"]),
        "You read.",
        Channels(mail=mail),
        look_up=_look_up,
    )


async def test_words_are_of_now_and_what_was_hidden_is_not_named(world: World) -> None:
    ada, process, kind = await world.person("ada"), world.process(), _kind("never")
    process.use((*KINDS, kind))
    ARTICLES.update(a="Old", b="Secret")
    for name in ("a", "b"):
        await process.tell(ada.user_id, kind, cause=name, at=world.at(), data={"id": name}, link="/old")
    ARTICLES.update(a="New", b=None)
    LOOKS.clear()
    page = await process.page(await world.viewer(ada))
    assert {(told.words.title, told.link) for told in page} == {
        ("New", "/New"),
        ("You no longer have access to this.", ""),
    }
    assert LOOKS == [2], "one look for all of a kind"
    del ARTICLES["a"]
    (*_,) = await process.page(await world.viewer(ada))  # what cannot be looked up does not hide the others


@pytest.mark.parametrize("mail", ["once", "daily"])
async def test_mail_says_what_is_so_when_it_is_sent(world: World, mail: MailPace) -> None:
    ada, process, kind = await world.person("ada"), world.process(), _kind(mail)
    process.use((*KINDS, kind))
    ARTICLES.update(a="Shown", b=None)
    for name in ("a", "b"):
        await process.tell(ada.user_id, kind, cause=name, at=world.at(), data={"id": name})
    world.clock.forward(days=1)
    await process.send_due_digests(world.clock.now())
    (sent,) = await world.mails()
    assert sent.subject == "Shown"
    assert "/Shown" in sent.text
