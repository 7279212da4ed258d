"""Posters: a title always looks the same, is read on every ground, and fits its sheet whatever it is called."""

from __future__ import annotations

import re
from collections import Counter
from hashlib import blake2b
from io import BytesIO
from itertools import product
from time import process_time
from typing import Literal
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from partita.apps.worthwatch.service.posters import (
    TINTS,
    Poster,
    motif_strip,
    poster_digest,
    poster_svg,
    poster_tint,
)
from partita.apps.worthwatch.service.posters.colours import channels, contrast, oklch
from partita.apps.worthwatch.service.posters.inks import GENRE_HUES, Tone, colours, palette, tint
from partita.apps.worthwatch.service.posters.lettering import (
    LARGEST,
    MOST_LINES,
    SMALLEST,
    cleaned,
    set_title,
    shortened,
    text_width,
)
from partita.apps.worthwatch.service.posters.motifs import MOTIFS
from partita.apps.worthwatch.service.posters.sheet import EDITION
from partita.kit.dice import Dice

SVG = "{http://www.w3.org/2000/svg}"
GENRES = [*GENRE_HUES, "Experimental"]
TONES: tuple[Tone, ...] = ("dark", "middle", "light")
_TITLES = st.one_of(
    st.text(max_size=300),
    st.text(alphabet="世界の終わりとハードボイルド・ワンダーランド、。「」ー", max_size=120),
    st.text(alphabet="جدایی نادر از سیمین", max_size=120),
    st.text(alphabet="👩‍👩‍👧🎬🇯🇵é́ ", max_size=120),
    st.text(alphabet="&<>\"'\x00\x0b\u202e\ufffe\ud800 a", max_size=120),
    st.text(alphabet="Wi", min_size=250, max_size=300),
)
_NAMES = st.lists(_TITLES.map(lambda text: text[:200]), max_size=5).map(tuple)
_YEARS = st.one_of(st.none(), st.integers(1870, 2100))


@st.composite
def posters(draw: st.DrawFn) -> Poster:
    content_type: Literal["MOVIE", "SHOW"] = draw(st.sampled_from(["MOVIE", "SHOW"]))
    return Poster(
        content_type,
        draw(st.text(max_size=40)),
        draw(_TITLES),
        draw(_YEARS),
        tuple(draw(st.lists(st.one_of(st.sampled_from(GENRES), st.text(max_size=30)), max_size=4))),
        draw(_NAMES),
        draw(st.one_of(st.none(), st.integers(0, 99))),
    )


def _shelf(number: int = 24 * len(GENRES)) -> list[Poster]:
    """Titles of all genres and times, one after the other."""
    return [
        Poster(
            "SHOW" if place % 4 == 3 else "MOVIE",
            f"t{place}",
            f"The {place} Steps of Somebody Else",
            1920 + place * 7 % 106,
            (GENRES[place % len(GENRES)], GENRES[place * 5 % len(GENRES)]),
            ("Maya Deren", "Alexandr Hackenschmied"),
            1 + place % 9,
        )
        for place in range(number)
    ]


@given(posters())
def test_any_title_is_well_formed_small_and_brings_no_styles(poster: Poster) -> None:
    made = poster_svg(poster)
    assert len(made.encode()) <= 3 * 1024
    tree = ElementTree.fromstring(made)
    assert (tree.attrib["width"], tree.attrib["height"], tree.attrib["viewBox"]) == ("200", "300", "0 0 200 300")
    for element in tree.iter():
        assert element.tag.removeprefix(SVG) in ("svg", "g", "path", "circle", "text")
        assert not {"style", "class", "id", "href"} & set(element.attrib)
        for paint in ("fill", "stroke"):
            assert re.fullmatch(r"#[0-9a-f]{6}|none", element.attrib.get(paint, "none"))


@given(posters())
def test_all_lettering_is_on_the_sheet(poster: Poster) -> None:
    for x, y, size, text, anchor, stretch in _texts(poster):
        wide = text_width(text) * size * stretch
        left = {"start": x, "middle": x - wide / 2, "end": x - wide}[anchor]
        assert left >= 10
        assert left + wide <= 190
        assert size <= y <= 296
        assert size >= 11


@given(posters())
def test_a_title_is_set_in_four_lines_at_most_and_stays_readable(poster: Poster) -> None:
    texts = _texts(poster)
    titles = [text for text in texts if text[2] != 11]
    assert len(titles) <= MOST_LINES
    assert all(SMALLEST <= text[2] <= LARGEST for text in titles)
    downs = [text[1] for text in texts]
    assert downs == sorted(downs)


def _texts(poster: Poster) -> list[tuple[float, float, float, str, str, float]]:
    """Place, size, words, anchor and stretch of every line."""
    outer = ElementTree.fromstring(poster_svg(poster)).find(f"{SVG}g[@font-family]")
    if outer is None:
        return []
    anchor = outer.attrib.get("text-anchor", "start")
    found: list[tuple[float, float, float, str, str, float]] = []
    for part in outer:
        group = part if part.tag == f"{SVG}g" else None
        stretch = float(group.attrib.get("transform", "scale(1 1)")[6:].split()[0]) if group is not None else 1.0
        for line in part if group is not None else [part]:
            size = float((group if group is not None else line).attrib["font-size"])
            across = float(line.attrib["x"]) * stretch
            found.append((across, float(line.attrib["y"]), size, line.text or "", anchor, stretch))
    return found


@given(_TITLES)
def test_letters_that_nobody_sees_are_dropped_and_cleaning_twice_changes_nothing(title: str) -> None:
    once = cleaned(title)
    assert cleaned(once) == once
    assert not re.search("[\x00-\x1f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]", once)


@given(_TITLES.map(cleaned), st.floats(60, 190), st.sampled_from([1, 0.7]))
def test_a_title_loses_nothing_unless_it_ends_in_an_ellipsis(title: str, width: float, stretch: float) -> None:
    block = set_title(title, width, stretch)
    together = "".join(block.lines).replace(" ", "")
    if together != title.replace(" ", ""):
        assert block.size == SMALLEST
        assert block.lines[-1].endswith("…")
        assert title.replace(" ", "").startswith(together[:-1])
    assert all(text_width(line) * block.size * stretch <= width + 1e-6 for line in block.lines)


@given(st.lists(st.from_regex(r"[a-zA-Z]{1,12}", fullmatch=True), min_size=1, max_size=4))
def test_no_word_is_broken_as_long_as_a_smaller_size_helps(words: list[str]) -> None:
    block = set_title(" ".join(words), 172)
    assert [word for line in block.lines for word in line.split()] == words


def test_lines_are_even_and_no_short_word_is_left_alone() -> None:
    assert set_title("Paddington 2", 172).lines == ("Paddington 2",)
    assert set_title("Mad Max: Fury Road", 172).lines == ("Mad Max:", "Fury Road")
    assert set_title("Spider-Man: Into the Spider-Verse", 172).lines[0].startswith("Spider-")


def test_chinese_and_japanese_break_anywhere_but_before_what_closes() -> None:
    block = set_title("千と千尋の神隠し、そして長い長い題名の映画である。", 172)
    assert 1 < len(block.lines) <= MOST_LINES
    assert all(line[0] not in "、。」ー" for line in block.lines)
    assert "".join(block.lines) == "千と千尋の神隠し、そして長い長い題名の映画である。"


@given(st.text(max_size=80).map(cleaned), st.floats(2, 30))
def test_a_shortened_line_fits(text: str, room: float) -> None:
    assert text_width(shortened(text, room)) <= room


@given(posters())
def test_a_poster_is_the_same_every_time_and_follows_its_id(poster: Poster) -> None:
    assert poster_svg(poster) == poster_svg(poster)
    assert poster_digest(poster) == poster_digest(poster)
    assert re.fullmatch("[0-9a-f]{16}", poster_digest(poster))


@given(posters(), posters())
def test_another_digest_is_another_poster(one: Poster, other: Poster) -> None:
    assert (poster_digest(one) == poster_digest(other)) == (one == other)


def test_genres_and_directors_do_not_run_into_each_other() -> None:
    one = Poster("MOVIE", "1", "T", 1999, ("Drama", "War"), ("Ann",))
    other = Poster("MOVIE", "1", "T", 1999, ("Drama",), ("War", "Ann"))
    assert poster_digest(one) != poster_digest(other)


def test_whoever_changes_how_posters_look_raises_the_edition() -> None:
    looks = blake2b("".join(map(poster_svg, _shelf())).encode(), digest_size=8).hexdigest()
    assert {EDITION: looks} == {1: "c0be6354dde06ad2"}, (
        "browsers keep posters for a year: raise EDITION, and note the new looks here"
    )


@pytest.mark.parametrize("tone", TONES)
def test_lettering_is_read_on_every_ground(tone: Tone) -> None:
    for hue in range(360):
        made = colours(tone, hue, hue, (hue + 150) % 360)
        assert contrast(made.text, made.ground) >= 4.5, (tone, hue)


@pytest.mark.parametrize(("tone", "genre"), list(product(TONES, GENRE_HUES)))
def test_inks_of_all_genres_stand_out_from_the_ground(tone: Tone, genre: str) -> None:
    base = GENRE_HUES[genre]
    for other, drift in product(GENRE_HUES.values(), (-16, 0, 16)):
        made = colours(tone, (base + drift) % 360, base, other)
        assert contrast(made.text, made.ground) >= 4.5
        assert contrast(made.first, made.ground) >= 1.5
        assert contrast(made.second, made.ground) >= 2.5
        lighter = contrast(made.second, "#000000") > contrast(made.ground, "#000000")
        assert lighter == (tone != "light"), "lighter than a dark ground, darker than a light one"


def test_grounds_are_dark_middle_and_light_in_a_rhythm_and_never_mud() -> None:
    made = [palette((genre,), Dice(f"{place}", 64)) for place in range(400) for genre in GENRE_HUES]
    clear = Counter(each.tone for each in made if not 55 <= each.hue <= 130)
    share = {tone: count / clear.total() for tone, count in clear.items()}
    assert share == pytest.approx({"dark": 0.5, "middle": 0.3, "light": 0.2}, abs=0.03)
    assert all(each.tone != "middle" for each in made if 55 <= each.hue <= 130)
    for place, each in enumerate(made):
        base = list(GENRE_HUES.values())[place % len(GENRE_HUES)]
        assert abs((each.hue - base + 180) % 360 - 180) <= 16


def test_every_genre_has_a_motif_and_the_frequent_ones_have_two() -> None:
    assert list(MOTIFS) == list(GENRE_HUES)
    assert {genre for genre, motifs in MOTIFS.items() if len(motifs) == 2} == {"Drama", "Comedy", "Crime", "Action"}


@pytest.mark.parametrize("genre", GENRE_HUES)
def test_twenty_four_titles_of_one_genre_are_told_apart(genre: str) -> None:
    made = {poster_svg(Poster("MOVIE", str(place), "Home", 2001, (genre,))) for place in range(24)}
    assert len(made) == 24


@example(2100)
@given(st.integers(1870, 2100))
def test_lettering_follows_the_time(year: int) -> None:
    made = poster_svg(Poster("MOVIE", "1", "Night", year, ("Drama",), ("Ann Hui",)))
    assert ("NIGHT" in made) == (year < 1960 or 1980 <= year < 2000)
    assert ("serif" in made and "sans-serif" not in made) == (year < 1980)
    assert ('transform="scale(.7 1)"' in made) == (1980 <= year < 2000)
    assert ("M0 0h200v" in made.replace("M0 0h200v300", "")) == (1960 <= year < 1980), "the band is at the head"
    assert f"{year} · Ann Hui" in made


def test_series_have_a_stripe_and_say_how_many_seasons() -> None:
    series = poster_svg(Poster("SHOW", "1", "Utopia", 2013, ("Thriller",), seasons=2))
    assert "2013 · 2 seasons" in series
    assert "M0 0h7v300h-7z" in series
    assert "2013 · 1 season<" in poster_svg(Poster("SHOW", "1", "Utopia", 2013, ("Thriller",), seasons=1))
    assert "M0 0h7v300h-7z" not in poster_svg(Poster("MOVIE", "1", "Utopia", 2013, ("Thriller",)))


def test_what_is_unknown_is_left_out() -> None:
    made = poster_svg(Poster("MOVIE", "1", "Fragment"))
    assert made.count("<text") == 1
    assert "None" not in made


def test_a_title_cannot_bring_elements_of_its_own() -> None:
    made = poster_svg(Poster("MOVIE", "1", '<script>alert("&")</script>', 2020, directors=("<b>",)))
    assert "&lt;script&gt;" in made
    assert "<script" not in made
    assert "<b>" not in made


def test_a_poster_takes_less_than_a_millisecond() -> None:
    shelf = _shelf()
    for poster in shelf:
        poster_svg(poster)
    begun = process_time()
    for poster in shelf:
        poster_svg(poster)
    assert (process_time() - begun) / len(shelf) < 0.001


def test_tints_go_around_the_wheel() -> None:
    assert [tint(hue) for hue in (0, 7, 8, 15, 180, 345, 352, 353, 359)] == [0, 0, 1, 1, 12, 23, 23, 0, 0]
    assert {tint(hue) for hue in range(360)} == set(range(TINTS))


@given(posters())
def test_the_tint_of_a_page_is_near_the_ground_of_its_poster(poster: Poster) -> None:
    hue = palette(poster.genres, Dice(f"{poster.content_type}#{poster.content_id}", 64)).hue
    assert poster_tint(poster) == tint(hue)
    assert 0 <= poster_tint(poster) < TINTS


@pytest.mark.parametrize("number", [1, 2, 3, 5, 7])
def test_the_strip_is_a_picture_from_edge_to_edge(number: int) -> None:
    shelf = _shelf(number)
    made = motif_strip(shelf)
    assert made == motif_strip(shelf)
    assert len(made) < 400_000
    with Image.open(BytesIO(made)) as picture:
        assert (picture.format, picture.size, picture.mode) == ("PNG", (1200, 630), "RGB")
        panels = min(number, 5)
        for panel in range(panels):
            part = picture.crop((1200 * panel // panels, 0, 1200 * (panel + 1) // panels, 630))
            found = part.getcolors(630 * 1200)
            assert found is not None
            assert len(found) > 3, "a ground and a motif"


@pytest.mark.parametrize("genre", GENRE_HUES)
def test_pillow_draws_what_svg_draws_for_every_motif(genre: str) -> None:
    for place in range(2):
        made = motif_strip([Poster("MOVIE", f"{place}", "Home", 2001, (genre,))])
        ground = channels(palette((genre,), Dice(f"MOVIE#{place}", 64)).ground)
        with Image.open(BytesIO(made)) as picture:
            found = picture.getcolors(1200 * 630)
        assert found is not None
        share = sum(count for count, colour in found if colour != ground) / (1200 * 630)
        assert share > 0.05, "more than a few specks"


def test_colours_that_screens_lack_keep_their_lightness() -> None:
    assert oklch(1, 0, 0) == "#ffffff"
    assert oklch(0, 0, 0) == "#000000"
    assert oklch(0.6279, 0.2576, 29.23) in ("#ff0000", "#ff0100", "#fe0000", "#ff0101")
    assert contrast(oklch(0.47, 0.4, 200), oklch(0.47, 0.02, 200)) < 1.4
    assert contrast("#ffffff", "#000000") == 21
