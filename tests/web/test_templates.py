"""What templates may use, and what they may not."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar
from urllib.parse import urlencode

import pytest
from fastapi import Query, Request
from fastapi.routing import APIRoute
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.faces import initials
from partita.kit.search.results import FacetValue
from partita.web import templates
from partita.web.assets import Assets
from partita.web.templates import (
    ago,
    as_html_code,
    by_day,
    clock,
    day,
    environment,
    facet_links,
    host,
    in_bytes,
    moment,
    plural,
    query,
    row_numbers,
    words,
)
from tests.web.visitor import Visitor

SOURCE = Path(templates.__file__).parents[1]
EVERY_TEMPLATE = sorted(SOURCE.glob("**/templates/**/*.html"))
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize("file", EVERY_TEMPLATE, ids=lambda file: str(file.relative_to(SOURCE)))
def test_no_template_needs_more_than_the_policy_allows(file: Path) -> None:
    text = file.read_text()
    assert not re.search(r"\sstyle\s*=", text), "no inline styles: the policy forbids them"
    assert not re.search(r"\son[a-z]+\s*=", text), "no inline handlers"
    assert not re.search(r"<script(?![^>]*\ssrc=)", text), "no inline scripts"
    assert not re.search(r"<(?!a\b)\w+[^>]*\s(?:src|href)=[\"']?(?:https?:)?//", text), "nothing from other sites"
    assert "|safe" not in text.replace(" ", ""), "whatever is safe is Markup already"


@pytest.mark.parametrize("file", sorted(SOURCE.glob("**/static/*.css")), ids=lambda file: str(file.relative_to(SOURCE)))
def test_a_sign_between_things_stands_behind_them_so_that_no_line_begins_with_it(file: Path) -> None:
    assert re.findall(r'::before\s*{[^}]*content:\s*"\s*[·•|,]', file.read_text()) == []


def test_a_browser_refuses_no_address_that_has_no_https() -> None:
    """`Url` completes `example.org`; a field of type url would not let it through."""
    typed = re.compile(r"""\btype\s*=\s*["']url["']""")
    assert [str(file.relative_to(SOURCE)) for file in EVERY_TEMPLATE if typed.search(file.read_text())] == []


def test_a_browser_gives_back_what_was_typed_in_a_field_with_suggestions_when_somebody_goes_back() -> None:
    """With `autocomplete="off"` it would not. Other fields may need that, such as the name of somebody else."""
    fields = re.compile(r"forms\.field\([^\n]*\blist=[^\n]*")
    found = [(file, field) for file in EVERY_TEMPLATE for field in fields.findall(file.read_text())]
    assert len(found) > 3
    assert [str(file.relative_to(SOURCE)) for file, field in found if "autocomplete" in field] == []


@pytest.mark.parametrize("file", EVERY_TEMPLATE, ids=lambda file: str(file.relative_to(SOURCE)))
def test_every_template_can_be_compiled(file: Path) -> None:
    environment(Assets(packages=()), SOURCE.glob("apps/*/templates")).parse(file.read_text())


@pytest.mark.parametrize("file", EVERY_TEMPLATE, ids=lambda file: str(file.relative_to(SOURCE)))
def test_every_icon_that_is_named_is_in_the_sprite(file: Path) -> None:
    known = set(re.findall(r'symbol id="([\w-]+)"', (SOURCE / "web/static/icons.svg").read_text()))
    named = set(re.findall(r'icon\("([\w-]+)"', file.read_text()))
    assert named <= known


def test_what_people_write_is_escaped() -> None:
    made = environment(Assets(packages=()), ()).from_string('{{ text }} <a title="{{ text }}">')
    assert made.render(text='<b>"x"') == '&lt;b&gt;&#34;x&#34; <a title="&lt;b&gt;&#34;x&#34;">'


@pytest.mark.parametrize(
    ("at", "shown"),
    [
        ("2026-03-01T11:59:31Z", "just now"),
        ("2026-03-01T11:59:00.123456Z", "just now"),
        ("2026-03-01T11:58:59Z", "1 minute ago"),
        ("2026-03-01T09:00:00Z", "3 hours ago"),
        ("2026-02-27T11:00:00+00:00", "2 days ago"),
        ("2026-01-26T10:30:00Z", "26 Jan 2026"),
        ("2026-03-02T12:00:00Z", "2 Mar 2026"),
    ],
)
def test_a_time_is_told_as_people_do(at: str, shown: str) -> None:
    assert re.sub(r"<[^>]*>", "", ago(at, NOW)) == shown


def test_a_time_says_exactly_when_to_machines() -> None:
    assert 'datetime="2026-01-26T10:30:00+00:00"' in moment("2026-01-26T11:30:00+01:00")
    assert "26 Jan 2026, 10:30 UTC" in moment("2026-01-26T11:30:00+01:00")
    assert day("") == moment(None) == ago("") == "–"


def test_what_happened_is_grouped_by_days_in_its_order() -> None:
    times = ("2026-03-01T09:00:00Z", "2026-03-01T00:30:00+01:00", "2026-02-28T01:00:00Z", "2026-01-26T10:30:00Z")
    entries = [SimpleNamespace(at=at) for at in times]
    days = by_day(entries, "at", NOW.date())
    assert [re.sub(r"<[^>]*>", "", name) for name, _ in days] == ["Today", "Yesterday", "Mon 26 Jan 2026"]
    assert [entry for _, those in days for entry in those] == entries
    assert [len(those) for _, those in days] == [1, 2, 1]
    assert ">23:30</time>" in clock(times[1])


@pytest.mark.parametrize(
    ("url", "shown"),
    [("https://www.example.org/a?b", "example.org"), ("nothing", "nothing"), ("http://[bad", "http://[bad")],
)
def test_a_host_is_what_people_know_a_site_by(url: str, shown: str) -> None:
    assert host(url) == shown


def test_words_for_numbers_names_and_fields() -> None:
    assert [plural(0, "entry", "entries"), plural(1, "comment"), plural(1204, "comment")] == [
        "0 entries",
        "1 comment",
        "1,204 comments",
    ]
    assert [in_bytes(1), in_bytes(600_000), in_bytes(2_500_000)] == ["1 byte", "600.0 KB", "2.5 MB"]
    assert [initials("Ada Lovelace"), initials("grace"), initials("Ana de Sá"), initials("…")] == ["AL", "G", "AS", "?"]
    assert [words("submitter.firstName"), words("links.0.url"), words("user_id")] == [
        "Submitter first name",
        "Links 1 url",
        "User id",
    ]
    assert as_html_code("send `a<b` now") == "send <code>a&lt;b</code> now"


def test_rows_of_a_list_are_those_that_were_typed_and_as_many_as_asked_for() -> None:
    class Form:
        values: ClassVar = {"links.0.title": "a", "links.2.url": "b", "linksx.9.url": "", "links.y": ""}

    assert row_numbers(Form, "links") == [0, 1, 2]
    assert row_numbers(Form, "links", least=5) == [0, 1, 2, 3, 4]
    assert row_numbers(Form, "links", most=2) == [0, 1]
    assert row_numbers(Form, "others") == [0]


@pytest.mark.anyio
async def test_every_component_can_be_shown(visitor: Visitor) -> None:
    page = await visitor.get("/_styleguide?cursor=abc&back=first&tag=x")
    assert page.status == 200
    assert len(page.body) < 100_000


@pytest.mark.anyio
async def test_the_pager_keeps_the_filters_and_knows_three_pages_back(visitor: Visitor) -> None:
    page = await visitor.get("/_styleguide?cursor=e&back=b&back=c&back=d&tag=x&tag=y&empty=")
    assert re.findall(r'href="([^"]+)" rel="(\w+)"', page.shown) == [
        ("/_styleguide?tag=x&tag=y", "first"),
        ("/_styleguide?tag=x&tag=y&cursor=d&back=b&back=c", "prev"),
        ("/_styleguide?tag=x&tag=y&cursor=abc&back=c&back=d&back=e", "next"),
    ]
    second = await visitor.get("/_styleguide?cursor=b")
    assert re.findall(r'href="([^"]+)" rel="(\w+)"', second.shown) == [
        ("/_styleguide", "first"),
        ("/_styleguide?cursor=abc&back=b", "next"),
    ]
    first = await visitor.get("/_styleguide")
    assert re.findall(r'rel="(\w+)"', first.text) == ["stylesheet", "next"] or 'rel="prev"' not in first.text


@pytest.mark.anyio
async def test_a_form_shows_what_was_typed_with_what_is_wrong_beside_it(visitor: Visitor) -> None:
    page = (await visitor.get("/_styleguide")).text
    name = re.search(r'<input[^>]*name="name"[^>]*>', page)
    assert name is not None
    assert 'value="Da"' in name[0]
    assert 'aria-describedby="f-name-error" aria-invalid="true"' in name[0]
    assert 'id="f-name-error"' in page
    assert re.search(r'<a href="#f-name">Name</a>: At least 3 characters; this has 2\.', page)
    assert page.count('name="features"') == 3


def _asked(path: str, sent: bytes, route: Callable[..., Any]) -> Request:
    """A request to a page with a route of its own."""
    request = Request({"type": "http", "path": path, "query_string": sent, "headers": [(b"host", b"localhost")]})
    request.scope["route"] = APIRoute(path, route)
    return request


def test_links_leave_out_parameters_that_the_page_does_not_know() -> None:
    sent = b"q=a+b&tag=1&tag=2&utm_source=mail&cursor=c&back=d"

    async def listed(q: str = "", tag: Annotated[list[str], Query()] = [], cursor: str = "") -> None:  # noqa: B006
        """A route with parameters of its own."""

    context: Any = {"request": _asked("/x", sent, listed)}
    assert query(context, cursor=None, back=None) == "/x?q=a+b&tag=1&tag=2"
    assert query(context, cursor=None, back=None, tag=["ü", "2"]) == "/x?q=a+b&tag=%C3%BC&tag=2"
    assert query(context) == "/x?q=a+b&tag=1&tag=2&cursor=c&back=d"
    assert query(context, q=None, tag=None, cursor=None, back=None) == "/x"


_NAMES = st.sampled_from(["q", "tag", "sort", "cursor", "back", "utm_source"])


@given(
    st.lists(st.tuples(_NAMES, st.text(max_size=3))), st.lists(st.text(min_size=1, max_size=3), unique=True), st.data()
)
def test_links_of_a_filter_are_those_that_a_page_makes_one_by_one(
    sent: list[tuple[str, str]], values: list[str], data: st.DataObject
) -> None:
    async def listed(q: str = "", tag: Annotated[list[str], Query()] = [], sort: str = "") -> None:  # noqa: B006
        """A route with parameters of its own."""

    context: Any = {"request": _asked("/x", urlencode(sent).encode(), listed)}
    facet = [FacetValue(each, 1, data.draw(st.booleans())) for each in values]
    on = [each.value for each in facet if each.chosen]
    for many in (True, False):
        for each, link in facet_links(context, "tag", facet, many):
            others = [value for value in on if value != each.value] if many else []
            wanted = others if each.chosen else [*others, each.value]
            assert link == query(context, cursor=None, back=None, tag=wanted)
