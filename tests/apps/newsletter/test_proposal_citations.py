"""Citing in proposals: a number opens its passage, and a passage is put in with its number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from partita.apps.newsletter.inputs import NewProposal, NewSource
from tests.apps.newsletter.served import ServedLetters, Somebody, served_in

pytestmark = pytest.mark.anyio
DAMS = (
    "Sand dams hold the water of the rains. One sand dam gives forty households water for the four dry months. "
    "Each household saves two hours of walking a day."
)
ONE, TWO = "One sand dam gives forty households water for the four dry months.", "Each household saves two hours"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[ServedLetters]:
    with served_in(tmp_path) as letters:
        yield letters


async def _proposal(letters: ServedLetters, ada: Somebody) -> tuple[str, str, dict[str, str]]:
    """A proposal with a file of its own; its code, a section, and a passage that may help with it."""
    made = await letters.service.proposals.create(ada.viewer, NewProposal(title="Sand dams for dry months"))
    code = made.proposal_code
    await letters.service.sources.add(ada.viewer, NewSource(title="What dams give", text=DAMS, shelf=code))
    await letters.follow()
    key = str(made.metadata["sections"][0]["key"])
    (found,) = (await ada.api("GET", f"/proposals/{code}/sections/{key}/suggestions")).json["items"]
    return code, key, {"source_id": found["source_id"], "chunk_id": found["chunk_id"]}


async def test_a_passage_is_put_in_by_a_form_and_its_number_opens_it(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code, key, passage = await _proposal(letters, ada)
    path = f"/newsletter/proposals/{code}"
    page = await ada.get(f"{path}?section={key}")
    assert f'value="{ONE}"' in page.text
    assert f'action="{path}/citations"' in page.text
    added = await ada.post(f"{path}/citations", {**passage, "section": key, "quote": ONE})
    assert added.location == f"{path}?section={key}&cite=1"
    shown = await ada.follow(added)
    assert f"{ONE} [1]</textarea>" in shown.text
    assert f"<mark>{ONE}</mark>" in shown.text
    assert "Sand dams hold the water of the rains." in shown.shown
    (leads,) = re.findall(r'href="([^"]*)" data-cite="1"', shown.text)
    assert leads == f"{path}?section={key}&amp;cite=1#passage"
    assert f"<mark>{ONE}</mark>" in (await ada.get(f"{path}/citations/1")).text
    assert (await ada.get(f"{path}/citations/2")).status == 404
    review = await ada.get(f"{path}/review?cite=1&at={key}")
    assert f"<mark>{ONE}</mark>" in review.text
    assert f'href="{path}/review?cite=1&amp;at={key}#passage-{key}" data-cite="1"' in review.text


async def test_a_passage_has_one_number_however_often_it_is_cited(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code, key, passage = await _proposal(letters, ada)
    path = f"/proposals/{code}/citations"
    assert (await ada.api("POST", path, {**passage, "quote": ONE})).json == {"n": 1}
    told = (await ada.api("GET", f"{path}/1")).json
    assert (told["title"], told["here"], [each["text"] for each in told["parts"] if each["used"]]) == (
        "What dams give",
        True,
        [ONE],
    )
    whole = await ada.api("POST", path, {**passage, "section": key})
    assert (whole.status, whole.json) == (201, {"n": 1})
    there = (await ada.api("GET", f"/proposals/{code}")).json
    assert there["text_inputs"][key] == "[1]"
    assert len(there["citations"]) == 1
    assert (await ada.api("GET", f"{path}/7")).status == 404


async def test_only_what_a_passage_says_is_cited_and_only_passages_of_ones_own(letters: ServedLetters) -> None:
    ada, rolf = await letters.person("author", "Ada"), await letters.person("author", "Rolf")
    code, _, passage = await _proposal(letters, ada)
    path = f"/proposals/{code}/citations"
    refused = await ada.api("POST", path, {**passage, "quote": "Dams fall from the sky."})
    assert (refused.status, refused.json["errors"][0]["field"]) == (422, "quote")
    assert (await ada.api("POST", path, {**passage, "chunk_id": "chunk-none"})).status == 404
    assert (await rolf.api("POST", path, {**passage, "quote": ONE})).status == 404
    other = await letters.service.proposals.create(rolf.viewer, NewProposal(title="Wells"))
    assert (await rolf.api("POST", f"/proposals/{other.proposal_code}/citations", passage)).status == 404
    mine = await letters.service.proposals.create(ada.viewer, NewProposal(title="Wells"))
    elsewhere = await ada.api("POST", f"/proposals/{mine.proposal_code}/citations", passage)
    assert (elsewhere.status, elsewhere.json["code"]) == (404, "no_such_passage")
    chunks = await ada.api("GET", f"/sources/{passage['source_id']}/chunks")
    position = chunks.json["items"][0]["position"]
    off = await ada.api("PATCH", f"/sources/{passage['source_id']}/chunks", {"position": position, "enabled": False})
    assert off.status == 200, off.text
    assert (await ada.api("POST", path, {**passage, "quote": ONE})).json["code"] == "no_such_passage"
