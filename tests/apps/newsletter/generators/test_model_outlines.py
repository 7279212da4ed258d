"""Outlines and other words by a model: in our frame, from what was found, or not at all."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from partita.apps.newsletter.service.generators.values import OutlineTask, RewriteTask, Wish
from partita.apps.newsletter.service.generators.writer import WriterFailed
from partita.apps.newsletter.service.writing.retrieval import Match, Parts
from partita.apps.newsletter.service.writing.values import Edition, Passage
from tests.apps.newsletter.generators.conftest import Way
from tests.apps.newsletter.generators.offline import offline_writer
from tests.apps.newsletter.generators.service import hangs_up, says, serving

pytestmark = pytest.mark.anyio

FINDINGS, NEWS = "Research Findings", "Policy Updates"
SORGHUM = (
    "Early sorghum gave 1.8 tonnes in Marsabit. The harvest of the red variety failed on half of the "
    "plots after the rain ended early. Farmers on the slopes kept more grain than farmers in the valley, "
    "where water stood for weeks."
)
HOUSEHOLDS = (
    "Women in 86 households prefer early sorghum. The grain cooks in less time and needs less wood than "
    "the red variety. Children carry lunch to school because the porridge keeps until noon without "
    "turning sour in the heat."
)
TAX = (
    "Kenya lowers the tax on seed by 4 per cent. The ministry expects that dealers pass the difference on "
    "to farmers before the next season begins. Traders at the border say that prices of imported seed "
    "will hardly change this year."
)
PASSAGES = {
    FINDINGS: (
        Passage("chunk-1", "s1", SORGHUM, "Sorghum in dry years"),
        Passage("chunk-2", "s2", HOUSEHOLDS, "What households say about grain"),
    ),
    NEWS: (Passage("chunk-3", "s3", TAX, "Tax on seed is lowered"),),
}
TASK = OutlineTask(
    Edition("Herders’ Weekly", date(2026, 1, 26)),
    tuple(Match(passage, topic, Parts(0.5), ()) for topic, found in PASSAGES.items() for passage in found),
)
GOOD: list[dict[str, Any]] = [
    {
        "topic": FINDINGS,
        "stories": [
            {"title": "Early sorghum does well in Marsabit", "gist": "It gave 1.8 tonnes.", "passages": [1, 2]},
        ],
    },
    {"topic": NEWS, "stories": [{"title": "Kenya lowers the tax on seed", "gist": "", "passages": [3]}]},
]


def _said(sections: Any) -> str:
    return json.dumps({"sections": sections}, ensure_ascii=False)


def _story(**changes: Any) -> list[dict[str, Any]]:
    return [{"topic": FINDINGS, "stories": [{**GOOD[0]["stories"][0], **changes}]}]


WRONG = {
    "no JSON": "Here is your outline.",
    "another shape": '{"sections": [{"name": "Findings"}]}',
    "a topic of its own": _said([{**GOOD[0], "topic": "Sports"}]),
    "a topic twice": _said([GOOD[1], GOOD[1]]),
    "a passage that is not there": _said(_story(passages=[9])),
    "a passage of another topic": _said(_story(passages=[3])),
    "an invented figure": _said(_story(gist="It gave 3.5 tonnes.")),
    "an invented name": _said(_story(title="Early sorghum does well in Turkana")),
    "an invented name among capitals": _said(_story(title="Early Sorghum Does Well In Uganda")),
    "a link": _said(_story(gist="See [more](https://evil.example).")),
    "a script": _said(_story(title="Early sorghum <script>alert</script>")),
    "a long title": _said(_story(title="Early sorghum " * 12)),
    "nothing": _said([]),
    "a passage twice": _said(
        [
            {
                **GOOD[0],
                "stories": [GOOD[0]["stories"][0], {**GOOD[0]["stories"][0], "title": "Women prefer early sorghum"}],
            }
        ]
    ),
}


async def test_the_stories_are_the_models_and_the_frame_is_ours(way: Way) -> None:
    async with serving(says("Here it is:\n" + _said(GOOD))) as service:
        written = await way.writer(service).outline(TASK)
    assert service.wrong == []
    assert [section.topic for section in written.sections] == ["", FINDINGS, NEWS, ""]
    (story,) = written.sections[1].stories
    assert (story.title, story.references, story.shape) == (
        "Early sorghum does well in Marsabit",
        ("chunk-1", "chunk-2"),
        "finding",
    )
    assert story.words >= 30
    assert written.made_with.writer == way.name.partition(",")[0]


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
async def test_a_wrong_outline_is_repaired_or_ours(way: Way, text: str) -> None:
    async with serving(says(text), says(_said(GOOD))) as service:
        assert (await way.writer(service).outline(TASK)).made_with.instead_of == ""
    async with serving(says(text)) as service:
        written = await way.writer(service).outline(TASK)
    assert len(service.asked) == 2
    assert written.made_with.instead_of
    frame = await offline_writer().outline(TASK)
    assert written.sections == frame.sections


async def test_without_the_service_the_outline_is_ours(way: Way) -> None:
    async with serving(hangs_up) as service:
        written = await way.writer(service).outline(TASK)
    assert (written.made_with.writer, len(written.sections)) == ("extractive", 4)


TEXT = "Early sorghum, as it turned out, gave 1.8 tonnes a hectare in the dry county of Marsabit last year. [1]"


def _rewrite(wish: Wish) -> RewriteTask:
    return RewriteTask(TASK.edition, TEXT, wish, {1: PASSAGES[FINDINGS][0], 2: PASSAGES[FINDINGS][1]})


async def test_other_words_keep_facts_and_citations(way: Way) -> None:
    async with serving(says("Early sorghum gave 1.8 tonnes a hectare in Marsabit [1].")) as service:
        written = await way.writer(service).rewrite(_rewrite("shorter"), way.listen())
    assert service.wrong == []
    assert written.text == "Early sorghum gave 1.8 tonnes a hectare in Marsabit. [1]"


@pytest.mark.parametrize(
    "answer",
    [
        "Early sorghum gave 2.8 tonnes a hectare in Marsabit [1].",
        "Early sorghum gave 1.8 tonnes a hectare in Turkana [1].",
        "Early sorghum gave 1.8 tonnes a hectare in Marsabit.",
        "Early sorghum gave 1.8 tonnes a hectare in Marsabit [1][2].",
        "# News\n\nEarly sorghum gave 1.8 tonnes a hectare in Marsabit [1].",
        "Early sorghum gave [1.8 tonnes](https://evil.example) a hectare in Marsabit [1].",
        TEXT + " " + TEXT.replace("Early", "The early"),
    ],
)
async def test_other_words_that_say_something_else_are_refused(way: Way, answer: str) -> None:
    async with serving(says(answer)) as service:
        with pytest.raises(WriterFailed, match="did not pass the checks"):
            await way.writer(service).rewrite(_rewrite("shorter"), way.listen())
    assert len(service.asked) == 2
