"""Imports: a file is read and matched, somebody looks at every match, and only then anything is written, by a job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, get_args

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import ImportChoices, NewList
from partita.apps.worthwatch.schema import Import, Mine, Watchlist
from partita.apps.worthwatch.service.items import Items
from partita.apps.worthwatch.service.labels import Ref, titles_by_ref
from partita.apps.worthwatch.service.lists import Lists
from partita.apps.worthwatch.service.people import People
from partita.apps.worthwatch.service.transfer.applying import HISTORY, KIND, OUTCOMES, TO_WATCH, Applying, Plan
from partita.apps.worthwatch.service.transfer.matching import Candidate, Match, match_rows
from partita.apps.worthwatch.service.transfer.reading import read_rows
from partita.apps.worthwatch.service.transfer.rows import NAMES, Row
from partita.kit.clock import stamp
from partita.kit.jobs import Job
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find_or
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, FieldError, Invalid, NotFound
from partita.kit.spreadsheets import line
from partita.table import Page, Put, Transaction, Update
from partita.table.types import expires_in

IMPORTING = Rule("worthwatch-import", most=10, seconds=86_400)
NEW = "new"
_KEPT = timedelta(days=7)
_LISTS = ("letterboxd-list", "imdb-list")

Stand = Literal["found", "check", "there", "aside", "missing", "left-out"]
STANDS: tuple[Stand, ...] = get_args(Stand)


@dataclass(frozen=True, slots=True)
class ReviewedRow:
    """A row with what becomes of it as things stand."""

    row: Row
    stand: Stand
    candidates: tuple[Candidate, ...]
    chosen: Ref | None
    outcome: str = ""
    """What became of it, in words, once it is done."""

    @property
    def title(self) -> Candidate | None:
        """The title that it is taken for."""
        return next((each for each in self.candidates if each.ref == self.chosen), None)


@dataclass(frozen=True, slots=True)
class Review:
    """An import as its owner sees it."""

    item: Import
    rows: tuple[ReviewedRow, ...]
    target: str
    new_title: str

    @property
    def counts(self) -> dict[Stand, int]:
        often = Counter(row.stand for row in self.rows)
        return {stand: often[stand] for stand in STANDS}

    def of(self, stand: Stand) -> tuple[ReviewedRow, ...]:
        return tuple(row for row in self.rows if row.stand == stand)

    @property
    def to_add(self) -> int:
        return self.counts["found"]

    @property
    def kind_name(self) -> str:
        return NAMES.get(self.item.kind, self.item.kind)

    @property
    def outcomes(self) -> dict[str, int]:
        """What became of the rows, in words, with their numbers."""
        return dict(Counter(row.outcome for row in self.rows if row.outcome))

    @property
    def csv(self) -> str:
        """The report as a spreadsheet, which runs nothing of it as a formula."""
        lines = (
            (
                str(each.row.number),
                each.row.name,
                str(each.row.year or ""),
                each.outcome or each.stand,
                each.title.title if each.title else "",
                "/".join(each.chosen) if each.chosen else "",
            )
            for each in self.rows
        )
        return "".join(map(line, (("row", "name", "year", "outcome", "title", "content"), *lines)))


class Imports:
    """One person's imports; nobody else sees them."""

    def __init__(self, kit: Kit, people: People, lists: Lists, items: Items, applying: Applying) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._lists = lists
        self._items = items
        self._applying = applying

    @property
    def kind(self) -> Any:
        """The job that applies an import."""
        return self._applying.kind

    async def begin(self, viewer: Viewer, data: bytes, filename: str) -> Review:
        """Read and match a file; nothing but the import itself is written."""
        kind, rows = await read_rows(data, filename)
        await self._people.me(viewer)
        await self._kit.limits.check(IMPORTING, viewer.id)
        matches = await match_rows(self._store, rows)
        now = self._kit.clock.now()
        target = NEW if kind in _LISTS else TO_WATCH if kind == "letterboxd-watchlist" else HISTORY
        item = Import(
            user_id=viewer.id,
            import_id=self._kit.ids.new(),
            filename=filename[:300],
            kind=kind,
            target=target,
            imported_at=stamp(self._kit.clock),
            rows=tuple(row.plain for row in rows),
            matches=tuple(match.plain for match in matches),
            choices={},
            expires_at=expires_in(_KEPT, now),
        )
        await self._store.write(Put(item).if_new())
        return await self._review(item)

    async def mine(self, viewer: Viewer, *, limit: int = 10, cursor: str | None = None) -> Page[Import]:
        """The viewer's imports of the last days, newest first."""
        return await self._store.page(schema.imports_of(viewer.id), limit=limit, after=cursor)

    async def review(self, viewer: Viewer, import_id: str) -> Review:
        """One of the viewer's imports."""
        return await self._review(await self._own(viewer, import_id))

    async def choose(self, viewer: Viewer, import_id: str, wanted: ImportChoices) -> Review:
        """Decide rows: a title for each that is to be checked, rows to leave out, and where to put all of them. What
        is not mentioned stays as it was decided."""
        titles = await titles_by_ref(
            self._store, ((each.content_type, each.content_id) for each in wanted.choices.values())
        )

        async def attempt() -> Import:
            item = await self._own(viewer, import_id)
            if item.state != "review":
                raise Conflict("This import has been applied already. Bring the file again to change it.")
            numbers = {int(row["number"]) for row in item.rows}
            unknown = [number for number in (*wanted.choices, *wanted.leave_out) if number not in numbers]
            if unknown:
                raise Invalid(FieldError("choices", f"The file has no row {unknown[0]}."))
            chosen = dict(item.choices.get("chosen", {}))
            left = set(map(int, item.choices.get("left_out", ())))
            for number, each in wanted.choices.items():
                ref = each.content_type, each.content_id
                if ref not in titles:
                    raise Invalid(FieldError(f"choices.{number}", "There is no such film or series."))
                chosen[str(number)] = [*ref, titles[ref].title, titles[ref].year]
                left.discard(number)
            left |= set(wanted.leave_out)
            choices: dict[str, Any] = {"chosen": chosen, "left_out": sorted(left)}
            choices["title"] = wanted.title or item.choices.get("title", "")
            target = item.target if wanted.target is None else wanted.target
            if target not in (NEW, HISTORY, TO_WATCH, None):
                await self._lists.own(viewer, target)
            saved = Import.choices.set(choices), Import.target.set(target), Import.decided.set(item.decided + 1)
            change = Update(item.own_key, *saved)
            return await self._store.update(change.unless_changed(item, Import.state, Import.decided))

        return await self._review(await self._store.attempt(attempt))

    async def apply(self, viewer: Viewer, import_id: str) -> Job:
        """Start to add what was found. An import is applied once: asked again, it is the same job."""

        async def attempt() -> Import:
            item = await self._own(viewer, import_id)
            if item.state != "review":
                return item
            review = await self._review(item)
            if not review.to_add:
                raise Conflict("There is nothing to add. Check some rows first, or choose another file.")
            update = Update(item.own_key, Import.state.set("applying"))
            if item.target != NEW:
                await self._store.write(update.unless_changed(item, Import.state, Import.decided))
                return item
            new = NewList(title=review.new_title, is_public=False, is_ranked=False)
            made = await self._lists.prepare(viewer, new)
            update = Update(item.own_key, Import.state.set("applying"), Import.target.set(made.watchlist_id))
            changed = update.unless_changed(item, Import.state, Import.decided)
            await self._store.transact(Transaction(Put(made).if_new(), changed))
            return item

        item = await self._store.attempt(attempt)
        if item.job_id is not None:
            return await self._kit.jobs.find(viewer, item.job_id)
        job = await self._kit.jobs.start(
            KIND, {"import": import_id}, viewer, key=f"{viewer.id} {import_id}", title=f"Import {item.filename}"
        )
        await self._store.write(Update(item.own_key, Import.job_id.set(job.job_id)))
        return job

    async def _own(self, viewer: Viewer, import_id: str) -> Import:
        missing = NotFound("There is no such import. Imports are kept for a week.")
        found = await find_or(missing, self._store, schema.one_import, viewer.id, import_id)
        if found.expires_at <= self._kit.clock.now().timestamp():
            raise missing
        return found

    async def _review(self, item: Import) -> Review:
        rows = [Row.of(row) for row in item.rows]
        matches = [Match.of(match) for match in item.matches]
        plan = Plan.of(item)
        target = item.target or HISTORY
        there = await self._there(item, target)
        reviewed: list[ReviewedRow] = []
        for place, (row, match) in enumerate(zip(rows, matches, strict=True)):
            chosen = plan.chosen.get(row.number)
            ref = chosen.ref if chosen else None
            candidates = match.candidates
            if chosen is not None and all(each.ref != ref for each in candidates):
                candidates = (chosen, *candidates)
            done = OUTCOMES.get(item.outcomes[place], "") if item.outcomes else ""
            reviewed.append(ReviewedRow(row, _stand(row, match, plan, ref, there), candidates, ref, done))
        return Review(item, tuple(reviewed), target, _new_title(item))

    async def _there(self, item: Import, target: str) -> Mapping[Ref, Mine | None]:
        """Titles that are where the import would put them."""
        if target == NEW or item.state != "review":
            return {}
        if target in (HISTORY, TO_WATCH):
            marks = self._store.stream(schema.all_mine(item.user_id), chunk=1000)
            return {(each.content_type, each.content_id): each async for each in marks}
        try:
            watchlist = await self._lists.watchlist(target)
        except NotFound:
            return {}
        items = await self._items.all_in_order(watchlist.watchlist_id)
        return {(each.content_type, each.content_id): None for each in items}

    async def target_lists(self, viewer: Viewer, *, limit: int = 50) -> Sequence[Watchlist]:
        """The viewer's lists that an import can go to, newest first."""
        return (await self._lists.mine(viewer, limit=limit)).items


def _stand(row: Row, match: Match, plan: Plan, ref: Ref | None, there: Mapping[Ref, Mine | None]) -> Stand:
    if match.state == "aside":
        return "aside"
    if row.number in plan.left_out:
        return "left-out"
    if ref is None:
        return "check" if match.state == "check" else "missing"
    if not plan.is_first(row, ref):
        return "there"
    if ref not in there:
        return "found"
    mine = there[ref]
    return "there" if mine is None or _says_nothing_new(row, mine) else "found"


def _says_nothing_new(row: Row, mine: Mine) -> bool:
    if row.queued:
        return bool(mine.queued) or mine.seen
    rated = row.rating is None or mine.rating is not None
    return mine.seen and rated and len(row.viewings) <= (mine.times or 0)


def _new_title(item: Import) -> str:
    named: str = item.choices.get("title", "")
    stem = item.filename.rpartition(".")[0] or item.filename
    return named or " ".join(stem.replace("-", " ").replace("_", " ").split())[:200].strip().capitalize() or "Imported"
