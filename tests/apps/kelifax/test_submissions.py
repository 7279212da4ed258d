"""Submissions: slugs, addresses and logos, on a real engine."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO

import pytest
from PIL import Image

from partita.apps.kelifax import system
from partita.apps.kelifax.schema import LOGOS
from partita.apps.kelifax.service import KelifaxService
from partita.kit.files import sweep
from partita.kit.kit import Kit
from partita.kit.problems import Conflict, Invalid, Problem, TooLarge
from tests.apps.house import worker_of
from tests.apps.kelifax.conftest import MOD, submission

pytestmark = pytest.mark.anyio


async def test_a_submission_is_stored_in_the_documents_formats(service: KelifaxService) -> None:
    resource = await service.submissions.submit(submission(), "somebody")
    row = (await service.moderation.inspect(resource.resource_slug)).to_row()
    assert row["resourceSlug"] == {"S": "amazing-dev-tool"}
    assert row["resourceStatus"] == {"S": "pending"}
    assert row["tags"] == {"S": "compilers,analysis"}
    assert row["keyFeatures"] == {"S": "Writes programs for you|Finds the bugs as well|Keeps you company"}
    assert row["learningResources"] == {"S": '{"title":"a\\u007cb","url":"https://learn.example.org","type":"video"}'}
    assert row["submitterEmail"] == {"S": "ada@engine.example"}
    assert row["submitterDomain"] == {"S": "engine.example"}
    assert row["approvedAt"] == row["submitterPhone"] == row["logoImage"] == {"S": ""}
    assert "approvedCategory" not in row


async def test_a_taken_slug_is_followed_by_the_next_number(service: KelifaxService) -> None:
    slugs = [
        (await service.submissions.submit(submission(url=f"https://{number}.example.org"), "x")).resource_slug
        for number in range(3)
    ]
    assert slugs == ["amazing-dev-tool", "amazing-dev-tool-2", "amazing-dev-tool-3"]


@pytest.mark.parametrize("name", ["Log", "Reports"])
async def test_a_resource_does_not_hide_behind_a_page_of_the_moderation(service: KelifaxService, name: str) -> None:
    slugs = [
        (await service.submissions.submit(submission(name, f"https://{n}.example.org"), "x")).resource_slug
        for n in range(2)
    ]
    assert slugs == [f"{name.lower()}-2", f"{name.lower()}-3"]


async def test_a_name_without_letters_is_refused(service: KelifaxService) -> None:
    with pytest.raises(Invalid, match=r"resource\.resourceName.*letter or digit"):
        await service.submissions.submit(submission("★ ★ ★"), "x")
    assert (await service.moderation.queue("pending")).items == ()


@pytest.mark.parametrize("name", ["工具箱", "أدوات", "ግንባታ"])
async def test_a_name_of_any_script_gets_a_slug(service: KelifaxService, name: str) -> None:
    slugs = [
        (await service.submissions.submit(submission(name, f"https://{number}.example.org"), "x")).resource_slug
        for number in range(2)
    ]
    assert slugs[0].startswith("resource-")
    assert slugs[1] == f"{slugs[0]}-2"
    await service.moderation.approve(MOD, slugs[1])
    assert (await service.resources.detail(slugs[1])).resource_name == name


async def test_the_same_address_again_names_what_is_there_only_when_it_is_public(service: KelifaxService) -> None:
    await service.submissions.submit(submission(), "x")
    again = submission("Another name", "HTTP://AMAZING.example.org:80/?utm_source=x")
    with pytest.raises(Conflict, match="waiting for review") as refused:
        await service.submissions.submit(again, "x")
    assert refused.value.code == "url_taken"
    await service.moderation.approve(MOD, "amazing-dev-tool")
    with pytest.raises(Conflict, match="amazing-dev-tool"):
        await service.submissions.submit(again, "x")


async def test_a_rejected_or_deleted_resource_frees_its_address(service: KelifaxService) -> None:
    await service.submissions.submit(submission(), "x")
    await service.moderation.reject(MOD, "amazing-dev-tool", "spam")
    second = await service.submissions.submit(submission("Second"), "x")
    with pytest.raises(Conflict, match="waiting for review"):
        await service.moderation.approve(MOD, "amazing-dev-tool")
    await service.moderation.delete(MOD, second.resource_slug)
    await service.moderation.approve(MOD, "amazing-dev-tool")


def _picture(kind: str = "PNG", size: int = 64) -> bytes:
    data = BytesIO()
    Image.new("RGB", (size, size), "red").save(data, kind)
    return data.getvalue()


async def test_a_logo_is_taken_once_and_goes_with_its_resource(kit: Kit, service: KelifaxService) -> None:
    logo = await service.submissions.upload_logo(_picture(), "x")
    file = f"{LOGOS}/{logo}"
    await service.submissions.submit(submission(resource__logoImage=logo), "x")
    with pytest.raises(Invalid, match="Upload it again"):
        await service.submissions.submit(
            submission("Other", "https://other.example.org", resource__logoImage=logo), "x"
        )
    assert await kit.files.exists(file)
    worker = worker_of(kit, system.build(kit))
    await service.moderation.delete(MOD, "amazing-dev-tool")
    await worker.drain()
    assert not await kit.files.exists(file)
    assert await worker.drain() == 0


async def test_a_sweep_keeps_the_logos_of_resources_and_of_visitors_who_are_still_typing(
    kit: Kit, service: KelifaxService
) -> None:
    used, waiting = [await service.submissions.upload_logo(_picture(), "x") for _ in range(2)]
    await service.submissions.submit(submission(resource__logoImage=used), "x")
    await kit.files.save(f"{LOGOS}/lost.png", _picture(), "image/png")
    later = kit.clock.now() + timedelta(days=2)
    swept = await sweep(kit.files, kit.store, system.build(kit).files, now=later, delete=True)
    assert [file.name for file in swept.unnamed] == [f"{LOGOS}/lost.png"]
    assert await kit.files.exists(f"{LOGOS}/{used}")
    assert await kit.files.exists(f"{LOGOS}/{waiting}")


@pytest.mark.parametrize("data", [b"", b"not a picture", _picture("GIF"), _picture(size=63), _picture()[:-30]])
async def test_what_is_no_good_logo_is_refused(service: KelifaxService, data: bytes) -> None:
    with pytest.raises(Problem) as refused:
        await service.submissions.upload_logo(data, "x")
    assert refused.value.status == 422


async def test_a_logo_that_is_too_large_is_refused(service: KelifaxService) -> None:
    with pytest.raises(TooLarge):
        await service.submissions.upload_logo(b"x" * 600_001, "x")


async def test_a_submitter_sees_every_step_but_not_who_decided(service: KelifaxService) -> None:
    earlier = await service.submissions.submit(submission(), "somewhere")
    await service.moderation.reject(MOD, earlier.resource_slug, "Of another time.")
    await service.moderation.delete(MOD, earlier.resource_slug)
    sent = await service.submissions.submit(submission(), "somewhere")
    assert sent.resource_slug == earlier.resource_slug
    await service.moderation.reject(MOD, sent.resource_slug, "Too short.")
    await service.submissions.revise(sent.submission_id, submission(), "somewhere", None)
    await service.moderation.approve(MOD, sent.resource_slug)
    steps = await service.submissions.steps(await service.submissions.status(sent.submission_id))
    assert [(step.what, step.reason) for step in steps] == [
        ("Submitted", ""),
        ("Rejected", "Too short."),
        ("Changed by you", ""),
        ("Approved", ""),
    ]
    assert [step.at for step in steps] == sorted(step.at for step in steps)
