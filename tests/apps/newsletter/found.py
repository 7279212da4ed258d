"""A newsletter for which content was found: what the steps of writers begin with."""

from __future__ import annotations

from typing import Any

from partita.apps.newsletter.formats import as_stored
from partita.apps.newsletter.inputs import TopicsEdit
from partita.apps.newsletter.schema import Chunk, Topics
from partita.apps.newsletter.service import NewsletterService
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.table import Put, Update

FINDINGS, POLICY = "Research Findings", "Policy Updates"
PASSAGES: tuple[tuple[str, str, str, str], ...] = (
    (
        FINDINGS,
        "Seed trials in the dry lowlands",
        "Early sorghum yields more on dry plots",
        (
            "Farmers in Marsabit tried three varieties of drought-tolerant sorghum on 240 plots last season. The "
            "early variety gave 1.8 tonnes a hectare, against 1.2 tonnes from the seed that farmers had kept "
            "before. Rain ended two weeks early, which made the difference larger than in a usual year. Two "
            "thirds of the farmers want to plant the early variety again. Seed is sold by the cooperative in "
            "Laisamis at 180 shillings a kilogram."
        ),
    ),
    (
        FINDINGS,
        "What farmers say about early sorghum",
        "Cooking time decides which sorghum is planted",
        (
            "In meetings with 86 households, women named cooking time as the reason to prefer the early sorghum. "
            "Birds eat more of the early grain than of the red variety, because it ripens when nothing else does. "
            "Farmers who sowed in groups lost less grain than those who sowed alone. The extension office lends "
            "nets to twelve groups before the next rains."
        ),
    ),
    (
        FINDINGS,
        "Goats and milk in the dry season",
        "Shade and salt keep goats in milk",
        (
            "Goats that rested in shade at noon gave 0.4 litres more milk a day than goats without shade. Salt "
            "licks raised the yield by another 0.2 litres in the driest month. Keepers spent 35 shillings a week "
            "on salt for ten goats. Kids of goats with shade weighed 9 per cent more at three months."
        ),
    ),
    (
        POLICY,
        "Seed law passes the senate",
        "Farmers may sell their own seed",
        (
            "The senate passed a law that lets farmers sell up to 200 kilograms of their own seed a year. Sellers "
            "register with the county office and pay a fee of 500 shillings. The law begins on 1 July and "
            "replaces rules from 1996. Seed companies had asked for a limit of 50 kilograms."
        ),
    ),
    (
        POLICY,
        "Counties get a drought fund",
        "Drought fund pays before the harvest fails",
        (
            "Six counties get a drought fund of 1.3 billion shillings for the next three years. The fund pays "
            "when rain stays below 60 per cent of the usual amount by the middle of the season. Households "
            "receive 2,700 shillings a month by mobile money. Auditors publish the list of wards every quarter."
        ),
    ),
)


def content() -> list[dict[str, Any]]:
    """What a retrieval stores."""
    return [
        {
            "id": f"chunk-{number}",
            "topic": topic,
            "source": title,
            "score": 0.9 - number / 20,
            "content": text,
            "metadata": {
                "source_id": f"source-{number}",
                "title": title,
                "heading": heading,
                "position": 1,
                "date": "2026-02-20",
                "url": f"https://example.org/{number}",
                "publisher": "The dryland centre",
            },
        }
        for number, (topic, title, heading, text) in enumerate(PASSAGES, 1)
    ]


async def find_content(kit: Kit, service: NewsletterService, viewer: Viewer, code: str) -> None:
    """Choose topics, and store what a retrieval would have found, with one passage beside the first."""
    topics = await service.topics.edit(viewer, code, TopicsEdit(selected_types=(FINDINGS, POLICY)))
    found = (
        Topics.retrieved_content.set(tuple(as_stored(content()))),
        Topics.retrieval_status.set("completed"),
        Topics.retrieval_completed_at.set(topics.updated_at),
        Topics.total_chunks_retrieved.set(len(PASSAGES)),
    )
    await kit.store.write(Update(topics.own_key, *found))
    beside = "The trial goes on for two more seasons. Results are published by the county office each March."
    await kit.store.write(Put(Chunk(source_id="source-1", position=2, text=beside, chunk_id="chunk-beside")))
