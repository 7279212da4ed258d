"""What pages say about how texts were made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from partita.apps.newsletter import schema
from partita.apps.newsletter.inputs import NewProposal
from partita.apps.newsletter.schema import Outline, Proposal
from partita.apps.newsletter.service.drafting.made_words import draft_words, outline_words, section_words
from partita.table import Put
from tests.apps.newsletter.served import ServedLetters, served_in

pytestmark = pytest.mark.anyio
BY_MODEL: dict[str, Any] = {"writer": "openai", "model": "m-1", "tokens": {"read": 1000, "written": 200}}
FELL_BACK: dict[str, Any] = {
    "writer": "extractive",
    "model": "",
    "tokens": {"read": 30, "written": 4, "estimated": True},
    "fallback": {"instead_of": "openai", "reason": "The service is busy."},
}
OFFLINE: dict[str, Any] = {"writer": "extractive", "model": "", "tokens": {"read": 0, "written": 0}}


def test_a_draft_names_its_model_its_sources_its_tokens_and_what_went_wrong() -> None:
    assert draft_words({"a": BY_MODEL}, 1) == "Written by m-1 from 1 source. 1,200 tokens used."
    assert draft_words({"a": OFFLINE}, 2) == "Written by the offline writer with sentences from 2 sources."
    assert draft_words({"a": BY_MODEL, "b": FELL_BACK}, 2) == (
        "Written by m-1 from 2 sources. 1 section is written by the offline writer instead of a model: "
        "The service is busy. About 1,234 tokens used."
    )
    assert draft_words({}, 0) == ""


def test_an_outline_and_a_section_of_a_proposal_say_the_same_of_themselves() -> None:
    assert outline_words(BY_MODEL) == "Outline by m-1. 1,200 tokens used."
    assert outline_words(FELL_BACK) == (
        "The offline writer made the outline instead of a model: The service is busy. About 34 tokens used."
    )
    assert section_words(BY_MODEL) == "Drafted by m-1. 1,200 tokens used."
    assert section_words(FELL_BACK).startswith("The offline writer drafted this section instead of a model: ")
    assert outline_words(OFFLINE) == section_words(OFFLINE) == outline_words({}) == section_words({}) == ""


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[ServedLetters]:
    with served_in(tmp_path) as letters:
        yield letters


async def test_the_pages_of_an_outline_and_of_a_proposal_say_it(letters: ServedLetters) -> None:
    ada = await letters.person("author", "Ada")
    code = await letters.newsletter(ada)
    await letters.run(ada, code, "outline")
    outline = await letters.kit.store.get(schema.outline(code))
    assert outline is not None
    await letters.kit.store.write(Put(outline.with_(Outline.made_with(FELL_BACK))))
    assert outline_words(FELL_BACK) in (await ada.get(f"/newsletter/editions/{code}/outline")).shown
    assert (await ada.api("GET", f"/newsletters/{code}/outline")).json["made_with"]["fallback"]["reason"]
    made = await letters.service.proposals.create(ada.viewer, NewProposal(title="Wells"))
    key = next(iter(made.metadata["sections"]))["key"]
    changed = made.with_(Proposal.made_with({key: FELL_BACK}), Proposal.text_inputs({key: "Wells are dug."}))
    await letters.kit.store.write(Put(changed))
    assert section_words(FELL_BACK) in (await ada.get(f"/newsletter/proposals/{made.proposal_code}")).shown
    told = (await ada.api("GET", f"/proposals/{made.proposal_code}")).json
    assert told["made_with"][key]["tokens"]["read"] == 30
