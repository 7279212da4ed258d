"""Twenty newsletters are made at once by a real server, and its API answers meanwhile."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from partita.apps.newsletter.inputs import NewNewsletter
from partita.apps.newsletter.service import NewsletterService
from tests.apps.newsletter.found import find_content
from tests.apps.newsletter.killed import suite_in
from tests.web.serving import serving

PEOPLE, EACH = 4, 5
SLOWEST = float(os.environ.get("PARTITA_SLOWEST", "1.0"))
"""Seconds that nineteen of twenty answers may take at most; 0.1 is promised for a machine that does nothing else."""
_PASSWORD = "correct horse battery"


@dataclass
class Author:
    """Somebody with newsletters, as a program."""

    token: str
    codes: list[str]
    seconds: list[float] = field(default_factory=list)

    async def call(self, session: aiohttp.ClientSession, method: str, path: str) -> dict[str, Any]:
        begun = time.monotonic()
        headers = {"Authorization": f"Bearer {self.token}"}
        async with session.request(method, f"/api/newsletter/newsletters{path}", headers=headers) as answer:
            told: dict[str, Any] = await answer.json(content_type=None)
            assert answer.status < 300, told
        self.seconds.append(time.monotonic() - begun)
        return told

    async def make_all(self, session: aiohttp.ClientSession) -> None:
        """Have outlines and then drafts of all of them written at once, looking at this and that meanwhile."""
        for step in ("outline", "draft"):
            for code in self.codes:
                await self.call(session, "POST", f"/{code}/{step}/generate")
            waiting = list(self.codes)
            while waiting:
                await self.call(session, "GET", "")
                await self.call(session, "GET", f"/{waiting[0]}/outline")
                states = [(await self.call(session, "GET", f"/{code}/steps/{step}"))["state"] for code in waiting]
                assert not {"failed", "cancelled"} & set(states)
                waiting = [code for code, state in zip(waiting, states, strict=True) if state != "done"]


@pytest.mark.timeout(300)
def test_twenty_newsletters_at_once_all_finish_while_the_api_answers(tmp_path: Path) -> None:
    authors = asyncio.run(_authors(tmp_path / "data"))
    with serving(tmp_path, "--systems", "newsletter", environment={"PARTITA_FETCH": "false"}) as suite:
        begun = time.monotonic()
        asyncio.run(_make_all(suite.url, authors))
        took = time.monotonic() - begun
        words = asyncio.run(_words(suite.url, authors))
    assert len(words) == PEOPLE * EACH
    assert min(words) > 100
    seconds = sorted(each for author in authors for each in author.seconds)
    p95, median = seconds[int(len(seconds) * 0.95)], seconds[len(seconds) // 2]
    print(
        f"{len(words)} newsletters in {took:.1f} s; {len(seconds)} answers: median {median * 1000:.0f} ms,"
        f" 95 % within {p95 * 1000:.0f} ms",
        flush=True,
    )
    assert p95 < SLOWEST


async def _authors(folder: Path) -> list[Author]:
    suite = suite_in(folder)
    kit, service = suite.kit, NewsletterService(suite.kit)
    found = []
    for number in range(PEOPLE):
        name = f"author-{number}"
        account = await kit.accounts.registration.create(name, f"{name}@example.org", name, _PASSWORD)
        operator = kit.accounts.operator()
        await kit.accounts.administration.set_roles(operator, account.user_id, ["newsletter:author"])
        session = await kit.accounts.sessions.sign_in(name, _PASSWORD, user_agent="Test/1.0")
        viewer = await kit.accounts.recognition.from_session(session.token)
        token = await kit.accounts.tokens.create(viewer, "test", viewer.permissions, 1)
        codes = []
        for _ in range(EACH):
            made = await service.newsletters.create(viewer, NewNewsletter(title="Digest", length_preference="short"))
            await find_content(kit, service, viewer, made.newsletter_code)
            codes.append(made.newsletter_code)
        found.append(Author(token.text, codes))
    await suite.close()
    return found


async def _make_all(url: str, authors: list[Author]) -> None:
    async with aiohttp.ClientSession(url) as session:
        await asyncio.gather(*(author.make_all(session) for author in authors))


async def _words(url: str, authors: list[Author]) -> list[int]:
    async with aiohttp.ClientSession(url) as session:
        return [
            (await author.call(session, "GET", f"/{code}/draft"))["word_count"]
            for author in authors
            for code in author.codes
        ]
