"""The demo is what the specification says: all kinds of sources, newsletters at every step, and quickly filled."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from partita.apps.newsletter import schema
from partita.apps.newsletter.demo import fill, library
from partita.apps.newsletter.demo.people import entries
from partita.apps.newsletter.inputs import NewNewsletter
from partita.apps.newsletter.schema import Draft, Newsletter, Note, Outline, Proposal, Source, Topics
from partita.apps.newsletter.service.proposing.budgets import budgets_in
from partita.kit.permissions import Viewer
from tests.apps.demo_data import reaches_nobody
from tests.apps.newsletter.served import ServedLetters, served_in

LONGEST_SECONDS = 60


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The system with the demo; filled once for all of these tests."""
    with served_in(tmp_path_factory.mktemp("demo")) as served:
        begun = time.process_time()
        report = asyncio.run(fill(served.kit, served.service))
        yield served, report, time.process_time() - begun


def rows(served: ServedLetters, kind: type[Any]) -> list[Any]:
    async def read() -> list[Any]:
        return [each async for each in served.kit.store.scan_whole_table(kind)]

    return asyncio.run(read())


def test_it_is_filled_within_a_minute_and_says_what_was_added(filled: Any) -> None:
    _, report, seconds = filled
    assert report.startswith("Newsletter: 3 people, 41 sources, 8 newsletters, 3 proposals. Sign in as selam (author)")
    assert seconds < LONGEST_SECONDS


def test_a_second_time_nothing_is_added(filled: Any) -> None:
    served, _, _ = filled
    assert "nothing added" in asyncio.run(fill(served.kit, served.service))


def test_sources_are_of_all_kinds_and_read(filled: Any) -> None:
    served, _, _ = filled
    found = rows(served, Source)
    shared = [each for each in found if each.shelf == schema.SHARED_SHELF]
    assert {each.status for each in found} == {"ready"}
    kinds = Counter(each.kind for each in shared)
    assert len(shared) >= 30
    assert kinds["markdown"] >= 12
    assert kinds["html"] >= 6
    assert kinds["pdf"] >= 6
    assert kinds["docx"] >= 4
    languages = Counter(each.language for each in shared)
    assert languages["am"] >= 2
    assert languages["ar"] >= 2
    assert max(each.pages or 0 for each in shared) >= 40
    assert len([each for each in library.sources() if "twin_of" in each.head]) == 5
    assert len([each for each in shared if each.published < "2020"]) == 3


def test_newsletters_are_at_every_step(filled: Any) -> None:
    served, _, _ = filled
    found = rows(served, Newsletter)
    statuses = Counter(each.status for each in found)
    assert statuses["exported"] == 2
    assert {each.current_step for each in found} == {1, 2, 3, 4}
    exported = [each for each in found if each.status == "exported"]
    assert {each.language for each in exported} == {"en", "ar"}
    assert {each.issue_number for each in exported} >= {2}
    edited = [each for each in rows(served, Draft) if each.has_user_edits]
    assert len(edited) == 1
    assert [each for each in rows(served, Note) if each.code == edited[0].newsletter_code]
    failed = [each for each in rows(served, Outline) if each.outline_status == "failed"]
    assert len(failed) == 1
    assert failed[0].outline_error
    assert all(each.retrieval_status == "completed" for each in rows(served, Topics))


def test_drafts_are_faithful_and_whole(filled: Any) -> None:
    served, _, _ = filled
    drafts = rows(served, Draft)
    assert len(drafts) == 4
    for each in drafts:
        assert each.draft_status == "completed", each.draft_error
        assert each.has_user_edits or each.quality["faithful"]["value"] == 1
        assert each.word_count > 400


def test_a_draft_of_the_demo_is_done_within_a_minute_of_the_press(filled: Any) -> None:
    served, _, _ = filled

    async def drafted() -> tuple[float, str]:
        accounts = served.kit.accounts
        author = await accounts.people.by_username("selam")
        viewer = Viewer(
            user_id=author.user_id,
            username="selam",
            name=author.name,
            permissions=await accounts.permissions.of(author),
        )
        made = await served.service.newsletters.create(viewer, NewNewsletter(title="In a minute", frequency="custom"))
        begun = time.perf_counter()
        await served.service.making.all(viewer, made.newsletter_code)
        for _ in range(3):
            await served.jobs.drain()
        look = await served.service.steps.look(made.newsletter_code, "draft")
        return time.perf_counter() - begun, look.state

    seconds, state = asyncio.run(drafted())
    assert state == "done"
    assert seconds < LONGEST_SECONDS


def test_three_proposals_and_a_call_that_was_read(filled: Any) -> None:
    served, _, _ = filled
    found = rows(served, Proposal)
    assert Counter(each.status for each in found) == {"draft": 1, "in_review": 1, "submitted": 1}
    assert max(len(each.metadata.get("requirements", ())) for each in found) >= 5
    for each in found:
        written = {key for key, text in each.text_inputs.items() if text}
        assert len(written) >= 5, each.title
        (budget,) = budgets_in(each.text_inputs["budget"])
        assert budget.faults == ()
        assert budget.total == each.metadata["amount"], each.title


def test_nobody_of_the_demo_is_a_stranger() -> None:
    assert all(reaches_nobody(each["email"]) for each in entries())
    assert {each["role"] for each in entries()} == {"author", "editor", "admin"}
    assert all(Path(each.slug).name == each.slug for each in library.sources())
