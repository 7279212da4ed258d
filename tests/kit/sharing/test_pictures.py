"""The picture beside a link: the face that pages show, a title if the font has its letters, and bounded work."""

from __future__ import annotations

import asyncio
import re
import threading
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from partita.kit.faces import HUES, SECOND_HUES
from partita.kit.problems import Unavailable
from partita.kit.sharing import studio as studios
from partita.kit.sharing.cards import Card
from partita.kit.sharing.motifs import BESIDE_OF_CLASS, HUE_OF_CLASS, SIDE, Palette, motif_of, oklch, outlines
from partita.kit.sharing.pictures import can_write, open_graph_picture
from partita.kit.sharing.studio import MOST_WAITING, Studio
from partita.web import assets

STYLES = (Path(assets.__file__).parent / "static/app.css").read_text()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def _opened(data: bytes) -> Image.Image:
    with Image.open(BytesIO(data)) as picture:
        assert picture.format == "PNG"
        return picture.convert("RGB")


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=5), st.text(max_size=250), st.text(max_size=20))
def test_every_card_can_be_drawn_in_the_size_that_others_show(names: list[str], title: str, site: str) -> None:
    data = open_graph_picture(Card(tuple(names), title, site))
    assert _opened(data).size == (1200, 630)
    assert len(data) < 200_000


@given(st.text(max_size=30))
def test_every_face_can_be_taken_apart(name: str) -> None:
    motif = motif_of(name)
    assert motif.shapes
    assert all(shape.kind in "bcdmn" and shape.points for shape in motif.shapes)


def test_the_same_card_is_the_same_picture() -> None:
    assert open_graph_picture(Card.of("Maps", "fus")) == open_graph_picture(Card.of("Maps", "fus"))


def test_five_motifs_stand_side_by_side_without_letters() -> None:
    names = ("one", "two", "three", "four", "five")
    picture = _opened(open_graph_picture(Card(names)))
    for place, name in enumerate(names):
        strip = picture.crop((place * 240, 0, (place + 1) * 240, 630))
        palette = motif_of(name).palette
        near = _near(strip, (palette.ground, palette.bright, palette.quiet))
        assert near > 0.97, name


def test_a_title_is_written_beside_the_face_if_the_font_has_its_letters() -> None:
    card = Card.of("Amazing Dev Tool", "Kelifax")
    palette = motif_of("Amazing Dev Tool").palette
    right = _opened(open_graph_picture(card)).crop((640, 0, 1200, 630))
    assert _near(right, (palette.paper,)) > 0.8
    assert _near(right, (palette.ink,)) > 0.02


def test_without_its_letters_the_face_fills_the_picture() -> None:
    assert not can_write("地図")
    palette = motif_of("地図").palette
    picture = _opened(open_graph_picture(Card.of("地図", "fus")))
    assert _near(picture, (palette.ground, palette.bright, palette.quiet)) > 0.97


def _near(picture: Image.Image, colours: tuple[tuple[int, int, int], ...]) -> float:
    """The share of pixels in these colours."""
    counted: Any = picture.getcolors(picture.width * picture.height)
    hits = 0
    for count, found in counted:
        if any(max(abs(a - b) for a, b in zip(found, each, strict=True)) <= 8 for each in colours):
            hits += count
    return float(hits / (picture.width * picture.height))


def test_colours_are_those_of_the_style_sheet() -> None:
    hues = [int(hue) for hue in re.findall(r"\.face\.h\d+ \{ --face: (\d+); \}", STYLES)]
    besides = [int(hue) for hue in re.findall(r"\.face\.s\d+ \{ --beside: (-?\d+); \}", STYLES)]
    assert (tuple(hues), tuple(besides)) == (HUE_OF_CLASS, BESIDE_OF_CLASS)
    assert (len(hues), len(besides)) == (HUES, SECOND_HUES)
    for name, hue in (("ground", 10), ("bright", 40), ("quiet", 10)):
        found = re.search(rf"--{name}: light-dark\(oklch\(([\d.]+)% ([\d.]+) ", STYLES)
        assert found is not None, name
        assert getattr(Palette.of(10, 30), name) == oklch(float(found[1]) / 100, float(found[2]), hue), name


def test_colours_become_those_that_browsers_show() -> None:
    assert oklch(1, 0, 0) == (255, 255, 255)
    assert oklch(0, 0, 0) == (0, 0, 0)
    assert oklch(0.6279553606, 0.2576833077, 29.2338802756) == (255, 0, 0)


def test_a_half_circle_bends_to_the_side_that_its_sweep_says() -> None:
    (over,) = outlines("M0 20a20 20 0 0 1 40 0z")
    (under,) = outlines("M0 20a20 20 0 0 0 40 0z")
    assert min(y for _, y in over) == pytest.approx(0, abs=0.1)
    assert max(y for _, y in under) == pytest.approx(SIDE, abs=0.1)
    with pytest.raises(ValueError, match="no command"):
        list(outlines("M0 0C1 1 2 2 3 3"))


def test_an_address_changes_with_everything_that_is_on_the_card() -> None:
    cards = [
        Card(("a",), "t", "s"),
        Card(("b",), "t", "s"),
        Card(("a",), "u", "s"),
        Card(("a",), "t", "v"),
        Card(("a", "t")),
    ]
    assert len({card.digest for card in cards}) == len(cards)
    assert Card(("a",), "t", "s").digest == Card(("a",), "t", "s").digest
    with pytest.raises(ValueError, match="motifs"):
        Card(())


@pytest.mark.anyio
async def test_a_picture_is_drawn_once_for_all_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []

    def draw(card: Card) -> bytes:
        drawn.append(card.title)
        return b"png"

    monkeypatch.setattr(studios, "open_graph_picture", draw)
    studio = Studio()
    assert await asyncio.gather(*(studio.draw(Card.of("Maps", "fus")) for _ in range(20))) == [b"png"] * 20
    assert await studio.draw(Card.of("Maps", "fus")) == b"png"
    assert drawn == ["Maps"]


@pytest.mark.anyio
async def test_whoever_asks_for_many_pictures_is_told_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()

    def slowly(card: Card) -> bytes:
        gate.wait(10)
        return card.title.encode()

    monkeypatch.setattr(studios, "open_graph_picture", slowly)
    studio = Studio()
    asked = [asyncio.ensure_future(studio.draw(Card.of(f"Map {number}", "fus"))) for number in range(MOST_WAITING)]
    await asyncio.sleep(0)
    with pytest.raises(Unavailable):
        await studio.draw(Card.of("One more", "fus"))
    gate.set()
    assert await asyncio.gather(*asked) == [f"Map {number}".encode() for number in range(MOST_WAITING)]
    assert await studio.draw(Card.of("One more", "fus")) == b"One more"


@pytest.mark.anyio
async def test_a_picture_that_could_not_be_drawn_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(card: Card) -> bytes:
        raise MemoryError

    studio = Studio()
    monkeypatch.setattr(studios, "open_graph_picture", fails)
    with pytest.raises(MemoryError):
        await studio.draw(Card.of("Maps", "fus"))
    monkeypatch.setattr(studios, "open_graph_picture", lambda card: card.title.encode())
    assert await studio.draw(Card.of("Maps", "fus")) == b"Maps"
