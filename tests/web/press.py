"""A small system of the tests' own: articles, and a route for each way in which something can go wrong."""

from __future__ import annotations

import asyncio
from itertools import count
from pathlib import Path
from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from partita.dynamo.errors import ThroughputExceededError, ValidationError
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.jobs import Arguments, JobFailed, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access, Permission, Viewer
from partita.kit.problems import Conflict, FieldError, Invalid, NotFound, TooMany
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.system import Headline, Highlight, Link, System
from partita.table import Attribute, Item, Put, Table, attribute
from partita.table import Query as ListQuery
from partita.table.errors import ChangedMeanwhileError, ForeignItemError, ItemTooLargeError, KeyPartError

STARTED: list[Path] = []
"""The data folders of those that were started."""
ARTICLES = Table("press-articles", pk="PK", sk="SK")


class Press(Permission):
    """What can be granted."""

    PUBLISH = "press:article:publish", "Publish articles"


class Article(Item, table=ARTICLES, pk="PRESS", sk="ARTICLE#{slug}"):
    slug: Attribute[str]
    title: Attribute[str] = attribute(default="")


class Draft(BaseModel):
    """An article as it is written."""

    title: str = Field(min_length=3, max_length=60)
    pages: int = Field(ge=1, description="How long it is.")


class Drafted(BaseModel):
    slug: str
    title: str


ERRORS = {
    "conflict": Conflict("The name is taken. Choose another.", code="name_taken"),
    "invalid": Invalid(FieldError("title", "Too short."), FieldError("author.email", "Please fill this in.")),
    "missing": NotFound("There is no such article."),
    "often": TooMany("That was too often.", retry_after=7),
    "throttled": ThroughputExceededError("Slow down"),
    "wrong-request": ValidationError("One or more parameter values were invalid"),
    "changed": ChangedMeanwhileError("The article", Article(slug="a")),
    "large": ItemTooLargeError("The article has 500 KB."),
    "key": KeyPartError("slug is empty"),
    "unreadable": ForeignItemError("The Article stored as PK=PRESS, SK=ARTICLE#a does not fit its type: title: …"),
    "bug": RuntimeError("the secret is hunter2"),
}


def articles() -> ListQuery[Article]:
    return Article.query()


async def print_pages(running: Running, arguments: Arguments) -> Result:
    """A job: prints until it is cancelled, runs out of pages, or fails. Who names a folder decides when it goes on from
    the first page, by a file `begin`, and from the last, by a file `end`."""
    if arguments.get("fails"):
        raise JobFailed("The <press> is out of ink. Fill it up.")
    waits = {0: "begin", arguments["pages"] - 1: "end"} if arguments.get("waits") else {}
    for page in range(arguments["pages"]):
        while True:
            await running.progress("Printing <pages>", done=page, total=arguments["pages"])
            await asyncio.sleep(0.02)
            if page not in waits or (Path(arguments["waits"]) / waits[page]).exists():
                break
    return Result("All <pages> printed.", "/press", {"pages": arguments["pages"]})


def build(kit: Kit) -> System:
    """The system, on a kit."""
    api = Routes("/api/press", tag="press")
    pages = Routes("/press", tag="press", pages=True)
    times = count(1)

    @api.get("/articles", Access.PUBLIC)
    async def listing(limit: Limit = 20, cursor: Cursor = None) -> dict[str, object]:
        """Articles by name."""
        page = await kit.store.page(articles(), limit=limit, after=cursor)
        return {"items": [{"slug": each.slug} for each in page], "next_cursor": page.next_cursor}

    @api.post("/articles", Press.PUBLISH, refuses=(409,), status_code=201)
    async def publish(draft: Draft, viewer: CurrentViewer) -> Drafted:
        """Publish an article.

        Everybody can read it at once.
        """
        slug = draft.title.lower().replace(" ", "-")
        taken = Conflict("There is such an article.", code="slug_taken")
        await kit.store.write(Put(Article(slug=slug, title=draft.title)).if_new().otherwise(taken))
        return Drafted(slug=slug, title=draft.title)

    @api.get("/mine", Access.SIGNED_IN)
    async def mine(viewer: CurrentViewer) -> dict[str, object]:
        return {"username": viewer.username, "permissions": sorted(viewer.permissions), "via": viewer.via}

    @api.post("/echo", Access.PUBLIC, most_bytes=1_000_000)
    async def echo(request: Request, viewer: CurrentViewer) -> dict[str, object]:
        return {"bytes": len(await request.body()), "username": viewer.username}

    @api.post("/public", Access.PUBLIC)
    async def public(request: Request) -> dict[str, object]:
        return {"bytes": len(await request.body())}

    @api.post("/large", Access.PUBLIC, most_bytes=2_000_000)
    async def large(request: Request) -> dict[str, object]:
        return {"bytes": len(await request.body())}

    @api.get("/fail/{how}", Access.PUBLIC)
    async def fail_api(how: str) -> None:
        raise ERRORS[how]

    @pages.get("", Access.PUBLIC)
    async def home(request: Request, q: Annotated[str, Query()] = "") -> Response:
        await kit.store.page(articles(), limit=5)
        return render(request, "error.html", headers={"X-Method": request.method}, problem=NotFound(f"<b>{q}</b>"))

    @pages.get("/list", Access.PUBLIC)
    async def listed(request: Request) -> Response:
        found = await kit.store.page(articles(), limit=5)
        made = NotFound(f"Time number {next(times)}: {', '.join(each.title for each in found)}")
        return render(request, "error.html", problem=made)

    @pages.get("/steady", Access.PUBLIC, steady=True)
    async def steady(
        request: Request, viewer: CurrentViewer, only: Annotated[str, Query(max_length=20)] = ""
    ) -> Response:
        found = await kit.store.page(articles(), limit=50)
        titles = ", ".join(each.title for each in found if only in each.title)
        return render(request, "error.html", problem=NotFound(f"Time number {next(times)}: {titles}."))

    @api.get("/steady", Access.PUBLIC, steady=True)
    async def steady_json(viewer: CurrentViewer, limit: Limit = 50) -> Json:
        found = await kit.store.page(articles(), limit=limit)
        return Json({"time": next(times), "titles": [each.title for each in found], "for": viewer.username})

    @pages.get("/desk", Press.PUBLISH)
    async def desk(request: Request) -> Response:
        return render(request, "error.html", problem=NotFound("the desk"))

    @pages.get("/mine", Access.SIGNED_IN)
    async def my_page(request: Request, viewer: CurrentViewer) -> Response:
        return render(request, "error.html", problem=NotFound(f"Hello {viewer.name}"))

    @pages.post("/send", Access.SIGNED_IN)
    async def send() -> Response:
        return redirect("/press", flash="Sent & <done>.")

    @pages.get("/fail/{how}", Access.PUBLIC)
    async def fail_page(how: str) -> Response:
        raise ERRORS[how]

    @pages.post("/print", Press.PUBLISH)
    async def start_printing(viewer: CurrentViewer, pages: int = 3, waits: str = "") -> Response:
        arguments = {"pages": pages, "waits": waits} if waits else {"pages": pages}
        job = await kit.jobs.start("press.print", arguments, viewer, key=viewer.id)
        return redirect(f"/jobs/{job.job_id}")

    async def news() -> tuple[Headline, ...]:
        return (Headline("Stop <press>", "/press/stop", "2026-01-26T10:30:00Z", "late edition"),)

    async def unprinted(_viewer: Viewer) -> int:
        return len(await kit.store.page(articles(), limit=5))

    async def my_articles(viewer: Viewer) -> int:
        return 20 if viewer.name == "Prolific" else 1

    async def start() -> None:
        STARTED.append(kit.settings.data)

    return System(
        name="press",
        title="Press",
        purpose="News for tests.",
        hue=262,
        icon="list",
        tables=(ARTICLES,),
        permissions=Press,
        roles={"editor": frozenset({Press.PUBLISH})},
        navigation=(Link("Front page", "/press", Access.PUBLIC, "home"), Link("Desk", "/press/desk", Press.PUBLISH)),
        search_path="/press",
        api=api,
        pages=pages,
        static=Path(__file__).parent / "static",
        jobs=(JobKind("press.print", "Print the <edition>", print_pages),),
        start=start,
        news=news,
        highlights=(
            Highlight("Articles to <print>", "/press/desk", Press.PUBLISH, "inbox", unprinted, waits=True),
            Highlight("My articles", "/press/mine", Access.SIGNED_IN, "file", my_articles, 20),
            Highlight("Write an article", "/press/list", Access.PUBLIC, "plus"),
        ),
    )
