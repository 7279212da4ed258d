"""Kelifax over HTTP: what is refused, who may do what, and what answers say."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import orjson
import pytest

from partita.apps.kelifax.schema import RESOURCES
from tests.apps.house import kit_on
from tests.apps.kelifax import original
from tests.apps.kelifax.conftest import slugs_of, submission
from tests.apps.kelifax.served import Kelifax, Somebody, serve

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def kelifax(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Kelifax]:
    with kit_on(tmp_path_factory.mktemp("api"), RESOURCES) as kit:
        yield serve(kit)


@pytest.fixture(scope="module")
async def moderator(kelifax: Kelifax) -> Somebody:
    return await kelifax.person("kelifax:moderator")


def _form(name: str, url: str) -> dict[str, Any]:
    return submission(name, url).model_dump(by_alias=True)


def _fields(problem: dict[str, Any]) -> list[str]:
    return [error["field"] for error in problem["errors"]]


# ---- what people type


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1/x",
        "http://10.0.0.8",
        "https://192.168.1.1",
        "http://[::1]:8080",
        "http://printer.local",
        "https://169.254.169.254/latest",
        "https://wiki.intranet",
        "http://2130706433.localhost",
    ],
)
async def test_an_address_inside_a_network_is_refused(kelifax: Kelifax, address: str) -> None:
    form = submission().model_dump(mode="json", by_alias=True)
    form["resource"]["resourceUrl"] = form["details"]["learningResources"][0]["url"] = address
    answer = await kelifax.visitor().api("POST", "/resources", form)
    fields = {error["field"] for error in answer.json["errors"]}
    assert (answer.status, fields) == (422, {"resource.resourceUrl", "details.learningResources.0.url"})


@pytest.mark.parametrize("turn", "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
async def test_a_name_cannot_pretend_to_be_another(kelifax: Kelifax, turn: str) -> None:
    form = submission().model_dump(mode="json", by_alias=True)
    form["resource"]["resourceName"] = f"Tool {turn}loot"
    answer = await kelifax.visitor().api("POST", "/resources", form)
    assert (answer.status, [error["field"] for error in answer.json["errors"]]) == (422, ["resource.resourceName"])


async def test_a_name_is_one_line(kelifax: Kelifax) -> None:
    form = submission("Two\nLines", "https://two-lines.example.org").model_dump(mode="json", by_alias=True)
    answer = await kelifax.visitor().api("POST", "/resources", form)
    assert (await kelifax.service.moderation.inspect(answer.json["resourceSlug"])).resource_name == "Two Lines"


@pytest.mark.parametrize(
    "name",
    ["ﬃ" * 100, "㎯" * 100, "ﬃ" * 33 + " " + "ﬃ" * 33, "x" * 100],
    ids=["ligatures", "units", "a hyphen at the cut", "plain"],
)
async def test_a_name_that_grows_when_it_is_folded_gets_a_slug_of_its_length_twice(kelifax: Kelifax, name: str) -> None:
    slugs = []
    for number in range(2):
        form = _form(name, f"https://{len(name)}-{ord(name[0])}-{number}.example.org")
        answer = await kelifax.visitor().api("POST", "/resources", form)
        assert answer.status == 201, answer.text
        slugs.append(answer.json["resourceSlug"])
    assert len(slugs[0]) <= 100
    assert slugs[1] == f"{slugs[0]}-2"


async def test_a_tag_is_as_long_as_it_is_in_lower_case(kelifax: Kelifax) -> None:
    form = _form("Dotted", "https://dotted.example.org")
    form["resource"]["tags"] = ["İ" * 16]
    answer = await kelifax.visitor().api("POST", "/resources", form)
    assert (answer.status, _fields(answer.json)) == (422, ["resource.tags.0"])


@pytest.mark.parametrize("tag", ["c#", "#", "a\nb", "1#2#3", "ß" * 30, "𝒳" * 30], ids=ascii)
async def test_any_tag_can_be_listed(kelifax: Kelifax, moderator: Somebody, tag: str) -> None:
    form = _form("Tagged", f"https://{tag.encode().hex()[:40]}.example.org")
    form["resource"]["tags"] = [tag]
    slug = (await kelifax.visitor().api("POST", "/resources", form)).json["resourceSlug"]
    assert (await moderator.api("POST", f"/moderation/{slug}/approve")).status == 200
    assert slugs_of(await kelifax.service.resources.browse(tags=[tag])) == [slug]


_HALF = "half a character \ud800 is no text"


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("submitter", "firstName"),
        ("submitter", "company"),
        ("submitter", "companyEmail"),
        ("submitter", "phoneNumber"),
        ("resource", "resourceName"),
        ("resource", "resourceUrl"),
        ("resource", "usagePurpose"),
        ("resource", "tags"),
        ("details", "keyFeatures"),
    ],
)
async def test_half_a_character_is_refused_and_nothing_breaks(kelifax: Kelifax, part: str, name: str) -> None:
    form = _form("Half", "https://half.example.org")
    listed = isinstance(form[part][name], list)
    form[part][name] = ["@@"] if listed else "@@"
    body = orjson.dumps(form).replace(b'"@@"', b'"' + _HALF.encode("ascii", "backslashreplace") + b'"')
    answer = await kelifax.visitor().ask("POST", "/api/kelifax/resources", body, {"content-type": "application/json"})
    assert answer.status == 422, answer.text
    assert [field.removesuffix(".0") for field in _fields(answer.json)][:1] == [f"{part}.{name}"]


@pytest.mark.parametrize("name", ["--", "'.", "- -", "\u0301\u0301"])
@pytest.mark.parametrize("field", ["firstName", "lastName"])
async def test_a_persons_name_has_a_letter(kelifax: Kelifax, field: str, name: str) -> None:
    form = _form("Nameless", "https://nameless.example.org")
    form["submitter"][field] = name
    answer = await kelifax.visitor().api("POST", "/resources", form)
    assert (answer.status, _fields(answer.json)) == (422, [f"submitter.{field}"])
    assert "at least one letter" in answer.json["errors"][0]["message"]


@pytest.mark.parametrize("reason", ["  ", "\\ud800", "x" * 1001], ids=["empty", "half a character", "too long"])
async def test_a_report_says_what_is_wrong(kelifax: Kelifax, reason: str) -> None:
    body = f'{{"reason": "{reason}"}}'.encode()
    answer = await kelifax.visitor().ask(
        "POST", "/api/kelifax/resources/any/reports", body, {"content-type": "application/json"}
    )
    assert (answer.status, _fields(answer.json)) == (422, ["reason"])


@pytest.mark.parametrize("reason", ["", "  ", "x" * 1001], ids=["empty", "spaces", "too long"])
async def test_a_rejection_says_why(kelifax: Kelifax, moderator: Somebody, reason: str) -> None:
    answer = await moderator.api("POST", "/moderation/any/reject", {"reason": reason})
    assert (answer.status, _fields(answer.json)) == (422, ["reason"])


# ---- who may do what

_MATRIX: list[tuple[str, str, Any]] = [
    ("GET", "/moderation", None),
    ("GET", "/moderation/{slug}", None),
    ("PATCH", "/moderation/{slug}", {"category": "ai"}),
    ("POST", "/moderation/{slug}/approve", None),
    ("POST", "/moderation/{slug}/feature", None),
    ("POST", "/moderation/{slug}/unfeature", None),
    ("POST", "/moderation/{slug}/reject", {"reason": "no"}),
    ("GET", "/moderation/log", None),
    ("GET", "/moderation/reports", None),
    ("GET", "/analytics", None),
    ("DELETE", "/moderation/{slug}", None),
]


@pytest.mark.parametrize("role", ["kelifax:moderator", "kelifax:admin"])
async def test_moderators_do_all_there_is_to_do_and_others_nothing(kelifax: Kelifax, role: str) -> None:
    form = _form("Moderated", "https://moderated.example.org")
    slug = (await kelifax.visitor().api("POST", "/resources", form)).json["resourceSlug"]
    visitor, member, moderator = kelifax.visitor(), await kelifax.person(), await kelifax.person(role)
    for method, path, content in _MATRIX:
        answers = [await who.api(method, path.format(slug=slug), content) for who in (visitor, member, moderator)]
        assert [answer.status for answer in answers[:2]] == [401, 403], (method, path)
        assert answers[2].status in (200, 204), (method, path, answers[2].text)
    assert (await moderator.api("GET", f"/moderation/{slug}")).status == 404


async def test_two_who_edit_one_resource_do_not_overwrite_each_other(kelifax: Kelifax, moderator: Somebody) -> None:
    form = _form("Edited twice", "https://edited-twice.example.org")
    slug = (await kelifax.visitor().api("POST", "/resources", form)).json["resourceSlug"]
    seen = (await moderator.api("GET", f"/moderation/{slug}")).json["revision"]
    first = await moderator.api("PATCH", f"/moderation/{slug}", {"tags": ["first"], "revision": seen})
    assert first.status == 200
    late = await moderator.api("PATCH", f"/moderation/{slug}", {"tags": ["late"], "revision": seen})
    assert (late.status, late.json["code"], _fields(late.json)) == (409, "changed_meanwhile", ["revision"])
    again = await moderator.api("PATCH", f"/moderation/{slug}", {"tags": ["late"], "revision": first.json["revision"]})
    assert (again.status, again.json["tags"]) == (200, ["late"])
    assert again.json["revision"] not in (seen, first.json["revision"])
    alone = await moderator.api("PATCH", f"/moderation/{slug}", {"revision": seen})
    assert (alone.status, alone.json["code"]) == (400, "nothing_to_change")


async def test_what_is_inspected_has_its_reports_and_its_history(kelifax: Kelifax, moderator: Somebody) -> None:
    form = _form("Reported", "https://reported.example.org")
    slug = (await kelifax.visitor().api("POST", "/resources", form)).json["resourceSlug"]
    await moderator.api("POST", f"/moderation/{slug}/approve")
    await moderator.api("PATCH", f"/moderation/{slug}", {"category": "ai", "tags": ["knots"]})
    assert (await kelifax.visitor().api("POST", f"/resources/{slug}/reports", {"reason": "dead"})).status == 204
    inspected = (await moderator.api("GET", f"/moderation/{slug}")).json
    assert [report["reason"] for report in inspected["openReports"]] == ["dead"]
    assert [(entry["action"], entry["changed"]) for entry in inspected["history"]] == [
        ("edit", ["category", "tags"]),
        ("approve", []),
    ]
    assert (await moderator.api("GET", "/moderation/log?limit=2")).json["items"] == inspected["history"]
    assert (await moderator.api("DELETE", f"/moderation/{slug}")).status == 204
    reports = (await moderator.api("GET", "/moderation/reports")).json["items"]
    assert slug not in [report["slug"] for report in reports]


# ---- what the description promises


async def test_words_and_tags_can_be_sorted_and_without_a_sort_the_best_or_newest_comes_first(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    described = (await kelifax.visitor().get("/api/openapi.json")).json["paths"]["/api/kelifax/resources"]["get"]
    (sort,) = [parameter for parameter in described["parameters"] if parameter["name"] == "sort"]
    assert "best match comes first with `q`, else the newest" in sort["description"]
    slugs = []
    for name in ("Sorted", "Sorted things sorted"):
        form = _form(name, f"https://{name.replace(' ', '')}.example.org")
        form["resource"]["tags"] = ["sorting"]
        slugs.append((await kelifax.visitor().api("POST", "/resources", form)).json["resourceSlug"])
        await moderator.api("POST", f"/moderation/{slugs[-1]}/approve")
    await kelifax.service.views.count(slugs[0], 5)
    await kelifax.service.views.add_waiting()
    await kelifax.worker.drain()

    async def listed(asked: str) -> list[str]:
        answer = await kelifax.visitor().api("GET", f"/resources?{asked}")
        return [item["resourceSlug"] for item in answer.json["items"]]

    assert sorted(await listed("q=sorted")) == sorted(slugs)
    assert await listed("q=sorted&sort=popular") == slugs
    assert await listed("q=sorted&sort=newest") == slugs[::-1]
    assert await listed("tag=sorting") == slugs[::-1]
    assert await listed("tag=sorting&sort=popular") == slugs
    assert await listed("tag=sorting&tag=nothing") == []


async def test_analytics_tell_the_largest_domains_and_every_day_of_the_period(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    described = (await kelifax.visitor().get("/api/openapi.json")).json
    description = described["paths"]["/api/kelifax/analytics"]["get"]["description"]
    assert "20 largest" in description
    rows = [
        original.resource(f"day-{number}", createdAt=f"2024-{1 + number // 20:02}-{1 + number % 20:02}T00:00:00Z")
        | {"submitterDomain": f"d{number}.example.org"}
        for number in range(40)
    ]
    await original.write(kelifax.kit, *rows, original.resource("big", submitterDomain="d0.example.org"))
    await original.adopt_all(kelifax.kit)
    answer = (await moderator.api("GET", "/analytics")).json
    assert len(answer["bySubmitterDomain"]) == 20
    counts = list(answer["bySubmitterDomain"].values())
    assert counts == sorted(counts, reverse=True)
    assert answer["bySubmitterDomain"]["d0.example.org"] == 2
    days = [date.fromisoformat(day) for day in answer["submissionsPerDay"]]
    assert len(days) == 30
    assert all(later - day == timedelta(days=1) for day, later in pairwise(days))
    week = (await moderator.api("GET", "/analytics?days=7")).json["submissionsPerDay"]
    assert list(week.items()) == list(answer["submissionsPerDay"].items())[-7:]
    assert (await moderator.api("GET", "/analytics?days=367")).status == 422
