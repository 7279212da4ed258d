"""Faces: the same name looks the same everywhere, and another one looks different."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

import partita.web
from partita.kit.faces import HUES, SECOND_HUES, drawing, initials

_STYLES = (Path(partita.web.__file__).parent / "static" / "app.css").read_text()
_NAMES = st.text(max_size=60)


def _same(one: str, other: str) -> bool:
    """Names that people take for the same."""
    spelled = (" ".join(unicodedata.normalize("NFKC", name).casefold().split()) for name in (one, other))
    return len({name.encode("utf-8", "replace") for name in spelled}) == 1


@given(_NAMES, st.booleans())
def test_a_face_is_the_same_every_time_however_the_name_is_spelled(name: str, person: bool) -> None:
    made = drawing(name, person=person)
    drawing.cache_clear()
    assert drawing(name, person=person) == made
    looks = re.sub(r"<text.*", "", made)
    assert re.sub(r"<text.*", "", drawing(f"  {name}  ", person=person)) == looks


@given(st.lists(_NAMES, min_size=2, max_size=20))
def test_different_names_have_different_faces(names: list[str]) -> None:
    kept: list[str] = []
    for name in names:
        if not any(_same(name, other) for other in kept):
            kept.append(name)
    assert len({drawing(name) for name in kept}) == len(kept)


@given(_NAMES, st.booleans(), st.sampled_from([24, 40, 56, 88]))
def test_a_face_is_small_well_formed_decorative_and_needs_no_styles(name: str, person: bool, size: int) -> None:
    made = drawing(name, size, person=person)
    assert len(made.encode()) < 700
    tree = ElementTree.fromstring(made)
    assert tree.attrib["aria-hidden"] == "true"
    assert tree.attrib["width"] == tree.attrib["height"] == str(size)
    for element in tree.iter():
        assert element.tag in ("svg", "g", "path", "circle", "text")
        assert not {"style", "href", "id", "fill"} & set(element.attrib)


def test_a_face_has_colours_in_the_style_sheet() -> None:
    for number in range(HUES):
        assert f".face.h{number} {{" in _STYLES
    for number in range(SECOND_HUES):
        assert f".face.s{number} {{" in _STYLES
    for name in ("b", "c", "d", "m", "n"):
        assert f".face .{name} {{" in _STYLES


def test_a_hundred_names_use_all_hues_and_patterns_about_alike() -> None:
    faces = [drawing(f"Resource number {number}") for number in range(1600)]
    hues = Counter(re.findall(r" h(\d+) ", "".join(faces)))
    assert len(hues) == HUES
    assert min(hues.values()) > 50
    # What is seen at first sight: two hues and the pattern, as far as its tags tell it.
    seen = Counter(re.sub(r"[\d.-]+", "", face.partition(" h")[2]) for face in faces)
    assert max(seen.values()) < 400


@given(st.lists(_NAMES, min_size=2, max_size=6), _NAMES, st.sampled_from(["u1", "0abc"]))
def test_a_face_of_somebody_stays_when_the_name_changes_and_namesakes_differ(
    names: list[str], one: str, of: str
) -> None:
    looks = {re.sub(r"<text.*", "", drawing(name, person=True, of=of)) for name in names}
    assert len(looks) == 1
    assert initials(one) in drawing(one, person=True, of=of)
    assert drawing(one, person=True, of=of) != drawing(one, person=True, of="somebody else")


def test_a_person_and_a_thing_of_one_name_do_not_look_alike() -> None:
    assert "round" in drawing("Ada", person=True)
    assert "round" not in drawing("Ada")


def test_the_letters_of_a_face() -> None:
    for name, letters in {
        "Ada Lovelace": "AL",
        "grace": "G",
        "Jean-Luc Picard": "JP",
        "  The Art of  Computer Programming ": "TP",
        "(draft) Notes": "N",
        "straße": "S",
        "ß-Test": "ßT",
        "村上 春樹": "村春",
        "e\u0301lan": "É",
        "": "?",
        "<b>": "B",
        "“Knots” ‘Ashley’": "KA",
        "!!!": "?",
    }.items():
        assert initials(name) == letters, name
