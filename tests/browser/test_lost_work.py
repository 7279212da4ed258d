"""What somebody typed is still there: after another form, the end of a session, somebody else's edit, and Back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Mode
from tests.browser.house import ADMIN, MANAGER, MEMBER, MODERATOR, PASSWORD, House
from tests.browser.sites import a_site
from tests.browser.window import Window, window

WORD = "Wortungetüm" * 27 + "end"
"""A word of 300 characters."""


def _loses_session(shown: Window) -> None:
    shown.page.context.clear_cookies(name="partita")


def test_what_was_typed_in_one_form_survives_saving_another(house: House) -> None:
    with a_site(house, "drafts") as path, window(house, MEMBER) as member:
        member.open(path)
        member.field("Your comment").fill("Half a comm")
        member.press("3 stars")
        member.told("Rating saved")
        expect(member.field("Your comment")).to_have_value("Half a comm")
        member.sees("What you typed before is here again")
        member.check()
        member.field("Your comment").fill("A whole comment")
        member.press("Post comment")
        member.sees("A whole comment")
        expect(member.field("Your comment")).to_have_value("")
        member.open(path)
        expect(member.field("Your comment")).to_have_value("")
        member.sees_not("What you typed before")


def test_a_draft_can_be_discarded_and_nobody_else_sees_it(house: House) -> None:
    with a_site(house, "discards") as path, window(house, MEMBER) as member:
        member.open(path)
        member.field("Your comment").fill("Never mind")
        member.open("/fus")
        member.open(path)
        member.press("Discard it")
        expect(member.field("Your comment")).to_have_value("")
        member.field("Your comment").fill("My secret draft")
        member.page.context.clear_cookies()
        member.page.context.add_cookies(house.keys[ADMIN]["cookies"])  # type: ignore[arg-type]
        member.open(path)
        expect(member.field("Your comment")).to_have_value("")
        member.page.wait_for_function("() => !JSON.stringify(sessionStorage).includes('secret')")


def test_signing_out_takes_what_was_typed_along_in_every_tab(house: House) -> None:
    kept = "JSON.stringify([{...sessionStorage}, {...localStorage}])"
    with a_site(house, "signs-out") as path, window(house) as first:
        first.page.route("**/sign-out", _without_clear_site_data)  # as a browser that does not know it
        _sign_in(first)
        first.open(path)
        first.field("Your comment").fill("My secret draft")
        second = first.page.context.new_page()
        second.goto(first.page.url)
        second.get_by_label("Your comment").fill("My other secret")
        viewer = second.evaluate("document.body.dataset.viewer")
        second.evaluate(f"localStorage.setItem('text:{viewer}:newsletter:N-1:intro', 'A secret section')")
        assert "secret" in first.page.evaluate(kept)
        first.page.evaluate("document.querySelector('form[action=\"/sign-out\"]').requestSubmit()")
        first.told("You are signed out.")
        assert "secret" not in first.page.evaluate(kept)
        second.reload()
        assert "secret" not in second.evaluate(kept)


def _without_clear_site_data(route: Route) -> None:
    answer = route.fetch(max_redirects=0)
    headers = {name: value for name, value in answer.headers.items() if name != "clear-site-data"}
    route.fulfill(response=answer, headers=headers)


def _sign_in(shown: Window) -> None:
    """A session of its own, so that ending it ends nobody else's."""
    shown.open("/sign-in")
    shown.fill(Email_or_username=MEMBER, Password=PASSWORD)
    with shown.leaving():
        shown.press("Sign in")


def test_a_preview_and_a_refusal_save_nothing_and_lose_nothing(house: House) -> None:
    with window(house, MANAGER) as manager:
        manager.open("/fus/sites/new")
        manager.fill(Address="https://preview.example", Title="Seen before")
        manager.page.evaluate("""() => {
            const form = document.querySelector('#site-form form');  // nothing is fetched here, so there is no button
            const look = Object.assign(document.createElement('button'), { name: 'go', value: 'preview' });
            look.formNoValidate = true;
            form.append(look);
            form.requestSubmit(look);
        }""")
        manager.sees("The page could not be read")
        manager.open("/fus")
        manager.open("/fus/sites/new")
        expect(manager.field("Title")).to_have_value("Seen before")
        manager.fill(Address="not an address")
        manager.page.evaluate("document.querySelector('#site-form form').noValidate = true")
        manager.press("Add to the catalog")
        manager.wrong("Address", "")
        manager.open("/fus")
        manager.open("/fus/sites/new")
        expect(manager.field("Address")).to_have_value("not an address")
        manager.press("Discard it")
        expect(manager.field("Title")).to_have_value("")


def test_each_step_of_a_longer_form_has_its_own_draft(house: House) -> None:
    with window(house) as visitor:
        visitor.open("/kelifax/submit")
        visitor.page.get_by_label("First name").fill("Grace")
        visitor.page.get_by_label("Last name").fill("Hopper")
        visitor.page.get_by_label("Email").fill("grace@compiler.example")
        visitor.press("Next")
        name = visitor.page.locator("[name='resource.resourceName']")
        name.fill("A compiler")
        visitor.open("/kelifax")
        visitor.open("/kelifax/submit")
        expect(visitor.page.get_by_label("Last name")).to_have_value("Hopper")
        visitor.press("Next")
        expect(name).to_have_value("A compiler")
        visitor.sees("What you typed before is here again")
        visitor.open("/kelifax")
        visitor.page.go_back()
        expect(name).to_have_value("A compiler")
        visitor.press("Back")
        expect(visitor.page.get_by_label("Last name")).to_have_value("Hopper")
        visitor.open("/kelifax")
        visitor.open("/kelifax/submit")
        expect(visitor.page.get_by_label("Last name")).to_have_value("Hopper")
        visitor.press("Next")
        expect(name).to_have_value("A compiler")


def test_the_drafts_of_all_steps_end_when_the_last_one_is_saved(house: House) -> None:
    with window(house) as visitor:
        visitor.open("/kelifax/submit")
        visitor.page.evaluate("""() => {
            const draft = (sent) => JSON.stringify({ fields: [["submitter.lastName", "Hopper"]], marks: [], sent });
            sessionStorage.setItem("draft:|/kelifax/submit|1|submitter.firstName", draft(false));
            sessionStorage.setItem("draft:|/kelifax/submit|3|details.keyFeatures", draft(true));
            sessionStorage.setItem("draft:|/fus/sites/new||url", draft(false));
        }""")
        visitor.open("/kelifax")
        kept = visitor.page.evaluate("Object.keys(sessionStorage).filter((each) => each.startsWith('draft:'))")
        assert kept == ["draft:|/fus/sites/new||url"]


def test_rows_that_were_added_come_back_too(house: House) -> None:
    with window(house, MODERATOR) as moderator:
        moderator.open("/kelifax/moderation?status=approved")
        with moderator.leaving():
            moderator.click(moderator.page.locator("#main .list h3 a").first)
        moderator.follow("Edit")
        moderator.at(re.compile("/edit$"))
        path = moderator.path
        group = moderator.page.locator("#f-keyFeatures")
        before = group.locator("input").count()
        group.get_by_role("button", name="Add another").click()
        group.locator("input").nth(before).fill("A feature that is not saved yet")
        moderator.open("/kelifax")
        moderator.open(path)
        expect(moderator.page.locator("#f-keyFeatures input").nth(before)).to_have_value(
            "A feature that is not saved yet"
        )
        moderator.press("Discard it")


def test_the_session_ends_while_somebody_types(house: House, mode: Mode) -> None:
    with a_site(house, f"session-{mode.number}") as path, mode.window(house, MEMBER) as member:
        member.open(path)
        member.field("Your comment").fill("Typed for a long time.")
        _loses_session(member)
        member.press("Post comment")
        expect(member.page).to_have_url(re.compile("/sign-in"))
        member.troubles = [each for each in member.troubles if not each.endswith("401 for xhr")]  # it leads here
        member.page.get_by_label("Email or username").fill(MEMBER)
        member.page.get_by_label("Password").fill(PASSWORD)
        member.press("Sign in")
        member.sees("You are signed in again", "not saved")
        expect(member.field("Your comment")).to_have_value("Typed for a long time.")
        member.check()
        with window(house) as visitor:
            visitor.open(path)
            visitor.sees_not("Typed for a long time.")
        member.press("Post comment")
        expect(member.field("Your comment")).to_have_value("")  # the text itself stood in the field before
        member.sees("Typed for a long time.")
        member.open(path)
        expect(member.field("Your comment")).to_have_value("")


def test_somebody_else_was_faster(house: House, mode: Mode) -> None:
    site = a_site(house, f"late-{mode.number}", description="Old words.", tags="maps")
    with site as path, mode.window(house, MANAGER) as one, mode.window(house, ADMIN) as other:
        for each in (one, other):
            each.open(f"{path}/edit")
        other.fill(Title="Their title", Description="Their words.")
        other.press("Save changes")
        other.told("Changes saved")
        one.fill(Description="My words.", Tags="maps, mine")
        one.press("Save changes")
        one.sees("Somebody else was faster", "Their words.", "My words.", "Their title")
        one.check()
        one.page.get_by_role("group", name="Description").get_by_label(re.compile("The stored version")).check()
        one.press("Save this")
        one.told("Changes saved")
        one.sees("Their title", "Their words.", "mine")
        one.follow("History")
        one.sees("Edited by malik-manager", "Edited by ada-admin")
        one.check()


def test_back_shows_what_is_true(house: House) -> None:
    with a_site(house, "before-back") as path, window(house, MANAGER) as manager:
        manager.open(path)
        manager.follow("Edit")
        manager.fill(Title="After back")
        manager.press("Save changes")
        manager.told("Changes saved")
        manager.page.go_back()
        expect(manager.field("Title")).to_have_value("After back")
        manager.page.go_back()
        manager.sees("After back")


def test_leaving_asks_only_if_something_would_be_lost(house: House) -> None:
    with window(house, ADMIN) as admin:
        admin.open("/fus/sites/new")
        admin.fill(Title="Kept as a draft")
        asks = "() => !dispatchEvent(new Event('beforeunload', { cancelable: true }))"
        assert not admin.page.evaluate(asks)
        admin.open("/fus/import")
        assert not admin.page.evaluate(asks)
        admin.page.locator("input[type=file]").set_input_files(
            {"name": "sites.csv", "mimeType": "text/csv", "buffer": b"url\nhttps://a.example\n"}
        )
        assert admin.page.evaluate(asks)
        admin.page.locator("input[type=file]").set_input_files([])
        admin.open("/fus/sites/new")
        admin.press("Discard it")


def test_a_button_shows_at_once_that_it_works_and_is_pressed_once(house: House) -> None:
    with a_site(house, "pressed-twice") as path, window(house, MEMBER) as member:
        member.open(path)
        member.field("Your comment").fill("Said once.")
        working = member.page.evaluate("""() => {
            const button = document.querySelector("#comments form [type=submit]");
            button.click(); button.click(); button.click();
            return button.dataset.working;
        }""")
        assert working == ""
        expect(member.page.locator("#comments .list li")).to_have_count(1)
        expect(member.page.locator(".toasts [role=status]")).to_contain_text("Comment posted")
        member.open(path)
        expect(member.page.locator("#comments .list li")).to_have_count(1)
        working = member.page.evaluate("""() => {
            const button = document.querySelector("#mine button[value='5']");
            button.click();
            return [button.dataset.working, button.form.getAttribute("aria-busy")];
        }""")
        assert working == ["", "true"]
        member.told("Rating saved")


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_a_message_is_in_sight_wherever_the_page_is_scrolled_to(house: House, script: bool) -> None:
    site = a_site(house, f"scrolled-{script}", description="Long words. " * 160)
    with site as path, window(house, MEMBER, script=script, narrow=True) as member:
        member.open(path)
        member.field("Your comment").fill("Far below.")
        member.press("Post comment")
        member.sees("Far below.")
        member.open(path)
        with member.leaving():
            member.click(member.page.locator("#comments").get_by_role("link", name="Edit", exact=True))
        member.field("Your comment").fill("Far below, edited.")
        member.press("Save comment")
        member.told("Comment saved")
        expect(member.page.locator(".flash")).to_be_in_viewport(ratio=1)
        expect(member.page.get_by_role("heading", name="1 comment")).to_be_in_viewport()


def test_long_words_do_not_push_pages_sideways(house: House) -> None:
    with house.program(ADMIN) as admin:
        said = {
            "submitter": {
                "firstName": "Ada",
                "lastName": "L" * 50,
                "companyEmail": "ada@engine.example",
                "company": WORD[:100],
            },
            "resource": {
                "resourceName": WORD[:100],
                "resourceUrl": f"https://long.example/{WORD[:250]}",
                "usagePurpose": WORD,
                "category": "learning",
                "tags": [WORD[:30]],
            },
            "details": {
                "keyFeatures": [WORD[:200]] * 3,
                "useCases": [WORD] * 2,
                "learningResources": [{"title": WORD[:100], "url": f"https://l.example/{WORD[:250]}", "type": "video"}],
            },
        }
        made = admin.post("/api/kelifax/resources", data=said)
        assert made.ok, made.text()
        submission = made.json()["submissionId"]
        slug = admin.get("/api/kelifax/moderation?limit=100").json()["items"][-1]["resourceSlug"]
        for decision in ("approve", "feature"):
            assert admin.post(f"/kelifax/moderation/{slug}/{decision}").ok
        assert admin.post(f"/kelifax/resources/{slug}/reports", form={"reason": WORD}).ok
        edit = {"usagePurpose": WORD[:-3] + "fin", "tags": [WORD[1:31]]}
        assert admin.patch(f"/api/kelifax/moderation/{slug}", data=edit).ok
        site = admin.post(
            "/api/fus/sites",
            data={
                "url": f"https://long.example/{WORD[:250]}",
                "title": WORD,
                "description": WORD,
                "tags": [WORD[:40]],
                "fetch": False,
            },
        ).json()["siteId"]
        assert admin.patch(f"/api/fus/sites/{site}", data={"title": WORD[3:], "tags": [WORD[1:41]]}).ok
        assert admin.post(f"/fus/sites/{site}/comments", form={"body": WORD}).ok
        assert admin.post(f"/fus/sites/{site}/rating", form={"stars": "3", "note": WORD}).ok
        group = "g" * 64
        assert admin.post("/fus/groups/~new", form={"name": group, "description": WORD}).ok
        assert admin.post("/account/tokens", form={"name": WORD[:60], "days": "9"}).ok
        letter = {"title": WORD[:200], "target_audience": ["farmers"], "frequency": "custom", "issue_label": WORD[:80]}
        assert admin.post("/api/newsletter/newsletters", data=letter).ok
    paths = [
        *("/", "/kelifax", "/kelifax/resources", f"/kelifax/resources/{slug}", f"/kelifax/submissions/{submission}"),
        *("/kelifax/moderation?status=approved", "/kelifax/moderation/reports", "/kelifax/moderation/log"),
        *(f"/kelifax/moderation/{slug}{more}" for more in ("", "/edit", "/history", "/delete")),
        *(
            "/fus",
            "/fus/tags",
            "/fus/me/ratings",
            "/fus/me/comments",
            "/fus/groups",
            "/fus/select",
            "/fus/copies",
            "/fus/ratings?stars=3",
            "/notifications",
            "/account/tokens",
            "/admin/jobs",
        ),
        *("/kelifax/tags", f"/kelifax/resources/{slug}/alternatives", "/kelifax/moderation/many", "/kelifax/analytics"),
        "/newsletter",
        *(f"/fus/sites/{site}{more}" for more in ("", "/edit", "/history", "/delete", "/rating/remove")),
        *(f"/fus/groups/{group}{more}" for more in ("", "/edit", "/log", "/delete")),
    ]
    with window(house, ADMIN, narrow=True) as admin_window:
        wide = {}
        for path in paths:
            assert admin_window.open(path).status == 200, path
            if overhang := admin_window.overhang():
                wide[path] = overhang[-3:]
        assert not wide, "\n".join(f"{path}: {each}" for path, each in wide.items())
