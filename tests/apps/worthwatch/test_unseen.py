"""What nobody may see is nowhere: every route is asked for what is private, hidden, deleted, revoked or removed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from io import BytesIO
from itertools import product
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from fastapi.routing import iter_route_contexts
from PIL import Image

from partita.apps.worthwatch.inputs import CommentInput, ListEdit, NewItem, NewList, ProfileEdit
from partita.apps.worthwatch.schema import COVERS, WORTHWATCH, Watchlist
from partita.apps.worthwatch.service.addresses import secret_path
from partita.kit.schema import newest_mail
from tests.apps.house import kit_on
from tests.apps.worthwatch.conftest import MODERATOR, film
from tests.apps.worthwatch.served import Somebody, WorthWatch, serve
from tests.web.visitor import Answer
from tests.web.walk import walk

pytestmark = pytest.mark.anyio

COMMON = "lighthouse"
"""In every text, so that a search for it would find each; what tells them apart is never asked for."""
KINDS = ("private", "hidden", "deleted", "revoked")
PARTS = ("title", "about", "note", "comment")
SAVED = (
    *("/worthwatch/saved", "/worthwatch/saved/all", "/api/worthwatch/saved", "/api/worthwatch/me/export"),
    *("/account/data/export", "/api/account/data"),
)
"""Who saved a list keeps the title that it had, and everybody their own comments."""


def telltale(kind: str, part: str) -> str:
    return f"{kind}{part}telltale"


def text(kind: str, part: str) -> str:
    return f"{COMMON} {telltale(kind, part)}"


ALL = frozenset(telltale(kind, part) for kind, part in product(KINDS, PARTS))
REMOVED = frozenset(telltale("removed", part) for part in ("alone", "answered"))


@dataclass(slots=True)
class Scene:
    """Lists that everybody may see, until they are taken away."""

    ww: WorthWatch
    ada: Somebody
    sue: Somebody
    """Will be suspended."""
    ben: Somebody
    """Saved every list, follows both, and commented."""
    lists: dict[str, Watchlist]
    film: str
    named: list[str]
    """The comments, as addresses name them: the first two will be removed."""
    open: Watchlist
    """Stays; the comments that are removed were on it."""
    secrets: list[str] = field(default_factory=list)
    pictures: set[str] = field(default_factory=set)
    """The files of covers, and of the face of whoever will be suspended."""

    async def catch_up(self) -> None:
        """Whatever follows changes has followed them."""
        for _ in range(2):
            await self.ww.worker.drain()
            await self.ww.jobs.drain()
        await self.ww.kit.notifications.finish()

    async def take_away(self) -> None:
        service = self.ww.service
        await service.lists.edit(self.ada.who, self.lists["private"].watchlist_id, ListEdit(is_public=False))
        await service.lists.delete(self.ada.who, self.lists["deleted"].watchlist_id)
        await service.lists.revoke(self.ada.who, self.lists["revoked"].watchlist_id)
        await service.curators.suspend(MODERATOR, self.sue.id, "Copied from elsewhere.")
        for name in self.named[:2]:
            await service.comments.delete(MODERATOR, self.open.watchlist_id, name)

    def paths(self) -> Iterator[str]:
        """Every address that can be read, with every name that fits; once more with words to look for."""
        values: dict[str, Sequence[str]] = {
            "watchlist_id": [each.watchlist_id for each in (*self.lists.values(), self.open)],
            "user_id": [self.sue.id],
            "curator_id": [self.sue.id],
            "name": [*self.named, "tail"],
            "comment": self.named,
            "secret": self.secrets,
            "kind": ["film"],
            "type": ["movie"],
            "content_type": ["MOVIE"],
            "content_id": [self.film],
            "movie_id": [self.film],
            "format": ["csv", "json", "letterboxd", "imdb"],
            "digest": ["-"],
        }
        asked = {
            str(each.path): sorted({parameter.alias for parameter in each.dependant.query_params})
            for each in iter_route_contexts(self.ww.app.routes)
            if "GET" in (each.methods or ())
        }
        for route in walk(self.ww.app):
            if route.method != "GET":
                continue
            names = [name for name in values if f"{{{name}}}" in route.path or f"{{{name}:path}}" in route.path]
            for chosen in product(*(values[name] for name in names)):
                path = route.path
                for name, value in zip(names, chosen, strict=True):
                    path = path.replace(f"{{{name}}}", quote(value, safe="")).replace(f"{{{name}:path}}", value)
                yield path.replace("{tail}", "tail")
                yield from (f"{path}?{query}" for query in _queries(asked[route.path], self))


def _queries(names: list[str], scene: Scene) -> Iterator[str]:
    known = {
        "q": [COMMON],
        "tag": [COMMON],
        "sort": ["new", "popular"],
        "show": ["lists", "curators", "films"],
        "view": ["rows", "posters"],
        "status": ["suspended"],
        "of": [f"WATCHLIST#{each.watchlist_id}" for each in scene.lists.values()],
        "what": ["list"],
        "secret": scene.secrets,
        "from_list": [scene.lists["private"].watchlist_id],
        "fromList": [scene.lists["private"].watchlist_id],
        "minutes": ["90"],
        "skip": ["1"],
    }
    for name in names:
        for value in known.get(name, ()):
            together = {name: value} | ({"q": COMMON} if name == "show" else {})
            yield urlencode(together)
    if "what" in names and "id" in names:
        for each in scene.lists.values():
            yield urlencode({"what": "list", "id": each.watchlist_id})
        yield urlencode({"what": "person", "id": scene.sue.id})


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    with kit_on(tmp_path, WORTHWATCH) as kit:
        ww = serve(kit)
        yield await _made(ww)


async def _made(ww: WorthWatch) -> Scene:
    service = ww.service
    ada, sue, ben = await ww.curator("Ada"), await ww.curator("Sue telltale"), await ww.person("Ben")
    await service.people.me(ben.who)
    await service.people.edit(ben.who, ProfileEdit(mail="weekly"))
    alien = await film(service, f"Alien {COMMON}", runtime=80)
    for followed in (ada, sue):
        await service.follows.follow(ben.who, followed.id)
    lists = {}
    for kind in KINDS:
        owner = sue if kind == "hidden" else ada
        lists[kind] = await _list(ww, owner, kind, alien.movie_id)
    watchlist = await _list(ww, ada, "open", alien.movie_id)
    named = []
    for what in ("alone", "answered", "stays"):
        said = CommentInput(comment_text=text("removed", what))
        named.append((await service.comments.write(ben.who, watchlist.watchlist_id, said)).name)
    answer = CommentInput(comment_text="An answer", reply_to=named[1])
    await service.comments.write(ada.who, watchlist.watchlist_id, answer)
    for each in lists.values():
        await service.saved.save(ben.who, each.watchlist_id)
        said = CommentInput(comment_text=each.description.replace("about", "comment"))
        await service.comments.write(ben.who, each.watchlist_id, said)
    scene = Scene(ww, ada, sue, ben, lists, alien.movie_id, named, watchlist)
    await _give_pictures(scene)
    await scene.catch_up()
    more = await film(service, f"Aliens {COMMON}", runtime=85)
    for kind, each in lists.items():
        owner = sue if kind == "hidden" else ada
        await service.items.add(owner.who, each.watchlist_id, _item(more.movie_id, "new"))
    await service.lists.edit(ada.who, lists["revoked"].watchlist_id, ListEdit(is_public=False))
    lists["revoked"] = await service.lists.share(ada.who, lists["revoked"].watchlist_id)
    scene.secrets.append(str(lists["revoked"].secret_link))
    await scene.catch_up()
    return scene


async def _give_pictures(scene: Scene) -> None:
    """To every list that will be taken away, and to who will be suspended."""
    pictures, data = scene.ww.service.pictures, BytesIO()
    Image.new("RGB", (320, 160)).save(data, "PNG")
    for kind, each in scene.lists.items():
        owner = scene.sue if kind == "hidden" else scene.ada
        cover = (await pictures.set_cover(owner.who, each.watchlist_id, data.getvalue())).cover_file
        scene.pictures.add(str(cover))
    scene.pictures.add(str((await pictures.set_avatar(scene.sue.who, data.getvalue())).avatar_file))


async def _list(ww: WorthWatch, owner: Somebody, kind: str, content_id: str) -> Watchlist:
    new = NewList(title=text(kind, "title"), description=text(kind, "about"), tags=(COMMON,), is_public=True)
    made = await ww.service.lists.create(owner.who, new)
    await ww.service.items.add(owner.who, made.watchlist_id, _item(content_id, kind))
    return await ww.service.lists.own(owner.who, made.watchlist_id)


def _item(content_id: str, kind: str) -> NewItem:
    return NewItem(content_type="MOVIE", content_id=content_id, curator_note=text(kind, "note"))


async def test_the_walk_meets_everything_while_everybody_may_see_it(scene: Scene) -> None:
    """Otherwise it would prove nothing that it meets nothing later."""
    met: set[str] = set()
    everything = ALL | REMOVED | scene.pictures
    for path in scene.paths():
        answer = await scene.ww.visitor().get(path)
        assert answer.status < 500, path
        met |= {each for each in everything if each in _shown(answer)}
    assert met == everything - {telltale("revoked", "comment")}  # a secret link shows no comments
    assert len(list(scene.paths())) > 200


@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "when all has followed"])
async def test_what_nobody_may_see_is_nowhere(scene: Scene, at_once: bool) -> None:
    for path in scene.paths():
        await scene.ww.visitor().get(path)  # what a page was is kept for a while; not if it shows what has gone
    await scene.take_away()
    if not at_once:
        await scene.catch_up()
    for who in (scene.ww.visitor(), await scene.ww.person("Eve"), scene.ben):
        for path in scene.paths():
            for answer in await _asked(who, path):
                shown = _shown(answer)
                found = {each for each in ALL | REMOVED | scene.pictures if each in shown}
                if who is scene.ben and path.partition("?")[0] in SAVED:
                    found = {each for each in found if "titletelltale" not in each and "comment" not in each}
                assert found == set(), (path, answer.status)
                _check(scene, path, answer)


async def _asked(who: Somebody, path: str) -> list[Answer]:
    """As a page and as the part that script asks for; by a program too."""
    answers = [await who.get(path), await who.get(path, hx_request="true")]
    if path.startswith("/api/worthwatch") and who.token:
        answers.append(await who.api("GET", path.removeprefix("/api/worthwatch")))
    return answers


def _check(scene: Scene, path: str, answer: Answer) -> None:
    """What is asked for by its name is not there, if it needs no permission to be told so."""
    assert answer.status < 500, path
    gone = [each.watchlist_id for each in scene.lists.values()] + [scene.sue.id]
    if any(f"/{each}" in path.partition("?")[0] for each in gone):
        refused = (303, 401, 403, 404, 422) if "?" in path else (303, 401, 403, 404)  # a query can be wrong in itself
        assert answer.status in refused, (path, answer.status)
        assert answer.status != 303 or answer.location.startswith("/sign-in"), path
    if f"/comments/{quote(scene.named[0], safe='')}" in path:
        assert answer.status in (303, 401, 403, 404), (path, answer.status)


def _shown(answer: Answer) -> str:
    kind = answer.headers["content-type"] or ""
    return "" if kind.startswith("image/png") else answer.shown


async def test_the_address_of_a_revoked_link_is_not_found(scene: Scene) -> None:
    link = secret_path(scene.lists["revoked"])
    assert (await scene.ww.visitor().get(link)).status == 200
    await scene.take_away()
    assert (await scene.ww.visitor().get(link)).status == 404


async def test_a_moderator_sees_no_more_of_it_than_anybody_else(scene: Scene) -> None:
    """Their own pages hold what was reported and who applied, not what was taken away."""
    moa = await scene.ww.person("Moa", "worthwatch:moderator")
    await scene.take_away()
    await scene.catch_up()
    desks = set()
    covers = {each for each in scene.pictures if each.startswith(COVERS)}  # whom to restore has a face
    for path in scene.paths():
        answer = await moa.get(path)
        found = {each for each in ALL | REMOVED | covers if each in _shown(answer)}
        assert found == set(), (path, answer.status)
        if answer.status == 200:
            desks.add(path)
    assert {"/worthwatch/applications", "/worthwatch/reports"} <= desks


@pytest.mark.parametrize("taken_away", [False, True], ids=["while everybody may see it", "after it was taken away"])
async def test_no_mail_tells_of_it(scene: Scene, taken_away: bool) -> None:
    kit = scene.ww.kit
    if taken_away:
        await scene.take_away()
        await scene.catch_up()
    await kit.notifications.send_due_digests(kit.clock.now() + timedelta(days=8))
    await scene.catch_up()
    mails = [each async for each in kit.store.stream(newest_mail())]
    digests = [each for each in mails if "weekly digest" in each.text]
    assert digests
    told = "\n".join(f"{each.subject} {each.text} {each.html}" for each in digests)
    found = {each for each in ALL | REMOVED if each in told}
    if taken_away:
        assert found == set()
    else:
        assert telltale("hidden", "title") in found, "otherwise this would prove nothing"
