"""Sources: added once, read in the background, corrected, refreshed, deleted."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from partita.apps.newsletter import schema
from partita.apps.newsletter import system as newsletter_system
from partita.apps.newsletter.inputs import NewNewsletter, NewProposal, NewSource, SourceEdit, SourceFacts
from partita.apps.newsletter.schema import Chunk, Draft, Outline, Source, StepRun
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.reading.sentences import word_count
from partita.apps.newsletter.service.sources import ADDING, SourceExists, Wanted, parts_of
from partita.kit.changes.schema import parked_changes
from partita.kit.fetcher import FetchedFile, FetchRefused
from partita.kit.files import UploadedFile
from partita.kit.files.content import HTML, kind_of
from partita.kit.inputs import StaleEdit
from partita.kit.jobs import Jobs
from partita.kit.problems import Forbidden, Invalid, NotFound, TooMany
from partita.table import Put
from tests.apps.house import worker_of
from tests.apps.newsletter.conftest import ABEL, ADA, ADMIN, EDDA, NOBODY, Desk
from tests.apps.newsletter.reading.samples import report

pytestmark = pytest.mark.anyio

PROSE = "The long rains came late in the north. Farmers planted maize again in May, and prices rose by 12 percent. "


@pytest.fixture(autouse=True)
def kinds(desk: Desk) -> None:
    """Jobs can be started once a worker knows their kinds."""
    desk.worker()


async def _text(desk: Desk, text: str = PROSE * 30, **fields: Any) -> Source:
    return await desk.service.sources.add(ADA, NewSource(text=text, **fields))


async def _read(desk: Desk, source: Source) -> Source:
    await desk.worker().drain()
    return await desk.service.sources.get(ADA, source.source_id)


async def _sent(desk: Desk, data: bytes, called: str) -> UploadedFile:
    kind = kind_of(data) or "application/octet-stream"
    name = await desk.kit.uploads.keep("newsletter/sources", data, kind)
    return UploadedFile(name, kind, len(data), called)


async def _chunks(desk: Desk, source: Source) -> list[Chunk]:
    return [chunk async for chunk in desk.kit.store.stream(schema.chunks_of(source.source_id))]


async def test_a_pasted_text_is_read_into_passages(desk: Desk) -> None:
    added = await _text(desk, "# Rains of 2026\n\nPublished 1 March 2026.\n\n" + PROSE * 30, tags=("maize",))
    assert (added.status, added.title) == ("waiting", "Rains of 2026")
    source = await _read(desk, added)
    assert (source.status, source.language, source.published, source.error) == ("ready", "en", "2026-03-01", None)
    chunks = await _chunks(desk, source)
    assert source.chunk_count == len(chunks) > 2
    assert source.words == sum(each.words for each in chunks) - sum(
        len(parts.chunk.text.split()) - len(parts.text.split()) for parts in parts_of(chunks)
    ) + word_count("Rains of 2026")
    assert {chunk.heading for chunk in chunks} == {"Rains of 2026"}
    assert "\n".join(part.text for part in parts_of(chunks)).count("prices rose by 12 percent") == 30


async def test_a_file_is_read_with_its_pages_and_its_own_title(desk: Desk) -> None:
    file = await _sent(desk, report(3), "scan 12.pdf")
    added = await desk.service.sources.add_file(ADA, file, SourceFacts(tags=("report",)))
    assert (added.title, added.kind, added.file_key) == ("scan 12", "pdf", file.name)
    source = await _read(desk, added)
    assert (source.title, source.pages, source.tags) == ("Annual report 2026", 3, ("report",))
    assert {chunk.page for chunk in await _chunks(desk, source)} == {1, 2, 3}
    assert "scan" not in await desk.service.sources.file(ADA, source.source_id)


async def test_a_title_that_somebody_typed_stays(desk: Desk) -> None:
    source = await _read(desk, await _text(desk, "# From the text\n\n" + PROSE, title="My own"))
    assert source.title == "My own"


async def test_the_same_content_again_is_refused_and_named(desk: Desk) -> None:
    first = await _text(desk, PROSE, title="The first")
    with pytest.raises(SourceExists) as refused:
        await desk.service.sources.add(ABEL, NewSource(text=PROSE.replace(" ", "  "), title="Again"))
    assert (refused.value.source_id, refused.value.status) == (first.source_id, 409)
    assert "The first" in refused.value.detail
    assert len((await desk.service.sources.page(ADA)).items) == 1
    data = report(1)
    await desk.service.sources.add_file(ADA, await _sent(desk, data, "a.pdf"))
    again = await _sent(desk, data, "b.pdf")
    with pytest.raises(SourceExists):
        await desk.service.sources.add_file(ADA, again)
    assert not await desk.kit.files.exists(again.name)


async def test_the_same_address_again_is_refused_however_it_is_spelled(desk: Desk) -> None:
    first = await desk.service.sources.add(ADA, NewSource(url="https://example.org/report"))
    with pytest.raises(SourceExists) as refused:
        await desk.service.sources.add(ADA, NewSource(url="http://EXAMPLE.org/report/?utm_source=x#top"))
    assert refused.value.source_id == first.source_id


async def test_either_a_text_or_an_address(desk: Desk) -> None:
    for new in (NewSource(), NewSource(text="A", url="https://example.org")):
        with pytest.raises(Invalid):
            await desk.service.sources.add(ADA, new)
    assert desk.everything() == []


async def test_what_cannot_be_read_says_why_and_can_be_tried_again(desk: Desk) -> None:
    file = await _sent(desk, b"%PDF-1.7\n" + b"noise" * 100, "broken.pdf")
    source = await _read(desk, await desk.service.sources.add_file(ADA, file))
    assert (source.status, source.chunk_count) == ("failed", 0)
    assert source.error is not None
    assert "damaged" in source.error
    assert (await desk.service.sources.look(source)).state == "failed"
    await desk.service.sources.refresh(ADA, source.source_id)
    assert (await _read(desk, source)).status == "failed"


class _Web:
    """The web as a test wants it."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes | str] = {}

    async def fetch_file(self, url: str, **_: Any) -> FetchedFile:
        found = self.pages.get(url, "There is no public site at example.org.")
        if isinstance(found, str):
            raise FetchRefused(found)
        return FetchedFile(url, HTML, found)


def _with_web(desk: Desk, web: _Web) -> Desk:
    jobs = Jobs(desk.kit.store, desk.kit.clock, desk.kit.ids)
    jobs.starters = desk.kit.jobs.starters
    kit = replace(desk.kit, fetcher=web, jobs=jobs)  # type: ignore[arg-type]
    made = replace(desk, kit=kit, service=NewsletterService(kit))
    made.worker()
    return made


async def test_an_address_is_fetched_refreshed_and_keeps_what_was_read_when_that_fails(desk: Desk) -> None:
    web = _Web()
    desk = _with_web(desk, web)
    url = "https://www.example.org/rains"
    paragraphs = [f"<p>Part {number}. {PROSE * 8}</p><h2>Then {number}</h2>" for number in range(4)]
    web.pages[url] = f"<html><title>Rains</title><main>{''.join(paragraphs)}</main>".encode()
    source = await _read(desk, await desk.service.sources.add(ADA, NewSource(url=url)))
    assert (source.status, source.title, source.kind, source.publisher) == ("ready", "Rains", "url", "example.org")
    before = await _chunks(desk, source)
    await desk.service.sources.switch(ADA, source.source_id, 1, enabled=False)

    web.pages[url] = (
        f"<html><title>New</title><main><p>First. {PROSE}</p><h2>A</h2>{''.join(paragraphs)}</main>".encode()
    )
    await desk.service.sources.refresh(ADA, source.source_id)
    source = await _read(desk, source)
    after = await _chunks(desk, source)
    assert source.title == "Rains"
    assert {chunk.chunk_id for chunk in before} < {chunk.chunk_id for chunk in after}
    assert [chunk.chunk_id for chunk in after if not chunk.enabled] == [before[1].chunk_id]

    web.pages[url] = "example.org answers 503 (Service Unavailable)."
    await desk.service.sources.refresh(ADA, source.source_id)
    failed = await _read(desk, source)
    assert (failed.status, failed.fetched_at) == ("ready", source.fetched_at)
    assert failed.error == "example.org answers 503 (Service Unavailable)."
    assert await _chunks(desk, failed) == after

    web.pages[url] = f"<html><main><p>{PROSE}</p></main>".encode()
    await desk.service.sources.refresh(ADA, source.source_id)
    shorter = await _read(desk, source)
    assert (shorter.error, shorter.chunk_count, len(await _chunks(desk, shorter))) == (None, 1, 1)


async def test_reading_again_what_was_killed_in_the_middle_doubles_nothing(desk: Desk) -> None:
    source = await _read(desk, await _text(desk))
    chunks = await _chunks(desk, source)
    await desk.service.sources.refresh(ADA, source.source_id)
    assert await _chunks(desk, await _read(desk, source)) == chunks


def _page(word: str, parts: int) -> bytes:
    told = (f"<p>{part} {word}. {PROSE * 8}</p>" for part in range(parts))
    return f"<html><main>{'<h2>Rains</h2>'.join(told)}</main>".encode()


async def test_a_refresh_that_is_refused_leaves_every_passage(desk: Desk) -> None:
    web = _Web()
    desk = _with_web(desk, web)
    one, other = "https://example.org/one", "https://example.org/other"
    web.pages[one] = _page("Rains", 4)
    web.pages[other] = f"<html><main><p>{PROSE * 3}</p></main>".encode()
    first = await _read(desk, await desk.service.sources.add(ADA, NewSource(url=one)))
    await _read(desk, await desk.service.sources.add(ADA, NewSource(url=other)))
    before = await _chunks(desk, first)
    web.pages[one] = web.pages[other]
    await desk.service.sources.refresh(ADA, first.source_id)
    after = await _read(desk, first)
    assert (after.status, after.error) == ("ready", "Another source has the same content. Delete one of them.")
    assert (after.chunk_count, after.digest, after.fetched_at) == (first.chunk_count, first.digest, first.fetched_at)
    assert await _chunks(desk, first) == before


async def test_a_refresh_that_is_cancelled_leaves_every_passage(desk: Desk) -> None:
    class Cancels(_Web):
        """Somebody cancels while the page is fetched."""

        async def fetch_file(self, url: str, **wanted: Any) -> FetchedFile:
            look = await desk.service.sources.look(source)
            if look.run is not None and source.chunk_count:
                await desk.kit.jobs.cancel(ADA, look.run.run_id)
            return await super().fetch_file(url, **wanted)

    web = Cancels()
    desk = _with_web(desk, web)
    url = "https://example.org/one"
    web.pages[url] = _page("Rains", 4)
    source = await desk.service.sources.add(ADA, NewSource(url=url))
    source = await _read(desk, source)
    before = await _chunks(desk, source)
    web.pages[url] = f"<html><main><p>{PROSE}</p></main>".encode()
    await desk.service.sources.refresh(ADA, source.source_id)
    after = await _read(desk, source)
    assert (after.status, after.chunk_count) == ("ready", source.chunk_count)
    assert await _chunks(desk, source) == before


async def test_a_refresh_that_breaks_off_while_passages_are_written_goes_on_with_them(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = _Web()
    desk = _with_web(desk, web)
    url = "https://example.org/one"
    web.pages[url] = _page("Rains", 4)
    source = await _read(desk, await desk.service.sources.add(ADA, NewSource(url=url)))
    web.pages[url] = _page("Then", 3)
    write = type(desk.kit.store).batch_write

    async def breaks(self: Any, writes: Any) -> None:
        await write(self, list(writes)[:1])
        web.pages[url] = "example.org answers 503 (Service Unavailable)."
        raise OSError("the network is gone")

    await desk.service.sources.refresh(ADA, source.source_id)
    with monkeypatch.context() as patched:
        patched.setattr(type(desk.kit.store), "batch_write", breaks)
        await desk.worker().drain()
    desk.clock.on(minutes=5)
    read = await _read(desk, source)
    assert (read.status, read.error, read.chunk_count) == ("ready", None, 3)
    assert [chunk.text[:3] for chunk in await _chunks(desk, source)] == ["0 T", "1 T", "2 T"]
    assert (await desk.service.sources.look(read)).state == "done"


async def test_a_source_whose_reading_was_never_started_is_started_by_the_change_stream(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        """The process ends here."""

    async def killed(*_: Any, **__: Any) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(type(desk.service.steps), "begin", killed)
        with pytest.raises(Killed):
            await _text(desk)
    (lost,) = await desk.service.sources.page(ADA)
    assert (await _read(desk, lost)).status == "waiting"
    for _ in range(2):
        await desk.service.intake.begin(lost)
    read = await _read(desk, lost)
    assert (read.status, read.chunk_count) == ("ready", len(await _chunks(desk, lost)))
    await desk.service.intake.begin(lost)
    assert not (await desk.service.sources.look(read)).is_open


async def test_lists_are_narrowed_by_kind_status_tag_and_language(desk: Desk) -> None:
    await _text(desk, PROSE, tags=("maize", "rain"))
    await desk.service.sources.add_file(ADA, await _sent(desk, report(1), "r.pdf"))
    await desk.worker().drain()
    waits = await _text(desk, PROSE + "More.", title="Later")
    page = desk.service.sources.page

    async def titles(**wanted: Any) -> list[str]:
        return [each.title for each in await page(ADA, Wanted(**wanted))]

    assert await titles() == ["Later", "Annual report 2026", PROSE[:120].strip()]
    assert await titles(kind="pdf") == ["Annual report 2026"]
    assert await titles(status="waiting") == [waits.title]
    assert await titles(tag="rain") == [PROSE[:120].strip()]
    assert await titles(language="en", kind="text") == [PROSE[:120].strip()]


async def test_corrections_are_conditional_on_the_revision(desk: Desk) -> None:
    source = await _read(desk, await _text(desk))
    edited = await desk.service.sources.edit(
        ADA, source.source_id, SourceEdit(title="Better", published=date(2025, 12, 31), revision=source.revision)
    )
    assert (edited.title, edited.published) == ("Better", "2025-12-31")
    with pytest.raises(StaleEdit):
        await desk.service.sources.edit(ADA, source.source_id, SourceEdit(title="Late", revision=source.revision))
    cleared = await desk.service.sources.edit(ADA, source.source_id, SourceEdit(published=None))
    assert cleared.published is None


async def test_only_whoever_added_it_and_editors_change_a_source(desk: Desk) -> None:
    source = await _read(desk, await _text(desk))
    assert (await desk.service.sources.get(ABEL, source.source_id)).title == source.title
    with pytest.raises(Forbidden):
        await desk.service.sources.edit(ABEL, source.source_id, SourceEdit(title="Mine"))
    with pytest.raises(Forbidden):
        await desk.service.source_removals.delete(ABEL, source.source_id)
    with pytest.raises(Forbidden):
        await desk.service.sources.get(NOBODY, source.source_id)
    await desk.service.sources.edit(EDDA, source.source_id, SourceEdit(title="Edited"))


async def test_a_private_source_is_there_for_those_who_may_see_its_newsletter(desk: Desk) -> None:
    mine = await desk.newsletter()
    code = mine.newsletter_code
    source = await _read(desk, await _text(desk, PROSE, shelf=code))
    assert [each.source_id for each in await desk.service.sources.page(ADA, shelf=code)] == [source.source_id]
    assert (await desk.service.sources.page(ADA)).items == ()
    for attempt in (
        desk.service.sources.get(ABEL, source.source_id),
        desk.service.sources.page(ABEL, shelf=code),
        desk.service.sources.add(ABEL, NewSource(text="x y z", shelf=code)),
    ):
        with pytest.raises(NotFound):
            await attempt
    await desk.service.sources.get(ADMIN, source.source_id)
    assert (await _text(desk, PROSE)).shelf == "sources"  # the same text on another shelf is another source
    await desk.service.removals.delete(ADA, code)
    await desk.worker().drain()
    with pytest.raises(NotFound):
        await desk.service.sources.get(ADMIN, source.source_id)
    assert await _chunks(desk, source) == []


async def test_deleting_takes_everything_and_lets_the_same_be_added_again(desk: Desk) -> None:
    file = await _sent(desk, report(2), "r.pdf")
    source = await _read(desk, await desk.service.sources.add_file(ADA, file))
    await desk.service.source_removals.delete(ADA, source.source_id)
    with pytest.raises(NotFound):
        await desk.service.sources.get(ADA, source.source_id)
    await desk.worker().drain()
    assert desk.everything() == []
    assert not await desk.kit.files.exists(file.name)
    await desk.service.sources.add_file(ADA, await _sent(desk, report(2), "r.pdf"))


async def test_who_cites_a_source_follows_the_drafts(desk: Desk) -> None:
    source = await _read(desk, await _text(desk))
    newsletter = await desk.service.newsletters.create(ADA, NewNewsletter(title="Digest"))

    def draft(*source_ids: str) -> Draft:
        citations = tuple({"n": n, "source_id": each} for n, each in enumerate(source_ids, 1))
        return Draft(newsletter_code=newsletter.newsletter_code, updated_at=newsletter.updated_at, citations=citations)

    cited = draft(source.source_id, source.source_id, "gone")
    await desk.kit.store.write(Put(cited))
    for _ in range(2):  # the change stream may tell of it twice
        await desk.service.citing.follow_draft(None, cited)
    source = await desk.service.sources.get(ADA, source.source_id)
    assert source.cited_in == 1
    assert [each.title for each in (await desk.service.sources.citing(ADA, source))[0]] == ["Digest"]
    assert await desk.service.sources.citing(ABEL, source) == ([], 1)
    await desk.kit.store.write(Put(draft()))
    for _ in range(2):
        await desk.service.citing.follow_draft(cited, draft())
    assert (await desk.service.sources.get(ADA, source.source_id)).cited_in == 0


async def test_changes_of_texts_that_lie_in_files_are_followed_too(desk: Desk) -> None:
    """Of a draft with more citations than fit into an item, a proposal, an outline and a step with long texts."""
    source = await _read(desk, await _text(desk))
    newsletter = await desk.service.newsletters.create(ADA, NewNewsletter(title="Digest"))
    proposal = await desk.service.proposals.create(ADA, NewProposal(title="Wells"))
    code, now, long = newsletter.newsletter_code, newsletter.updated_at, "word " * 30_000
    many = tuple({"n": n, "source_id": source.source_id, "quote": "Maize grows. " * 20} for n in range(200))
    step = StepRun(subject=code, step="draft", run_id="1", requested_by=ADA.id, requested_at=now, partial={"a": long})
    for item in (
        Draft(newsletter_code=code, updated_at=now, generated_content=long, citations=many),
        Outline(newsletter_code=code, updated_at=now, sections=({"id": "section-1", "name": "One", "text": long},)),
        proposal.model_copy(update={"text_inputs": {"a": long}}),
        step,
    ):
        await desk.kit.store.write(Put(item))
    system = newsletter_system.build(desk.kit)
    await worker_of(desk.kit, system).drain()
    assert [each async for each in desk.kit.store.stream(parked_changes())] == []
    assert (await desk.service.sources.get(ADA, source.source_id)).cited_in == 1
    await desk.kit.store.write(Put(Draft(newsletter_code=code, updated_at=now)))
    await worker_of(desk.kit, system).drain()
    assert [each async for each in desk.kit.store.stream(parked_changes())] == []


async def test_at_most_200_sources_a_day(desk: Desk) -> None:
    for number in range(200):
        await desk.kit.limits.check(ADDING, ADA.id) if number < 199 else await _text(desk)
    with pytest.raises(TooMany):
        await _text(desk, "Another text.")
    desk.clock.on(days=1)
    await _text(desk, "Another text.")
