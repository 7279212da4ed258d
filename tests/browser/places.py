"""Every page of the suite: found by following links, as people find them."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin, urlsplit

import orjson
from playwright.sync_api import APIRequestContext, FilePayload

from tests.browser.house import ADMIN, MEMBER, PASSWORD, House
from tests.web.walk import Walked

START = ("/",)
HOUSE = "house"
"""The room of pages that belong to no system."""
_FILES = (
    *("/static/", "/files/", "/favicon.ico", "/healthz", "/readyz", "/metrics"),
    *("/fus/export/", "/fus/me/data/", "/kelifax/moderation/export/"),
)
_FORMATS = (".atom", ".css", ".csv", ".eml", ".rss", ".xml", ".txt", ".png", ".svg", ".webmanifest")
"""Endings of what programs read: feeds, sitemaps, pictures beside links, stylesheets, mails."""
_PARTS = (
    "/account/data/export",
    "/admin/users/{user_id}/data",
    "/enablement/content/{content_id}/attach",
    "/enablement/content/{content_id}/cover",
    "/enablement/content/{content_id}/download",
    "/enablement/content/{content_id}/media",
    "/enablement/content/{content_id}/pages/{number}",
    "/enablement/content/{content_id}/preview",
    "/enablement/content/{content_id}/proposal/cover",
    "/enablement/content/{content_id}/versions/{major}/cover",
    "/enablement/owners/complete",
    "/enablement/readers/complete",
    "/enablement/replacements/complete",
    "/notifications/unread",
    "/admin/outbox/{mail_id}/files/{number}",
    "/fus/tags/complete",
    "/fus/groups/{name}/members/complete",
    "/kelifax/tags/complete",
    "/fus/import/{job_id}/csv",
    "/fus/share",
    "/fus/sites/{site_id}/copy/page",
    "/kept/{form_id}",
    "/newsletter/brand/logo",
    "/newsletter/brand/sample",
    "/newsletter/editions/{code}",
    "/newsletter/editions/{code}/events",
    "/newsletter/editions/{code}/finish/cards",
    "/newsletter/editions/{code}/finish/pdf/cover",
    "/newsletter/editions/{code}/finish/pdf/pages/{number}",
    "/newsletter/editions/{code}/finish/{format}/download",
    "/newsletter/editions/{code}/pictures/{place}",
    "/newsletter/editions/{code}/write/citations/{number}",
    "/newsletter/editions/{code}/write/sections/{key}",
    "/newsletter/editions/{code}/write/sentences",
    "/newsletter/proposals/{code}/citations/{number}",
    "/newsletter/proposals/{code}/finish/{wanted}/download",
    "/newsletter/proposals/{code}/sections/{key}",
    "/newsletter/read/{secret}",
    "/newsletter/read/{secret}/pictures/{place}",
    "/newsletter/sample",
    "/newsletter/sources/table",
    "/newsletter/people/complete",
    "/newsletter/sources/{source_id}/file",
    "/newsletter/sources/{source_id}/pages/{number}",
    "/worthwatch/embed/{watchlist_id}",
    "/worthwatch/history/export/{format}",
    "/worthwatch/import/{import_id}/csv",
    "/worthwatch/lists/{watchlist_id}",
    "/worthwatch/lists/{watchlist_id}/export/{format}",
    "/worthwatch/lists/{watchlist_id}/find",
    "/worthwatch/lists/{watchlist_id}/items/{kind}/{content_id}",
    "/worthwatch/lists/{watchlist_id}/pick",
    "/worthwatch/titles/{kind}/{content_id}",
    "/worthwatch/to-watch/surprise",
)
"""What is no page: the number in the bell, files of mails, what is found while it is typed, downloads, kept forms, one
title of a page, a list within pages of others, what leads to a title by chance, addresses without a readable tail."""

_OF_OTHER_STATES = (
    "/sign-in/code",
    "/fus/sites/{site_id}/copy/delete",
    "/newsletter/editions/{code}/outline/items/{item_id}/remove",
    "/newsletter/proposals/{code}/review/notes/{note_id}/delete",
)
"""Pages of items in a state that the first item found is not in; stories open them."""

_VIEWS = ("/enablement/manage?show=released",)
"""Pages with other forms than the page of their route that the walk sees."""


@dataclass(frozen=True, slots=True)
class Place:
    """A page, and who looks at it."""

    path: str
    route: str
    username: str | None
    skeleton: str = ""
    """The elements of its content, one after the other."""

    def __str__(self) -> str:
        return self.path

    @property
    def name(self) -> str:
        """For files."""
        plain = re.sub(r"[{}]", "", self.route).strip("/").replace("/", "-").replace("?", "-") or "start"
        return plain if self.username else f"{plain}-visitor"


def places(house: House, rooms: Collection[str] = ()) -> list[Place]:
    """One page of every route, as whoever may see most of it; what only visitors see, as a visitor. Of all rooms, which
    are the systems and the house itself, or of some."""
    rooms = frozenset(rooms or {HOUSE, *house.systems})
    told = _live_in(house, rooms)
    seen: dict[str, Place] = {}
    if HOUSE in rooms:  # what only visitors see belongs to no system
        seen = {place.route: place for place in _walk(house, None, told, frozenset({HOUSE}))}
    seen |= {place.route: place for place in _walk(house, ADMIN, told, rooms)}
    seen |= {view: Place(view, view, ADMIN, view) for view in _VIEWS if room_of(house, view) in rooms}
    return sorted(seen.values(), key=lambda place: place.route)


def room_of(house: House, path: str) -> str:
    """The system that a path belongs to, or the house."""
    first = path.split("/")[1]
    return first if first in house.systems else HOUSE


def _live_in(house: House, rooms: frozenset[str]) -> list[str]:
    """Leave behind what people leave: a token, a mail, an opinion, a submission. Addresses that one person is told."""
    told: list[str] = []
    with house.program(ADMIN) as somebody:
        if HOUSE in rooms:
            told += _settle(somebody)
        if rooms & {HOUSE, "kelifax"}:  # who sends one gets mail that can be ended on a page of the house
            told.append(_submit(somebody))
        if "kelifax" in rooms:
            told += _moderate(somebody)
        if "fus" in rooms:
            told += _collect(somebody)
        if "worthwatch" in rooms:
            told += _watch(somebody)
        if "enablement" in rooms:
            told += _enable(somebody)
        if "newsletter" in rooms:
            told += _write(somebody)
        if HOUSE in rooms:
            told += _mailed(house, somebody)
        return told


def _send(program: APIRequestContext, path: str, **fields: str) -> None:
    answer = program.post(path, form=dict(fields))
    assert answer.ok, answer.text()


def _settle(program: APIRequestContext) -> list[str]:
    """A token, a password that was forgotten, an address that is to be confirmed. No link leads to the style guide."""
    _send(program, "/account/tokens", name="Backup script", days="90", scopes="kelifax:log:read")
    _send(program, "/admin/jobs/search-rebuild")
    _send(program, "/account/forgotten", email=f"{MEMBER}@example.org")
    _send(program, "/account/email", email=f"{ADMIN}@elsewhere.example", password=PASSWORD)
    person = re.findall(r'href="(/admin/users/\w{26})"', program.get(f"/admin/users?q={MEMBER}").text())[0]
    return ["/_styleguide", "/account/confirm", "/account/second-factor/remove", f"{person}/remove-second-factor"]


def _moderate(program: APIRequestContext) -> list[str]:
    """The report of an import, and a history; only a long one has a page of its own that a link leads to."""
    slug = program.get("/api/kelifax/resources").json()["items"][0]["resourceSlug"]
    return [_bring_in(program), f"/kelifax/moderation/{slug}/history"]


def _collect(program: APIRequestContext) -> list[str]:
    """An opinion, an import, a collection with a link, a profile, a suggestion, a tag that was renamed; the pages of
    each."""
    api = "/api/fus"
    site = program.get(f"{api}/sites?sort=title").json()["items"][0]["siteId"]
    group = program.get(f"{api}/groups").json()["items"][0]["name"]
    _send(program, f"/fus/sites/{site}/rating", stars="4", note="For the next long journey.")
    _send(program, f"/fus/sites/{site}/comments", body="Read it from the end.")
    imported = _import(program)
    made = program.post(f"{api}/me/collections", data={"name": "For long journeys"}).json()["collectionId"]
    assert program.put(f"{api}/me/collections/{made}/sites/{site}").ok
    secret = program.put(f"{api}/me/collections/{made}/link").json()["secret"]
    assert program.put(f"{api}/me/profile", data={"isPublic": True, "about": "Maps, mostly."}).ok
    suggested = {"url": "https://canals.example.org", "title": "Canals", "description": "All of them."}
    suggestion = program.post(f"{api}/suggestions", data=suggested).json()["suggestionId"]
    batch = program.post(f"{api}/batches", data={"siteIds": [site], "addTags": ["for the train"]}).json()
    _ended(program, f"/fus/batches/{batch['jobId']}")
    program.post(f"{api}/suggestions", data={"url": "https://locks.example.org", "title": "Locks"})
    declined = program.get(f"{api}/suggestions").json()["items"][-1]["name"]
    assert program.post(f"{api}/suggestions/{declined}/decline", data={"answer": "There are many."}).ok
    return [
        f"/fus/sites/{site}/rating/remove",
        f"/fus/groups/{group}/log",
        imported,
        f"/fus/me/collections/{made}",
        f"/fus/me/collections/{made}/delete",
        f"/fus/shared/{secret}",
        f"/fus/people/{ADMIN}",
        f"/fus/suggestions/{declined}",
        f"/fus/me/suggestions/{suggestion}/withdraw",
        f"/fus/batches/{batch['jobId']}",
    ]


def _watch(program: APIRequestContext) -> list[str]:
    """A saved list, a rating, an entry of the diary; and the pages that follow from them."""
    api = "/api/worthwatch"
    first = program.get(f"{api}/watchlists?limit=1").json()["items"][0]
    list_id = first["watchlistId"]
    items = program.get(f"{api}/watchlists/{list_id}/items").json()["items"]
    film = next(each["contentId"] for each in items if each["contentType"] == "MOVIE")
    for path, content in (
        (f"saved/{list_id}", {}),
        (f"to-watch/MOVIE/{items[-1]['contentId']}", {}),
        (f"ratings/MOVIE/{film}", {"rating": 8, "review": "I missed my stop."}),
    ):
        program.put(f"{api}/{path}", data=content)
    viewing = {"contentType": "MOVIE", "contentId": film, "day": "2026-05-01", "note": "In the last row."}
    entry = program.post(f"{api}/diary", data=viewing).json()
    title = f"/worthwatch/titles/film/{film}"
    said = program.post(f"{api}/watchlists/{list_id}/comments", data={"commentText": "Number four!"})
    assert said.ok, said.text()
    own = program.post(f"{api}/watchlists", data={"title": "Long rides", "isPublic": False}).json()["watchlistId"]
    program.post(f"{api}/watchlists/{own}/items", data={"contentType": "MOVIE", "contentId": film})
    secret = program.put(f"{api}/watchlists/{own}/secret-link").json()["secretLink"]
    file: FilePayload = {"name": "list.csv", "mimeType": "text/csv", "buffer": b"Const,Title,Year\ntt0,Nothing,1950\n"}
    began = program.post("/worthwatch/import", multipart={"file": file}, max_redirects=0)
    assert began.status == 303, began.text()
    lists = program.get(f"{api}/watchlists?limit=100").json()["items"]
    long = max(lists, key=lambda each: int(each["itemCount"]))["watchlistId"]
    parts = [f"{title}/{part}" for part in ("lists", "reviews", "rating/remove")]
    return [
        *parts,
        "/worthwatch/saved/all",
        "/worthwatch/titles/new",
        "/worthwatch/search?q=night",
        f"/worthwatch/curators/{first['curatorId']}/agreement",
        began.headers["location"],
        secret,
        f"/worthwatch/lists/{own}/edit",
        f"/worthwatch/lists/{own}/delete",
        f"/worthwatch/lists/{list_id}/comments",
        *(f"/worthwatch/lists/{long}/{part}" for part in ("progress", "more")),
        f"/worthwatch/catalog/film/{film}",
        *(f"/worthwatch/catalog/film/{film}/{part}" for part in ("delete", "merge")),
        f"/worthwatch/diary/{entry['day']}/{entry['viewingId']}/delete",
    ]


def _enable(program: APIRequestContext) -> list[str]:
    """Pages of content in a state that the first item found is not in: compared, reported, read, renewed, waiting."""
    api = "/api/enablement"

    def items(path: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = program.get(f"{api}/{path}").json()["items"]
        return found

    released = items("content?status=Approved&limit=100")
    renewed = next(each["content_id"] for each in released if int(each["version"].partition(".")[0]) > 1)
    plain = next(each["content_id"] for each in released if each["released_at"] is not None)
    asked = program.put(f"{api}/content/{plain}/must-read", data={"read_by": "2999-12-31", "usernames": [MEMBER]})
    assert asked.ok, asked.text()
    expired = items("content?status=Expired&limit=1")[0]
    rows: FilePayload = {"name": "many.csv", "mimeType": "text/csv", "buffer": b"title,summary\nOne,The first.\n"}
    began = program.post("/enablement/import", multipart={"file": rows}, max_redirects=0)
    assert began.status == 303, began.text()
    step = {"action": "hand_over", "to": ADMIN, "items": [{"content_id": plain}]}
    many = program.post(f"{api}/bulk", data=step)
    assert many.ok, many.text()
    return [
        f"/enablement/bulk/{many.headers['location'].rpartition('/')[2]}",
        f"/enablement/content/{plain}",  # the one whose links are followed
        f"/enablement/content/{renewed}/compare?from=1&to=2",
        f"/enablement/content/{plain}/must-read/withdraw",
        f"/enablement/content/{plain}/report",
        f"/enablement/content/{expired['content_id']}/renew",
        began.headers["location"],
        f"/enablement/owners/{expired['owner_user_id']}/transfer",
        f"/enablement/queue/{items('queue?limit=1')[0]['content_id']}",
    ]


def _write(program: APIRequestContext) -> list[str]:
    """A newsletter from a title to a draft, a proposal, and the pages that follow from them."""
    api = "/api/newsletter"
    wanted = {"title": "Field notes", "target_audience": ["farmers"], "frequency": "custom", "issue_label": "No. 1"}
    code = program.post(f"{api}/newsletters", data=wanted).json()["newsletterCode"]
    started = program.post(f"{api}/newsletters/{code}/draft-all")
    assert started.ok, started.text()
    deadline = time.monotonic() + 60
    while program.get(f"{api}/newsletters/{code}/steps/draft").json()["state"] != "done":
        assert time.monotonic() < deadline, program.get(f"{api}/newsletters/{code}/full").text()
        time.sleep(0.2)
    linked = program.post(f"{api}/newsletters/{code}/link")
    assert linked.ok, linked.text()
    note = program.post(f"{api}/newsletters/{code}/notes", data={"section_key": "", "text": "Which year is this?"})
    assert note.ok, note.text()
    revision = program.get(f"{api}/newsletters/{code}/history").json()["items"][0]["revision"]
    edition = f"/newsletter/editions/{code}"
    steps = ("configure", "plan", "outline", "write", "finish", "history", "review", "making", "delete")
    proposal = program.post(f"{api}/proposals", data={"title": "Fodder banks in the drylands"})
    assert proposal.ok, proposal.text()
    own = f"/newsletter/proposals/{proposal.json()['proposal_code']}"
    first = proposal.json()["sections"][0]["key"]
    text = {"text": "Two in three households lost animals.", "revision": proposal.json()["revision"]}
    saved = program.put(f"/api{own}/sections/{first}", data=text)
    assert saved.ok, saved.text()
    return [
        *(f"{edition}/{step}" for step in steps),
        f"{edition}/write/reset",
        f"{edition}/history/{revision}",
        f"{edition}/history/{revision}/restore",
        f"{edition}/finish/link/revoke",
        f"{edition}/review/notes/{note.json()['note_id']}/delete",
        "/newsletter/writers/prompts/section/0",
        "/newsletter/example",
        "/newsletter/find?q=field",
        "/newsletter/proposals/new",
        own,
        f"{own}/history/{saved.json()['revision']}",
        *(f"{own}/{page}" for page in ("facts", "checklist", "finish", "review", "history", "delete")),
    ]


def _mailed(house: House, somebody: APIRequestContext) -> list[str]:
    """The links in mails: to choose a password, to confirm an address, and to end mail of a kind."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        listed = _links(house, "/admin/outbox", somebody.get("/admin/outbox").text())
        mails = [path for path in listed if path.startswith("/admin/outbox/")]
        links = [link for path in mails for link in _links(house, path, somebody.get(path).text())]
        wanted = ("/account/reset?", "/account/address?", "/notifications/unsubscribe?")
        found = [next((link for link in links if link.startswith(each)), "") for each in wanted]
        if all(found):
            return found
        time.sleep(0.1)
    raise AssertionError("the mails did not come")


def _import(program: APIRequestContext) -> str:
    """The report of an import that has ended."""
    rows = [{"url": f"https://{word}.example.net/"} for word in ("kites", "knots", "keels")]
    file: FilePayload = {
        "name": "bookmarks.json",
        "mimeType": "application/json",
        "buffer": orjson.dumps([*rows, {"url": "no"}]),
    }
    answer = program.post("/fus/import", multipart={"file": file}, max_redirects=0)
    assert answer.status == 303, answer.text()
    return _ended(program, answer.headers["location"].replace("/jobs/", "/fus/import/"))


def _bring_in(program: APIRequestContext) -> str:
    """The report of what an import into Kelifax would add."""
    entry = b"- [Kites](https://kites.example/) - Which wind they need."
    file: FilePayload = {"name": "list.md", "mimeType": "text/markdown", "buffer": entry}
    answer = program.post("/kelifax/moderation/import", multipart={"file": file}, max_redirects=0)
    assert answer.status == 303, answer.text()
    return _ended(program, answer.headers["location"].replace("/jobs/", "/kelifax/moderation/import/"))


def _ended(program: APIRequestContext, report: str) -> str:
    """The report of a job, once it is there."""
    deadline = time.monotonic() + 60
    while program.get(report, max_redirects=0).status != 200:
        assert time.monotonic() < deadline, f"the job of {report} did not end"
        time.sleep(0.1)
    return report


def _submit(program: APIRequestContext) -> str:
    """The private link of a new submission."""
    made = program.post(
        "/api/kelifax/resources",
        data={
            "submitter": {"firstName": "Ada", "lastName": "Lovelace", "companyEmail": "ada@engine.example"},
            "resource": {
                "resourceName": "Loom Notes",
                "resourceUrl": "https://looms.example/notes",
                "usagePurpose": "Shows how patterns of cards become patterns of cloth.",
                "category": "learning",
                "tags": ["looms"],
            },
            "details": {
                "keyFeatures": ["Cards that can be read", "Patterns by century", "A dictionary of knots"],
                "useCases": ["Weaving by numbers alone", "Teaching what a program is"],
            },
        },
    )
    assert made.ok, made.text()
    return f"/kelifax/submissions/{made.json()['submissionId']}"


def empty_places(house: House) -> list[str]:
    """Lists that have nothing in them at first."""
    known = {page.path for page in house.pages}
    return [path for path in _LISTS if path in known]


_LISTS = (
    "/",
    "/kelifax",
    "/kelifax/resources",
    "/kelifax/moderation",
    "/kelifax/moderation/reports",
    "/kelifax/moderation/log",
    "/kelifax/analytics",
    "/fus",
    "/fus/tags",
    "/fus/me/ratings",
    "/fus/me/comments",
    "/fus/me/groups",
    "/fus/groups",
    "/newsletter",
    "/newsletter/sources",
    "/newsletter/proposals",
    "/account/tokens",
    "/account/jobs",
    "/notifications",
)


def missed(house: House, found: list[Place], rooms: Collection[str]) -> list[str]:
    """Pages of these rooms that no link leads to."""
    known = house.fronts | {place.route for place in found} | {"/jobs/{job_id}/events"}  # for the page's script
    known |= {*_PARTS, *_OF_OTHER_STATES}
    own = (page.path for page in house.pages if room_of(house, page.path) in rooms)
    return [path for path in own if path not in known and not _is_file(path)]


def _is_file(path: str) -> bool:
    return path.startswith(_FILES) or path.endswith(_FORMATS)


def _walk(house: House, username: str | None, told: list[str], rooms: frozenset[str]) -> Iterator[Place]:
    """Pages of some rooms, by following links from the start page and from those of systems."""
    starts = (*START, *told, *(f"/{room}" for room in sorted(rooms & house.systems)))
    with house.program(username) as somebody:
        waiting, known, tried = deque(starts), set[str](), set[str]()
        while waiting:
            path = waiting.popleft()
            if path in tried:
                continue
            tried.add(path)
            route = _route(house, path)
            if route is None or route.path in known or room_of(house, route.path) not in rooms:
                continue
            answer = somebody.get(path, max_redirects=0)
            if answer.status == 200:
                known.add(route.path)
                text = answer.text()
                yield Place(path, route.path, username, _skeleton(text))
                waiting.extend(_links(house, path, text))
            elif answer.status == 303 and username:
                known.add(route.path)
                waiting.append(answer.headers["location"])


def _route(house: House, path: str) -> Walked | None:
    """The page that answers at a path."""
    plain = urlsplit(path).path
    if _is_file(plain):
        return None
    pages = (page for page in house.pages if page.path not in _PARTS)
    return next((page for page in pages if _pattern(page.path).fullmatch(plain)), None)


@cache
def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{\w+\}", "[^/]+", re.sub(r"\{\w+:path\}", ".+", path)))


def _skeleton(text: str) -> str:
    return " ".join(re.findall(r'<[a-z]\w*|(?<= class=")[^"]*', text.partition("<main")[2].partition("</main>")[0]))


def _links(house: House, path: str, text: str) -> list[str]:
    reader = _Links()
    reader.feed(text)
    joined = (urljoin(house.url + path, link) for link in reader.found)
    return [link.removeprefix(house.url).partition("#")[0] for link in joined if link.startswith(house.url + "/")]


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if tag == "a" and name == "href" and value]
