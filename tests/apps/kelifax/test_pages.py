"""Kelifax's pages, as a browser without script uses them: what was typed is never lost."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Mapping
from datetime import datetime, timedelta
from html import unescape
from io import BytesIO

import pytest
from PIL import Image

from partita.apps.kelifax.inputs import ResourceEdit
from partita.apps.kelifax.schema import LOGOS, RESOURCES, Resource
from partita.apps.kelifax.service.reports import REPORTING
from partita.apps.kelifax.service.submissions import SUBMITTING, UPLOADING
from partita.kit.limits import Rule
from partita.kit.permissions import ADMIN, Viewer
from partita.table import Update
from tests.apps.house import kit_on
from tests.apps.kelifax import original
from tests.apps.kelifax.conftest import MOD, submission
from tests.apps.kelifax.served import PASSWORD, Kelifax, Somebody, serve
from tests.web.filled import filled
from tests.web.visitor import Answer
from tests.web.walk import walk

pytestmark = pytest.mark.anyio
SUBMIT = "/kelifax/submit"
SUBMITTER = {
    "submitter.firstName": "Ada",
    "submitter.lastName": "Lovelace",
    "submitter.companyEmail": "ada@engine.example",
    "submitter.company": "Engines & <co>",
}
RESOURCE = {
    "resource.category": "learning",
    "resource.usagePurpose": "Shows how patterns of cards\nbecome patterns of cloth.",
    "resource.tags": "looms, cards",
}
DETAILS: dict[str, str | list[str]] = {
    "details.keyFeatures": ["Cards that can be read", "Patterns by century", "A dictionary of knots"],
    "details.useCases": ["Weaving by numbers alone", "Teaching what a program is"],
    "details.learningResources.0.title": "A film",
    "details.learningResources.0.url": "https://films.example.org",
    "details.learningResources.0.type": "video",
}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def kelifax(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Kelifax]:
    with kit_on(tmp_path_factory.mktemp("pages"), RESOURCES) as kit:
        yield serve(kit)


@pytest.fixture(scope="module")
async def moderator(kelifax: Kelifax) -> Somebody:
    """A moderator in front of a browser."""
    return await _signed_in(kelifax, "moa", "kelifax:moderator")


async def _signed_in(kelifax: Kelifax, username: str, *roles: str) -> Somebody:
    """Somebody with an account in front of a browser."""
    accounts = kelifax.kit.accounts
    name = f"{username.capitalize()} Loom"
    account = await accounts.registration.create(username, f"{username}@example.org", name, PASSWORD)
    await accounts.administration.set_roles(accounts.operator(), account.user_id, roles)
    browser = kelifax.visitor()
    assert (await browser.post("/sign-in", {"identity": username, "password": PASSWORD})).status == 303
    return browser


async def _second_step(visitor: Somebody, name: str) -> list[tuple[str, str]]:
    """The form of the second step, filled in."""
    first = filled((await visitor.get(SUBMIT)).text, SUBMIT)
    page = await visitor.post(SUBMIT, [*_with(first, SUBMITTER), ("go", "next")])
    url = f"https://{name.lower().replace(' ', '-')}.example.org"
    return _with(filled(page.text, SUBMIT), {**RESOURCE, "resource.resourceName": name, "resource.resourceUrl": url})


async def _last_step(visitor: Somebody, name: str) -> list[tuple[str, str]]:
    """The form of the last step, filled in."""
    page = await visitor.post(SUBMIT, [*await _second_step(visitor, name), ("go", "next")])
    return _with(filled(page.text, SUBMIT), DETAILS)


async def _resource(kelifax: Kelifax, name: str, *, by: Viewer | None = MOD, **changes: object) -> Resource:
    """A resource; approved, unless by nobody."""
    url = f"https://{name.lower().replace(' ', '-')}.example.org"
    pending = await kelifax.service.submissions.submit(submission(name, url, **changes), name)
    return pending if by is None else await kelifax.service.moderation.approve(by, pending.resource_slug)


def _with(sent: Iterable[tuple[str, str]], values: Mapping[str, str | list[str]]) -> list[tuple[str, str]]:
    """The form with other values in these fields; a list where a field repeats."""
    left = {name: [value] if isinstance(value, str) else list(value) for name, value in values.items()}
    form = [(name, left[name].pop(0) if left.get(name) else value) for name, value in sent]
    assert not any(left.values()), f"the form has no fields {left}"
    return form


async def _use_up(kelifax: Kelifax, rule: Rule, visitor: Somebody) -> None:
    """The visitor has done this as often as is allowed."""
    for _ in range(rule.most):
        await kelifax.kit.limits.check(rule, visitor.address)


def _is_told_when_to_try_again(answer: Answer) -> None:
    assert answer.status == 429
    assert 1 <= int(answer.headers["retry-after"]) <= 3600
    assert re.search(r"Too many attempts\. Try again in \d+ (seconds|minutes)\.", answer.shown)


async def _send(visitor: Somebody, fields: Iterable[tuple[str, str]], logo: bytes) -> Answer:
    """The form of the second step as browsers send it: in parts, with a file that may be empty."""
    parts = [f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields]
    head = '--x\r\nContent-Disposition: form-data; name="logo"; filename="logo.png"\r\n\r\n'
    body = "".join(parts).encode() + head.encode() + logo + b"\r\n--x--\r\n"
    headers = {"content-type": "multipart/form-data; boundary=x", "sec-fetch-site": "same-origin"}
    return await visitor.ask("POST", SUBMIT, body, headers)


def _picture() -> bytes:
    file = BytesIO()
    Image.new("RGB", (80, 80), "navy").save(file, "PNG")
    return file.getvalue()


# ---- submitting


async def test_three_steps_lead_to_a_private_link(kelifax: Kelifax) -> None:
    visitor = kelifax.visitor()
    answer = await visitor.post(SUBMIT, [*await _last_step(visitor, "Three Steps"), ("go", "next")])
    assert answer.location.startswith("/kelifax/submissions/")
    page = await visitor.follow(answer)
    assert "Three Steps" in page.shown
    assert "A moderator will review it." in page.shown


async def test_whoever_submits_too_often_keeps_everything_and_is_told_when_to_try_again(kelifax: Kelifax) -> None:
    visitor = kelifax.visitor()
    sent = await _last_step(visitor, "Once Too Often")
    await _use_up(kelifax, SUBMITTING, visitor)
    answer = await visitor.post(SUBMIT, [*sent, ("go", "next")])
    _is_told_when_to_try_again(answer)
    assert sorted(filled(answer.text, SUBMIT)) == sorted(sent)


async def test_an_address_that_is_taken_leads_back_to_its_step_with_everything_kept(kelifax: Kelifax) -> None:
    visitor = kelifax.visitor()
    sent = await _last_step(visitor, "Taken")
    await _resource(kelifax, "Taken")
    answer = await visitor.post(SUBMIT, [*sent, ("go", "next")])
    assert answer.status == 409
    assert 'id="f-resource-resourceUrl-error"' in answer.text
    assert sorted(_with(filled(answer.text, SUBMIT), {"at": "3"})) == sorted(sent)


async def test_an_address_that_is_taken_is_told_where_it_is_typed(kelifax: Kelifax) -> None:
    await _resource(kelifax, "Known Already")
    visitor = kelifax.visitor()
    sent = await _second_step(visitor, "Known Already")
    answer = await visitor.post(SUBMIT, [*sent, ("go", "next")])
    assert answer.status == 409
    assert 'id="f-resource-resourceUrl-error"' in answer.text
    assert 'href="/kelifax/resources/known-already"' in answer.text
    assert filled(answer.text, SUBMIT) == sent


async def test_a_submitter_edits_improves_and_withdraws_from_the_link(kelifax: Kelifax) -> None:
    submitted = await _resource(kelifax, "Second Try", by=None)
    link = f"/kelifax/submissions/{submitted.submission_id}"
    visitor = kelifax.visitor()
    await kelifax.service.moderation.reject(MOD, submitted.resource_slug, "Say more about looms.")
    page = await visitor.get(f"{link}/edit")
    assert "Say more about looms." in page.shown
    assert page.headers["referrer-policy"] == "no-referrer"
    page = await _press(visitor, page, {"resource.tags": "looms"})
    assert "Writes programs for you" in page.shown, "the third step has what was sent before"
    answer = await _press(visitor, page)
    assert answer.location == link
    assert "A moderator will review it." in (await visitor.follow(answer)).shown
    waiting = await kelifax.service.moderation.inspect(submitted.resource_slug)
    assert (waiting.resource_status, waiting.tag_list, waiting.rejection_reason) == ("pending", ("looms",), "")
    assert (await _press(visitor, page)).location == link, "the same, sent twice"
    assert "Withdraw “Second Try”?" in (await visitor.get(f"{link}/withdraw")).shown
    assert (await visitor.post(f"{link}/withdraw")).location == "/kelifax"
    gone = await visitor.get(link)
    assert gone.status == 404
    assert "You withdrew “Second Try” on" in gone.shown


async def _press(visitor: Somebody, page: Answer, values: Mapping[str, str] | None = None, go: str = "next") -> Answer:
    """Press a button of a page's form, as it was given: its own address, its own fields."""
    action = re.findall(r'<form class="form wide[^>]* action="([^"]+)"', page.text)[-1]
    return await visitor.post(unescape(action), [*_with(filled(page.text, unescape(action)), values or {}), ("go", go)])


async def test_what_moderators_write_while_a_submitter_edits_is_not_lost(kelifax: Kelifax) -> None:
    submitted = await _resource(kelifax, "Two Pens", by=None)
    visitor, slug = kelifax.visitor(), submitted.resource_slug
    page = await visitor.get(f"/kelifax/submissions/{submitted.submission_id}/edit")
    theirs = "What a moderator has written meanwhile."
    await kelifax.service.moderation.edit(MOD, slug, ResourceEdit(usage_purpose=theirs))
    page = await _press(visitor, page, {"resource.tags": "pens"})
    page = await _press(visitor, await _press(visitor, page, go="back"))
    late = await _press(visitor, page)
    assert late.status == 409
    assert late.headers["referrer-policy"] == "no-referrer"
    assert "Edited by a moderator, " in late.shown
    assert "mod," not in late.shown, "who decided is not the submitter's to know"
    assert theirs in late.shown
    assert submitted.usage_purpose in late.shown
    assert (await kelifax.service.moderation.inspect(slug)).tag_list == ("compilers", "analysis"), "nothing is saved"
    further = await _press(visitor, late, go="edit")
    assert theirs in further.shown, "they left the purpose as it was"
    assert ("resource.tags", "pens") in filled(further.text, f"/kelifax/submissions/{submitted.submission_id}/edit")
    assert (await _press(visitor, await _press(visitor, further))).status == 303
    after = await kelifax.service.moderation.inspect(slug)
    assert (after.usage_purpose, after.tag_list) == (theirs, ("pens",))


async def test_a_submitter_chooses_between_two_versions(kelifax: Kelifax) -> None:
    submitted = await _resource(kelifax, "Two Choices", by=None)
    visitor, slug = kelifax.visitor(), submitted.resource_slug
    page = await visitor.get(f"/kelifax/submissions/{submitted.submission_id}/edit")
    await kelifax.service.moderation.edit(MOD, slug, ResourceEdit(tags=["theirs"], resource_name="Their Choice"))
    page = await _press(visitor, page, {"resource.tags": "mine"})
    late = await _press(visitor, page)
    assert "You and somebody else changed this." in late.shown
    saved = await _press(visitor, late, {"keep:resource.tags": "stored", "keep:resource.resourceName": "typed"}, "save")
    assert saved.status == 303
    after = await kelifax.service.moderation.inspect(slug)
    assert (after.tag_list, after.resource_name) == (("theirs",), "Two Choices")
    assert after.learning_list == submitted.learning_list


async def test_a_submitter_reads_why_it_was_rejected_before_the_same_is_sent_again(kelifax: Kelifax) -> None:
    submitted = await _resource(kelifax, "Turned Down", by=None)
    visitor = kelifax.visitor()
    page = await _press(visitor, await visitor.get(f"/kelifax/submissions/{submitted.submission_id}/edit"))
    await kelifax.service.moderation.reject(MOD, submitted.resource_slug, "Say more about looms.")
    late = await _press(visitor, page)
    assert (late.status, "Say more about looms." in late.shown) == (409, True)
    assert (await kelifax.service.moderation.inspect(submitted.resource_slug)).resource_status == "rejected"
    assert (await _press(visitor, late)).status == 303


async def test_what_is_approved_is_no_longer_its_submitters_to_change(kelifax: Kelifax) -> None:
    approved = await _resource(kelifax, "Out Of Hand")
    link = f"/kelifax/submissions/{approved.submission_id}"
    visitor = kelifax.visitor()
    assert (await visitor.get(f"{link}/edit")).location == link
    assert "It is in the directory now." in (await visitor.follow(await visitor.post(f"{link}/withdraw"))).shown
    assert (await kelifax.service.moderation.inspect(approved.resource_slug)).is_approved
    await kelifax.service.moderation.delete(MOD, approved.resource_slug)
    assert "Moderators deleted “Out Of Hand” on" in (await visitor.get(link)).shown


async def test_members_find_their_submissions_and_need_not_type_their_names(kelifax: Kelifax) -> None:
    member, other = await _signed_in(kelifax, "mia"), await _signed_in(kelifax, "ola")
    form = dict(filled((await member.get(SUBMIT)).text, SUBMIT))
    assert form["submitter.companyEmail"] == "mia@example.org"
    assert (form["submitter.firstName"], form["submitter.lastName"]) == ("Mia", "Loom")
    answer = await member.post(SUBMIT, [*await _last_step(member, "Of A Member"), ("go", "next")])
    assert answer.status == 303
    assert "Of A Member" in (await member.get("/kelifax/submissions")).shown
    assert "No submissions yet" in (await other.get("/kelifax/submissions")).shown


@pytest.mark.parametrize("megabytes", [1, 5])
async def test_a_logo_that_is_too_large_is_told_beside_its_field(kelifax: Kelifax, megabytes: int) -> None:
    visitor = kelifax.visitor()
    sent = await _second_step(visitor, "Large Logo")
    answer = await _send(visitor, [*sent, ("go", "next")], b"x" * (megabytes * 1_000_000))
    assert answer.status == 413
    assert 'id="f-logo-error"' in answer.text
    assert f"At most 600 KB; this picture has {megabytes},000 KB." in answer.shown
    assert filled(answer.text, SUBMIT) == sent


async def test_what_is_far_too_large_to_be_read_is_answered_with_what_to_do(kelifax: Kelifax) -> None:
    visitor = kelifax.visitor()
    answer = await _send(visitor, await _second_step(visitor, "Huge Logo"), b"x" * 7_000_000)
    assert answer.status == 413
    assert "Go back with your browser: what you typed is still there." in answer.shown
    assert "at most 600 KB" in answer.shown
    assert answer.headers["connection"] == "close"
    assert answer.headers["cache-control"] == "private, no-cache", "the page before is still there to go back to"


@pytest.mark.parametrize("go", ["next", "back"])
async def test_whoever_uploads_too_often_is_told_and_can_go_on_without_a_logo(kelifax: Kelifax, go: str) -> None:
    visitor = kelifax.visitor()
    sent = await _second_step(visitor, "Many Logos")
    await _use_up(kelifax, UPLOADING, visitor)
    answer = await _send(visitor, [*sent, ("go", go)], _picture())
    _is_told_when_to_try_again(answer)
    assert "You can also continue without a logo." in answer.shown
    assert 'id="f-logo-error"' in answer.text
    assert filled(answer.text, SUBMIT) == sent
    assert "Key features" in (await _send(visitor, [*filled(answer.text, SUBMIT), ("go", "next")], b"")).shown


async def test_a_logo_that_is_gone_is_asked_for_again_and_can_be_left_out(kelifax: Kelifax) -> None:
    visitor = kelifax.visitor()
    page = await _send(visitor, [*await _second_step(visitor, "Late Logo"), ("go", "next")], _picture())
    sent = _with(filled(page.text, SUBMIT), DETAILS)
    names = [value for name, value in sent if name == "resource.logoImage"]
    await kelifax.kit.uploads.discard(f"{LOGOS}/{names[0]}")
    answer = await visitor.post(SUBMIT, [*sent, ("go", "next")])
    assert answer.status == 422
    assert 'id="f-logo-error"' in answer.text
    assert "Upload it again." in answer.shown
    again = await visitor.post(SUBMIT, [*filled(answer.text, SUBMIT), ("go", "next")])
    done = await visitor.post(SUBMIT, [*filled(again.text, SUBMIT), ("go", "next")])
    assert done.status == 303, done.shown


async def test_more_places_to_learn_are_asked_for_without_script(kelifax: Kelifax) -> None:
    visitor = kelifax.visitor()
    sent = await _last_step(visitor, "Many Places")
    for number in range(1, 5):
        page = await visitor.post(SUBMIT, [*sent, ("more", "details.learningResources")])
        sent = filled(page.text, SUBMIT)
        assert f"details.learningResources.{number}.title" in dict(sent)
    back = await visitor.post(SUBMIT, [*_with(sent, {"details.learningResources.4.title": "Kept"}), ("go", "back")])
    assert ("details.learningResources.4.title", "Kept") in filled(back.text, SUBMIT)


@pytest.mark.parametrize("row", ["99999999999", "²", "9" * 5000, "-1", ""])
async def test_a_row_that_no_form_has_breaks_nothing(kelifax: Kelifax, row: str) -> None:
    visitor = kelifax.visitor()
    sent = [*await _last_step(visitor, "Odd Rows"), (f"details.learningResources.{row}.title", "x")]
    answer = await visitor.post(SUBMIT, [*sent, ("more", "details.learningResources")])
    assert answer.status == 200
    assert answer.text.count('.title"') <= 10


# ---- reporting


async def test_whoever_reports_too_often_keeps_the_text_and_is_told_when_to_try_again(kelifax: Kelifax) -> None:
    resource = await _resource(kelifax, "Reported")
    path = f"/kelifax/resources/{resource.resource_slug}/reports"
    visitor = kelifax.visitor()
    await _use_up(kelifax, REPORTING, visitor)
    answer = await visitor.post(path, {"reason": "A duck & <b>"})
    _is_told_when_to_try_again(answer)
    assert filled(answer.text, path) == [("reason", "A duck & <b>")]
    assert '<details class="disclosure" open>' in answer.text
    assert (await visitor.post("/kelifax/resources/nothing/reports", {"reason": "x"})).status == 404


# ---- browsing


def _names(page: Answer) -> list[str]:
    """The resources of a list, in its order."""
    return re.findall(r'<h3><a href="/kelifax/resources/([^"]+)">', page.text)


def _facet(page: Answer, title: str) -> dict[str, int]:
    """What a list can be narrowed to, with the counts."""
    (section,) = re.findall(rf'<section class="facet" aria-label="{title}">(.*?)</section>', page.text, re.DOTALL)
    values = re.findall(r'<span>(.*?)</span> <span class="count">(\d+)</span>', section)
    return {value: int(count) for value, count in values}


@pytest.fixture(scope="module")
async def looms(kelifax: Kelifax) -> dict[str, str]:
    """Three resources about looms, and their views."""
    slugs = {}
    for name, category, tags, views in (
        ("Loom Alpha", "design", ["loom-cards", "loom-cloth"], 3),
        ("Loom Gamma", "design", ["loom-cards"], 9),
        ("Loom Beta", "ai", ["loom-cards", "loom-cloth"], 6),
    ):
        resource = await _resource(kelifax, name, resource__category=category, resource__tags=tags)
        slugs[name] = resource.resource_slug
        await kelifax.service.views.count(resource.resource_slug, views)
    await kelifax.service.views.add_waiting()
    await kelifax.worker.drain()
    return slugs


@pytest.mark.parametrize("narrowed", ["q=loom", "tag=loom-cards", "q=loom&tag=loom-cards"])
@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("newest", ["loom-beta", "loom-gamma", "loom-alpha"]),
        ("popular", ["loom-gamma", "loom-beta", "loom-alpha"]),
        ("name", ["loom-alpha", "loom-beta", "loom-gamma"]),
    ],
)
async def test_every_list_can_be_sorted_in_every_way_in_pages_and_api(
    kelifax: Kelifax, looms: dict[str, str], narrowed: str, sort: str, order: list[str]
) -> None:
    visitor = kelifax.visitor()
    page = await visitor.get(f"/kelifax/resources?{narrowed}&sort={sort}")
    assert _names(page) == order
    assert f'<option value="{sort}" selected>' in page.text
    answer = await visitor.api("GET", f"/resources?{narrowed}&sort={sort}")
    assert [each["resourceSlug"] for each in answer.json["items"]] == order


async def test_facets_count_what_the_list_would_show(kelifax: Kelifax, looms: dict[str, str]) -> None:
    visitor = kelifax.visitor()
    page = await visitor.get("/kelifax/resources?q=loom&category=design")
    assert sorted(_names(page)) == ["loom-alpha", "loom-gamma"]
    assert _facet(page, "Category") == {"Design": 2, "AI": 1}
    assert _facet(page, "Tags") == {"loom-cards": 2, "loom-cloth": 1}
    page = await visitor.get("/kelifax/resources?tag=loom-cards&tag=LOOM-CLOTH+")
    assert sorted(_names(page)) == ["loom-alpha", "loom-beta"]
    assert _facet(page, "Category") == {"Design": 1, "AI": 1}
    assert "2 resources" in page.shown
    assert "Resources tagged loom-cards and loom-cloth" in page.shown


@pytest.mark.parametrize("asked", ["", "q=loom", "category=design", "tag=loom-cards", "q=loom&tag=loom-cards"])
async def test_each_count_of_a_facet_is_the_length_of_the_list_that_it_leads_to(
    kelifax: Kelifax, looms: dict[str, str], asked: str
) -> None:
    await kelifax.worker.drain()
    visitor = kelifax.visitor()
    page = await visitor.get(f"/kelifax/resources?{asked}")
    values = re.findall(r'<a class="chip" href="([^"]+)"><span>.*?</span> <span class="count">(\d+)</span>', page.text)
    assert values
    for address, count in values:
        listed = await visitor.get(unescape(address))
        assert f'<span class="count">{count} resource' in listed.text, (address, count)


def _kept(page: Answer) -> list[tuple[str, str]]:
    """What the search box of the top bar sends besides its words."""
    (form,) = re.findall(r'<form class="search".*?</form>', page.text, re.DOTALL)
    return re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form)


async def test_the_one_search_box_keeps_the_filters(kelifax: Kelifax, looms: dict[str, str]) -> None:
    visitor = kelifax.visitor()
    page = await visitor.get("/kelifax/resources?category=design&tag=loom-cards&tag=loom-cloth&sort=name")
    assert page.text.count('type="search"') == 1
    assert _kept(page) == [("category", "design"), ("tag", "loom-cards"), ("tag", "loom-cloth")]
    assert _kept(await visitor.get("/kelifax/resources/loom-beta?category=design")) == []


async def test_typing_errors_and_words_too_many_still_lead_somewhere(kelifax: Kelifax, looms: dict[str, str]) -> None:
    visitor = kelifax.visitor()
    page = await visitor.get("/kelifax/resources?q=lomo+gamma&category=design")
    assert "Nothing has all of these words." in page.shown
    assert _names(page) == ["loom-gamma"]
    assert "Did you mean" in (await visitor.get("/kelifax/resources?q=gamna")).shown
    nothing = await visitor.get("/kelifax/resources?q=zzzzzz&category=design")
    assert "No matches" in nothing.shown
    assert "Search all resources" in nothing.shown
    answer = await visitor.api("GET", "/resources?q=lomo+gamma")
    assert answer.json["items"] == [], "programs get what they asked for"


async def test_a_list_that_a_table_has_shows_a_decision_at_once(kelifax: Kelifax, looms: dict[str, str]) -> None:
    visitor = kelifax.visitor()
    slug = (
        await _resource(kelifax, "Just Approved", resource__category="other", resource__tags=["just"])
    ).resource_slug
    for asked in ("category=other", "category=other&sort=popular", "tag=just", "tag=just&category=other"):
        assert slug in _names(await visitor.get(f"/kelifax/resources?{asked}")), asked
    page = await visitor.get("/kelifax/resources?category=other")
    assert _facet(page, "Category")["Other"] == len(_names(page))


# ---- moderating


async def test_the_page_of_a_resource_shows_its_open_reports_and_closes_each(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    slug, other = [(await _resource(kelifax, name)).resource_slug for name in ("Flagged", "Not Flagged")]
    await kelifax.service.reports.add(slug, "It leads to a <duck>.", "somebody")
    await kelifax.service.reports.add(slug, "It is about geese.", "somebody")
    path = f"/kelifax/moderation/{slug}"
    page = await moderator.get(path)
    assert "It leads to a &lt;duck&gt;." in page.text
    assert "Open reports" not in (await moderator.get(f"/kelifax/moderation/{other}")).shown
    actions = re.findall(rf'action="(/kelifax/moderation/reports/{slug}/[^"]+/close)"', page.text)
    assert len(actions) == 2
    answer = await moderator.post(actions[0], filled(page.text, actions[0]))
    assert answer.location == path
    text = (await moderator.follow(answer)).shown
    assert "Report closed." in text
    assert "It is about geese." not in text
    assert "It leads to a <duck>." in text
    away = await moderator.post(actions[1], {"next": "//evil.example"})
    assert away.location == "/kelifax/moderation"
    assert "Open reports" not in (await moderator.get(path)).shown


async def test_the_page_of_a_resource_tells_who_decided_what_when_and_why(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    slug = (await _resource(kelifax, "Storied")).resource_slug
    await kelifax.service.moderation.reject(MOD, slug, "Too few knots & ropes.")
    await kelifax.service.moderation.edit(MOD, slug, ResourceEdit(tags=["knots"], resource_name="Storied Knots"))
    text = (await moderator.get(f"/kelifax/moderation/{slug}")).shown
    places = [
        text.index(each)
        for each in (
            "Edited</span> by <bdi>mod</bdi>",
            "Rejected</span> by <bdi>mod</bdi>",
            "Approved</span> by <bdi>mod</bdi>",
        )
    ]
    assert places == sorted(places), "newest first"
    assert "Too few knots & ropes." in text
    assert all(each in text for each in ("<dt>Name</dt>", "<dt>Tags</dt>", "<del>", "<ins>"))
    assert "Changed resource name, tags" in (await moderator.get("/kelifax/moderation/log")).shown


async def test_the_log_leads_to_what_is_known_of_a_resource_that_was_deleted(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    slug = (await _resource(kelifax, "Bygone")).resource_slug
    await kelifax.service.moderation.delete(MOD, slug)
    assert f'href="/kelifax/moderation/{slug}"' in (await moderator.get("/kelifax/moderation/log")).text
    page = await moderator.get(f"/kelifax/moderation/{slug}")
    assert page.status == 404
    assert "bygone was deleted" in page.shown
    assert "Deleted</span> by <bdi>mod</bdi>" in page.shown
    assert "It may have been removed." in (await moderator.get("/kelifax/moderation/never-was")).shown
    assert (await moderator.get("/kelifax/moderation/No%23Slug")).status == 404


async def test_a_decision_that_came_too_late_is_told_on_the_page_of_the_resource(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    slug = (await _resource(kelifax, "Decided")).resource_slug
    path = f"/kelifax/moderation/{slug}"
    for decision, message in (
        ("approve", "This resource is approved already."),
        ("unfeature", "This resource is not featured."),
    ):
        answer = await moderator.post(f"{path}/{decision}")
        assert answer.status == 409
        assert message in answer.shown
        assert "Reason to reject" in answer.shown
    empty = await moderator.post(f"{path}/reject", {"reason": " "})
    assert empty.status == 422
    assert 'id="f-reason-error"' in empty.text
    await kelifax.service.moderation.reject(MOD, slug, "First.")
    late = await moderator.post(f"{path}/reject", {"reason": "Second, with care."})
    assert late.status == 409
    assert "This resource is rejected already." in late.shown
    assert "Second, with care." in late.shown


async def test_an_address_that_was_taken_meanwhile_keeps_a_resource_from_coming_back(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    slug = (await _resource(kelifax, "Came Back")).resource_slug
    await kelifax.service.moderation.reject(MOD, slug, "Not now.")
    await kelifax.service.submissions.submit(submission("Faster", "https://came-back.example.org"), "somebody")
    answer = await moderator.post(f"/kelifax/moderation/{slug}/approve")
    assert answer.status == 409
    assert "This address was submitted already and is waiting for review." in answer.shown


async def test_all_reports_can_be_paged_through_one_after_the_other(kelifax: Kelifax, moderator: Somebody) -> None:
    slug = (await _resource(kelifax, "Often Reported")).resource_slug
    for number in range(25):
        await kelifax.service.reports.add(slug, f"Wrong in way {number:02}.", f"somebody-{number}")
    queue = await moderator.get("/kelifax/moderation")
    assert 'Reports <span class="count">20+</span>' in queue.text
    first = await moderator.get("/kelifax/moderation/reports")
    assert "Wrong in way 24." in first.shown.partition('class="said')[2], "the newest is open"
    seen, page = set(), first
    for _ in range(25):
        (reason,) = re.findall(r'class="said[^>]*>(Wrong in way \d\d)', page.shown)
        seen.add(reason)
        following = re.search(r'href="([^"]+)" aria-keyshortcuts="j"', page.shown)
        if following is not None:
            page = await moderator.get(following[1])
    assert len(seen) == 25
    for report in (await kelifax.service.reports.all_open(limit=50)).items:
        await kelifax.service.reports.close(MOD, report.slug, report.entry_id)
    second = re.search(r'href="([^"]+)">Next page', first.shown)
    assert second is not None
    assert "No more reports" in (await moderator.get(second[1])).shown
    assert "No open reports" in (await moderator.get("/kelifax/moderation/reports")).shown
    assert (await kelifax.visitor().get("/kelifax/moderation/reports")).location.startswith("/sign-in")


async def test_a_decision_at_the_desk_opens_the_next_one_and_can_be_taken_back(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    first, second, third = [(await _resource(kelifax, f"Queued {n}", by=None)).resource_slug for n in range(3)]
    page = await moderator.get(f"/kelifax/moderation?at={first}")
    assert _open(page) == "Queued 0"
    action = f"/kelifax/moderation/{first}/approve?revision=1"
    after = await moderator.follow(await moderator.post(action, filled(page.text, action)))
    assert _open(after) == "Queued 1"
    assert "“Queued 0” approved." in after.shown
    (undo,) = re.findall(rf'action="(/kelifax/moderation/{first}/reopen[^"]*)"', after.shown)
    action = f"/kelifax/moderation/{second}/reject?revision=1"
    refused = await moderator.post(action, {**dict(filled(after.text, action)), "reason": " "})
    assert (refused.status, _open(refused)) == (422, "Queued 1")
    assert 'id="f-reason-error"' in refused.text
    last = await moderator.follow(
        await moderator.post(action, {**dict(filled(refused.text, action)), "reason": "No knots."})
    )
    assert _open(last) == "Queued 2"
    assert "“Queued 1” rejected." in last.shown
    back = await moderator.follow(await moderator.post(undo))
    assert _open(back) == "Queued 0"
    assert "“Queued 0” is back in the queue." in back.shown
    assert (await kelifax.service.moderation.inspect(first)).resource_status == "pending"
    history = await kelifax.service.moderation.history(first)
    assert [entry.action_name for entry in history] == ["Returned to the queue", "Approved"]
    again = await moderator.follow(await moderator.post(undo))
    assert "waiting for a decision already" in again.shown
    assert third in last.text


async def test_a_page_has_one_search_box_at_most(kelifax: Kelifax, moderator: Somebody) -> None:
    resource = await _resource(kelifax, "One Box")
    pending = await _resource(kelifax, "Waiting Box", by=None)
    administrator = await _signed_in(kelifax, "ann", "admin")
    names = {"slug": resource.resource_slug, "submission_id": pending.submission_id}
    numbers: dict[str, int] = {}
    for route in walk(kelifax.app):
        path = re.sub(r"\{(\w+)[^}]*\}", lambda found: names.get(found[1], "none"), route.path)
        if route.method == "GET" and path.startswith("/kelifax"):
            for somebody in (kelifax.visitor(), administrator):
                page = await somebody.get(path)
                if page.status == 200 and page.headers["content-type"].startswith("text/html"):
                    numbers[path] = max(numbers.get(path, 0), page.text.count('type="search"'))
    assert len(numbers) > 20
    assert {path: number for path, number in numbers.items() if number > 1} == {}
    assert numbers["/kelifax"] == numbers["/kelifax/resources"] == 1


async def test_a_decision_that_somebody_else_made_first_leads_on_with_a_word_about_it(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    slug = (await _resource(kelifax, "Raced", by=None)).resource_slug
    await kelifax.service.moderation.approve(MOD, slug)
    answer = await moderator.post(f"/kelifax/moderation/{slug}/approve", {"next": "/kelifax/moderation?at=other"})
    assert answer.location == "/kelifax/moderation?at=other"
    assert "This resource is approved already." in (await moderator.follow(answer)).shown
    away = await moderator.post(f"/kelifax/moderation/{slug}/reject", {"reason": "x", "next": "//evil.example"})
    assert away.location == f"/kelifax/moderation/{slug}"


async def test_a_decision_in_a_second_tab_does_not_reverse_the_first(kelifax: Kelifax, moderator: Somebody) -> None:
    slug = (await _resource(kelifax, "In Two Tabs", by=None)).resource_slug
    tab = await moderator.get(f"/kelifax/moderation?at={slug}")
    (reject,) = re.findall(rf'action="(/kelifax/moderation/{slug}/reject[^"]*)"', tab.shown)
    await kelifax.service.moderation.approve(MOD, slug)
    refused = await moderator.post(reject, {"reason": "Nobody needs knots.", "next": "/kelifax/moderation"})
    assert refused.status == 409
    assert "Somebody has changed this resource since you opened it." in refused.shown
    assert "Nobody needs knots." in refused.shown, "what was typed stays"
    assert (await kelifax.service.moderation.inspect(slug)).is_approved


async def test_an_undo_is_refused_if_something_happened_since(kelifax: Kelifax, moderator: Somebody) -> None:
    resource = await _resource(kelifax, "Edited Since")
    slug = resource.resource_slug
    await kelifax.service.moderation.edit(MOD, slug, ResourceEdit(tags=["since"]))
    answer = await moderator.post(f"/kelifax/moderation/{slug}/reopen?revision={resource.revision}")
    assert answer.location == f"/kelifax/moderation/{slug}"
    assert "Somebody has changed this resource since you opened it." in (await moderator.follow(answer)).shown
    assert (await kelifax.service.moderation.inspect(slug)).is_approved


async def test_a_report_that_was_closed_can_be_reopened(kelifax: Kelifax, moderator: Somebody) -> None:
    slug = (await _resource(kelifax, "Closed Early")).resource_slug
    await kelifax.service.reports.add(slug, "It quacks.", "somebody")
    (report,) = await kelifax.service.reports.open_of(slug)
    path = f"/kelifax/moderation/reports/{slug}/{report.entry_id}"
    page = await moderator.follow(await moderator.post(f"{path}/close", {"next": "/kelifax/moderation/reports"}))
    assert f'action="{path}/reopen"' in page.text
    again = await moderator.follow(await moderator.post(f"{path}/reopen"))
    assert _open(again) == "Closed Early"
    assert [each.reason for each in await kelifax.service.reports.open_of(slug)] == ["It quacks."]
    assert (await moderator.post(f"{path}/reopen")).status == 404
    await kelifax.service.reports.close(MOD, slug, report.entry_id)
    await kelifax.service.moderation.delete(MOD, slug)
    assert (await moderator.post(f"{path}/reopen")).status == 404


def _open(page: Answer) -> str:
    """The name of what is open at a desk."""
    (name,) = re.findall(r'<h2 id="open-title">([^<]*)</h2>', page.shown)
    return str(name)


async def test_the_desk_counts_by_one_read_whatever_else_is_counted(kelifax: Kelifax) -> None:
    await _resource(kelifax, "Counted", by=None)
    accounts = kelifax.kit.accounts
    ada = await accounts.registration.create("ada", "ada@example.org", "Ada", PASSWORD)
    await accounts.administration.set_roles(accounts.operator(), ada.user_id, [ADMIN])  # who sees the requests
    browser = kelifax.visitor()
    assert (await browser.post("/sign-in", {"identity": "ada", "password": PASSWORD})).status == 303
    page = (await browser.get("/kelifax/moderation")).text
    waiting = re.search(r'Pending <span class="count">(\d+)</span>', page)
    assert waiting is not None
    assert int(waiting[1]) == (await kelifax.service.analytics.overview()).by_status["pending"] > 0
    assert page.count("<td>CountIndex</td>") == 1


# ---- editing


async def test_an_edit_that_empties_all_places_to_learn_more_removes_them(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    resource = await _resource(kelifax, "Emptied")
    path = f"/kelifax/moderation/{resource.resource_slug}/edit"
    sent = filled((await moderator.get(path)).text, path)
    assert ("learningResources.0.title", "a|b") in sent
    answer = await moderator.post(path, [(name, "" if name.startswith("learn") else value) for name, value in sent])
    assert (answer.status, answer.location) == (303, f"/kelifax/moderation/{resource.resource_slug}")
    after = await kelifax.service.moderation.inspect(resource.resource_slug)
    assert after.learning_resources == ""
    assert (after.tags, after.key_features) == (resource.tags, resource.key_features)


async def test_a_fourth_and_fifth_place_to_learn_more_can_be_added_without_script(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    places = [{"title": f"Place {each}", "url": f"https://{each}.example.org", "type": "video"} for each in range(3)]
    resource = await _resource(kelifax, "Learned", details__learningResources=places)
    path = f"/kelifax/moderation/{resource.resource_slug}/edit"
    page = await moderator.get(path)
    for number in (3, 4):
        assert f'name="learningResources.{number}.title"' not in page.text
        page = await moderator.post(path, [*filled(page.text, path), ("more", "learningResources")])
        assert page.status == 200
        place = {"title": f"Place {number}", "url": f"https://{number}.example.org", "type": "course"}
        row = {f"learningResources.{number}.{name}": value for name, value in place.items()}
        page = await moderator.post(path, [*_with(filled(page.text, path), row), ("more", "keyFeatures")])
    assert 'value="learningResources" formnovalidate data-repeat-more hidden' in page.text, "there is room for five"
    assert (await moderator.post(path, _with(filled(page.text, path), {"tags": "one, two"}))).status == 303
    after = await kelifax.service.moderation.inspect(resource.resource_slug)
    assert [each.title for each in after.learning_list] == [f"Place {each}" for each in range(5)]


async def test_an_edit_that_leaves_out_what_is_needed_is_refused_beside_its_field(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    resource = await _resource(kelifax, "Needed")
    path = f"/kelifax/moderation/{resource.resource_slug}/edit"
    emptied = {"resourceName": "", "learningResources.0.url": ""}
    sent = _with(filled((await moderator.get(path)).text, path), emptied)
    answer = await moderator.post(path, sent)
    assert answer.status == 422
    assert 'id="f-resourceName-error"' in answer.text
    assert 'id="f-learningResources-0-url-error"' in answer.text
    assert filled(answer.text, path) == sent
    assert (await kelifax.service.moderation.inspect(resource.resource_slug)).resource_name == "Needed"


async def test_a_resource_that_came_without_features_is_edited_without_being_asked_for_them(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    """As one from a file; others cannot lose theirs."""
    short, whole = await _resource(kelifax, "Came Short"), await _resource(kelifax, "Came Whole")
    emptied = Update(short.own_key, Resource.key_features.set(""), Resource.use_cases.set(""))
    await kelifax.kit.store.write(emptied)
    path = f"/kelifax/moderation/{short.resource_slug}/edit"
    page = await moderator.get(path)
    assert "Three to ten" not in page.text
    sent = filled(page.text, path)
    refused = await moderator.post(path, _with(sent, {"keyFeatures": "Short"}))
    assert 'id="f-keyFeatures-0-error"' in refused.text
    assert (await moderator.post(path, _with(sent, {"resourceName": "Came Shorter"}))).status == 303
    after = await kelifax.service.moderation.inspect(short.resource_slug)
    assert (after.resource_name, after.key_features, after.use_cases) == ("Came Shorter", "", "")
    path = f"/kelifax/moderation/{whole.resource_slug}/edit"
    without = [pair for pair in filled((await moderator.get(path)).text, path) if pair[0] != "keyFeatures"]
    assert (await moderator.post(path, without)).status == 422


async def test_an_edit_to_an_address_that_is_taken_is_told_beside_its_field(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    other, resource = await _resource(kelifax, "First There"), await _resource(kelifax, "Second There")
    path = f"/kelifax/moderation/{resource.resource_slug}/edit"
    sent = _with(filled((await moderator.get(path)).text, path), {"resourceUrl": other.resource_url, "tags": "typed"})
    answer = await moderator.post(path, sent)
    assert answer.status == 409
    assert 'id="f-resourceUrl-error"' in answer.text
    assert "in the directory already, as first-there" in answer.shown
    assert filled(answer.text, path) == sent


async def test_whoever_edits_what_somebody_else_changed_meanwhile_is_told_and_keeps_what_was_typed(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    slug = (await _resource(kelifax, "Contested")).resource_slug
    path = f"/kelifax/moderation/{slug}/edit"
    sent = _with(filled((await moderator.get(path)).text, path), {"tags": "mine", "learningResources.0.title": "Mine"})
    theirs = await kelifax.service.moderation.edit(
        MOD, slug, ResourceEdit(usage_purpose="What somebody else has written.")
    )
    late = await moderator.post(path, sent)
    assert late.status == 409
    assert "Somebody else was faster" in late.shown
    assert re.search(r"Edited by mod, <time", late.shown)
    assert f'href="/kelifax/moderation/{slug}"' in late.text
    further = await moderator.post(
        path, [*_with(filled(late.text, path), {"keep:usagePurpose": "typed"}), ("go", "edit")]
    )
    again = filled(further.text, path)
    assert _without_digests(again) == _without_digests(_with(sent, {"revision": str(theirs.revision)}))
    assert (await kelifax.service.moderation.inspect(slug)).usage_purpose == theirs.usage_purpose
    wrong = await moderator.post(path, _with(again, {"resourceName": "x"}))
    assert wrong.status == 422
    assert ("revision", str(theirs.revision)) in filled(wrong.text, path), (
        "a mistake does not make it forget what was seen"
    )
    assert (await moderator.post(path, again)).status == 303
    after = await kelifax.service.moderation.inspect(slug)
    assert (after.tags, after.usage_purpose) == ("mine", dict(sent)["usagePurpose"])


def _without_digests(fields: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted(pair for pair in fields if pair[0] != "opened")


async def test_views_and_more_rows_do_not_make_an_edit_late(kelifax: Kelifax, moderator: Somebody) -> None:
    slug = (await _resource(kelifax, "Viewed")).resource_slug
    path = f"/kelifax/moderation/{slug}/edit"
    page = await moderator.get(path)
    await kelifax.service.views.count(slug)
    await kelifax.service.views.add_waiting()
    page = await moderator.post(path, [*filled(page.text, path), ("more", "keyFeatures")])
    assert (await moderator.post(path, _with(filled(page.text, path), {"tags": "seen"}))).status == 303


async def test_an_edit_of_what_was_deleted_meanwhile_is_answered_with_that(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    slug = (await _resource(kelifax, "Deleted Meanwhile")).resource_slug
    path = f"/kelifax/moderation/{slug}/edit"
    sent = filled((await moderator.get(path)).text, path)
    await kelifax.service.moderation.delete(MOD, slug)
    assert (await moderator.post(path, sent)).status == 404


async def test_a_row_that_cannot_be_read_takes_no_page_down(kelifax: Kelifax, moderator: Somebody) -> None:
    for status in ("approved", "pending"):
        row = original.resource(f"odd-{status}", status, category="gardening", approvedCategory="gardening")
        await original.write(kelifax.kit, {**row, "popularIn": "all", "featuredAs": "featured", "viewCount": 10**9})
    seen = kelifax.visitor()
    for address in (
        "/",
        "/kelifax",
        "/kelifax/resources",
        "/kelifax/resources?sort=popular",
    ):
        page = await seen.get(address)
        assert page.status == 200, address
        assert "odd-approved" not in page.text
    for address in ("/resources", "/resources?sort=popular"):
        assert (await seen.api("GET", address)).status == 200, address
    for address in ("/kelifax/moderation", "/kelifax/moderation?status=approved", "/kelifax/moderation/reports"):
        assert (await moderator.get(address)).status == 200, address


async def test_people_count_once_each_and_programs_never(kelifax: Kelifax, moderator: Somebody) -> None:
    slug = (await _resource(kelifax, "Visited Often")).resource_slug
    path = f"/kelifax/resources/{slug}"
    somebody = kelifax.visitor()
    browsers = [f"Mozilla/5.0 (X11; Linux x86_64; rv:{number}.0) Gecko/20100101 Firefox" for number in range(5)]
    for agent in [*browsers, *browsers]:
        assert (await somebody.get(path, user_agent=agent)).status == 200
    for agent in ("", "curl/8.0", "Mozilla/5.0 (compatible; Googlebot/2.1)", "Slackbot-LinkExpanding 1.0"):
        await somebody.get(path, user_agent=agent)
    await somebody.get(path, user_agent="Mozilla/5.0 Early", sec_purpose="prefetch;prerender")
    await somebody.ask("HEAD", path, headers={"user-agent": "Mozilla/5.0 Head"})
    await moderator.get(path, user_agent="Mozilla/5.0 Moderator")
    (built,) = kelifax.suite.systems
    assert built.finish is not None
    await built.finish()
    assert (await kelifax.service.resources.detail(slug)).view_count == 5


async def test_the_numbers_of_analytics_lead_to_what_is_behind_them(kelifax: Kelifax, moderator: Somebody) -> None:
    await _resource(kelifax, "Behind Numbers", submitter__companyEmail="ann@numbers.example")
    waiting = await _resource(kelifax, "Behind Too", by=None, submitter__companyEmail="bob@numbers.example")
    page = await moderator.get("/kelifax/analytics")
    assert 'href="/kelifax/analytics/resources?domain=numbers.example"' in page.text
    behind = await moderator.get("/kelifax/analytics/resources?domain=numbers.example")
    assert "Behind Numbers" in behind.shown
    assert "Behind Too" in behind.shown
    day = waiting.created_at[:10]
    for found in (f"domain=numbers.example&since={day}", f"category=development&since={day}", f"since={day}"):
        assert "Behind Too" in (await moderator.get(f"/kelifax/analytics/resources?{found}")).shown, found
    for empty in ("domain=numbers.example&since=2999-01-01", "domain=nobody.example", "since=2999-01-01"):
        assert "No resources" in (await moderator.get(f"/kelifax/analytics/resources?{empty}")).shown, empty
    assert (await kelifax.visitor().get("/kelifax/analytics/resources")).status == 303


async def test_lists_of_moderation_are_in_the_order_they_say_and_name_resources_by_their_names(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    desk = "/kelifax/moderation"
    for number, decides in enumerate((None, None, MOD, MOD)):
        await _resource(kelifax, f"Öld Örder {number}", by=decides)
    for slug in ("old-order-2", "old-order-3"):
        await kelifax.service.reports.add(slug, "It has moved.", "somewhere")
    pages = {
        f"{desk}/many": (0, 1),
        f"{desk}?status=approved": (3, 2),
        f"{desk}/reports": (3, 2),
    }
    for path, order in pages.items():
        main = (await moderator.get(path)).shown.partition("<main")[2]
        assert [int(each) for each in dict.fromkeys(re.findall(r"Öld Örder (\d)", main))] == [*order], path
    told = {path: (await moderator.get(path)).shown for path in (desk, f"{desk}?status=approved", f"{desk}/reports")}
    assert "What waits longest comes first." in told[desk]
    assert "The newest first." in told[f"{desk}?status=approved"]
    assert "the newest first." in told[f"{desk}/reports"]
    assert all("waits longest" not in text for path, text in told.items() if path != desk)
    assert ">old-order-3<" not in told[f"{desk}/reports"]
    assert "History of Öld Örder 3" in (await moderator.get(f"{desk}/old-order-3/history")).shown


async def test_a_bar_of_analytics_leads_to_what_was_submitted_on_its_days(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    ann = "ann@days.example"
    decided = await _resource(kelifax, "Of A Day", submitter__companyEmail=ann)
    await _resource(kelifax, "Of The Same Day", by=None, submitter__companyEmail=ann, resource__category="design")
    day = decided.created_at[:10]
    before = (datetime.fromisoformat(day) - timedelta(days=1)).date().isoformat()
    chart = (await moderator.get("/kelifax/analytics")).text
    leads = re.findall(r'href="(/kelifax/analytics/resources\?since=[^"]*)"', chart)
    of_day = next(each for each in map(unescape, leads) if f"since={day}" in each)
    shown = (await moderator.get(of_day)).shown
    assert "Of A Day" in shown
    assert "Of The Same Day" in shown
    weeks = re.findall(r"since=([\d-]+)&amp;until=([\d-]+)", (await moderator.get("/kelifax/analytics?days=364")).text)
    assert {datetime.fromisoformat(last) - datetime.fromisoformat(first) for first, last in weeks} == {timedelta(6)}
    assert max(last for _, last in weeks) >= day
    lists = "/kelifax/analytics/resources?"
    for asked in (f"since={before}&until={before}", f"domain=days.example&until={before}", f"until={before}"):
        assert "Of A Day" not in (await moderator.get(lists + asked)).shown, asked
    both = (await moderator.get(f"{lists}domain=days.example&category=design")).shown
    assert "Of The Same Day" in both
    assert "Of A Day" not in both
    for odd in ("until=9999-12-31", "since=x&until=2026-02-30", f"since={day}&until={before}"):
        assert (await moderator.get(lists + odd)).status == 200, odd


async def test_members_upvote_and_save_on_the_page_of_a_resource(kelifax: Kelifax) -> None:
    slug = (await _resource(kelifax, "Well Liked")).resource_slug
    path = f"/kelifax/resources/{slug}"
    assert re.search(r'href="/sign-in\?next=[^"]*well-liked">.*?Upvote', (await kelifax.visitor().get(path)).text)
    member = await _signed_in(kelifax, "liz")
    page = await member.get(path)
    page = await member.follow(await member.post(f"{path}/upvote", filled(page.text, f"{path}/upvote")))
    assert "Upvoted" in page.shown
    page = await member.follow(await member.post(f"{path}/saved", filled(page.text, f"{path}/saved")))
    assert "Well Liked" in (await member.get("/kelifax/saved")).shown
    page = await member.follow(await member.post(f"{path}/saved", filled(page.text, f"{path}/saved")))
    assert "Nothing saved yet" in (await member.get("/kelifax/saved")).shown
    page = await member.follow(await member.post(f"{path}/upvote", filled(page.text, f"{path}/upvote")))
    assert "Upvoted" not in page.shown


async def test_many_submissions_are_decided_on_together(kelifax: Kelifax, moderator: Somebody) -> None:
    waiting = [await _resource(kelifax, f"Of Many {number}", by=None) for number in range(4)]
    slugs = [each.resource_slug for each in waiting]
    many = "/kelifax/moderation/many"
    assert "Of Many 3" in (await moderator.get(many)).shown
    chosen = [("chosen", f"{slug}@1") for slug in slugs]
    await kelifax.service.moderation.edit(MOD, slugs[1], ResourceEdit(tags=["changed"]))
    page = await moderator.follow(await moderator.post(many, [*chosen[:2], ("decision", "approve")]))
    assert "1 approved. 1 still wait: they have changed, or their address is taken." in page.shown
    for missing in ([("decision", "reject"), ("reason", "No.")], [*chosen[2:], ("decision", "reject")]):
        refused = await moderator.post(many, missing)
        assert refused.status == 422
        assert 'id="f-chosen-error"' in refused.text or "Choose" in refused.shown
    rejected = [*chosen[2:], ("decision", "reject"), ("usual", "advertising"), ("reason", "Twice.")]
    await moderator.post(many, rejected)
    found = [await kelifax.service.moderation.inspect(slug) for slug in slugs]
    assert [each.resource_status for each in found] == ["approved", "pending", "rejected", "rejected"]
    assert found[2].rejection_reason.startswith("The text reads like advertising.")
    assert found[2].rejection_reason.endswith("Twice.")


async def test_in_the_log_stands_the_face_that_is_in_the_bar(kelifax: Kelifax) -> None:
    eve = await _signed_in(kelifax, "evelyn", "kelifax:admin")
    slug = (await _resource(kelifax, "Seen In The Log")).resource_slug
    assert (await eve.post(f"/kelifax/moderation/{slug}/feature", {"featured": "true"})).status == 303
    log = (await eve.get("/kelifax/moderation/log?by=evelyn")).text
    in_bar, *in_log = re.findall(r'<svg class="face round.*?</svg>', log)
    assert in_log == [in_bar]
    assert ">EL</text>" in in_bar


async def test_the_log_is_narrowed_to_decisions_of_a_kind_and_of_one_moderator(
    kelifax: Kelifax, moderator: Somebody
) -> None:
    slug = (await _resource(kelifax, "In The Log")).resource_slug
    await kelifax.service.moderation.feature(MOD, slug, featured=True)
    shown = (await moderator.get(f"/kelifax/moderation/log?action=feature&by={MOD.username}")).shown
    assert "In The Log" in shown
    assert set(re.findall(r'class="badge[^"]*">([^<]+)<', shown)) == {"Featured"}
    assert "Nobody has decided so." in (await moderator.get("/kelifax/moderation/log?by=nobody-here")).shown
