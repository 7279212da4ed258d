"""Writers and prompts: which are set up, choosing, versions, trials."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from partita.apps.newsletter.service.generators.choosing import Writers
from partita.apps.newsletter.service.generators.extractive import ExtractiveWriter
from partita.apps.newsletter.service.generators.prompts import Prompt
from partita.kit.settings import Settings
from tests.apps.newsletter.generators.service import KEY, MODEL, says, serving
from tests.apps.newsletter.generators.test_contract import GOOD
from tests.apps.newsletter.served import ServedLetters, served_in

pytestmark = pytest.mark.anyio


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[ServedLetters]:
    with served_in(tmp_path) as letters:
        yield letters


def openai_at(url: str) -> Settings:
    return Settings(
        newsletter_openai_url=f"{url}/v1",
        newsletter_openai_model=MODEL,
        newsletter_openai_key=KEY,  # type: ignore[arg-type]
    )


async def test_only_administrators_see_writers(letters: ServedLetters) -> None:
    author = await letters.person("author")
    for path in ("/generators", "/prompts", "/prompts/section"):
        assert (await author.api("GET", path)).status == 403


async def test_writers_say_which_settings_they_lack(letters: ServedLetters) -> None:
    admin = await letters.person("admin")
    told = (await admin.api("GET", "/generators")).json
    assert (told["chosen"], told["chosen_by"]) == ("extractive", "")
    missing = {each["name"]: each["missing"] for each in told["writers"]}
    assert missing == {
        "extractive": [],
        "bedrock": ["PARTITA_NEWSLETTER_BEDROCK_MODEL"],
        "openai": ["PARTITA_NEWSLETTER_OPENAI_URL", "PARTITA_NEWSLETTER_OPENAI_MODEL"],
    }
    refused = await admin.api("PUT", "/generators", {"writer": "openai"})
    assert (refused.status, refused.json["code"]) == (409, "writer_not_ready")
    trial = (await admin.api("POST", "/generators/openai/try")).json
    assert (trial["writer"], trial["error"]) == (
        "extractive",
        "Chat completions is not set up: set PARTITA_NEWSLETTER_OPENAI_URL and PARTITA_NEWSLETTER_OPENAI_MODEL.",
    )
    assert (await admin.api("POST", "/generators/other/try")).status == 404


async def test_the_offline_writer_can_be_tried(letters: ServedLetters) -> None:
    admin = await letters.person("admin")
    trial = (await admin.api("POST", "/generators/extractive/try")).json
    assert (trial["writer"], trial["error"]) == ("extractive", "")
    assert "[1]" in trial["text"]


async def test_a_model_is_chosen_tried_and_writes(letters: ServedLetters) -> None:
    generators = letters.service.generators
    admin = await letters.person("admin")
    async with serving(says(GOOD)) as service:
        generators.writers = Writers(openai_at(service.url), ExtractiveWriter())
        chosen = await generators.choose(admin.viewer, "openai")
        assert (chosen.name, chosen.by) == ("openai", admin.viewer.id)
        trial = await generators.try_out(admin.viewer, "openai")
        assert (trial.error, trial.made_with.model) == ("", MODEL)
        assert service.wrong == []
    generators.writers = Writers(Settings(), ExtractiveWriter())
    assert (await generators.chosen()).name == "extractive"  # what is no longer set up is not used


async def test_prompts_have_versions_and_the_highest_is_used(letters: ServedLetters) -> None:
    admin = await letters.person("admin")
    used = (await admin.api("GET", "/prompts")).json
    assert [each["name"] for each in used["prompts"]] == ["outline", "section", "rewrite"]
    assert {each["version"] for each in used["prompts"]} == {0}
    new = {"text": "You write for {audience}.", "note": "Shorter", "version": 0}
    saved = await admin.api("POST", "/prompts/section", new)
    assert (saved.status, saved.json["version"], saved.json["changed_by"]) == (201, 1, admin.viewer.id)
    stale = await admin.api("POST", "/prompts/section", {"text": "Other.", "version": 0})
    assert (stale.status, stale.json["version"]) == (409, 1)
    assert (await letters.service.prompts.in_use("section")).text == new["text"]
    (entry,) = (await admin.api("GET", "/prompts/section")).json["items"]
    assert entry["note"] == "Shorter"
    assert (await admin.api("GET", "/prompts/section/1")).json["text"] == new["text"]
    assert "called" in (await admin.api("GET", "/prompts/section/0")).json["text"]
    assert (await admin.api("GET", "/prompts/section/2")).status == 404
    assert (await admin.api("GET", "/prompts/greeting")).status == 404


async def test_two_who_save_a_prompt_at_once_do_not_overwrite_each_other(letters: ServedLetters) -> None:
    admin = await letters.person("admin")
    answers = await asyncio.gather(
        *(admin.api("POST", "/prompts/section", {"text": f"Text {n}.", "version": 0}) for n in range(4))
    )
    assert sorted(answer.status for answer in answers) == [201, 409, 409, 409]


async def test_a_prompt_names_only_what_is_filled_in(letters: ServedLetters) -> None:
    admin = await letters.person("admin")
    answer = await admin.api("POST", "/prompts/section", {"text": "Write for {audiance}."})
    assert answer.status == 422
    assert "{audiance}" in answer.json["errors"][0]["message"]


async def test_a_prompt_is_tried_before_it_is_saved(letters: ServedLetters) -> None:
    admin = await letters.person("admin")
    generators = letters.service.generators
    async with serving(says(GOOD)) as service:
        generators.writers = Writers(openai_at(service.url), ExtractiveWriter())
        await generators.try_out(admin.viewer, "openai", {"section": Prompt("Write like a poet for {audience}.")})
        assert "Write like a poet for field staff." in service.asked[0].texts[0]
        assert "Rules that nothing overrides" in service.asked[0].texts[0]
    assert (await letters.service.prompts.in_use("section")).version == 0


async def test_the_key_is_never_shown(letters: ServedLetters) -> None:
    settings = openai_at("http://127.0.0.1:1")
    writers = Writers(settings, ExtractiveWriter())
    assert KEY not in repr(settings) + repr(writers.model("openai")) + repr(writers.states())
