"""Uploads: streamed, known by their content, deleted unless claimed; and the sweep deletes only what nothing names."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message

from partita.engine import Engine
from partita.kit.changes import ChangeWorker
from partita.kit.clock import RandomIds
from partita.kit.files import LocalFiles, OwnedFiles, Swept, Uploads, WrongKind, sweep, upload_handler
from partita.kit.files.schema import UPLOADS, Upload, upload
from partita.kit.problems import BadRequest, Conflict, Problem, TooLarge
from partita.kit.schema import HOUSE
from partita.store import EmbeddedStore
from partita.table import Attribute, Delete, Item, Put, Table, Transaction
from tests.kit.conftest import HandClock
from tests.kit.files.test_multipart import Parts, form_of, request_with

THINGS = Table("upload-things", pk="id")
PNG = b"\x89PNG\r\n\x1a\n" + b"pixels" * 10


class Thing(Item, table=THINGS):
    id: Attribute[str]
    file: Attribute[str]


@dataclass(frozen=True)
class Place:
    """A store, files and uploads, with a clock that tests move."""

    engine: Engine
    store: EmbeddedStore
    files: LocalFiles
    uploads: Uploads
    clock: HandClock
    folder: Path

    def kept(self) -> list[str]:
        """The names of all files, and of what is on its way."""
        found = (path.relative_to(self.folder) for path in self.folder.rglob("*") if path.is_file())
        return sorted(map(str, found))

    def waiting(self) -> list[str]:
        return sorted(each.name for each in self.store.scan_whole_table(Upload))

    async def expire(self) -> None:
        """What the background does: items whose time is over go, and the handler hears of it."""
        self.engine.maintenance.run()
        await ChangeWorker(
            self.store.asynchronous, self.engine.call_async, (upload_handler(self.files),), self.clock
        ).drain()

    async def claim(self, name: str, thing: str = "1") -> None:
        gone = Conflict("Upload it again.")
        await self.store.asynchronous.transact(
            Transaction(self.uploads.claim(name).otherwise(gone), Put(Thing(id=thing, file=name)))
        )

    async def named(self) -> AsyncIterator[str]:
        async for thing in self.store.asynchronous.scan_whole_table(Thing):
            yield thing.file

    async def sweep(self, **wanted: Any) -> Swept:
        owners = [OwnedFiles("things", self.named)]
        return await sweep(self.files, self.store.asynchronous, owners, now=self.clock.now(), **wanted)

    def age(self, **spans: float) -> None:
        """Let time pass, for files too."""
        self.clock.forward(**spans)


@contextmanager
def _place() -> Iterator[Place]:
    clock = HandClock()
    with (
        Engine.temporary(background=False, clock=lambda: clock.now().timestamp()) as engine,
        TemporaryDirectory() as folder,
    ):
        store = EmbeddedStore(engine)
        store.create(HOUSE, UPLOADS, THINGS)
        files = LocalFiles(Path(folder), [b"k" * 32], clock)
        uploads = Uploads(files, store.asynchronous, clock, RandomIds())
        yield Place(engine, store, files, uploads, clock, Path(folder))
        files.close_blocking()


@pytest.fixture
def place() -> Iterator[Place]:
    with _place() as made:
        yield made


def _request(parts: Parts, cut: int = 1 << 16) -> Request:
    return request_with(form_of(parts), cut)


@pytest.mark.anyio
async def test_a_file_arrives_with_the_other_fields_and_waits_to_be_claimed(place: Place) -> None:
    parts: Parts = [("title", None, "Löwe".encode()), ("file", r"C:\Übersicht 1.PNG", PNG), ("tag", None, b"a")]
    form = await place.uploads.receive(_request([*parts, ("tag", None, b"b")], 7), "things")
    assert form.fields["title"] == "Löwe"
    assert form.fields.getlist("tag") == ["a", "b"]
    file = form.file
    assert file is not None
    assert (file.kind, file.size) == ("image/png", len(PNG))
    assert file.called == "Übersicht 1.PNG"
    assert file.name.startswith("things/")
    assert file.name.endswith(".png")
    assert (await place.files.load(file.name)).data == PNG
    assert place.waiting() == [file.name]


@pytest.mark.anyio
async def test_of_several_files_each_is_taken_or_refused_by_itself(place: Place) -> None:
    parts: Parts = [
        ("tags", None, b"maize"),
        ("files", "a.png", PNG),
        ("files", "large.png", PNG * 10),
        ("files", "text.txt", b"words"),
        ("files", "b.png", PNG + b"more"),
        ("files", "", b""),
        ("files", "one too many.png", PNG),
    ]
    form = await place.uploads.receive_several(
        _request(parts, 50), "things", kinds=("image/png",), most_bytes=len(PNG) + 10, most_files=4
    )
    assert form.fields["tags"] == "maize"
    assert [(file.called, file.size) for file in form.files] == [("a.png", len(PNG)), ("b.png", len(PNG) + 4)]
    assert [(name, problem.status) for name, problem in form.refused] == [
        ("large.png", 413),
        ("text.txt", 415),
        ("one too many.png", 413),
    ]
    assert place.waiting() == sorted(file.name for file in form.files)


@pytest.mark.anyio
async def test_several_files_whose_form_breaks_off_leave_nothing(place: Place) -> None:
    whole = form_of([("files", "a.png", PNG), ("files", "b.png", PNG)])
    with pytest.raises(BadRequest):
        await place.uploads.receive_several(request_with(whole[:-60], 40), "things")
    assert (place.waiting(), place.kept()) == ([], [])


@pytest.mark.anyio
async def test_a_claimed_file_stays_and_is_claimed_once(place: Place) -> None:
    await place.expire()  # the handler has begun before there is anything
    name = await place.uploads.keep("things", PNG, "image/png")
    await place.claim(name)
    with pytest.raises(Conflict):
        await place.claim(name, "2")
    place.age(days=3)
    await place.expire()
    assert await place.files.exists(name)
    assert place.waiting() == []


@pytest.mark.anyio
async def test_what_is_claimed_for_a_time_stays_that_long_and_then_goes(place: Place) -> None:
    gone = Conflict("gone")
    name = await place.uploads.keep("things", PNG, "image/png", seconds=3600)
    await place.uploads._store.write(place.uploads.claim_for(name, seconds=7200).otherwise(gone))
    place.age(minutes=119)
    await place.expire()
    assert await place.files.exists(name)
    place.age(minutes=2)
    await place.expire()
    assert place.kept() == []
    with pytest.raises(Conflict):
        await place.uploads._store.write(place.uploads.claim_for(name, seconds=7200).otherwise(gone))


@pytest.mark.anyio
async def test_an_upload_that_nobody_claims_goes_with_its_file(place: Place) -> None:
    name = await place.uploads.keep("things", PNG, "image/png", seconds=3600)
    place.age(minutes=59)
    await place.expire()
    assert await place.files.exists(name)
    place.age(minutes=2)
    await place.expire()
    assert place.kept() == []
    with pytest.raises(Conflict):
        await place.claim(name)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("parts", "refusal", "code"),
    [
        ([("file", "a.png", b"x" * 2_000)], TooLarge, "too_large"),
        ([("file", "a.png", b"MZ\x90\0" * 10)], WrongKind, "wrong_kind"),
        ([("file", "a.png", PNG), ("file", "b.png", PNG)], BadRequest, "file_missing"),
        ([("file", "a.png", PNG), ("text", None, b"x" * 1_000_001)], TooLarge, "too_large"),
    ],
)
async def test_what_is_refused_leaves_nothing_behind(
    place: Place, parts: Parts, refusal: type[Problem], code: str
) -> None:
    async def file_of() -> object:
        kinds = ("image/png", "text/plain")
        return (await place.uploads.receive(_request(parts), "things", kinds=kinds, most_bytes=1_000)).file

    with pytest.raises(refusal) as refused:
        await file_of()
    assert refused.value.code == code
    assert place.kept() == []
    assert place.waiting() == []


@pytest.mark.anyio
async def test_a_file_that_is_announced_too_large_is_not_read_but_what_was_typed_before_it_is(place: Place) -> None:
    messages: list[Message] = [
        {"type": "http.request", "body": form_of([("title", None, b"kept"), ("file", "a.png", PNG)]), "more_body": True}
    ]

    async def receive() -> Message:
        return messages.pop(0)  # and nothing after the first

    headers = [(b"content-type", b"multipart/form-data; boundary=b0undary"), (b"content-length", b"5000000")]
    request = Request({"type": "http", "method": "POST", "headers": headers}, receive)
    form = await place.uploads.receive(request, "things", most_bytes=1_000)
    assert isinstance(form.refusal, TooLarge)
    assert form.fields["title"] == "kept"
    assert place.kept() == []


@pytest.mark.anyio
async def test_what_was_typed_around_a_file_of_the_wrong_kind_is_kept(place: Place) -> None:
    parts: Parts = [("a", None, b"1"), ("file", "a.png", b"MZ" + b"\0" * 200_000), ("b", None, b"2")]
    form = await place.uploads.receive(_request(parts), "things", kinds=("image/png",))
    assert isinstance(form.refusal, WrongKind)
    assert dict(form.fields) == {"a": "1", "b": "2"}
    assert place.kept() == []


@pytest.mark.anyio
async def test_a_browser_that_goes_away_leaves_nothing_behind(place: Place) -> None:
    start = form_of([("file", "a.png", PNG + b"x" * 200_000)])[:150_000]
    messages: list[Message] = [{"type": "http.request", "body": start, "more_body": True}, {"type": "http.disconnect"}]

    async def receive() -> Message:
        return messages.pop(0)

    headers = [(b"content-type", b"multipart/form-data; boundary=b0undary")]
    with pytest.raises(ClientDisconnect):
        await place.uploads.receive(Request({"type": "http", "headers": headers}, receive), "things")
    assert place.kept() == []
    assert place.waiting() == []


@pytest.mark.anyio
async def test_a_form_without_a_file_works_too(place: Place) -> None:
    form = await place.uploads.receive(_request([("title", None, b"x"), ("file", "", b"")]), "things")
    assert (form.file, form.fields["title"]) == (None, "x")
    assert place.waiting() == []


@pytest.mark.anyio
async def test_a_file_is_named_at_every_moment_of_its_way(place: Place) -> None:
    """A process that is killed in between leaves an item, and the item takes the file with it."""
    seen: list[list[str]] = []

    async def watched() -> AsyncIterator[bytes]:
        seen.append(place.waiting())
        yield PNG

    request = _request([("file", "a.png", PNG)])
    receive = place.files.receive

    async def slow(name: str, chunks: Any, content_type: str, *, most_bytes: int, once: bool = False) -> Any:
        return await receive(name, watched(), content_type, most_bytes=most_bytes)

    place.files.receive = slow  # type: ignore[method-assign]
    form = await place.uploads.receive(request, "things")
    assert form.file is not None
    assert seen == [[form.file.name]]
    assert place.store.get(upload(form.file.name)) is not None


# -- the sweep

_FATES = st.sampled_from(["claimed", "claimed, then deleted", "waiting", "without any item", "elsewhere"])


@given(st.lists(st.tuples(_FATES, st.booleans()), max_size=8), st.booleans())
@settings(max_examples=25, deadline=None)
def test_a_sweep_deletes_what_nothing_names_and_nothing_else(fates: list[tuple[str, bool]], delete: bool) -> None:
    async def story(place: Place) -> None:
        orphans, others = set[str](), set[str]()
        for number, (fate, old) in enumerate(fates):
            name = f"things/{number}.png"
            if fate == "elsewhere":
                name = f"other/{number}.png"
                await place.files.save(name, PNG, "image/png")
            elif fate == "without any item":
                await place.files.save(name, PNG, "image/png")
            else:
                name = await place.uploads.keep("things", PNG, "image/png", seconds=10 * 86_400)
                if fate.startswith("claimed"):
                    await place.claim(name, str(number))
                if fate == "claimed, then deleted":
                    place.store.write(Delete(Thing.key(Thing.id(str(number)))))
            moment = (place.clock.now() - timedelta(hours=30 if old else 2)).timestamp()
            os.utime(place.folder / name, (moment, moment))
            unnamed = old and fate in ("claimed, then deleted", "without any item")
            (orphans if unnamed else others).add(name)
        found = await place.sweep(delete=delete)
        assert {file.name for file in found.unnamed} == orphans
        assert set(place.kept()) == (others if delete else others | orphans)
        assert found.size == len(PNG) * len(orphans)

    with _place() as place:
        asyncio.run(story(place))


@pytest.mark.anyio
async def test_a_file_that_is_claimed_while_the_sweep_looks_stays(place: Place) -> None:
    name = await place.uploads.keep("things", PNG, "image/png", seconds=10 * 86_400)
    place.age(days=2)

    async def claimed_after_it_was_read() -> AsyncIterator[str]:
        async for each in place.named():
            yield each
        await place.claim(name)

    for looks in (claimed_after_it_was_read, place.named):
        owners = [OwnedFiles("things", looks)]
        await sweep(place.files, place.store.asynchronous, owners, now=place.clock.now(), delete=True)
        assert await place.files.exists(name)
