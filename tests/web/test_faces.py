"""One person has one face, wherever they are shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import partita
from tests.web.conftest import Served

pytestmark = pytest.mark.anyio
_TEMPLATES = sorted(Path(partita.__file__).parent.rglob("templates/**/*.html"))


def _looks(page: str) -> tuple[str, str]:
    """The face in the bar: what is drawn, and its letters."""
    found = re.search(r'<summary>(<svg class="face round.*?)<text[^>]*>(.*?)</text>', page)
    assert found is not None
    return found[1], found[2]


async def test_a_new_name_changes_the_letters_and_nothing_else(served: Served) -> None:
    ada = await served.person("Ada")
    before = _looks((await ada.get("/account")).text)
    await ada.post("/account/name", {"name": "Grace Hopper"})
    after = _looks((await ada.get("/account")).text)
    assert (before[1], after[1]) == ("A", "GH")
    assert before[0] == after[0]


async def test_namesakes_have_different_faces(served: Served) -> None:
    looks = {_looks((await (await served.person("Ada Lovelace")).get("/account")).text)[0] for _ in range(2)}
    assert len(looks) == 2


def test_every_face_of_a_person_says_whose_it_is() -> None:
    """By the id and not only by the name, on every page of every system."""
    calls = [
        (template.name, call)
        for template in _TEMPLATES
        for call in re.findall(r"faces\.person\(((?:[^()]|\([^()]*\))*)\)", template.read_text())
    ]
    assert len(calls) > 30
    for name, call in calls:
        of = re.split(r",(?![^()]*\))", call)[1:2]
        assert of, (name, call)
        assert "=" not in of[0].replace("==", ""), (name, call)
