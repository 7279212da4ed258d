"""What Kelifax has beside its document, as people use it; `make browser` tells these stories."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import Browser, expect

from partita.apps.kelifax.inputs import ResourceEdit
from partita.apps.kelifax.schema import Resource
from partita.apps.kelifax.service import KelifaxService
from partita.kit.links import Link
from tests.apps.kelifax.conftest import MOD, approved, submission
from tests.browser.conftest import Mode
from tests.browser.house import ADMIN, EVERYTHING, MEMBER, MODERATOR
from tests.browser.small_house import SmallHouse, small_house
from tests.browser.window import Window
from tests.kit.fetcher.sites import answer

pytestmark = pytest.mark.skipif(not EVERYTHING, reason="make browser tells these stories")


@pytest.fixture(scope="module")
def directory(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallHouse]:
    with small_house(chromium, tmp_path_factory.mktemp("directory")) as house:
        yield house


def test_what_is_upvoted_is_popular_this_month_and_says_so_on_its_badge(directory: SmallHouse, mode: Mode) -> None:
    name = f"Liked Loom {mode.number}"
    resource = directory.run(approved(directory.kelifax, name))
    path = f"/kelifax/resources/{resource.resource_slug}"
    with mode.window(directory, MEMBER) as member, mode.window(directory) as visitor:
        visitor.open("/kelifax")
        popular = visitor.page.locator("section[aria-labelledby=popular]")
        expect(popular.get_by_role("link", name=name)).to_have_count(0)
        visitor.open(path)
        visitor.follow(re.compile("^Upvote"))
        visitor.at(re.compile(r"/sign-in\?next="))
        member.open(path)
        member.press(re.compile("^Upvote"))
        member.sees("Upvoted")
        member.press("Save")
        member.told("Saved.")
        member.navigate("Saved")
        member.sees(name)
        member.check()
        visitor.open("/kelifax")
        expect(popular.get_by_role("link", name=name)).to_have_count(1)
        visitor.check()
        visitor.open(path)
        visitor.click(visitor.page.locator("summary").filter(has_text="Badge for your site"))
        snippet = visitor.text(".secret code")
        assert f"{path}/badge.svg" in snippet
        expect(visitor.page.get_by_alt_text(f"The badge of {name}")).to_have_js_property("naturalHeight", 28)
        drawn = visitor.page.request.get(f"{directory.url}{path}/badge.svg")
        assert "1 upvote" in drawn.text()
        if mode.script:
            visitor.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
            visitor.press("Copy")
            visitor.page.wait_for_function(
                "text => navigator.clipboard.readText().then(copied => copied === text)", arg=snippet
            )
        else:
            expect(visitor.page.get_by_role("button", name="Copy")).to_have_count(0)
        visitor.check()


def test_a_page_fills_in_the_second_step_and_a_page_that_is_gone_is_told(directory: SmallHouse, mode: Mode) -> None:
    at = f"/loom-{mode.number}"
    directory.answers[at] = answer(
        b"<title>Loom | Patterns for all</title><link rel=icon sizes=96x96 href=/icon.png>"
        b"<meta name=description content='Weaves patterns of cards into cloth.'>"
    )
    directory.answers["/icon.png"] = answer(_picture(), headers={"Content-Type": "image/png"})
    directory.answers["/gone"] = answer(b"", status=404)
    with mode.window(directory) as visitor:
        visitor.open("/kelifax/submit")
        visitor.fill(First_name="Ada", Last_name="Lovelace", Email="ada@engine.example")
        visitor.press("Next")
        visitor.fill(Address=f"{directory.site}/gone", Name="My own name")
        visitor.press("Fill in from the page")
        visitor.wrong("Address", "404")
        visitor.troubles.clear()  # a form that is refused by its script
        expect(visitor.field("Name")).to_have_value("My own name")
        visitor.check()
        visitor.fill(Address=f"{directory.site}{at}")
        visitor.press("Fill in from the page")
        visitor.sees("From the page: purpose and logo.")
        expect(visitor.field("Purpose")).to_have_value("Weaves patterns of cards into cloth.")
        expect(visitor.field("Name")).to_have_value("My own name")
        visitor.check()
        visitor.field("Category").select_option("learning")
        visitor.field("Licence").select_option("open-source")
        visitor.field("Price").select_option("free")
        visitor.press("Next")
        expect(visitor.field("Key features 1")).to_be_visible()
        visitor.press("Back")
        expect(visitor.field("Licence")).to_have_value("open-source")
        expect(visitor.field("Price")).to_have_value("free")


def test_a_submitter_who_edits_while_a_moderator_does_chooses_between_both(directory: SmallHouse, mode: Mode) -> None:
    name, service = f"Shared Loom {mode.number}", directory.kelifax
    sent = submission(name, f"https://shared-{mode.number}.example.org")
    resource = directory.run(service.submissions.submit(sent, name))
    link = f"/kelifax/submissions/{resource.submission_id}"
    with mode.window(directory) as visitor:
        visitor.open(f"{link}/edit")
        theirs = ResourceEdit(usage_purpose="What a moderator has written.", tags=["theirs"])
        directory.run(service.moderation.edit(MOD, resource.resource_slug, theirs))
        visitor.fill(Tags="mine")
        visitor.press("Next")
        visitor.press("Submit for review")
        visitor.sees("Somebody else was faster", "Edited by a moderator", "What a moderator has written.", "mine")
        visitor.troubles.clear()  # the answer says 409
        visitor.check()
        visitor.press("Edit further")
        expect(visitor.field("Purpose")).to_have_value("What a moderator has written.")
        expect(visitor.field("Tags")).to_have_value("mine")
        visitor.press("Next")
        visitor.press("Submit for review")
        visitor.at(link)
    after = directory.run(service.moderation.inspect(resource.resource_slug))
    assert (after.usage_purpose, after.tag_list) == ("What a moderator has written.", ("mine",))


def test_resources_are_found_by_tag_licence_and_price_and_have_alternatives(directory: SmallHouse, mode: Mode) -> None:
    tag, names = f"cloth-{mode.number}", [f"{kind} Cloth {mode.number}" for kind in ("Free", "Paid")]
    for name, pricing in zip(names, ("free", "paid"), strict=True):
        said = {"tags": [tag], "licence": "open-source", "pricing": pricing}
        directory.run(approved(directory.kelifax, name, **{f"resource__{each}": value for each, value in said.items()}))
    with mode.window(directory) as visitor:
        listed = visitor.page.locator("#main .list h3")
        visitor.until("/kelifax/tags", lambda: visitor.page.get_by_role("link", name=re.compile(f"^{tag}")).count() > 0)
        visitor.check()
        visitor.follow(re.compile(f"^{tag}"))
        visitor.sees(f"Resources tagged {tag}")
        expect(listed).to_have_count(2)
        _filter(visitor, "Price", "Paid")
        expect(listed).to_have_text([names[1]])
        _filter(visitor, "Licence", "Open source")
        visitor.sees("Open source")
        visitor.check()
        visitor.click(visitor.page.locator(".chosen").get_by_role("link", name=re.compile("^Paid")))
        expect(listed).to_have_count(2)
        visitor.follow(names[0])
        visitor.sees("Open source", "Free", "Similar resources")
        visitor.follow("All alternatives")
        visitor.sees(f"Alternatives to {names[0]}")
        expect(listed).to_have_text([names[1]])
        visitor.check()


def test_a_list_is_tried_imported_decided_on_together_and_told_in_the_log(directory: SmallHouse, mode: Mode) -> None:
    first, second, third = (f"{word} Import {mode.number}" for word in ("First", "Second", "Third"))
    directory.run(approved(directory.kelifax, third))
    rows = [(name, f"https://{name.replace(' ', '')}.example.org") for name in (first, second, third)]
    listed = "\n".join(f"- [{name}]({url}) - Is here to be imported by a story." for name, url in rows)
    file = f"# Learning\n{listed}\n- [Bad](ftp://bad.example) - Has an address that nobody can follow.\n"
    with mode.window(directory, ADMIN) as admin:
        admin.open("/kelifax")
        admin.navigate("Import")
        admin.field("File").set_input_files(
            files=[{"name": "list.md", "mimeType": "text/markdown", "buffer": file.encode()}]
        )
        admin.check()
        admin.press("Try it first")
        admin.sees("Nothing was changed yet.", "Bad")
        admin.follow(re.compile("^Already there"))
        admin.sees(third)
        admin.follow(re.compile("^Would be added"))
        admin.sees(first, second)
        admin.check()
        admin.press("Import 2 resources")
        admin.follow(re.compile("^Added"))
        admin.sees(first, second)
        admin.check()
    with mode.window(directory, MODERATOR) as moderator:
        moderator.open("/kelifax/moderation")
        moderator.follow("Decide on many at once")
        moderator.page.get_by_role("checkbox", name=first).check()
        moderator.check()
        moderator.press("Approve the ticked ones")
        moderator.told("1 approved")
        if moderator.page.get_by_role("checkbox", name=second).count() == 0:
            moderator.open("/kelifax/moderation/many")
        moderator.page.get_by_role("checkbox", name=second).check()
        moderator.press("Reject the ticked ones")
        moderator.sees("Choose a reason, or write one")
        expect(moderator.page.get_by_role("checkbox", name=second)).to_be_checked()
        moderator.field("Reason to reject").fill("It says too little.")
        moderator.press("Reject the ticked ones")
        moderator.told("1 rejected")
        moderator.navigate("Log")
        moderator.field("Decision").select_option("reject")
        moderator.fill(By=MODERATOR)
        with moderator.leaving():
            moderator.press("Show")
        moderator.sees(second, "It says too little.")
        moderator.sees_not(first)
        moderator.check()


def test_a_link_that_failed_for_three_nights_is_told_until_it_works(directory: SmallHouse, mode: Mode) -> None:
    at, name = f"/fails-{mode.number}", f"Lost Page {mode.number}"
    directory.answers[at] = answer(b"", status=404)
    resource = directory.run(approved(directory.kelifax, name, resource__resourceUrl=f"{directory.site}{at}"))
    _nights(directory, resource, 3)
    with mode.window(directory, MODERATOR) as moderator, mode.window(directory) as visitor:
        visitor.open(f"/kelifax/resources/{resource.resource_slug}")
        visitor.sees("Broken link", "The site has not answered since")
        visitor.check()
        moderator.open("/kelifax/moderation")
        moderator.follow("Broken links")
        moderator.sees(name, "404")
        moderator.check()
        directory.answers[at] = answer()
        _nights(directory, resource, 1)
        visitor.open(visitor.path)
        visitor.sees_not("Broken link")
        moderator.open("/kelifax/moderation/broken")
        moderator.sees_not(name)


def _nights(directory: SmallHouse, resource: Resource, nights: int) -> None:
    link = Link(resource.resource_slug, resource.resource_url)
    directory.ask_on_nights(lambda kit: KelifaxService(kit).links, link, nights)


def test_several_tags_narrow_a_list_and_the_most_viewed_with_a_tag_come_first(
    directory: SmallHouse, mode: Mode
) -> None:
    tag, second = f"yarn-{mode.number}", f"wool-{mode.number}"
    names = [f"Yarn {number} of {mode.number}" for number in range(5)]
    for number, name in enumerate(names):
        made = directory.run(approved(directory.kelifax, name, resource__tags=[tag, second] if number == 1 else [tag]))
        directory.run(directory.kelifax.views.count(made.resource_slug, 50 if number == 2 else 1))
    directory.run(directory.kelifax.views.add_waiting())
    with mode.window(directory) as visitor:
        popular = visitor.page.locator("section[aria-labelledby=popular] a")
        visitor.until(
            f"/kelifax/resources?tag={tag}", lambda: popular.count() > 0 and popular.first.inner_text() == names[2]
        )
        visitor.sees(f"Most viewed resources tagged {tag}")
        visitor.check()
        listed = visitor.page.locator("#main .list h3")
        expect(listed).to_have_count(5)
        _filter(visitor, "Tags", second)
        visitor.sees(f"Resources tagged {tag} and {second}")
        expect(listed).to_have_text([names[1]])
        visitor.check()
        visitor.click(visitor.page.locator(".chosen").get_by_role("link", name=re.compile(f"^{second}")))
        expect(listed).to_have_count(5)


def test_the_directory_is_downloaded_and_its_numbers_lead_to_what_is_behind_them(
    directory: SmallHouse, mode: Mode
) -> None:
    name, domain = f"Counted Loom {mode.number}", f"looms-{mode.number}.example"
    directory.run(approved(directory.kelifax, name, submitter__companyEmail=f"ada@{domain}"))
    with mode.window(directory, ADMIN) as admin:
        admin.open("/kelifax/moderation/import")
        admin.follow("Export")
        admin.sees("Nothing about submitters is part of it.")
        admin.check()
        for format in ("CSV", "JSON", "Markdown"):
            with admin.page.expect_download() as download:
                admin.click(admin.page.get_by_role("link", name=f"Download {format}"))
            saved = download.value.path().read_text()
            assert name in saved, format
            assert domain not in saved, format
        admin.navigate("Analytics")
        admin.check()
        admin.follow(domain)
        admin.sees(name, domain)
        admin.check()
        admin.open("/kelifax/analytics")
        numbers = admin.page.locator("figure", has_text="Submissions per day").locator("details")
        admin.click(numbers.locator("summary"))
        with admin.leaving():
            admin.click(numbers.get_by_role("link").last)
        admin.sees("Submissions", name)
        admin.check()


def _filter(visitor: Window, facet: str, value: str) -> None:
    if visitor.narrow:
        visitor.click(visitor.page.locator(".drawer > summary"))
    shown = visitor.page.get_by_role("region", name=facet)
    with visitor.leaving():
        visitor.click(shown.get_by_role("link", name=re.compile(f"^{value}")))


def _picture() -> bytes:
    data = BytesIO()
    Image.new("RGB", (96, 96), "teal").save(data, "PNG")
    return data.getvalue()
