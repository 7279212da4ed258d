"""Brand colours: whatever somebody chooses, text in it can be read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.service.documents import bands
from partita.apps.newsletter.service.documents.colours import contrast, is_colour, mended, oklch
from partita.apps.newsletter.service.documents.themes import THEMES, dark, light

COLOURS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


@given(COLOURS, st.sampled_from(list(THEMES.values())))
def test_every_brand_colour_gives_readable_themes(colour: str, theme: object) -> None:
    for colours in (light(theme, colour), dark(theme, colour)):  # type: ignore[arg-type]
        assert contrast(colours.ink, colours.paper) >= 7
        for ground in (colours.paper, colours.tint):
            assert contrast(colours.accent, ground) >= 4.5
            assert contrast(colours.quiet, ground) >= 4.5
        assert contrast(colours.on_block, colours.block) >= 4.5


@given(COLOURS, COLOURS)
def test_a_mended_colour_can_be_read_and_a_good_one_stays(colour: str, ground: str) -> None:
    made = mended(colour, ground)
    assert is_colour(made)
    assert made == colour if contrast(colour, ground) >= 4.5 else contrast(made, ground) >= 4.4


@given(COLOURS)
def test_a_colour_taken_apart_and_put_together_is_nearly_the_same(colour: str) -> None:
    taken = oklch(colour)
    again = taken.at(taken.lightness)
    assert all(abs(int(colour[at : at + 2], 16) - int(again[at : at + 2], 16)) <= 2 for at in (1, 3, 5))


def test_a_band_follows_from_its_code_alone() -> None:
    assert bands.svg("NL-20260126-A1B2", "#1f6f54") == bands.svg("NL-20260126-A1B2", "#1f6f54")
    drawn = {bands.svg(f"NL-20260126-A{place:03}", "#1f6f54") for place in range(200)}
    assert len(drawn) == 200
    assert bands.png("NL-20260126-A1B2", "#1f6f54")[:4] == b"\x89PNG"
    rows = bands.cells("NL-20260126-A1B2", "#1f6f54")
    assert [len(row) for row in rows] == [bands.COLUMNS] * bands.ROWS
