"""Filling in the second step from the page of a resource: a proposal, read from a real server."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from partita.apps.kelifax.inputs import PageAddress, Submission
from partita.apps.kelifax.schema import RESOURCES
from partita.apps.kelifax.service.filling import FILLING, MOST_NAME, MOST_PURPOSE, proposed_texts
from partita.kit.fetcher import Fetched
from tests.apps.house import kit_on
from tests.apps.kelifax.served import Kelifax, Somebody, serve
from tests.kit.fetcher.sites import answer, serving, visitor
from tests.web.filled import filled

pytestmark = pytest.mark.anyio
SUBMIT = "/kelifax/submit"
PAGE = b"<title>Loom | Patterns for all</title><meta name=description content='Weaves patterns of cards into cloth.'>"
ICON = b"<link rel=icon sizes=96x96 href=/icon.png>"


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def kelifax(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Kelifax]:
    with kit_on(tmp_path_factory.mktemp("filling"), RESOURCES) as kit:
        fetcher = visitor()
        yield serve(replace(kit, fetcher=fetcher, settings=kit.settings.model_copy(update={"fetch": True})))
        fetcher.close()


def _icon() -> bytes:
    file = BytesIO()
    Image.new("RGB", (96, 96), "teal").save(file, "PNG")
    return answer(file.getvalue(), headers={"Content-Type": "image/png"})


async def _asked(somebody: Somebody, url: str, **typed: str) -> str:
    """The second step after the button that fills it in was pressed."""
    fields = {"at": "2", "go": "fill", "resource.resourceUrl": url, "submitter.firstName": "Ada"}
    named = {f"resource.{name}": text for name, text in typed.items()}
    page = await somebody.post(SUBMIT, [*{**fields, **named}.items()])
    return page.text


async def test_a_page_fills_in_what_is_empty_and_leaves_what_was_typed(
    kelifax: Kelifax, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("partita.kit.icons._SECONDS", 60.0)
    async with serving({"/": answer(PAGE + ICON), "/icon.png": _icon()}) as site:
        page = await _asked(kelifax.visitor(), f"{site.url}/", usagePurpose="My own words about it.")
    form = dict(filled(page, SUBMIT))
    assert form["resource.resourceName"] == "Loom"
    assert form["resource.usagePurpose"] == "My own words about it."
    assert form["submitter.firstName"] == "Ada"
    logo = form["resource.logoImage"]
    assert f"kelifax/logos/{logo}" in page, "the logo is shown before it is sent"
    assert "From the page: name and logo." in page


async def test_programs_get_the_same_proposal(kelifax: Kelifax) -> None:
    async with serving({"/": answer(PAGE), "/favicon.ico": answer(status=404)}) as site:
        said = (await kelifax.visitor().api("POST", "/proposals", {"resourceUrl": site.url})).json
    assert (said["resourceName"], said["usagePurpose"]) == ("Loom", "Weaves patterns of cards into cloth.")
    assert said["logoImage"] == ""


async def test_an_uploaded_logo_can_be_left_out_again(kelifax: Kelifax) -> None:
    sent = [("at", "2"), ("go", "fill"), ("resource.logoImage", f"{'a' * 26}.png"), ("withoutLogo", "true")]
    page = (await kelifax.visitor().post(SUBMIT, sent)).text
    assert not dict(filled(page, SUBMIT)).get("resource.logoImage")


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("", "Please fill this in."),
        ("ftp://site.example", "http"),
        ("http://router.local/", "only inside a network"),
        ("{site}/gone", "site.example answers 404"),
        ("{site}/picture", "only pages of text/html are read"),
    ],
)
async def test_what_cannot_be_read_is_told_beside_the_address(kelifax: Kelifax, url: str, says: str) -> None:
    answers = {"/gone": answer(status=404), "/picture": answer(headers={"Content-Type": "image/png"})}
    async with serving(answers) as site:
        page = await _asked(kelifax.visitor(), url.format(site=site.url), resourceName="Mine")
    error = re.search(r'id="[^"]*resourceUrl-error".*?</span></span>', page, re.DOTALL)
    assert error is not None
    assert says in error[0]
    assert dict(filled(page, SUBMIT))["resource.resourceName"] == "Mine"


async def test_whoever_asks_too_often_can_fill_in_the_form_alone(kelifax: Kelifax) -> None:
    somebody = kelifax.visitor()
    for _ in range(FILLING.most):
        await kelifax.kit.limits.check(FILLING, somebody.address)
    page = await _asked(somebody, "https://loom.example.org")
    assert "Too many attempts." in page
    assert "You can fill in the fields yourself." in page


@settings(max_examples=30)
@given(st.text(max_size=150), st.text(max_size=600))
def test_whatever_a_page_says_fits_into_the_form(title: str, description: str) -> None:
    name, purpose = proposed_texts(Fetched("https://a.example", title, description, ""))
    assert len(name) <= MOST_NAME
    assert len(purpose) <= MOST_PURPOSE
    assert name == name.strip()
    assert not set(name + purpose) & {"\n", "\r", "\0"}


@pytest.mark.parametrize(
    ("title", "name"),
    [("Vite | Next generation", "Vite"), ("C: a language", "C: a language"), ("MDN Web Docs", "MDN Web Docs")],
)
def test_the_name_is_what_stands_before_the_slogan(title: str, name: str) -> None:
    assert proposed_texts(Fetched("https://a.example", title, "", ""))[0] == name


def test_the_address_of_a_proposal_is_that_of_a_submission() -> None:
    of_submission = Submission.model_fields["resource"].annotation
    assert of_submission is not None
    assert PageAddress.model_fields["resource_url"].metadata == of_submission.model_fields["resource_url"].metadata
