"""Posters are kept for a year by the address that has their digest; others lead to it."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from partita.apps.worthwatch.inputs import MovieEdit
from partita.apps.worthwatch.schema import WORTHWATCH
from partita.apps.worthwatch.service.labels import label_of
from tests.apps.house import kit_on
from tests.apps.worthwatch.conftest import LIBRARIAN, film
from tests.apps.worthwatch.served import WorthWatch, serve

pytestmark = pytest.mark.anyio


@pytest.fixture
async def ww(tmp_path: Path) -> AsyncIterator[WorthWatch]:
    with kit_on(tmp_path, WORTHWATCH) as kit:
        yield serve(kit)


async def test_a_poster_is_kept_for_a_year_by_its_digest(ww: WorthWatch) -> None:
    alien = await film(ww.service, "Alien", release_year=1979, genres=["Horror"])
    address = f"/worthwatch/posters/film/{alien.movie_id}/{label_of(alien).poster}.svg"
    poster = await ww.visitor().get(address)
    assert poster.status == 200
    assert poster.headers["content-type"] == "image/svg+xml"
    assert poster.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert poster.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "Alien" in poster.text
    await ww.service.titles.edit(LIBRARIAN, alien.movie_id, MovieEdit(title="Aliens"))
    moved = await ww.visitor().get(address)
    assert moved.status == 302
    assert "immutable" not in moved.headers["cache-control"]
    assert "Aliens" in (await ww.visitor().get(moved.location)).text


async def test_posters_are_compressed_since_there_are_dozens_on_a_page(ww: WorthWatch) -> None:
    drawn = sent = 0
    for genre in ("Comedy", "Action", "Mystery", "History", "Sci-Fi", "Music"):
        made = await film(ww.service, "The Long Way Round to a Small House", genres=[genre], directors=["Ada Fox"])
        address = f"/worthwatch/posters/film/{made.movie_id}/{label_of(made).poster}.svg"
        plain = await ww.visitor().get(address)
        packed = await ww.visitor().get(address, accept_encoding="gzip")
        if packed.headers["content-encoding"] == "gzip":
            assert gzip.decompress(packed.body) == plain.body
        drawn, sent = drawn + len(plain.body), sent + len(packed.body)
    assert sent < 0.75 * drawn


async def test_no_poster_of_what_is_not_there(ww: WorthWatch) -> None:
    visitor = ww.visitor()
    assert (await visitor.get("/worthwatch/posters/film/nothing/-.svg")).status == 404
    assert (await visitor.get("/worthwatch/posters/opera/nothing/-.svg")).status in (404, 422)
