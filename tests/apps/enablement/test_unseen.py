"""What somebody may not see, no route shows: every address of the application is asked, as a viewer and as another
contributor, for drafts, content before its day, closed content, proposals and old versions."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from partita.apps.enablement.inputs import (
    Approval,
    CollectionEntry,
    ContentEdit,
    MustReadRequest,
    NewCollection,
    NewComment,
    NewReport,
    NewSubscription,
    Submission,
)
from tests.apps.enablement.conftest import NOTE, TABLES, TestClock
from tests.apps.enablement.served import ServedPortal, Somebody, serve
from tests.apps.house import kit_on
from tests.kit.previews.samples import pdf
from tests.web.visitor import Answer
from tests.web.walk import walk

pytestmark = pytest.mark.anyio
WORD = "zirkonia"
"""In every field of what is hidden, to search for it; what must not be shown are words that stand beside it."""
FIELDS = ("title", "summary", "text", "file", "name", "tag", "suite")
HIDDEN = ("draft", "scheduled", "expired", "late", "proposal", "old")
"""Kinds of what readers do not have; `late` is closed since a minute, and the clock has not come by; `old` are
versions."""
QUERIES = (
    "",
    f"q={WORD}",
    f"q={WORD[:5]}",
    "q=zirkona",
    f"text={WORD}",
    f"start={WORD[:4]}",
    f"tags={WORD}",
    "status=Draft",
    "status=Approved&fresh=expired",
    "status=Expired",
    "owner={owner}",
    "owner={owner}&status=Draft",
    "product_suite={suite}",
    "suite={suite}",
    "fresh=expired",
    "due=soon",
    "due=overdue",
    "show=all",
    "show=must_read",
    "sort=title",
    "person=role-owner",
    "user=role-owner",
    "days=90",
    "month=2026-03",
)
KNOWN = re.compile(
    r"^/(api/)?enablement/(content/.+|notifications(/[^/]+)?|follow(ing|s))$|^/notifications|^(/api)?/account/data"
)
"""Where people may read the title of something that was closed: its short page, its drawn cover, refusals that name it,
what they were told or follow, and all of this in their own data."""

LISTS = re.compile(r"/(api/)?(enablement|notifications|search)\b|/$")
"""What may be narrowed by a query and has to do with content; the rest of the house is asked without one."""


def secret(kind: str, name: str) -> str:
    """A word that stands in one field of one item."""
    return f"qx{kind}{name}".lower()


def words(kind: str, name: str) -> str:
    return f"{WORD} {secret(kind, name)}"


@dataclass(frozen=True, slots=True)
class World:
    portal: ServedPortal
    clock: TestClock
    people: dict[str, Somebody]
    ids: dict[str, str] = field(default_factory=dict)
    """Kind → the id of its item."""
    values: dict[str, list[str]] = field(default_factory=dict)
    """Parameter of a route → what it is filled with."""
    links: list[str] = field(default_factory=list)
    """Links to files that somebody got while they might."""
    pictures: list[bytes] = field(default_factory=list)
    """Covers and pages of hidden files."""

    async def made(self, kind: str, **more: Any) -> str:
        """A draft with secret words everywhere."""
        given = {name: words(kind, name) for name in ("summary", "text")} | {
            "tags": (WORD, secret(kind, "tag")),
            "product_suite": secret(kind, "suite"),
            "product_concept": secret(kind, "suite"),
            **more,
        }
        draft = await self.portal.draft(self.people["owner"], words(kind, "title"), **given)
        await self.attach(draft.content_id, kind)
        self.ids[kind] = draft.content_id
        return draft.content_id

    async def attach(self, content_id: str, kind: str) -> None:
        data = pdf(words(kind, "file"))
        await self.portal.attach(self.people["owner"], content_id, data, f"{WORD}-{secret(kind, 'name')}.pdf")

    async def released(self, kind: str, **more: Any) -> str:
        content_id = await self.made(kind, **more)
        await self.portal.release(self.people["owner"], self.people["approver"], content_id)
        return content_id


async def _filled(world: World) -> None:
    """Everything that is hidden, and what refers to it."""
    service, people = world.portal.service, world.people
    owner, approver = people["owner"].viewer, people["approver"].viewer
    readers = [people["viewer"], people["contributor"]]
    for each in readers:  # so that they hear of everything that is released
        await service.subscriptions.create(each.viewer, NewSubscription())
    await world.made("draft")
    scheduled = await world.made("scheduled")
    waiting = await service.lifecycle.submit(owner, scheduled, Submission())
    later = Approval(version=waiting.version, release_on="2026-03-30")
    await service.lifecycle.approve(approver, scheduled, later)
    for kind, moment in (("expired", "2026-03-02T10:00:00Z"), ("late", "2026-03-02T14:00:30Z")):
        await world.released(kind, expiry_date=moment, expiry_policy="hard_expire")
    changed = await world.released("old")
    changes: dict[str, Any] = dict.fromkeys(("title", "summary", "text"), "Nothing to see.")
    plain = ContentEdit(**changes, product_suite="Atlas", product_concept=None, tags=("plain",))
    await service.content.edit(owner, changed, plain)
    await world.portal.attach(people["owner"], changed, pdf("Plain"), "plain.pdf")
    await world.portal.release(people["owner"], people["approver"], changed, NOTE)
    hidden: dict[str, Any] = {name: words("proposal", name) for name in ("title", "summary", "text")}
    proposed = ContentEdit(**hidden, product_suite=secret("proposal", "suite"), tags=(secret("proposal", "tag"),))
    await service.content.edit(owner, changed, proposed)
    await world.attach(changed, "proposal")
    await service.lifecycle.submit(owner, changed, Submission(note=words("proposal", "summary") + " for this year"))
    await service.history.comment(approver, changed, NewComment(comment=words("proposal", "text")))
    world.ids["proposal"] = changed
    for _ in range(2):
        await world.portal.catch_up()
        await service.clock.run_due()
    told = [row.title for each in readers for row in await service.notifications.list(each.viewer)]
    assert sum(secret("late", "title") in title for title in told) == len(readers)
    for each in readers:
        await service.follows.follow(each.viewer, "person", owner.id)
        for kind in ("expired", "late", "old"):
            await service.follows.follow(each.viewer, "content", world.ids[kind])
            answer = await each.get(f"/enablement/content/{world.ids[kind]}/download")
            assert answer.status == 302
            world.links.append(answer.location)
            assert (await each.get(f"/enablement/content/{world.ids[kind]}")).status == 200
        await service.reports.add(each.viewer, world.ids["expired"], NewReport(text="It is out of date."))
    usernames = tuple(each.viewer.username for each in readers)
    for kind in ("scheduled", "expired", "late"):
        request = MustReadRequest(read_by="2026-03-20", usernames=usernames)
        await service.reading.ask(approver, world.ids[kind], request)
    entries = tuple(CollectionEntry(content_id=each) for each in dict.fromkeys(world.ids.values()))
    shelf = await service.collections.create(approver, NewCollection(title="First week", entries=entries))
    header = "title,summary,suite,concept,tags,audience,review_date,expiry_date,file_name\n"
    row = f"{words('draft', 'title')},{words('draft', 'summary')},,,,,,,\n"
    begun = await service.imports.begin(owner, (header + row).encode(), "rows.csv")
    world.clock.to("2026-03-02", hour=12)
    await service.clock.expire_due()
    for _ in range(2):
        await world.portal.catch_up()
        await service.clock.run_due()
    await world.portal.kit.notifications.finish()
    world.clock.to("2026-03-02", hour=13)
    world.clock.on(minutes=55)
    for each in readers:  # a link that would be good for long, five minutes before its content is closed
        for path in ("download", "media"):
            answer = await each.get(f"/enablement/content/{world.ids['late']}/{path}")
            assert (answer.status, (await each.get(answer.location)).status) == (302, 200)
            world.links.append(answer.location)
    world.clock.to("2026-03-02", hour=14)
    world.clock.on(seconds=45)
    ids = [each.notification_id for who in readers for each in await service.notifications.list(who.viewer)]
    world.values.update(
        content_id=list(dict.fromkeys(world.ids.values())),
        collection_id=[shelf.collection_id],
        import_id=[begun.work.import_id],
        user_id=[owner.id],
        username=[people["owner"].viewer.username],
        number=["1"],
        major=["1", "2"],
        notification_id=ids or ["x"],
        kind=["content"],
        followed_id=[world.ids["draft"]],
    )
    world.values["name"] = [each.name async for each in world.portal.kit.files.listed("enablement")]
    world.pictures.extend(
        [(await world.portal.kit.files.load(name)).data for name in world.values["name"] if name.endswith(".webp")]
    )


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    clock = TestClock()
    with kit_on(tmp_path_factory.mktemp("unseen"), *TABLES, clock=clock) as kit:
        portal = serve(kit)
        roles = {
            "viewer": "",
            "contributor": "contributor",
            "owner": "contributor",
            "approver": "approver",
            "admin": "admin",
        }
        people = {name: await portal.person(role, f"Role-{name}") for name, role in roles.items()}
        made = World(portal, clock, people)
        await _filled(made)
        yield made


def _addresses(world: World) -> Iterator[str]:
    """Every address of the application: all that its routes can be filled with, and lists with every filter."""
    suites = [secret(kind, "suite") for kind in HIDDEN]
    for route in walk(world.portal.app):
        if route.method != "GET":
            continue
        names = re.findall(r"\{(\w+)(?::\w+)?\}", route.path)
        for chosen in product(*(world.values.get(name, ["x"]) for name in names)):
            path = route.path
            for name, value in zip(names, chosen, strict=True):
                path = re.sub(rf"\{{{name}(:\w+)?\}}", lambda _, value=value: value, path)  # type: ignore[misc]
            yield path
            if "compare" in path:
                yield f"{path}?from=1&to=2"
                yield f"{path}?from=1"
        if not names and LISTS.match(path):
            for query in QUERIES[1:]:
                for suite in suites if "{suite}" in query else [""]:
                    yield f"{route.path}?{query.format(owner=world.people['owner'].viewer.id, suite=suite)}"


def _seen(world: World, path: str, answer: Answer) -> set[tuple[str, str]]:
    """The secrets in an answer: kind and field."""
    body = answer.body.lower() + answer.headers.get("location", "").lower().encode()
    asked = path.lower().encode()
    found = {
        (kind, name)
        for kind, name in product(HIDDEN, FIELDS)
        if secret(kind, name).encode() in body and secret(kind, name).encode() not in asked
    }
    if answer.body in world.pictures:
        found.add(("picture", "file"))
    if "/files/" in answer.headers.get("location", ""):
        found.add(("link", "file"))
    return found


def _known(path: str, kind: str, name: str) -> bool:
    """Whether somebody may read this word there: the title and product of what was closed to those who knew it."""
    place = path.partition("?")[0]
    if kind == "old" and name == "title" and ("notifications" in place or "account/data" in place):
        return True  # they were told when it was released
    return kind in ("expired", "late") and name in ("title", "suite") and KNOWN.match(place) is not None


async def _ask(who: Somebody, path: str) -> Answer:
    asked = who.call("GET", path, token=who.token) if path.startswith("/api/") else who.get(path)
    try:
        return await asyncio.wait_for(asked, 10)
    except TimeoutError:
        raise AssertionError(f"No answer: {path}") from None


@pytest.mark.parametrize("name", ["viewer", "contributor"])
async def test_no_route_shows_what_somebody_may_not_see(world: World, name: str) -> None:
    who, shown, asked = world.people[name], [], 0
    of_proposal = f"/content/{world.ids['proposal']}"
    closed: set[str] = set()  # to them as such, whatever they ask for
    for path in _addresses(world):
        place = path.partition("?")[0]
        if place in closed:
            continue
        answer = await _ask(who, path)
        assert answer.status < 500, (path, answer.text[:500])
        asked += 1
        if answer.status == 403 and path == place:
            closed.add(place)
        for kind, secret_of in sorted(_seen(world, path, answer)):
            if kind in ("link", "picture") and of_proposal in path:
                continue  # what readers have of it, which the next test looks at
            if not _known(path, kind, secret_of):
                shown.append((path, answer.status, kind, secret_of))
    assert not shown, "\n".join(map(str, shown))
    assert asked > 800


async def test_whoever_may_see_it_all_does(world: World) -> None:
    """The same walk finds everything, so that finding nothing means something."""
    seen: set[tuple[str, str]] = set()
    for path in filter(re.compile(r"/(api/)?enablement(?!/analytics)[^?]*(\?from=.*)?$").match, _addresses(world)):
        seen |= _seen(world, path, await _ask(world.people["admin"], path))
    missing = set(product(HIDDEN, FIELDS)) - seen
    # Bytes of files are behind links; of a version before, the comparison names the fields.
    assert {(kind, name) for kind, name in missing if name not in ("file", "tag", "suite")} == set()
    assert {("link", "file"), ("picture", "file")} <= seen


async def test_readers_get_the_file_that_was_released_and_not_the_one_that_is_proposed_or_was_before(
    world: World,
) -> None:
    for name in ("viewer", "contributor"):
        who = world.people[name]
        link = (await who.get(f"/enablement/content/{world.ids['old']}/download")).location
        assert (await who.get(link)).status == 200
        body = (await world.portal.kit.files.load(unquote(urlsplit(link).path).removeprefix("/files/"))).data
        assert b"Plain" in body
        assert WORD.encode() not in body
        for place in ("cover", "pages/1"):
            released = (await who.get(f"/enablement/content/{world.ids['old']}/{place}")).body
            owners = (await world.people["owner"].get(f"/enablement/content/{world.ids['old']}/{place}")).body
            assert released == owners


async def test_words_of_hidden_content_are_not_suggested(world: World) -> None:
    await world.portal.service.clock.expire_due()
    await world.portal.catch_up()
    for name in ("viewer", "contributor"):
        page = await world.people[name].get("/enablement?q=zirkona")
        assert WORD not in page.text.lower()


async def test_numbers_beside_filters_do_not_count_what_is_hidden(world: World) -> None:
    counted = {}
    for name in ("viewer", "contributor", "admin"):
        covered = world.portal.service.library.covered
        counted[name] = [await covered(world.people[name].viewer, suite=secret(kind, "suite")) for kind in HIDDEN[:4]]
    assert counted == {"viewer": [0, 0, 0, 0], "contributor": [0, 0, 0, 0], "admin": [1, 1, 1, 1]}


async def test_a_link_made_while_it_was_allowed_ends(world: World) -> None:
    assert len(world.links) == 10
    for who, link in product((world.people["viewer"], world.portal.visitor()), world.links):
        answer = await who.get(link)
        assert answer.status in (403, 404, 410)
        assert b"%PDF" not in answer.body
