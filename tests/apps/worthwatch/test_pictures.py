"""Uploaded pictures: who may, what becomes of them, where they are shown, and that none is left behind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from partita.apps.worthwatch import system
from partita.apps.worthwatch.formats import picture_in
from partita.apps.worthwatch.inputs import NewItem
from partita.apps.worthwatch.schema import AVATARS, COVERS, POSTERS, WORTHWATCH, Watchlist
from partita.kit.files.sweep import sweep
from partita.kit.kit import Kit
from tests.apps.house import kit_on
from tests.apps.worthwatch.conftest import film, new_list
from tests.apps.worthwatch.served import Somebody, WorthWatch, serve
from tests.web.visitor import Answer

pytestmark = pytest.mark.anyio


@pytest.fixture
async def ww(tmp_path: Path) -> AsyncIterator[WorthWatch]:
    with kit_on(tmp_path, WORTHWATCH) as kit:
        yield serve(kit)


def picture(width: int = 300, height: int = 300, kind: str = "PNG") -> bytes:
    data = BytesIO()
    Image.new("RGB", (width, height), (200, 40, 40)).save(data, kind)
    return data.getvalue()


async def send(who: Somebody, path: str, data: bytes, method: str = "POST", token: str = "") -> Answer:
    edge = "picture-edge"
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="face.png"\r\n\r\n'
    body = head.encode() + data + f"\r\n--{edge}--\r\n".encode()
    headers = {"content-type": f"multipart/form-data; boundary={edge}", "sec-fetch-site": "same-origin"}
    if token:
        headers = {"content-type": headers["content-type"], "authorization": f"Bearer {token}"}
    return await who.ask(method, path, body, headers)


async def files_in(kit: Kit, folder: str) -> list[str]:
    return [each.name async for each in kit.files.listed(folder)]


async def a_list(ww: WorthWatch, owner: Somebody) -> tuple[Watchlist, str]:
    title = await film(ww.service, "Night train", genres=("Drama",))
    watchlist = await new_list(ww.service, owner.who, is_public=True)
    item = NewItem(content_type="MOVIE", content_id=title.movie_id, curator_note="Trust me.")
    await ww.service.items.add(owner.who, watchlist.watchlist_id, item)
    return watchlist, title.movie_id


async def test_a_face_is_cut_to_a_small_square_and_shown_beside_what_its_owner_says(ww: WorthWatch) -> None:
    ada = await ww.curator("Ada")
    watchlist, film_id = await a_list(ww, ada)
    assert (await send(ada, "/worthwatch/profile/picture", picture(600, 400, "JPEG"))).status == 303
    user = await ww.service.people.person(ada.id)
    assert user.face is not None
    with Image.open(BytesIO((await ww.kit.files.load(user.face)).data)) as stored:
        assert (stored.size, stored.format) == ((176, 176), "WEBP")
    await ww.worker.drain()
    pages = (
        "/worthwatch",
        f"/worthwatch/lists/{watchlist.watchlist_id}/tail",
        f"/worthwatch/titles/film/{film_id}/tail",
        f"/worthwatch/curators/{ada.id}/tail",
        "/worthwatch/curators",
        "/worthwatch/tonight",
    )
    for path in pages:
        answer = await ww.visitor().get(path)
        answer = await ww.visitor().get(answer.location) if answer.status in (301, 302, 303, 307, 308) else answer
        assert user.face in answer.text, path


async def test_a_poster_is_shown_wherever_the_title_is_and_goes_when_it_is_removed(ww: WorthWatch) -> None:
    ada, lib = await ww.curator("Ada"), await ww.person("Lib", "worthwatch:librarian")
    watchlist, film_id = await a_list(ww, ada)
    path = f"/worthwatch/catalog/film/{film_id}/poster"
    assert (await send(ada, path, picture())).status == 403, "librarians alone"
    assert (await send(lib, path, picture(400, 900))).status == 303
    await ww.worker.drain()
    (name,) = await files_in(ww.kit, POSTERS)
    for page in ("/worthwatch", f"/worthwatch/lists/{watchlist.watchlist_id}/tail", "/worthwatch/tonight"):
        assert name in (await follow(ww, page)).text, page
    assert name in (await follow(ww, f"/worthwatch/titles/film/{film_id}")).text
    link = f"/files/{name}"
    assert (await ww.visitor().get(link)).status == 404, "without its signature there is no such file"
    answer = await lib.post(path, {"remove": "true"})
    assert answer.status == 303
    await ww.worker.drain()
    assert await files_in(ww.kit, POSTERS) == []
    assert name not in (await follow(ww, "/worthwatch")).text


async def follow(ww: WorthWatch, path: str) -> Answer:
    answer = await ww.visitor().get(path)
    return await ww.visitor().get(answer.location) if answer.status in (301, 302, 303, 307, 308) else answer


async def test_a_cover_is_for_ones_own_lists_and_goes_with_its_list(ww: WorthWatch) -> None:
    ada, ben = await ww.curator("Ada"), await ww.curator("Ben")
    watchlist, _ = await a_list(ww, ada)
    path = f"/worthwatch/lists/{watchlist.watchlist_id}/cover"
    assert (await send(ben, path, picture(640, 480))).status == 404
    assert (await send(ada, path, picture(640, 480))).status == 303
    (first,) = await files_in(ww.kit, COVERS)
    for page in ("/worthwatch", f"/worthwatch/lists/{watchlist.watchlist_id}/tail"):
        assert first in (await follow(ww, page)).text, page
    assert (await send(ada, path, picture(640, 320))).status == 303
    await ww.worker.drain()
    (second,) = await files_in(ww.kit, COVERS)
    assert second != first
    await ww.service.lists.delete(ada.who, watchlist.watchlist_id)
    await ww.worker.drain()
    assert await files_in(ww.kit, COVERS) == []


async def test_the_api_gives_replaces_and_removes_pictures_for_the_same_people_as_the_pages(ww: WorthWatch) -> None:
    ada, ben = await ww.curator("Ada"), await ww.curator("Ben")
    lib = await ww.person("Lib", "worthwatch:librarian")
    watchlist, film_id = await a_list(ww, ada)

    async def put(who: Somebody, path: str, data: bytes) -> Answer:
        return await send(who, f"/api/worthwatch{path}", data, "PUT", who.token)

    places = (
        (ada, ben, 404, f"/watchlists/{watchlist.watchlist_id}/cover", COVERS, (1200, 600)),
        (lib, ada, 403, f"/movies/{film_id}/poster", POSTERS, (360, 540)),
        (ada, ww.visitor(), 401, "/me/picture", AVATARS, (176, 176)),
    )
    for who, other, refused, path, folder, size in places:
        assert (await put(other, path, picture(640, 480))).status == refused, path
        assert (await other.api("DELETE", path)).status == refused, path
        assert (await put(who, path, picture(640, 480))).status == 200
        (first,) = await files_in(ww.kit, folder)
        again = await put(who, path, picture(1300, 900, "JPEG"))
        await ww.worker.drain()
        (second,) = await files_in(ww.kit, folder)
        assert second != first
        assert second in again.json["pictureUrl"]
        with Image.open(BytesIO((await ww.kit.files.load(second)).data)) as shown:
            assert (shown.size, shown.format) == (size, "WEBP")
        assert (await put(who, path, b"<svg xmlns='http://www.w3.org/2000/svg'/>")).status in (415, 422)
        for _ in range(2):
            assert (await who.api("DELETE", path)).status == 204
        await ww.worker.drain()
        assert await files_in(ww.kit, folder) == []


@pytest.mark.parametrize("own", [False, True])
async def test_a_merged_title_leaves_its_picture_to_the_other_one_if_that_has_none(ww: WorthWatch, own: bool) -> None:
    lib = await ww.person("Lib", "worthwatch:librarian")
    gone, stays = await film(ww.service, "Night train"), await film(ww.service, "Night train, restored")
    given = (await ww.service.pictures.set_poster(lib.who, "MOVIE", gone.movie_id, picture())).poster_file
    if own:
        given = (await ww.service.pictures.set_poster(lib.who, "MOVIE", stays.movie_id, picture())).poster_file
    await ww.service.merging.begin(lib.who, "MOVIE", gone.movie_id, stays.movie_id)
    await ww.worker.drain()
    assert (await ww.service.titles.title("MOVIE", stays.movie_id)).poster_file == given
    assert await files_in(ww.kit, POSTERS) == [given], "the other file is deleted, this one never"
    await ww.service.pictures.set_poster(lib.who, "MOVIE", stays.movie_id, None)
    await ww.worker.drain()
    assert await files_in(ww.kit, POSTERS) == []


async def test_a_picture_goes_on_with_a_title_that_is_merged_twice_before_anything_follows(ww: WorthWatch) -> None:
    lib = await ww.person("Lib", "worthwatch:librarian")
    first, second, third = [await film(ww.service, f"Night train {number}") for number in range(3)]
    given = (await ww.service.pictures.set_poster(lib.who, "MOVIE", first.movie_id, picture())).poster_file
    await ww.service.merging.begin(lib.who, "MOVIE", first.movie_id, second.movie_id)
    await ww.service.merging.begin(lib.who, "MOVIE", second.movie_id, third.movie_id)
    await ww.worker.drain()
    assert (await ww.service.titles.title("MOVIE", third.movie_id)).poster_file == given
    assert await files_in(ww.kit, POSTERS) == [given]


async def test_what_is_no_picture_or_too_small_is_refused_and_leaves_nothing(ww: WorthWatch) -> None:
    ada = await ww.curator("Ada")
    for data in (b"<svg xmlns='http://www.w3.org/2000/svg'/>", picture(10, 10), picture()[:200], b""):
        answer = await send(ada, "/worthwatch/profile/picture", data)
        assert answer.status == 303
        assert answer.location == "/worthwatch/profile#picture"
    assert (await ww.service.people.person(ada.id)).avatar_file is None
    assert await files_in(ww.kit, AVATARS) == []


async def test_a_file_that_was_left_behind_is_swept_and_those_in_use_stay(ww: WorthWatch) -> None:
    ada = await ww.curator("Ada")
    await ww.service.pictures.set_avatar(ada.who, picture())
    left = f"{AVATARS}/abandoned.webp"
    await ww.kit.files.save(left, picture(), "image/webp")
    owned = system.build(ww.kit).files
    later = ww.kit.clock.now() + timedelta(days=2)
    swept = await sweep(ww.kit.files, ww.kit.store, owned, now=later, delete=True)
    assert [each.name for each in swept.unnamed] == [left]
    assert len(await files_in(ww.kit, AVATARS)) == 1


@pytest.mark.parametrize(
    "name", ["kelifax/logos/0a.png", "worthwatch/avatars/../x.webp", "worthwatch/avatars/a/b.webp"]
)
def test_a_name_that_another_program_wrote_opens_no_file_of_others(name: str) -> None:
    assert picture_in(AVATARS, name) is None
    assert picture_in(AVATARS, "worthwatch/avatars/0a.webp") == "worthwatch/avatars/0a.webp"
