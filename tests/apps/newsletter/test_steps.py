"""Steps: two presses one run, prerequisites, failing, cancelling, going on after a kill, one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from partita.apps.newsletter import schema
from partita.apps.newsletter.inputs import TopicsEdit
from partita.apps.newsletter.schema import Newsletter, Outline, StepRun, Topics
from partita.apps.newsletter.service import steps
from partita.apps.newsletter.service.bookkeeping import retrieval_settings
from partita.apps.newsletter.service.outlining import NewSection, NewStory
from partita.apps.newsletter.service.steps import Step, Work, not_ready
from partita.apps.newsletter.service.topics import outdated
from partita.kit.jobs import JobFailed, JobWorker
from partita.kit.jobs.schema import Job
from partita.kit.problems import Conflict, NotFound, TooMany
from partita.table import Put, Update
from tests.apps.newsletter.conftest import ABEL, ADA, Desk

pytestmark = pytest.mark.anyio


def wire(desk: Desk, retrieve: Callable[[Work], Any] | None = None) -> list[str]:
    """The steps as they are, with a retrieval and an outline that write what a test can see; what ran is listed."""
    ran: list[str] = []
    ready = desk.service.readiness

    async def retrieval(work: Work) -> None:
        ran.append(f"retrieval {work.subject}")
        if retrieve is not None:
            await retrieve(work)
        newsletter = await desk.service.newsletters.find(work.subject)
        assert newsletter is not None
        topics = await desk.service.topics.of(newsletter)
        found = topics.model_copy(
            update={
                "retrieval_status": "completed",
                "retrieval_completed_at": topics.updated_at,
                "retrieved_content": ({"id": "chunk-1", "topic": "Policy Updates", "content": "x"},),
                "total_chunks_retrieved": 1,
                "settings": retrieval_settings(newsletter, topics),
            }
        )
        await work.finish(Put(found).next_version(), message="1 passage found.")

    async def outline(work: Work) -> None:
        ran.append(f"outline {work.subject}")
        newsletter = await desk.service.newsletters.find(work.subject)
        assert newsletter is not None
        topics = await desk.service.topics.of(newsletter)
        proposed = [NewSection("Policy Updates", "Policy Updates", (NewStory("A", references=("chunk-1",)),))]
        await work.finish(await desk.service.outline.generated(newsletter, topics, proposed))

    desk.service.steps.known.clear()
    desk.service.steps.use(
        Step("retrieval", retrieval, ready=ready.retrieval), Step("outline", outline, ready=ready.outline)
    )
    return ran


async def with_topics(desk: Desk) -> str:
    code = (await desk.newsletter()).newsletter_code
    await desk.service.topics.edit(ADA, code, TopicsEdit(selected_types=("Policy Updates",)))
    return code


async def test_a_step_runs_and_its_result_and_status_words_are_the_documents(desk: Desk) -> None:
    wire(desk)
    code = await with_topics(desk)
    worker = desk.worker()
    look = await desk.service.steps.start(ADA, code, "retrieval")
    assert look.state == "waiting"
    assert desk.row(f"NEWSLETTER#{code}", "TOPICS")["retrieval_status"] == "pending"
    await worker.drain()
    row = desk.row(f"NEWSLETTER#{code}", "TOPICS")
    assert row["retrieval_status"] == "completed"
    assert row["retrieval_started_at"]
    assert row["retrieval_error"] is None
    assert (await desk.service.steps.look(code, "retrieval")).state == "done"


async def test_a_step_that_is_not_ready_says_what_is_missing(desk: Desk) -> None:
    wire(desk)
    code = (await desk.newsletter()).newsletter_code
    for step in ("retrieval", "outline"):
        with pytest.raises(Conflict) as refused:
            await desk.service.steps.start(ADA, code, step)
        assert refused.value.code == "step_not_ready"
    with pytest.raises(NotFound):
        await desk.service.steps.start(ABEL, code, "retrieval")


async def test_two_presses_start_one_run(desk: Desk) -> None:
    ran = wire(desk)
    code = await with_topics(desk)
    worker = desk.worker()
    looks = await asyncio.gather(*(desk.service.steps.start(ADA, code, "retrieval") for _ in range(8)))
    assert len({look.run.run_id for look in looks if look.run}) == 1
    await worker.drain()
    assert ran == [f"retrieval {code}"]


async def test_twenty_newsletters_at_once_all_finish(desk: Desk) -> None:
    ran = wire(desk)
    codes = [await with_topics(desk) for _ in range(20)]
    worker = desk.worker()
    await asyncio.gather(
        *(desk.service.steps.start(ADA, code, "retrieval", then=("outline",)) for code in codes), worker.drain()
    )
    await worker.drain()
    assert sorted(ran) == sorted([*(f"retrieval {code}" for code in codes), *(f"outline {code}" for code in codes)])
    for code in codes:
        assert desk.row(f"NEWSLETTER#{code}", "OUTLINE")["outline_status"] == "completed"
        assert desk.row(f"NEWSLETTER#{code}", "METADATA")["current_step"] == 3


async def test_a_failed_step_keeps_what_was_there_and_says_why(desk: Desk) -> None:
    async def retrieve(work: Work) -> None:
        if fail:
            raise JobFailed("No source can be read. Add one.")

    fail = False
    wire(desk, retrieve)
    code = await with_topics(desk)
    worker = desk.worker()
    await desk.service.steps.start(ADA, code, "retrieval")
    await worker.drain()
    fail = True
    await desk.service.steps.start(ADA, code, "retrieval")
    await worker.drain()
    look = await desk.service.steps.look(code, "retrieval")
    assert (look.state, look.error) == ("failed", "No source can be read. Add one.")
    row = desk.row(f"NEWSLETTER#{code}", "TOPICS")
    assert (row["retrieval_status"], row["retrieval_error"]) == ("failed", look.error)
    assert len(row["retrieved_content"]) == 1
    fail = False
    await desk.service.steps.start(ADA, code, "retrieval")
    await worker.drain()
    assert desk.row(f"NEWSLETTER#{code}", "TOPICS")["retrieval_status"] == "completed"


async def test_what_nobody_foresaw_is_tried_three_times(desk: Desk) -> None:
    tries = 0

    async def retrieve(work: Work) -> None:
        nonlocal tries
        tries += 1
        raise ZeroDivisionError

    wire(desk, retrieve)
    code = await with_topics(desk)
    worker = desk.worker()
    await desk.service.steps.start(ADA, code, "retrieval")
    for _ in range(5):
        await worker.drain()
        desk.clock.on(minutes=1)
    look = await desk.service.steps.look(code, "retrieval")
    assert (tries, look.state) == (3, "failed")
    assert look.error is not None
    assert "Try again" in look.error


async def test_what_is_finished_is_kept_for_the_next_attempt(desk: Desk) -> None:
    seen: list[dict[str, Any]] = []

    async def retrieve(work: Work) -> None:
        seen.append(work.partial)
        if len(seen) == 1:
            await work.keep({"sections": {"a": "x" * 50_000}, "score": 0.5})
            raise ZeroDivisionError
        if len(seen) == 2:
            raise JobFailed("It broke off.")

    wire(desk, retrieve)
    code = await with_topics(desk)
    worker = desk.worker()
    await desk.service.steps.start(ADA, code, "retrieval")
    for _ in range(3):
        await worker.drain()
        desk.clock.on(minutes=1)
    await desk.service.steps.start(ADA, code, "retrieval")  # somebody tries again
    await worker.drain()
    assert [len(each.get("sections", {}).get("a", "")) for each in seen] == [0, 50_000, 50_000]
    assert seen[1]["score"] == 0.5
    run = await desk.kit.store.get(schema.step_run(code, "retrieval"))
    assert run is not None
    assert (run.state, run.partial) == ("done", {})


async def test_a_step_is_cancelled_within_two_seconds_and_everything_is_as_before(desk: Desk) -> None:
    started = asyncio.Event()

    async def retrieve(work: Work) -> None:
        started.set()
        while True:
            await work.progress("Searching", done=1, total=3)
            await asyncio.sleep(0.01)

    wire(desk, retrieve)
    code = await with_topics(desk)
    worker = desk.worker()
    await desk.service.steps.start(ADA, code, "retrieval")
    running = asyncio.create_task(worker.drain())
    await started.wait()
    look = await desk.service.steps.look(code, "retrieval")
    assert look.state == "running"
    assert desk.row(f"NEWSLETTER#{code}", "TOPICS")["retrieval_status"] == "processing"
    await desk.service.steps.cancel(ADA, code, "retrieval")
    await asyncio.wait_for(running, 2.5)
    assert (await desk.service.steps.look(code, "retrieval")).state == "cancelled"
    assert desk.row(f"NEWSLETTER#{code}", "TOPICS")["retrieval_status"] == "pending"
    with pytest.raises(Conflict):
        await desk.service.steps.cancel(ADA, code, "retrieval")


async def test_a_step_that_waits_is_cancelled_at_once(desk: Desk) -> None:
    ran = wire(desk)
    code = await with_topics(desk)
    worker = desk.worker()
    await desk.service.steps.start(ADA, code, "retrieval")
    assert (await desk.service.steps.cancel(ADA, code, "retrieval")).state == "cancelled"
    await worker.drain()
    assert ran == []


async def test_a_run_that_was_replaced_writes_nothing(desk: Desk) -> None:
    async def retrieve(work: Work) -> None:
        other = Update(
            StepRun.key(StepRun.subject(work.subject), StepRun.step("retrieval")), StepRun.run_id.set("other")
        )
        await desk.kit.store.write(other)

    wire(desk, retrieve)
    code = await with_topics(desk)
    worker = desk.worker()
    await desk.service.steps.start(ADA, code, "retrieval")
    await worker.drain()
    assert (
        "retrieved_content" not in desk.row(f"NEWSLETTER#{code}", "TOPICS")
        or not desk.row(f"NEWSLETTER#{code}", "TOPICS")["retrieved_content"]
    )


async def test_a_result_that_was_written_before_a_kill_is_not_made_twice(desk: Desk) -> None:
    ran = wire(desk)
    code = await with_topics(desk)
    worker = desk.worker()
    look = await desk.service.steps.start(ADA, code, "retrieval", then=("outline",))
    assert look.run is not None
    await worker.drain()
    # As if the process had been killed right after the result: the job is taken up again.
    again = Update(
        Job.key(Job.job_id(look.run.run_id)), Job.state.set("waiting"), Job.due_at.set("2026-03-02T00:00:00.000000Z")
    )
    await desk.kit.store.write(again)
    await worker.drain()
    assert ran == [f"retrieval {code}", f"outline {code}"]


async def test_a_run_is_never_taken_for_the_one_before_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result is written a moment before the job ends; a kill may make that moment long."""
    monkeypatch.setattr(steps, "_ENDING_SECONDS", 0.05)
    ran = wire(desk)
    code = await with_topics(desk)
    worker = desk.worker()
    look = await desk.service.steps.start(ADA, code, "retrieval")
    assert look.run is not None
    key = StepRun.key(StepRun.subject(code), StepRun.step("retrieval"))
    for state in ("done", "failed"):
        await desk.kit.store.write(Update(key, StepRun.state.set(state)))
        with pytest.raises(Conflict, match="Try again in a minute"):
            await desk.service.steps.start(ADA, code, "retrieval")
    await worker.drain()  # takes the job over, finds the result, and puts it away
    again = await desk.service.steps.start(ADA, code, "retrieval")
    assert again.run is not None
    assert again.run.run_id != look.run.run_id
    await worker.drain()
    assert ran == [f"retrieval {code}"]


async def test_a_run_whose_job_was_given_up_is_told_as_failed(desk: Desk) -> None:
    wire(desk)
    code = await with_topics(desk)
    desk.worker()
    look = await desk.service.steps.start(ADA, code, "retrieval")
    assert look.run is not None
    ended = Update(Job.key(Job.job_id(look.run.run_id)), Job.state.set("failed"), Job.error.set("Interrupted."))
    await desk.kit.store.write(ended)
    looks = await desk.service.steps.looks(code)
    assert (looks["retrieval"].state, looks["retrieval"].error) == ("failed", "Interrupted.")
    assert desk.row(f"NEWSLETTER#{code}", "TOPICS")["retrieval_error"] == "Interrupted."
    assert looks["draft"].state == "none"


async def test_steps_that_follow_start_by_themselves_and_stop_where_one_is_not_ready(desk: Desk) -> None:
    ran = wire(desk)
    code = await with_topics(desk)
    worker = desk.worker()
    await desk.service.steps.start(ADA, code, "retrieval", then=("outline",))
    await worker.drain()
    assert ran == [f"retrieval {code}", f"outline {code}"]
    outline = await desk.kit.store.get(schema.outline(code))
    assert isinstance(outline, Outline)
    assert outline.outline_status == "completed"


async def test_a_step_that_cannot_follow_says_why(desk: Desk) -> None:
    wire(desk)
    code = await with_topics(desk)
    worker = desk.worker()

    async def outline_is_not_ready(_code: str, _inputs: Any) -> None:
        raise not_ready("Nothing was found.", 2)

    steps = desk.service.steps
    steps.known["outline"] = replace(steps.known["outline"], ready=outline_is_not_ready)
    await steps.start(ADA, code, "retrieval", then=("outline",))
    await worker.drain()
    look = await steps.look(code, "outline")
    assert (look.state, look.error) == ("failed", "Nothing was found.")
    assert desk.row(f"NEWSLETTER#{code}", "OUTLINE")["outline_error"] == "Nothing was found."


async def test_thirty_steps_an_hour_and_no_more(desk: Desk) -> None:
    wire(desk)
    code = await with_topics(desk)
    worker = desk.worker()
    for _ in range(30):
        await desk.service.steps.start(ADA, code, "retrieval")
        await worker.drain()
    with pytest.raises(TooMany):
        await desk.service.steps.start(ADA, code, "retrieval")


async def test_a_step_of_a_deleted_newsletter_leaves_nothing(desk: Desk) -> None:
    async def retrieve(work: Work) -> None:
        await desk.service.removals.delete(ADA, work.subject)

    wire(desk, retrieve)
    code = await with_topics(desk)
    worker: JobWorker = desk.worker()
    await desk.service.steps.start(ADA, code, "retrieval")
    for _ in range(3):
        await worker.drain()
        desk.clock.on(minutes=1)
    assert [pk for pk, _ in desk.everything() if code in pk] == []


async def test_a_page_can_tell_what_has_changed_since_content_was_found(desk: Desk) -> None:
    wire(desk)
    code = await with_topics(desk)
    worker = desk.worker()
    await desk.service.steps.start(ADA, code, "retrieval")
    await worker.drain()
    newsletter, topics = await desk.service.topics.get(ADA, code)
    assert outdated(newsletter, topics) == ()
    changed = newsletter.with_(Newsletter.frequency("daily"), Newsletter.title("Other"))
    assert outdated(changed, topics) == ("frequency",)
    assert outdated(newsletter, topics.with_(Topics.selected_types(("Research Findings",)))) == ("topics",)
