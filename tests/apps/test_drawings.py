"""Drawings (SVG) can hold scripts, pages and addresses elsewhere: whatever way they are sent in, none is ever shown as
a page or a picture of ours. An administrator sends some to every route that takes more than a form, in all systems."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from fastapi import FastAPI
from PIL import Image

from partita.bootstrap import build
from partita.kit.files import LocalFiles
from partita.kit.settings import Settings
from partita.kit.suite import Suite
from partita.table import Item
from partita.web.app import create_app
from tests.apps.test_strangers import stored, typed, value_of
from tests.demo_folder import MOST_SECONDS, copy_demo
from tests.web.visitor import Answer, Visitor
from tests.web.walk import Walked, walk

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(MOST_SECONDS + 300)]

MARK = b"drawn-by-mallory"
_SPACE = b"http://www.w3.org/2000/svg"
_INSIDE = (
    b"<foreignObject><iframe xmlns='http://www.w3.org/1999/xhtml' src='javascript:alert(1)'/></foreignObject>"
    b"<image href='http://127.0.0.1:9/drawn-by-mallory'/><use href='http://127.0.0.1:9/x.svg#a'/>"
)
DRAWINGS = (
    b"<svg xmlns='%b' onload='alert(1)'><script>/* %b */</script></svg>" % (_SPACE, MARK),
    b"<?xml version='1.0'?>\n<!-- a -->\n<svg xmlns='%b'>%b</svg>" % (_SPACE, _INSIDE),
    b"\xef\xbb\xbf <s:svg xmlns:s='%b' id='%b'><s:a href='javascript:alert(1)'/></s:svg>" % (_SPACE, MARK),
    b"<!DOCTYPE svg [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><svg xmlns='%b' id='%b'>&e;</svg>" % (_SPACE, MARK),
    f"<svg xmlns='{_SPACE.decode()}' id='{MARK.decode()}'/>".encode("utf-16"),
    b"GIF89a/*<svg xmlns='%b' id='%b'/>*/" % (_SPACE, MARK),
    b"<html><body>%b<svg onload='alert(1)'/></body></html>" % MARK,
)
NAMES = ("a.svg", "a.png", "a.svg;.png", "a.txt", "a.csv")
FIELDS = ("file", "files", "logo", "picture")
TYPED = {
    "title": "A drawing",
    "name": "A drawing",
    "alt": "A drawing",
    "url": "https://example.org/drawing",
    "description": "A picture of a place, drawn by hand, with all of its streets and its two rivers.",
    "shortDescription": "A picture of a place.",
    "submitterEmail": "ada@example.org",
    "format": "csv",
    "colour": "#224466",
    "kind": "film",
}
DRAFT = {"title": "A drawing"}
PICTURES = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})


async def test_a_drawing_is_refused_or_saved_but_never_shown(tmp_path: Path) -> None:
    copy_demo(tmp_path / "data")
    suite = build(Settings(data=tmp_path / "data", fetch=False))
    files = suite.kit.files
    assert isinstance(files, LocalFiles)
    try:
        app = create_app(suite)
        owner = await administrator(suite, app)
        folder = suite.kit.settings.data / "files"
        ways = list(ways_in(app, list(typed(stored(suite.kit.settings.data)))))
        assert {urlsplit(path).path.strip("/").removeprefix("api/").split("/")[0] for _, path in ways} >= {
            system.name for system in suite.systems
        }
        before = contents(folder)
        for route, path in ways:
            await send(owner, route, path, picture(), "a.png")
        arrived = contents(folder)
        assert len(arrived.keys() - before.keys()) >= 8, "the ways in are lost"
        for number, (route, path) in enumerate(ways):
            await send(owner, route, path, DRAWINGS[0], "a.svg")
            # Each way gets one of the others, under one of the names.
            await send(owner, route, path, DRAWINGS[1:][number % (len(DRAWINGS) - 1)], NAMES[number % len(NAMES)])
        kept = {name: data for name, data in contents(folder).items() if name not in arrived}
        assert [name for name in kept if MARK in kept[name]]
        for name in kept:
            answer = await owner.get(files.url(name))
            # Attachments of the portal go to whoever may download them, and to nobody else.
            if answer.status != 403 or not name.startswith("enablement/"):
                assert_harmless(answer, name)
        for drawing in DRAWINGS:
            await attach(owner, drawing)
    finally:
        await suite.close()


async def attach(owner: Visitor, drawing: bytes) -> None:
    """Files of the portal are sent to an address of their own."""
    path = "/api/enablement/content"
    here = {"sec_fetch_site": "same-origin"}
    draft = (await owner.call("POST", path, DRAFT, **here)).json
    content = f"{path}/{draft['content_id']}"
    begun = (await owner.call("POST", f"{content}/uploads", {"file_name": "a.svg"}, **here)).json
    sent = {"content-type": "multipart/form-data; boundary=edge", "sec-fetch-site": "same-origin"}
    assert (await owner.ask("POST", begun["url"], form(drawing, "a.svg"), sent)).status == 204
    wanted = {"upload_id": begun["upload_id"], "version": draft["version"]}
    attached = await owner.call("POST", f"{content}/attach", wanted, **here)
    if attached.status != 200:
        assert attached.status == 422, attached.text
        return
    answer = await owner.get((await owner.get(f"{content}/download")).location)
    assert_harmless(answer, "an attachment")
    assert answer.headers["content-length"] == str(len(drawing))
    assert answer.headers["content-disposition"].startswith("attachment")
    cover = await owner.get(f"{content}/cover")
    assert MARK not in cover.body
    assert "sandbox" in cover.headers["content-security-policy"].split("; ")


def assert_harmless(answer: Answer, name: str) -> None:
    """Whatever it holds, a browser neither runs it nor takes it for something else."""
    assert answer.status == 200, (name, answer.status)
    policy = answer.headers["content-security-policy"].split("; ")
    assert {"sandbox", "default-src 'none'"} <= set(policy), name
    assert answer.headers["x-content-type-options"] == "nosniff", name
    saved = answer.headers["content-disposition"].startswith("attachment")
    assert saved or answer.headers["content-type"] in PICTURES, (name, answer.headers["content-type"])


async def administrator(suite: Suite, app: FastAPI) -> Visitor:
    accounts = suite.kit.accounts
    password = "correct horse battery"
    made = await accounts.registration.create("mallory", "mallory@example.org", "Mallory", password)
    await accounts.administration.set_roles(accounts.operator(), made.user_id, ["admin"])
    visitor = Visitor(app, suite.kit.settings.base_url)
    assert (await visitor.post("/sign-in", {"identity": "mallory", "password": password})).status == 303
    return visitor


def ways_in(app: FastAPI, items: Sequence[Item]) -> Iterator[tuple[Walked, str]]:
    """Every route that takes more than a form, with things that its address may name."""
    for route in walk(app):
        names = re.findall(r"\{(\w+)", route.path)
        if "x-most-bytes" not in route.extra or route.path.startswith("/files/"):
            continue
        for item in items:
            at = {name: value for name in names if (value := value_of(item, name))}
            if len(at) == len(names):
                path = route.path
                for name, value in at.items():
                    path = path.replace(f"{{{name}}}", quote(value, safe=""))
                yield route, path
                break


async def send(who: Visitor, route: Walked, path: str, data: bytes, called: str) -> None:
    sent = {"content-type": "multipart/form-data; boundary=edge", "sec-fetch-site": "same-origin"}
    answer = await who.ask(route.method, path, form(data, called), sent)
    assert answer.status < 500, (route, answer.text)


def form(data: bytes, called: str) -> bytes:
    parts = [f'form-data; name="{name}"\r\n\r\n{value}'.encode() for name, value in TYPED.items()]
    parts += [
        f'form-data; name="{name}"; filename="{called}"\r\nContent-Type: image/png\r\n\r\n'.encode() + data
        for name in FIELDS
    ]
    return b"".join(b"--edge\r\nContent-Disposition: " + part + b"\r\n" for part in parts) + b"--edge--\r\n"


def picture() -> bytes:
    """What all of them should take."""
    made = BytesIO()
    Image.new("RGB", (400, 600), "teal").save(made, "PNG")
    return made.getvalue()


def contents(folder: Path) -> dict[str, bytes]:
    """Every file that is kept, by its name."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
