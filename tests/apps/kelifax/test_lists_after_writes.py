"""After any writes, the lists that visitors get from memory are those that a new application makes."""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from partita.apps.kelifax.inputs import ResourceEdit
from partita.apps.kelifax.schema import CATEGORIES, RESOURCES
from partita.kit.problems import Conflict
from partita.web.app import create_app
from tests.apps.house import kit_on
from tests.apps.kelifax.conftest import MOD, submission
from tests.apps.kelifax.served import Kelifax, Somebody, serve

pytestmark = pytest.mark.anyio
LISTS = (
    "/kelifax",
    "/kelifax/resources",
    "/kelifax/resources?category=ai",
    "/kelifax/resources?tag=looms",
    "/kelifax/resources?tag=looms&tag=cards&sort=name",
    "/kelifax/resources?sort=popular",
    "/api/kelifax/resources?limit=3",
    "/api/kelifax/resources?category=ai",
    "/api/kelifax/categories",
)


@pytest.fixture
async def kelifax(tmp_path: Path) -> AsyncIterator[Kelifax]:
    with kit_on(tmp_path, RESOURCES) as kit:
        yield serve(kit)


def _content(body: str) -> str:
    """A response without what is each request's own: the developer panel, and the signature in a cursor."""
    return re.sub(r'cursor=[^"&]+|"next_cursor":"[^"]+"', "cursor", body.partition('<details class="developer">')[0])


async def test_a_list_from_memory_is_the_list_made_anew(kelifax: Kelifax) -> None:
    choose = random.Random(5)
    slugs: list[str] = []
    for number in range(36):
        match choose.choice(("submit", "submit", "edit", "delete", "view", "feature", "follow", "follow")):
            case "submit":
                tags = choose.sample(["looms", "cards", "knots"], 2)
                category = choose.choice(CATEGORIES[:3])
                form = submission(
                    f"Thing {number}",
                    f"https://t{number}.example.org",
                    resource__tags=tags,
                    resource__category=category,
                )
                slugs.append((await kelifax.service.submissions.submit(form, str(number))).resource_slug)
                await kelifax.service.moderation.approve(MOD, slugs[-1])
            case "edit" if slugs:
                purpose = f"Edited for the time number {number}."
                edit = ResourceEdit.model_validate(
                    {"usagePurpose": purpose, "tags": [choose.choice(("looms", "other"))]}
                )
                await kelifax.service.moderation.edit(MOD, choose.choice(slugs), edit)
            case "feature" if slugs:
                with suppress(Conflict):  # it may be so already
                    await kelifax.service.moderation.feature(MOD, choose.choice(slugs), featured=True)
            case "view" if slugs:
                await kelifax.service.views.count(choose.choice(slugs))
                await kelifax.service.views.add_waiting()
            case "delete" if slugs:
                gone = slugs.pop(choose.randrange(len(slugs)))
                await kelifax.service.moderation.delete(MOD, gone)
            case "follow":
                await kelifax.worker.drain()
        for path in choose.sample(LISTS, 2):
            await kelifax.visitor().get(path)
            remembered = await kelifax.visitor().get(path)
            anew = await Somebody(create_app(kelifax.suite)).get(path)
            assert remembered.status == anew.status == 200
            assert _content(remembered.text) == _content(anew.text), path
    assert len(slugs) > 3
