"""The review calendar: what is overdue and what comes, by month, owner and suite; several confirmed at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.enablement.formats import day_after, day_of
from partita.apps.enablement.inputs import Transfer
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.shown import Shown
from partita.kit.forms import MOST_FIELDS, Parsed, parse
from partita.kit.pages import local, redirect, render
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, Forbidden, NotFound, Problem
from partita.kit.routes import CurrentViewer, Routes

REVIEW_PATH = "/enablement/review"
_LOADED = 300
_LISTED = 100
"""How many of them are rows; the others count in months and shares."""
_AT_ONCE = 50
"""How many somebody confirms with one click."""
_MONTHS = 12
_WEEK, _MONTH = 7, 30
Name = Annotated[str, Query(max_length=200)]


@dataclass(frozen=True, slots=True)
class Due:
    """Content that is due in a time."""

    label: str
    items: Sequence[Shown]
    late: bool = False


def add(pages: Routes, service: EnablementService) -> None:
    """Declare the routes."""

    async def calendar_page(
        request: Request, viewer: Viewer, owner: str, suite: str, form: Parsed[Transfer], chosen: Sequence[str] = ()
    ) -> Response:
        page = await service.desks.review(viewer, limit=_LOADED)
        shown = await service.showing.each(page.items)
        today = service.changing.now().date().isoformat()
        matching = [
            each
            for each in shown
            if (not owner or each.content.owner_user_id == owner) and (not suite or each.content.product_suite == suite)
        ]
        listed = matching[:_LISTED]
        numbers = await service.desks.stats([each.content_id for each in listed])
        late = sum(_day(each) < today for each in shown)
        owners = {each.content.owner_user_id: each.owner_name for each in shown}
        return render(
            request,
            "enablement/review.html",
            form=form,
            groups=[group for group in _groups(listed, today) if group.items],
            months=_months(matching, today),
            total=len(shown),
            in_time=round(100 * (len(shown) - late) / len(shown)) if shown else 100,
            listed=len(listed),
            more=page.next_cursor is not None or len(matching) > len(listed),
            owners=sorted(owners.items(), key=lambda each: each[1].casefold()),
            suites=sorted({each.content.product_suite for each in shown if each.content.product_suite}),
            owner=owner,
            suite=suite,
            chosen=chosen,
            stats=numbers,
            everybody=viewer.may(Enablement.APPROVE),
        )

    @pages.get("/review", Enablement.WRITE)
    async def calendar(request: Request, viewer: CurrentViewer, owner: Name = "", suite: Name = "") -> Response:
        """What is due: everything for approvers, their own for others."""
        return await calendar_page(request, viewer, owner, suite, Parsed(None))

    @pages.post("/review/confirm", Enablement.WRITE)
    async def confirm(request: Request, viewer: CurrentViewer) -> Response:
        """Still correct: the one whose button it was, or all that are ticked."""
        async with request.form(max_fields=MOST_FIELDS) as sent:
            only, ids = str(sent.get("only", "")), [str(each) for each in sent.getlist("ids")]
            back = local(str(sent.get("back", "")), REVIEW_PATH)
        wanted = [only] if only else ids[:_AT_ONCE]

        async def one(content_id: str) -> object:
            return await service.lifecycle.confirm(viewer, content_id)

        return await _each(back, wanted, one, "confirmed as correct")

    @pages.post("/review/hand-over", Enablement.WRITE, keeps=Transfer)
    async def hand_over(request: Request, viewer: CurrentViewer) -> Response:
        """Give all that are ticked to a colleague."""
        async with request.form(max_fields=MOST_FIELDS) as sent:
            ids = [str(each) for each in sent.getlist("ids")][:_AT_ONCE]
            back = local(str(sent.get("back", "")), REVIEW_PATH)
            form = parse(Transfer, sent)
        transfer = form.value
        if transfer is None or not ids:
            return (
                await calendar_page(request, viewer, "", "", form, ids)
                if ids
                else redirect(back, flash="Tick what you want to hand over first.", kind="warn")
            )

        async def one(content_id: str) -> object:
            return await service.lifecycle.hand_over(viewer, content_id, transfer)

        try:
            return await _each(back, ids, one, f"handed over to {transfer.to}")
        except Problem as refused:
            if refused.status != 422:
                raise
            return await calendar_page(request, viewer, "", "", form.refused(refused), ids)


async def _each(back: str, ids: Sequence[str], act: Callable[[str], Awaitable[object]], done: str) -> Response:
    """Do something with each; what is refused does not stop the rest."""
    if not ids:
        return redirect(back, flash="Tick something first.", kind="warn")
    refused: list[str] = []
    for content_id in ids:
        try:
            await act(content_id)
        except (Conflict, Forbidden, NotFound) as problem:
            refused.append(problem.detail)
    count = len(ids) - len(refused)
    told = f"{count} {done}." if count else ""
    if refused:
        return redirect(
            back, flash=" ".join(filter(None, (told, f"{len(refused)} refused: {refused[0]}"))), kind="warn"
        )
    return redirect(back, flash=told)


def _day(each: Shown) -> str:
    return day_of(each.content.review_due_date) or ""


def _groups(items: Sequence[Shown], today: str) -> list[Due]:
    week, month = day_after(today, _WEEK), day_after(today, _MONTH)
    return [
        Due("Overdue", [each for each in items if _day(each) < today], late=True),
        Due("This week", [each for each in items if today <= _day(each) < week]),
        Due("This month", [each for each in items if week <= _day(each) < month]),
        Due("Later", [each for each in items if _day(each) >= month]),
    ]


def _months(items: Sequence[Shown], today: str) -> list[tuple[str, int]]:
    """The coming months with how many are due, also those with none."""
    counts = Counter(_day(each)[:7] for each in items)
    year, month = int(today[:4]), int(today[5:7])
    coming = [f"{year + (month - 1 + step) // 12:04}-{(month - 1 + step) % 12 + 1:02}" for step in range(_MONTHS)]
    return [(f"{date.fromisoformat(f'{each}-01'):%b %Y}", counts[each]) for each in coming]
