"""Imports: content from a CSV file and the files it names. Rows are checked first, then files arrive one by one, then a
job makes the drafts. A draft's id is made of the import and the row, so that no kill makes it twice."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request

from partita.apps.enablement import schema
from partita.apps.enablement.formats import folded
from partita.apps.enablement.inputs import Submission
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.schema import MOST_IMPORTS, Content, Import, ImportsOf, SentFile
from partita.apps.enablement.service.attachments import type_of
from partita.apps.enablement.service.audience import JOB_DONE, job_done
from partita.apps.enablement.service.changing import Changing
from partita.apps.enablement.service.content import ContentExists, Contents
from partita.apps.enablement.service.fanouts import Fanouts
from partita.apps.enablement.service.files import ATTACHMENTS
from partita.apps.enablement.service.import_rows import CheckedRow, bad_rows_csv, from_json, read_rows, to_json
from partita.apps.enablement.service.lifecycle import Lifecycle
from partita.apps.enablement.service.products import ProductList
from partita.apps.enablement.service.texts import Texts
from partita.kit.files import UploadedFile, UploadedForm
from partita.kit.files.content import ENDINGS, TEXT
from partita.kit.jobs import Arguments, Job, JobFailed, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find, find_or
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import Conflict, FieldError, Invalid, NotFound, Problem
from partita.table import Delete, Put, Transaction, Update
from partita.table.types import timestamp

KIND = "enablement.import"
FOLDER = "enablement/imports"
"""The folder of rows that were checked."""
KEPT_SECONDS = 90 * 86_400
"""How long an import can be looked at."""
WAIT_SECONDS = 7 * 86_400
"""How long files wait for the import to be started."""
IMPORTING = Rule("enablement-import", most=30, seconds=3600)
_AT_ONCE = 100

Progress = Callable[[str, int, int], Awaitable[None]]
"""Told what is done, how many, of how many."""


@dataclass(frozen=True, slots=True)
class Checks:
    """An import with its rows, as somebody looks at it."""

    work: Import
    rows: tuple[CheckedRow, ...]
    """In the order of the file, with what was wrong when they were checked or when their drafts were made."""

    @property
    def good(self) -> tuple[CheckedRow, ...]:
        return tuple(row for row in self.rows if row.is_good)

    @property
    def bad(self) -> tuple[CheckedRow, ...]:
        return tuple(row for row in self.rows if not row.is_good)

    @property
    def awaited(self) -> tuple[CheckedRow, ...]:
        """Good rows whose files have not arrived."""
        return tuple(row for row in self.good if row.file_name and row.file_key not in self.work.files)

    @property
    def with_files(self) -> tuple[CheckedRow, ...]:
        """Good rows that name a file."""
        return tuple(row for row in self.good if row.file_name)

    def has_file(self, row: CheckedRow) -> bool:
        """Whether the file of a row has arrived."""
        return row.file_key in self.work.files

    @property
    def ready(self) -> tuple[CheckedRow, ...]:
        """Good rows that become drafts now: they need no file, or theirs is here."""
        return tuple(row for row in self.good if not row.file_name or self.has_file(row))

    def row_for(self, called: str, line: int | None = None) -> CheckedRow:
        """The row that a file belongs to: that of a line, or the one that names it. `Invalid` if there is none."""
        if line is not None:
            row = next((row for row in self.with_files if row.number == line), None)
            message = f"Line {line} does not wait for a file."
        else:
            named = [row for row in self.rows if row.file_name and row.file_key == folded(called)]
            row = next((row for row in named if row.is_good), None)
            message = f"No row names the file “{called}”. Choose it beside the row that it belongs to."
            if row is None and named:
                message = f"Line {named[0].number} names it, but must be corrected first."
        if row is None:
            raise Invalid(FieldError("file", message), code="no_such_row")
        return row

    def content_id(self, row: CheckedRow) -> str:
        """The id of the draft that a row becomes."""
        return draft_id(self.work.import_id, row)

    @property
    def csv(self) -> str:
        """The rows that were refused."""
        return bad_rows_csv(self.bad)


def draft_id(import_id: str, row: CheckedRow) -> str:
    """The same for the same row, however often it is tried."""
    return f"{import_id}-{row.number:04}"


class Imports:
    """Imports of content."""

    def __init__(
        self,
        kit: Kit,
        changing: Changing,
        contents: Contents,
        lifecycle: Lifecycle,
        texts: Texts,
        fanouts: Fanouts,
        products: ProductList,
    ) -> None:
        self._kit = kit
        self._fanouts = fanouts
        self._store = kit.store
        self._changing = changing
        self._contents = contents
        self._lifecycle = lifecycle
        self._texts = texts
        self._products = products

    # Beginning

    async def begin(self, viewer: Viewer, data: bytes, called: str) -> Checks:
        """Check the rows of a file, and keep them until their files are there and the import is started."""
        authorize(viewer, Enablement.WRITE)
        await self._kit.limits.check(IMPORTING, viewer.id)
        rows = read_rows(data, await self._products.get())
        name = await self._kit.uploads.keep(FOLDER, to_json(rows), TEXT, seconds=KEPT_SECONDS)
        work = Import(
            import_id=self._kit.ids.new(),
            called=called[:200] or "content.csv",
            begun_by=viewer.id,
            begun_at=timestamp(self._changing.now()),
            rows_key=name,
            row_count=len(rows),
            bad_rows=sum(not row.is_good for row in rows),
        )
        await self._store.attempt(lambda: self._store_new(work))
        return Checks(work, rows)

    async def _store_new(self, work: Import) -> None:
        listed = await find(self._store, schema.imports_of, work.begun_by)
        latest = (work.import_id, *(listed.latest if listed else ()))[:MOST_IMPORTS]
        if listed is None:
            own: Any = Put(ImportsOf(person=work.begun_by, latest=latest)).if_new()
        else:
            own = Update(listed.own_key, ImportsOf.latest.set(latest)).next_version(listed)
        await self._store.transact(Transaction(Put(work).if_new(), own))

    async def receive(self, request: Request, texts: Collection[str] | None = None) -> UploadedForm:
        """Take a form with a file for `add_file`; what it is, its content says. A form that has other fields than
        `texts` is refused, if these are given."""
        kinds = tuple(ENDINGS)
        return await self._kit.uploads.receive(request, ATTACHMENTS, kinds=kinds, texts=texts, seconds=WAIT_SECONDS)

    async def add_file(self, viewer: Viewer, import_id: str, file: UploadedFile, line: int | None = None) -> Checks:
        """Tick off a file: it belongs to the row that names it, or to the one of a line, whatever it is called. A file
        that belongs to none is refused and deleted."""
        try:
            checks = await self.find(viewer, import_id)
            row = checks.row_for(file.called, line)
            sent = SentFile(
                key=file.name,
                called=file.called if line is not None else "",
                content_type=file.kind,
                size_bytes=file.size,
                sent_at=timestamp(self._changing.now()),
            )
            replaced = await self._store.attempt(lambda: self._tick_off(viewer, import_id, row.file_key, sent))
        except BaseException:
            await self._kit.uploads.discard(file.name)
            raise
        if replaced is not None:
            await self._kit.uploads.discard(replaced.key)
        return await self.find(viewer, import_id)

    async def _tick_off(self, viewer: Viewer, import_id: str, key: str, sent: SentFile) -> SentFile | None:
        work = await self._own(viewer, import_id)
        if work.state != "waiting":
            raise Conflict("This import has been started. Attach the file to its draft instead.", code="wrong_state")
        await self._store.write(Update(work.own_key, Import.files.set({**work.files, key: sent})).next_version(work))
        return work.files.get(key)

    async def discard(self, viewer: Viewer, import_id: str) -> Import:
        """Forget an import that was not started, with the files that were sent for it."""
        work = await self._store.attempt(lambda: self._discard(viewer, import_id))
        for name in (work.rows_key, *(sent.key for sent in work.files.values())):
            await self._kit.uploads.discard(name)  # one that is missed here is swept when its time is over
        return work

    async def _discard(self, viewer: Viewer, import_id: str) -> Import:
        work = await self._own(viewer, import_id)
        if work.state != "waiting":
            raise Conflict("This import has been started: its drafts can be deleted one by one.", code="wrong_state")
        listed = await find(self._store, schema.imports_of, work.begun_by)
        rest = tuple(each for each in (listed.latest if listed else ()) if each != import_id)
        own: Any = () if listed is None else (Update(listed.own_key, ImportsOf.latest.set(rest)).next_version(listed),)
        gone = Delete(work.own_key).unless_changed(work, Import.revision)
        await self._store.transact(Transaction(gone, *own))
        return work

    # Looking

    async def find(self, viewer: Viewer, import_id: str) -> Checks:
        """An import of the viewer's own, or any for administrators."""
        return await self._with_rows(await self._own(viewer, import_id))

    async def mine(self, viewer: Viewer) -> list[Import]:
        """The viewer's latest imports, newest first."""
        authorize(viewer, Enablement.WRITE)
        listed = await find(self._store, schema.imports_of, viewer.id)
        if listed is None or not listed.latest:
            return []
        found = await self._store.batch_get(schema.imports_with_ids(listed.latest).keys)
        return [work for work in found if work is not None]

    async def drafts(self, checks: Checks, rows: Sequence[CheckedRow]) -> dict[int, Content]:
        """The drafts of some rows, as they are now: number of the row → content."""
        wanted = {row.number: checks.content_id(row) for row in rows}
        found = await self._found(tuple(wanted.values()))
        return {number: found[content_id] for number, content_id in wanted.items() if content_id in found}

    async def job(self, viewer: Viewer, job_id: str) -> Job:
        """The work of an import, for whoever started it."""
        return await self._kit.jobs.find(viewer, job_id)

    async def ended_within(self, job: Job, seconds: float) -> Job:
        """The work once it has ended, or as it is after so many seconds."""
        return await self._kit.jobs.ended_within(job, seconds)

    async def _own(self, viewer: Viewer, import_id: str) -> Import:
        authorize(viewer, Enablement.WRITE)
        missing = NotFound("There is no such import of yours.")
        work = await find_or(missing, self._store, schema.import_with_id, import_id)
        if work.begun_by != viewer.id and not viewer.may(Enablement.MANAGE):
            raise missing
        return work

    async def _with_rows(self, work: Import) -> Checks:
        try:
            stored = await self._kit.files.load(work.rows_key)
        except NotFound:
            raise NotFound("The rows of this import are no longer kept.") from None
        rows = from_json(stored.data)
        refused = work.refused
        return Checks(
            work, tuple(replace(row, problem=row.problem or refused.get(str(row.number), "")) for row in rows)
        )

    # Making drafts

    async def start(self, viewer: Viewer, import_id: str, *, submit: bool = False) -> Job:
        """Start to make the drafts; with `submit` they are sent to the approvers as well. Started again when it is
        done, it only submits."""
        checks = await self.find(viewer, import_id)
        if not checks.good:
            raise Conflict("No row of this file can be imported. Correct it and choose it again.", code="no_good_row")
        if checks.work.state == "done" and not submit:
            raise Conflict("The drafts of this import are there already.", code="wrong_state")
        title = f"Import {checks.work.called}"
        arguments = {"import": import_id, "submit": submit}
        job = await self._kit.jobs.start(KIND, arguments, viewer, key=f"{import_id} {submit}", title=title)
        await self._store.attempt(lambda: self._started(import_id, job.job_id))
        return job

    async def _started(self, import_id: str, job_id: str) -> None:
        work = await self._work(import_id)
        if work.job_id != job_id:
            state = "running" if work.state == "waiting" else work.state
            update = Update(work.own_key, Import.job_id.set(job_id), Import.state.set(state))
            await self._store.write(update.next_version(work))

    @property
    def kind(self) -> JobKind:
        return JobKind(KIND, "Import content", self._run, needs=Enablement.WRITE)

    async def _run(self, running: Running, arguments: Arguments) -> Result:
        viewer = await self._kit.starters.viewer(running.user_id)
        import_id = arguments["import"]

        async def progress(step: str, done: int, total: int) -> None:
            await running.progress(step, done=done, total=total)

        try:
            work = await self.make_drafts(viewer, import_id, progress)
            submitted = (
                await self.submit_all(viewer, import_id, progress, running.job_id) if arguments["submit"] else None
            )
        except NotFound as gone:
            raise JobFailed(gone.detail) from gone
        values = {"drafts": work.done_rows, "refused": work.bad_rows}
        words = f"{work.done_rows:,} drafts made, {work.bad_rows:,} rows refused."
        if submitted is not None:
            values["submitted"] = submitted
            words += f" {submitted:,} submitted for approval."
        return Result(words, f"/enablement/import/{import_id}", values)

    async def make_drafts(self, viewer: Viewer, import_id: str, progress: Progress | None = None) -> Import:
        """Make the drafts of all good rows that have none yet; may be called again after a kill, and by two at once."""
        work = await self._work(import_id)
        if work.state == "done":
            return work
        checks = await self._with_rows(work)
        refused: dict[str, str] = {}
        good = checks.good
        for begin in range(0, len(good), _AT_ONCE):
            some = good[begin : begin + _AT_ONCE]
            there = await self._found(tuple(checks.content_id(row) for row in some))
            for place, row in enumerate(some, begin):
                if progress is not None:
                    await progress("Making drafts", place, len(good))
                if checks.content_id(row) in there:
                    continue
                try:
                    await self._make(viewer, checks, row)
                except ContentExists:  # another process was faster
                    continue
                except Problem as problem:
                    if problem.status >= 500:
                        raise
                    refused[str(row.number)] = _reason(problem)
        return await self._store.attempt(lambda: self._finish(import_id, refused))

    async def _make(self, viewer: Viewer, checks: Checks, row: CheckedRow) -> None:
        sent = checks.work.files.get(row.file_key) if row.file_name else None
        if row.file_name and sent is None:
            raise Invalid(FieldError("file_name", "Its file was not sent."))
        new, content_id = row.content, checks.content_id(row)
        if sent is None:
            await self._contents.create(viewer, new, content_id=content_id)
            return
        gone = Conflict("Its file was not kept long enough. Import this row again.", code="file_not_kept")
        claim = self._kit.uploads.claim(sent.key).otherwise(gone)
        file = self._attributes(sent.called or row.file_name, sent)
        await self._contents.create(viewer, new, content_id=content_id, file=file, writes=(claim,))

    def _attributes(self, called: str, sent: SentFile) -> Mapping[str, Any]:
        return {
            "file_name": called,
            "content_type": type_of(sent.content_type, called),
            "size_bytes": sent.size_bytes,
            "s3_bucket": self._texts.bucket,
            "s3_key": sent.key,
            "uploaded_at": sent.sent_at,
        }

    async def _finish(self, import_id: str, refused: dict[str, str]) -> Import:
        work = await self._work(import_id)
        if work.state == "done":
            return work
        bad = work.bad_rows + len(refused)
        done = {"state": "done", "refused": refused, "bad_rows": bad, "done_rows": work.row_count - bad}
        after = work.model_copy(update=done)
        words = f"{after.done_rows:,} drafts made, {after.bad_rows:,} rows refused."
        told = job_done(work.begun_by, f"Import of {work.called}", f"/enablement/import/{import_id}", words)
        now = timestamp(self._changing.now())
        cause = self._fanouts.due(f"import.{import_id}", JOB_DONE, import_id, now, details=told)
        await self._store.transact(Transaction(Update.between(work, after).next_version(work), Put(cause)))
        return after.with_(Import.revision(work.revision + 1))

    async def submit_all(
        self, viewer: Viewer, import_id: str, progress: Progress | None = None, batch: str | None = None
    ) -> int:
        """Submit every draft of an import that is still being written and complete; how many wait for approval now.
        Approvers hear of a batch, which is the job that does this, as one."""
        checks = await self._with_rows(await self._work(import_id))
        submitted = 0
        for place, row in enumerate(checks.good):
            if progress is not None:
                await progress("Submitting", place, len(checks.good))
            try:
                await self._lifecycle.submit(viewer, checks.content_id(row), Submission(), batch=batch)
            except Conflict as there:
                submitted += there.code == "already_submitted"
            except (Invalid, NotFound):  # it lacks something, which its page says; or it was deleted
                continue
            else:
                submitted += 1
        return submitted

    async def _work(self, import_id: str) -> Import:
        return await find_or(NotFound("There is no such import."), self._store, schema.import_with_id, import_id)

    async def _found(self, content_ids: tuple[str, ...]) -> dict[str, Content]:
        if not content_ids:
            return {}
        found = await self._store.batch_get(schema.content_found(content_ids).keys, consistent=True)
        return {each.content_id: each for each in found if each is not None}


def _reason(problem: Problem) -> str:
    words = "; ".join(f"{each.field}: {each.message}" for each in problem.errors) or problem.detail
    return words[:200]
