"""A picture of one's own: given and taken away on the account page, shown wherever its owner is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from io import BytesIO

import pytest
from PIL import Image

from partita.kit.avatars import AVATAR, UPLOADING
from partita.kit.files import sweep
from tests.web.conftest import Person, Served, make
from tests.web.visitor import Answer

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """Without the workers beside it: changes are followed when a test says so."""
    found = make(tmp_path_factory.mktemp("served"))
    yield found
    await found.suite.close()


def _picture(width: int = 300, height: int = 200, kind: str = "PNG") -> bytes:
    data = BytesIO()
    Image.new("RGB", (width, height), (200, 40, 40)).save(data, kind)
    return data.getvalue()


async def _send(who: Person, data: bytes) -> Answer:
    edge = "picture-edge"
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="face.png"\r\n\r\n'
    body = head.encode() + data + f"\r\n--{edge}--\r\n".encode()
    headers = {"content-type": f"multipart/form-data; boundary={edge}", "sec-fetch-site": "same-origin"}
    return await who.follow(await who.ask("POST", "/account/picture", body, headers))


async def _kept(served: Served) -> list[str]:
    """The pictures that are there when what follows changes is done."""
    await served.suite.worker.drain()
    return [each.name async for each in served.suite.kit.files.listed(AVATAR.folder)]


async def test_a_picture_is_cut_and_shown_in_the_bar_by_a_link_that_browsers_keep(served: Served) -> None:
    ada = await served.person("Ada")
    page = await _send(ada, _picture(600, 400, "JPEG"))
    assert "Picture saved." in page.shown
    account = await served.suite.kit.accounts.people.get(ada.account.user_id)
    assert account.avatar is not None
    with Image.open(BytesIO((await served.suite.kit.files.load(account.avatar)).data)) as stored:
        assert (stored.size, stored.format) == ((176, 176), "WEBP")
    bar = (await ada.get("/press/mine")).text.partition("</header>")[0]
    assert f'<img class="face round" src="/files/{account.avatar}?' in bar
    link = bar.partition(f'src="/files/{account.avatar}?')[2].partition('"')[0].replace("&amp;", "&")
    answer = await served.visitor().get(f"/files/{account.avatar}?{link}")
    assert (answer.status, answer.headers["content-type"]) == (200, "image/webp")
    assert "immutable" in answer.headers["cache-control"]
    assert (await served.visitor().get(f"/files/{account.avatar}")).status == 404
    await ada.post("/account/picture", {"remove": "true"})


async def test_an_administrator_sees_pictures_in_the_list_of_people(served: Served) -> None:
    ada, xenia = await served.person("Ada"), await served.person("Xenia", "admin")
    await _send(ada, _picture())
    account = await served.suite.kit.accounts.people.get(ada.account.user_id)
    row = (await xenia.get(f"/admin/users?q={account.username}")).text.partition("<tbody>")[2]
    assert f'<img class="face round" src="/files/{account.avatar}?' in row
    await ada.post("/account/picture", {"remove": "true"})


async def test_a_picture_that_was_replaced_or_removed_is_deleted(served: Served) -> None:
    ada = await served.person("Ada")
    await _send(ada, _picture())
    (first,) = await _kept(served)
    await _send(ada, _picture(64, 64))
    (second,) = await _kept(served)
    assert first != second
    page = await ada.follow(await ada.post("/account/picture", {"remove": "true"}))
    assert "Picture removed." in page.shown
    assert '<img class="face' not in page.text
    assert await _kept(served) == []


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "Choose a picture: PNG, JPEG or WebP."),
        (b"no picture", "Choose a file in PNG, JPG or WEBP"),
        (_picture(63, 64), "At least 64 × 64 pixels; this picture has 63 × 64."),
        (_picture()[:60], "This picture is damaged."),
    ],
)
async def test_what_cannot_be_used_is_refused_and_leaves_nothing(served: Served, data: bytes, said: str) -> None:
    ada = await served.person("Ada")
    page = await (_send(ada, data) if data else ada.follow(await ada.post("/account/picture", {})))
    assert said in page.shown
    assert await _kept(served) == []


async def test_whoever_uploads_too_often_is_told_so(served: Served) -> None:
    ada = await served.person("Ada")
    for _ in range(UPLOADING.most):
        await served.suite.kit.limits.check(UPLOADING, ada.account.user_id)
    assert "again" in (await _send(ada, _picture())).shown
    assert await _kept(served) == []


async def test_a_program_cannot_change_it_and_nobody_without_an_account(served: Served) -> None:
    answer = await served.visitor().post("/account/picture", {"remove": "true"})
    assert answer.location is not None
    assert answer.location.startswith("/sign-in")


async def test_the_sweep_knows_whose_pictures_are_whose(served: Served) -> None:
    ada = await served.person("Ada")
    await _send(ada, _picture())
    kit = served.suite.kit
    await kit.files.save(f"{AVATAR.folder}/left.webp", b"left behind", "image/webp")
    (mine,) = set(await _kept(served)) - {f"{AVATAR.folder}/left.webp"}
    later = kit.clock.now().replace(year=kit.clock.now().year + 1)
    swept = await sweep(kit.files, kit.store, served.suite.owned_files, now=later)
    assert [each.name for each in swept.unnamed] == [f"{AVATAR.folder}/left.webp"]
    assert mine
