"""One page is in the directory once, with or without `www.`, also if an older rule has stored its address."""

from __future__ import annotations

import pytest

from partita.apps.kelifax.inputs import ResourceEdit
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.resources import AddressTaken
from tests.apps.kelifax.conftest import MOD, submission

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("first", "second"), [("www.example.org/a", "http://example.org/a/"), ("example.org", "www.example.org")]
)
async def test_a_page_is_submitted_once(service: KelifaxService, first: str, second: str) -> None:
    there = await service.submissions.submit(submission("First Tool", first), "ada")
    assert there.resource_url == f"https://{first}"
    taken = await service.resources.address_taken(second, "url")
    assert taken is not None
    with pytest.raises(AddressTaken):
        await service.submissions.submit(submission("Second Tool", second), "bob")
    assert await service.resources.address_taken(second, "url", except_by=there.resource_slug) is None


async def test_a_resource_changes_between_the_two_spellings(service: KelifaxService) -> None:
    there = await service.submissions.submit(submission(url="https://www.example.org"), "ada")
    for url in ("https://example.org", "https://www.example.org"):
        edit = ResourceEdit(resource_url=url)
        assert (await service.moderation.edit(MOD, there.resource_slug, edit)).resource_url == url
    await service.moderation.reject(MOD, there.resource_slug, "gone")
    await service.submissions.submit(submission("Other Tool", "https://example.org"), "bob")
