"""The moderators' desk: whatever becomes of a decision, nobody loses the place in the queue."""

from __future__ import annotations

import re
from html import unescape

import pytest

from partita.apps.kelifax.inputs import ResourceEdit
from partita.kit.kit import Kit
from tests.apps.kelifax.conftest import MOD, submission
from tests.apps.kelifax.served import PASSWORD, serve
from tests.web.filled import filled
from tests.web.visitor import Answer

pytestmark = pytest.mark.anyio


async def test_a_refused_decision_stays_on_its_page_of_the_queue(kit: Kit) -> None:
    kelifax = serve(kit)
    accounts, moderator = kit.accounts, kelifax.visitor()
    account = await accounts.registration.create("moa", "moa@example.org", "Moa Loom", PASSWORD)
    await accounts.administration.set_roles(accounts.operator(), account.user_id, ("kelifax:moderator",))
    assert (await moderator.post("/sign-in", {"identity": "moa", "password": PASSWORD})).status == 303
    for number in range(21):
        sent = submission(f"Queue {number}", f"https://queue-{number}.example.org")
        await kelifax.service.submissions.submit(sent, f"somebody-{number}")
    first = await moderator.get("/kelifax/moderation")
    (following,) = re.findall(r'href="([^"]+)">Next page', first.text)
    page = await moderator.get(unescape(following))
    (action,) = re.findall(r'action="([^"]+/reject[^"]*)"', page.text)
    refused = await moderator.post(action, {**dict(filled(page.text, action)), "reason": " "})
    assert (refused.status, _open(refused)) == (422, _open(page))
    for mark in (r'href="[^"]+"[^>]*aria-keyshortcuts="[jk]"', r"(?s)<nav aria-label=.[0-9]+ waiting.*?</nav>"):
        assert re.findall(mark, refused.text) == re.findall(mark, page.text)
    slug = action.split("/")[3]
    await kelifax.service.moderation.edit(MOD, slug, ResourceEdit(tags=["since"]))
    (approve,) = re.findall(r'action="([^"]+/approve[^"]*)"', page.text)
    late = await moderator.follow(await moderator.post(approve, filled(page.text, approve)))
    assert re.findall("Next page|First page", late.text) == re.findall("Next page|First page", page.text)
    assert _open(late) == _open(page)
    for resource in (await kelifax.service.moderation.queue("pending", limit=100)).items:
        await kelifax.service.moderation.reject(MOD, resource.resource_slug, "Enough.")
    emptied = await moderator.post(action, {**dict(filled(page.text, action)), "reason": " "})
    assert (emptied.status, "Nothing waits" in emptied.shown) == (422, True)


def _open(page: Answer) -> str:
    """The name of what is open."""
    (name,) = re.findall(r'<h2 id="open-title">([^<]*)</h2>', page.shown)
    return str(name)
