"""`partita backup` while people write to `partita serve`: what `partita restore` brings back is one moment, with
everything that was acknowledged before and nothing that was begun after. PARTITA_BACKUP_ROUNDS asks for more."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from partita.apps.enablement.formats import LOCAL_BUCKET, file_at
from partita.apps.enablement.schema import Content
from partita.apps.fus.schema import Site, my_rating
from partita.engine import Engine
from partita.kit.clock import SystemClock
from partita.kit.files import LocalFiles
from partita.store import EmbeddedStore
from tests.commands.journaled import Journal, Writer, Written, await_more, digest_of, files, sites, working
from tests.commands.people import counters_equal_a_count, prepared
from tests.web.serving import serving

ROUNDS = int(os.environ.get("PARTITA_BACKUP_ROUNDS", "1"))
SYSTEMS = ("fus", "enablement")
PEOPLE = {
    "ada": "fus:manager",
    "bob": "fus:manager",
    "carla": "enablement:contributor",
    "dora": "enablement:contributor",
}
"""Two who use fus, and two who use the portal."""

State = dict[tuple[str, str], Any]
"""What one person has written, by what it is about."""


@pytest.mark.timeout(3600)
def test_a_backup_of_what_is_served_has_all_that_was_acknowledged_before_and_is_one_moment(tmp_path: Path) -> None:
    people, shared = asyncio.run(prepared(tmp_path / "data", SYSTEMS, PEOPLE))
    journals = {name: Journal(tmp_path / f"{name}.journal") for name in PEOPLE}
    with serving(tmp_path, "--systems", ",".join(SYSTEMS)) as suite:
        writers = [Writer(suite.url, name, people[name][1], journals[name]) for name in PEOPLE]
        works = [
            *(lambda each=each: sites(each, shared) for each in writers[:2]),
            *(lambda each=each: files(each) for each in writers[2:]),
        ]
        moments: list[tuple[float, float]] = []
        with working(works) as check:
            for number in range(ROUNDS):
                await_more(journals, check)
                begun = time.monotonic()
                _partita("backup", tmp_path / f"backup-{number}", "--data", tmp_path / "data")
                moments.append((begun, time.monotonic()))
            await_more(journals, check)
    for number, (begun, ended) in enumerate(moments):
        _partita("restore", tmp_path / f"backup-{number}", "--data", tmp_path / f"new-{number}")
        with Restored(tmp_path / f"new-{number}") as restored:
            counters_equal_a_count(restored.store, shared)
            there, missing = [], []
            for name, journal in journals.items():
                written = journal.read()
                count = _how_many(written, restored.written_by(people[name][0], shared))
                there += written[:count]
                missing += written[count:]
        assert [each for each in missing if each.ended <= begun] == [], "it was acknowledged before"
        assert [each for each in there if each.begun >= ended] == [], "it was begun after"
        # One moment for all: whatever began after something else had ended, was written after it.
        assert max(each.begun for each in there) < min(each.ended for each in missing)
        assert {next(iter(each.did)) for each in there} == {"site", "stars", "content"}


def _how_many(written: list[Written], found: State) -> int:
    """After how many of their writes somebody's items are as they were found."""
    state: State = {}
    for count, each in enumerate([None, *written]):
        if each is not None:
            _apply(state, each.did)
        if state == found:
            return count
    raise AssertionError(f"it was never like this: {found}")


def _apply(state: State, did: dict[str, Any]) -> None:
    if "site" in did:
        state["site", did["site"]] = did["title"]
    elif "stars" in did:
        state["rating", ""] = did["stars"], did["note"]
    elif "text" in did:
        state["text", did["content"]] = did["title"], did["text"]
    else:
        state["file", did["content"]] = did["file"]


class Restored:
    """A restored folder, which nobody serves."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opened = ExitStack()

    def __enter__(self) -> Restored:
        engine = self._opened.enter_context(Engine(self._folder, durability="off", background=False))
        self.store = EmbeddedStore(engine)
        clock = SystemClock()
        self._files = LocalFiles(self._folder / "files", [b"k" * 32], clock)
        self._opened.callback(self._files.close_blocking)
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def written_by(self, user_id: str, shared: str) -> State:
        """What somebody's items say; a file that an item names and that is not whole is told by `load`."""
        state: State = {}
        for site in self.store.scan_whole_table(Site):
            if site.added_by == user_id and site.site_id != shared:
                state["site", site.site_id] = site.title
        rating = self.store.get(my_rating(user_id, shared))
        if rating is not None:
            state["rating", ""] = rating.stars, rating.note
        for content in self.store.scan_whole_table(Content):
            if content.owner_user_id != user_id:
                continue
            text = file_at(content.s3_uri, LOCAL_BUCKET)
            assert text is not None
            state["text", content.content_id] = content.title, self._load(text)
            if content.s3_key is not None:
                state["file", content.content_id] = self._load(content.s3_key)
        return state

    def _load(self, name: str) -> str:
        return digest_of(asyncio.run(self._files.load(name)).data)


def _partita(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "partita.cli", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)
