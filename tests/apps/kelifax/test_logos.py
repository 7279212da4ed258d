"""Logos in the hands of moderators: replaced and removed, with a line in the log and no file left behind."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image
from pydantic import ValidationError

from partita.apps.kelifax.inputs import Details
from partita.apps.kelifax.schema import LOGOS
from partita.kit.kit import Kit
from partita.kit.messages import field_errors
from partita.kit.problems import Conflict
from tests.apps.kelifax.conftest import MOD, approved
from tests.apps.kelifax.served import PASSWORD, Kelifax, serve

pytestmark = pytest.mark.anyio


def _picture(colour: str = "navy") -> bytes:
    file = BytesIO()
    Image.new("RGB", (80, 80), colour).save(file, "PNG")
    return file.getvalue()


@pytest.fixture
def kelifax(kit: Kit) -> Kelifax:
    return serve(kit)


async def _files(kelifax: Kelifax) -> list[str]:
    await kelifax.worker.drain()
    return [file.name async for file in kelifax.kit.files.listed(LOGOS)]


async def test_a_moderator_adds_replaces_and_removes_a_logo(kelifax: Kelifax) -> None:
    service = kelifax.service
    resource = await approved(service)
    slug = resource.resource_slug
    for colour in ("navy", "teal"):
        name = await service.submissions.upload_logo(_picture(colour), "somewhere")
        resource = await service.moderation.set_logo(MOD, slug, name, resource.revision)
        assert await _files(kelifax) == [resource.logo_file]
    with pytest.raises(Conflict, match="since you opened it"):
        await service.moderation.set_logo(MOD, slug, "", 1)
    await service.moderation.set_logo(MOD, slug, "", resource.revision)
    assert await _files(kelifax) == []
    log = [entry.action_name for entry in await service.moderation.history(slug)]
    assert log == ["Logo removed", "Logo replaced", "Logo replaced", "Approved"]


async def test_the_page_says_what_is_wrong_with_a_picture_and_changes_nothing(kelifax: Kelifax) -> None:
    accounts = kelifax.kit.accounts
    account = await accounts.registration.create("moa", "moa@example.org", "Moa", PASSWORD)
    await accounts.administration.set_roles(accounts.operator(), account.user_id, ["kelifax:moderator"])
    moa = kelifax.visitor()
    await moa.post("/sign-in", {"identity": "moa", "password": PASSWORD})
    slug = (await approved(kelifax.service)).resource_slug
    path = f"/kelifax/moderation/{slug}"
    headers = {"content-type": "multipart/form-data; boundary=x", "sec-fetch-site": "same-origin"}
    for data, says in ((b"", "Choose a picture."), (b"GIF89a", "PNG, JPEG or WebP"), (_picture(), "Logo replaced.")):
        head = b'--x\r\nContent-Disposition: form-data; name="logo"; filename="a.png"\r\n\r\n'
        sent = await moa.ask("POST", f"{path}/logo", head + data + b"\r\n--x--\r\n", headers)
        assert says in (await moa.follow(sent)).shown
    assert "Remove the logo" in (await moa.get(f"{path}/edit")).shown
    removed = await moa.post(f"{path}/logo", {"go": "remove"})
    assert "Logo removed." in (await moa.follow(removed)).shown


def test_too_few_features_of_which_one_is_too_short_are_two_mistakes_in_plain_words() -> None:
    with pytest.raises(ValidationError) as refused:
        Details.model_validate(
            {"keyFeatures": ["short", "Long | enough it is"], "useCases": ["x" * 20] * 9 + ["a" * 301]}
        )
    told = {each.field: each.message for each in field_errors(refused.value)}
    assert told.keys() == {"keyFeatures", "keyFeatures.0", "keyFeatures.1", "useCases", "useCases.9"}
    assert told["keyFeatures.1"] == "'|' cannot be part of this: it separates entries where they are stored."
    assert "10" in told["keyFeatures.0"]
    assert "3" in told["keyFeatures"]
    assert "8" in told["useCases"]
