"""Analytics over HTTP, as JSON and as CSV."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import BeforeValidator, ConfigDict, Field
from starlette.responses import Response

from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.analytics import Stale
from partita.apps.enablement.service.summaries import Window
from partita.kit.answers import Json
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.spreadsheets import CSV_RESPONSE, download
from partita.kit.views import View


def _number(value: object) -> object:
    """A query holds text."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdecimal() else value


Days = Annotated[Window, BeforeValidator(_number), Query(description="7, 30 or 90 days, today included.")]
_SNAKE = ConfigDict(alias_generator=None)
_CSV: dict[str, Any] = {"response_class": Response, "responses": {200: CSV_RESPONSE}}
DAY_COLUMNS = ("day", "people", "views", "downloads", "searches", "in_vain")
USE_COLUMNS = ("content_id", "title", "product_suite", "product_concept", "views", "downloads")
USER_COLUMNS = ("user_id", "name", "username", "events")
SEARCH_COLUMNS = ("words", "times")
STALE_COLUMNS = ("why", "content_id", "title", "product_suite", "owner_user_id", "since")


class DayView(View):
    """A day; a day without anything is there with zeros."""

    model_config = _SNAKE

    day: str
    people: int
    views: int
    downloads: int
    searches: int
    in_vain: int = Field(description="Searches that found nothing.")


class TotalsView(View):
    """The numbers of a window."""

    model_config = _SNAKE

    people: int | None = Field(description="Different people; null until they are counted for the first time.")
    views: int
    downloads: int
    searches: int
    in_vain: int


class UsedView(View):
    """Content and its use in the window."""

    model_config = _SNAKE

    content_id: str
    title: str
    product_suite: str | None
    product_concept: str | None
    views: int
    downloads: int


class AdoptionView(View):
    """Of those who downloaded an earlier version, how many have the current one."""

    model_config = _SNAKE

    content_id: str
    title: str
    major: int
    had_earlier: int
    have_current: int


class SuiteUseView(View):
    """The use of a suite; the empty name is content without one."""

    model_config = _SNAKE

    suite: str
    views: int
    downloads: int


class SearchedView(View):
    """Words that found nothing."""

    model_config = _SNAKE

    words: str
    times: int


class PersonUseView(View):
    """How much somebody did."""

    model_config = _SNAKE

    user_id: str
    name: str
    username: str
    events: int


class OverviewView(View):
    """What works: a window of days, and the one before it."""

    model_config = _SNAKE

    days: int
    as_of: str | None = Field(description="When rankings and people were counted; the numbers by day are current.")
    making: bool = Field(description="Whether newer ones are being made.")
    totals: TotalsView
    before: TotalsView
    by_day: list[DayView]
    most_used: list[UsedView]
    by_suite: list[SuiteUseView]
    adoption: list[AdoptionView]
    searched_in_vain: list[SearchedView]


class UsedList(View):
    """The most used content."""

    items: list[UsedView]


class PersonUseList(View):
    """Who did most."""

    items: list[PersonUseView]


class SearchedList(View):
    """What people searched for in vain."""

    items: list[SearchedView]


class StaleEntry(View):
    """Content that needs somebody."""

    model_config = _SNAKE

    why: str = Field(description="`overdue`, `expired`, `reported` or `unused`.")
    content_id: str
    title: str
    product_suite: str | None
    owner_user_id: str
    since: str | None = Field(description="The day of the review, of its end, of the report, or of the last view.")


class StaleList(View):
    """Content that needs somebody."""

    items: list[StaleEntry]


def add(api: Routes, service: EnablementService) -> None:
    """Declare the routes."""
    numbers = service.analytics

    @api.get("/analytics/overview", Enablement.APPROVE, response_model=OverviewView, refuses=[422])
    async def analytics(viewer: CurrentViewer, days: Days = 30) -> Json:
        """People, views, downloads and searches by day, compared with the window before, and the rankings."""
        return Json(OverviewView.of(await numbers.overview(viewer, days)))

    @api.get("/analytics/overview.csv", Enablement.APPROVE, refuses=[422], **_CSV)
    async def analytics_csv(viewer: CurrentViewer, days: Days = 30) -> Response:
        """The numbers by day."""
        found = await numbers.overview(viewer, days)
        return download(f"days-{days}", DAY_COLUMNS, _rows(DayView.each(found.by_day), DAY_COLUMNS))

    @api.get("/analytics/content", Enablement.APPROVE, response_model=UsedList, refuses=[422])
    async def most_used(viewer: CurrentViewer, days: Days = 30) -> Json:
        """The fifty most used items of the window."""
        return Json({"items": UsedView.each(await numbers.content(viewer, days))})

    @api.get("/analytics/content.csv", Enablement.APPROVE, refuses=[422], **_CSV)
    async def most_used_csv(viewer: CurrentViewer, days: Days = 30) -> Response:
        """The same for a spreadsheet."""
        rows = UsedView.each(await numbers.content(viewer, days))
        return download(f"content-{days}", USE_COLUMNS, _rows(rows, USE_COLUMNS))

    @api.get("/analytics/users", Enablement.MANAGE, response_model=PersonUseList, refuses=[422])
    async def users(viewer: CurrentViewer, days: Days = 30) -> Json:
        """Who did most; for administrators."""
        return Json({"items": PersonUseView.each(await numbers.users(viewer, days))})

    @api.get("/analytics/users.csv", Enablement.MANAGE, refuses=[422], **_CSV)
    async def users_csv(viewer: CurrentViewer, days: Days = 30) -> Response:
        """The same for a spreadsheet."""
        rows = PersonUseView.each(await numbers.users(viewer, days))
        return download(f"people-{days}", USER_COLUMNS, _rows(rows, USER_COLUMNS))

    @api.get("/analytics/searches", Enablement.APPROVE, response_model=SearchedList, refuses=[422])
    async def searches(viewer: CurrentViewer, days: Days = 30) -> Json:
        """What people searched for in vain, most often first."""
        return Json({"items": SearchedView.each(await numbers.searches(viewer, days))})

    @api.get("/analytics/searches.csv", Enablement.APPROVE, refuses=[422], **_CSV)
    async def searches_csv(viewer: CurrentViewer, days: Days = 30) -> Response:
        """The same for a spreadsheet."""
        rows = SearchedView.each(await numbers.searches(viewer, days))
        return download(f"searches-{days}", SEARCH_COLUMNS, _rows(rows, SEARCH_COLUMNS))

    @api.get("/analytics/stale", Enablement.APPROVE, response_model=StaleList)
    async def stale(viewer: CurrentViewer) -> Json:
        """Content that is overdue, expired, reported, or was not opened for 90 days; at most 50 of each."""
        return Json({"items": list(_stale(await numbers.stale(viewer)))})

    @api.get("/analytics/stale.csv", Enablement.APPROVE, **_CSV)
    async def stale_csv(viewer: CurrentViewer) -> Response:
        """The same for a spreadsheet."""
        rows = list(_stale(await numbers.stale(viewer)))
        return download("stale", STALE_COLUMNS, _rows(rows, STALE_COLUMNS))


def _rows(entries: list[dict[str, Any]], columns: tuple[str, ...]) -> list[list[Any]]:
    return [[entry[name] for name in columns] for entry in entries]


def _stale(stale: Stale) -> list[dict[str, Any]]:
    found = [("overdue", each, each.review_due_date) for each in stale.overdue]
    found += [("expired", each, each.expiry_date) for each in stale.expired]
    found += [("reported", each, reports[0].reported_at) for each, reports in stale.reported]
    found += [("unused", each, stats.last_viewed) for each, stats in stale.unused]
    return [
        {
            "why": why,
            "content_id": each.content_id,
            "title": each.title,
            "product_suite": each.product_suite,
            "owner_user_id": each.owner_user_id,
            "since": since,
        }
        for why, each, since in found
    ]
