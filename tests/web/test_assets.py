"""Static files, and pages where npm's are missing."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

import partita
from partita.bootstrap import build
from partita.kit.settings import Settings
from partita.web.app import create_app
from partita.web.assets import Assets
from tests.web.conftest import Served
from tests.web.visitor import Visitor

pytestmark = pytest.mark.anyio

SCRIPTS = sorted(Path(partita.__file__).parent.glob("**/static/*.js"))
FOR_A_YEAR = "public, max-age=31536000, immutable"


async def test_every_file_a_page_names_is_there_and_kept_for_a_year(visitor: Visitor) -> None:
    page = (await visitor.get("/")).text
    named = set(re.findall(r'(?:href|src)="(/static/[^"#]+)', page))
    assert {each.partition("?")[0] for each in named} >= {"/static/app.css", "/static/app.js", "/static/icons.svg"}
    for address in named:
        answer = await visitor.get(address)
        assert answer.status == 200
        assert answer.headers["cache-control"] == FOR_A_YEAR


async def test_a_system_brings_a_stylesheet_and_a_script_for_its_own_pages(visitor: Visitor) -> None:
    page = (await visitor.get("/press")).text
    loaded = re.findall(r'(?:href|src)="(/static/[^"#?]+\.(?:css|js))\?v=\w{16}"', page.partition("</head>")[0])
    assert loaded.index("/static/press/press.css") > loaded.index("/static/app.css")
    assert loaded.index("/static/press/press.js") > loaded.index("/static/app.js")
    (styles,) = re.findall(r'<link rel="stylesheet" href="(/static/press/[^"]+)">', page)
    (script,) = re.findall(r'<script src="(/static/press/[^"]+)" defer></script>', page)
    for address, kind in ((styles, "text/css"), (script, "text/javascript")):
        answer = await visitor.get(address)
        assert answer.status == 200
        assert answer.headers["cache-control"] == FOR_A_YEAR
        assert answer.headers["content-type"].startswith(kind)


@pytest.mark.parametrize("path", ["/", "/sign-in", "/_styleguide"])
async def test_other_pages_load_nothing_of_a_system(visitor: Visitor, path: str) -> None:
    assert "/static/press/" not in (await visitor.get(path)).text


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_no_script_asks_a_form_for_what_one_of_its_fields_may_hide(script: Path) -> None:
    """A button named “action” is what `form.action` gives then; the attribute is always the form's own."""
    hidden = r"\b(?:form|target|elt)\.(?:action|method|enctype|target|name|id)\b(?!\s*=[^=])"
    assert re.findall(hidden, script.read_text()) == []


async def test_an_address_without_the_version_is_asked_for_again(visitor: Visitor) -> None:
    for address in ("/static/app.css", "/static/app.css?v=0123456789abcdef"):
        answer = await visitor.get(address)
        assert answer.headers["cache-control"] == "public, max-age=0, must-revalidate"


async def test_what_a_browser_has_is_not_sent_again(visitor: Visitor) -> None:
    tag = (await visitor.get("/static/app.css")).headers["etag"]
    again = await visitor.get("/static/app.css", if_none_match=tag)
    assert (again.status, again.body) == (304, b"")
    assert (await visitor.get("/static/app.css", if_none_match='"other"')).status == 200


async def test_files_are_compressed_for_those_who_understand_it(visitor: Visitor) -> None:
    plain, packed = (
        await visitor.get("/static/app.css"),
        await visitor.get("/static/app.css", accept_encoding="gzip, br"),
    )
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 3
    assert plain.headers["vary"] == packed.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/static/"])
async def test_nothing_else_can_be_had(visitor: Visitor, path: str) -> None:
    assert (await visitor.get(path)).status == 404


async def test_another_content_has_another_address(tmp_path: Path) -> None:
    def url(content: bytes) -> str:
        folder = tmp_path / content.hex()
        (folder / "htmx.org/dist").mkdir(parents=True)
        (folder / "htmx.org/dist/htmx.min.js").write_bytes(content)
        return Assets((folder,)).url("vendor/htmx.min.js")

    assert url(b"one") != url(b"two")


async def test_pages_do_without_htmx_where_npm_has_put_nothing(tmp_path: Path) -> None:
    suite = build(Settings(data=tmp_path), builders=())
    app = create_app(suite, packages=())
    async with app.router.lifespan_context(app):
        page = await Served(suite, app).visitor().get("/sign-in")
        assert page.status == 200
        assert "htmx" not in page.text
        assert 'action="/sign-in"' in page.text


async def test_pages_take_htmx_where_npm_has_put_it(tmp_path: Path) -> None:
    (tmp_path / "npm/htmx.org/dist").mkdir(parents=True)
    (tmp_path / "npm/htmx.org/dist/htmx.min.js").write_text("var htmx = {}")
    suite = build(Settings(data=tmp_path / "data"), builders=())
    app = create_app(suite, packages=(tmp_path / "npm",))
    async with app.router.lifespan_context(app):
        visitor = Served(suite, app).visitor()
        page = await visitor.get("/sign-in")
        (address,) = re.findall(r'src="(/static/vendor/htmx[^"]+)"', page.text)
        answer = await visitor.get(address)
        assert answer.text == "var htmx = {}"
        assert answer.headers["cache-control"] == FOR_A_YEAR
        assert answer.headers["content-type"].startswith("text/javascript")
        assert '"allowEval":false,"includeIndicatorStyles":false,"selfRequestsOnly":true' in page.text
