"""Ninety days of use: views, downloads and searches, fewer at weekends, none before something was released."""

from __future__ import annotations

import random
from datetime import timedelta

from partita.apps.enablement import schema
from partita.apps.enablement.demo.stage import Entry, PastClock, Stage, each, entries
from partita.apps.enablement.schema import Content
from partita.kit.permissions import Viewer

DAYS = 90
_ON_WORKDAYS, _AT_WEEKENDS = (8, 16), (0, 3)
_READERS = ("ines", "kwame", "yuki", "layla", "fergus", "ines", "kwame", "ioana", "jesper", "bisi", "marit", "tomas")
"""Who reads, the busiest more than once."""
_FOUND = ("lamp", "nitrate", "static", "price list", "rotor life", "minimum weight", "emergency cord", "cuvette")
_ONE_SEARCH_IN = 6
_ONE_DOWNLOAD_IN = 2
_READ_DAYS = frozenset({"released", "soft"})


async def fill(stage: Stage) -> str:
    """Day by day, since two views within half an hour are one."""
    wanted = [entry for entry in entries("content") if entry["state"] in _READ_DAYS]
    contents = await _contents(stage, wanted)
    in_vain = _days_of(entries("searches"))
    events = 0
    for ago in range(DAYS - 1, -1, -1):
        acts = _acts(stage, ago, wanted)
        acts += [{"what": "search", "by": by, "words": words, "results": 0} for by, words in in_vain.get(ago, ())]
        events += sum(await each([{**act, "ago": ago} for act in acts], lambda act: _do(stage, act, contents)))
    return f"{events:,} events"


def _acts(stage: Stage, ago: int, wanted: list[Entry]) -> list[Entry]:
    """What people do on a day; the same each time."""
    chance = random.Random(f"day {ago}")
    weekend = (stage.now - timedelta(days=ago)).weekday() >= 5
    there = [entry for entry in wanted if entry["daysAgo"] > ago and entry.get("endedAgo", -1) < ago]
    weights = [_popularity(entry["key"]) for entry in there]
    acts: dict[tuple[str, str], Entry] = {}
    for _ in range(chance.randint(*(_AT_WEEKENDS if weekend else _ON_WORKDAYS)) if there else 0):
        entry, by = chance.choices(there, weights)[0], chance.choice(_READERS)
        act = {"what": "view", "by": by, "key": entry["key"], "second": entry.get("secondAgo", DAYS + 1)}
        act["download"] = entry["kind"] != "text" and chance.randrange(_ONE_DOWNLOAD_IN) == 0
        acts[by, entry["key"]] = act
    searches = [
        {
            "what": "search",
            "by": chance.choice(_READERS),
            "words": chance.choice(_FOUND),
            "results": chance.randint(1, 9),
        }
        for _ in range(len(acts) // _ONE_SEARCH_IN)
    ]
    return [*acts.values(), *searches]


async def _do(stage: Stage, act: Entry, contents: dict[str, Content]) -> int:
    """How many events it made: none for one's own content."""
    by: Viewer = stage.viewers[act["by"]]
    at = stage.moment(act["ago"], f"{act['ago']} {act['by']} {act.get('key') or act['words']}")
    events = stage.service.events.at(PastClock(at))
    if act["what"] == "search":
        await events.searched(by, act["words"], act["results"])
        return 1
    content = contents[act["key"]]
    if act["ago"] >= act["second"]:
        content = content.model_copy(update={"version": "1.0"})
    viewed = await events.viewed(by, content)
    return viewed + (act["download"] and viewed and await events.downloaded(by, content))


def _popularity(key: str) -> float:
    """A few items are used much more than the others; the same ones each time."""
    return float(1 + 12 * random.Random(f"popular {key}").random() ** 4)


async def _contents(stage: Stage, wanted: list[Entry]) -> dict[str, Content]:
    """The items as readers had them, before some of them expired."""
    keys = [entry["key"] for entry in wanted]
    found = await stage.kit.store.batch_get(schema.content_found(tuple(stage.content[key] for key in keys)).keys)
    return {
        key: content.model_copy(update={"status": "Approved"})
        for key, content in zip(keys, found, strict=True)
        if content is not None
    }


def _days_of(searches: list[str]) -> dict[int, list[tuple[str, str]]]:
    """Each search in vain on a day of its own, by one of the busiest."""
    days: dict[int, list[tuple[str, str]]] = {}
    for place, words in enumerate(searches):
        days.setdefault(2 + place * 3, []).append((_READERS[place % 5], words))
    return days
