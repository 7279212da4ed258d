"""The catalog as a file: what goes out comes in again, and nothing in a file can do harm."""

from __future__ import annotations

import asyncio
import csv
import io
import time
from pathlib import Path

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from partita.apps.fus.inputs import NewSite
from partita.apps.fus.schema import FUS
from partita.apps.fus.service import FusService
from partita.apps.fus.service.transfer import MOST_BYTES, Format, Report
from partita.apps.fus.service.transfer.bookmarks import bookmarks
from partita.apps.fus.service.transfer.reading import format_of, plain_rows
from partita.apps.fus.service.transfer.rows import moment_of
from partita.apps.fus.service.transfer.spreadsheet import lines
from partita.engine import FaultPlan
from partita.kit.kit import Kit
from partita.kit.problems import Invalid, TooLarge, TooMany
from partita.kit.spreadsheets import line
from tests.apps.fus.conftest import manager, put
from tests.apps.fus.imports import ImportFailed, imported
from tests.apps.house import BAD_WEATHER, kit_on

pytestmark = pytest.mark.anyio
FORMATS: tuple[Format, ...] = ("html", "csv", "json")

CHROME = b"""<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- This is an automatically generated file. -->
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
    <DT><H3 ADD_DATE="1700000000" PERSONAL_TOOLBAR_FOLDER="true">Bookmarks bar</H3>
    <DL><p>
        <DT><A HREF="https://example.org/?a=1&amp;b=2" ADD_DATE="1700000001">Tom &amp; Jerry&#39;s</A>
        <DT><H3>Maps, old</H3>
        <DL><p>
            <DT><A HREF="https://maps.example.org">Maps</A>
            <DD>Where things are &lt;b&gt;
            <DT><A HREF="javascript:alert(1)">A bookmarklet</A>
        </DL><p>
    </DL><p>
    <DT><A HREF="https://last.example.org" TAGS="One,two">Last</A>
</DL><p>
"""


async def _export(service: FusService, format: Format) -> bytes:
    return b"".join([piece async for piece in service.transfer.export(format)])


def _told(report: Report) -> tuple[int, int, int]:
    return report.added, report.there, report.refused


# ---- round trips

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
_ENTRIES = st.lists(
    st.fixed_dictionaries(
        {
            "title": _TEXT,
            "description": st.text(st.sampled_from("ab<>&\"'=+-@,;|\n\t #é\u2028"), max_size=30) | _TEXT,
            "tags": st.lists(st.text(st.sampled_from("aBé=+<&\"'# -"), min_size=1, max_size=8), max_size=4),
            "path": st.text(st.sampled_from("ab&'\"<>=?%é"), max_size=10),
        }
    ),
    max_size=6,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_ENTRIES, st.sampled_from(FORMATS))
async def test_what_is_exported_can_be_imported_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, entries: list[dict[str, object]], format: Format
) -> None:
    with (
        kit_on(tmp_path_factory.mktemp("from"), FUS) as first,
        kit_on(tmp_path_factory.mktemp("to"), FUS) as second,
    ):
        source, target = FusService(first), FusService(second)
        for number, entry in enumerate(entries):
            said = {**entry, "url": f"https://{number}.example.org/{entry['path']}", "fetch": False}
            said.pop("path")
            try:
                new = NewSite.model_validate(said)
            except ValidationError:
                continue  # such a tag or address cannot be in a catalog
            await source.sites.add(manager(), new)
        exported = await _export(source, format)
        if await source.sites.total():
            report = await imported(target, manager(), exported)
            assert _told(report) == (await source.sites.total(), 0, 0), report
        found = []
        for service in (source, target):
            page = await service.catalog.browse(sort="title", limit=50)
            found.append(
                [(each.item.url, each.item.title, each.item.description, each.item.tags) for each in page.items]
            )
        assert sorted(found[0]) == sorted(found[1])
        again = await _export(target, format)
        assert sorted(again.splitlines()) == sorted(exported.splitlines())


async def test_a_site_keeps_its_day_and_its_place_in_the_list(service: FusService, kit: Kit, tmp_path: Path) -> None:
    sites = [await put(service) for _ in range(5)]
    exported = await _export(service, "json")
    with kit_on(tmp_path / "other", FUS) as other:
        target = FusService(other)
        await imported(target, manager(), exported)
        found = (await target.catalog.browse()).items
        assert [each.item.created_at for each in found] == [site.created_at for site in reversed(sites)]
        ids = [each.item.site_id for each in found]
        assert ids == sorted(ids, reverse=True), "ids sort by the same moments"


async def test_the_same_file_again_adds_nothing(service: FusService) -> None:
    await put(service)
    exported = await _export(service, "html")
    assert _told(await imported(service, manager(), exported)) == (0, 1, 0)


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
async def test_a_large_import_adds_every_row_once(tmp_path: Path, weather: FaultPlan | None) -> None:
    with kit_on(tmp_path, FUS, faults=weather) as kit:
        service = FusService(kit)
        rows = [
            {"url": f"https://{number % 250}.example.org", "tags": ["all", str(number % 3)]} for number in range(300)
        ]
        report = await imported(service, manager(), orjson.dumps(rows))
        assert _told(report) == (250, 50, 0)
        assert await service.sites.total() == 250
        assert (await service.catalog.browse(tags=["all"])).total == 250
        assert [row.row for row in report.rows] == list(range(1, 301))
        assert report.rows[250].reason == "Row 1 has the same address."


# ---- bookmarks


async def test_bookmarks_of_a_browser_are_taken_with_titles_descriptions_dates_and_tags(service: FusService) -> None:
    report = await imported(service, manager(), CHROME)
    assert [(row.outcome, row.url) for row in report.rows] == [
        ("added", "https://example.org/?a=1&b=2"),
        ("added", "https://maps.example.org"),
        ("refused", "javascript:alert(1)"),
        ("added", "https://last.example.org"),
    ]
    assert "http:// or https://" in report.rows[2].reason
    sites = {each.item.url: each.item for each in (await service.catalog.browse()).items}
    first = sites["https://example.org/?a=1&b=2"]
    assert (first.title, first.created_at[:19]) == ("Tom & Jerry's", "2023-11-14T22:13:21")
    assert sites["https://maps.example.org"].description == "Where things are <b>"
    assert sites["https://maps.example.org"].tags == ()
    assert sites["https://last.example.org"].tags == ("one", "two")


def test_folders_become_tags_where_that_is_wanted() -> None:
    found = {row.fields["url"]: row.fields["tags"] for row in bookmarks(CHROME, folders_as_tags=True)}
    assert found["https://maps.example.org"] == ["Maps  old"]
    assert found["https://last.example.org"] == ["One", "two"]
    assert found["https://example.org/?a=1&b=2"] == [], "the bar of a browser is a place and no subject"


@pytest.mark.parametrize(
    "hostile",
    [
        b"<a " * 400_000,
        b"<a href='" * 200_000,
        b'<a href="https://example.org">' * 1500 + b"<dl>" * 300_000,
        b"<!--" * 400_000,
        b"&#" + b"9" * 1_900_000,
        b"<dl>" * 490_000,
        b"</dl>" * 390_000,
        b"<a href=x>" * 2000 + b"</a>" * 100_000,
        b"\x00\xff\xfe" * 600_000,
        b"<" * 1_999_999,
        b"<DD>" + b"&lt;" * 400_000,
    ],
    ids=lambda data: data[:12].decode("latin-1"),
)
def test_hostile_bookmarks_take_no_longer_than_others(hostile: bytes) -> None:
    begun = time.process_time()
    rows = plain_rows(hostile, "html", False)
    assert time.process_time() - begun < 20, "in proportion to its size, on a machine that has other things to do"
    assert isinstance(rows, str) or len({fields["url"] for _, fields, _ in rows}) <= 1


async def test_hostile_bookmarks_are_read_in_a_process_of_their_own_and_add_nothing(service: FusService) -> None:
    with pytest.raises(ImportFailed, match="There is no site in this file"):
        await imported(service, manager(), b"<dl>" * 490_000, "html")


async def test_script_in_a_bookmark_is_text(service: FusService) -> None:
    data = (
        b'<DT><A HREF="https://x.example.org/&quot;onclick=&quot;alert(1)"><script>alert(1)</script>Title</A>'
        b"<DD><img src=x onerror=alert(1)>Said"
    )
    report = await imported(service, manager(), data)
    (row,) = report.rows
    assert row.outcome == "added"
    (each,) = (await service.catalog.browse()).items
    assert each.item.title == "Title"
    assert each.item.description == "Said"
    exported = (await _export(service, "html")).decode()
    assert "<script" not in exported
    assert '"onclick' not in exported


# ---- spreadsheets


async def test_a_spreadsheet_never_sees_a_formula(service: FusService) -> None:
    await put(service, '=HYPERLINK("https://evil.example","click")', description="+1+1", tags=["-x", "@y"])
    exported = (await _export(service, "csv")).decode()
    (row,) = list(csv.DictReader(io.StringIO(exported)))
    for cell in row.values():
        assert cell[:1] not in "=+-@\t\r", cell
    assert row["title"] == '\'=HYPERLINK("https://evil.example","click")'


@pytest.mark.parametrize("cell", ["=1", "'=1", "''=1", "plain", "'plain", "-", "@x", "\t=1", "'", "''", "+'-"])
def test_a_cell_comes_back_as_it_was(cell: str) -> None:
    data = (line(["url", "title"]) + line(["https://example.org", cell])).encode()
    (row,) = lines(data)
    assert row.fields["title"] == cell


@pytest.mark.parametrize("separator", [",", ";", "\t"])
async def test_columns_are_known_by_name_whatever_separates_them(service: FusService, separator: str) -> None:
    rows = [["Title", "URL", "Colour", "Tags"], ["One", "https://one.example.org", "red", '"a,B"']]
    text = "\ufeff" + "\r\n".join(separator.join(row) for row in rows) + "\r\n\r\n"
    report = await imported(service, manager(), text.encode())
    assert _told(report) == (1, 0, 0)
    (each,) = (await service.catalog.browse()).items
    assert (each.item.title, each.item.tags) == ("One", ("a", "b"))


async def test_a_spreadsheet_in_another_encoding_is_read(service: FusService) -> None:
    for number, encoding in enumerate(("utf-16", "cp1252", "utf-8")):
        data = f"url,title\nhttps://{number}.example.org,Café\n".encode(encoding)
        assert _told(await imported(service, manager(), data, "csv")) == (1, 0, 0)
    assert {each.item.title for each in (await service.catalog.browse()).items} == {"Café"}


# ---- every row is told, and bad ones hinder no others


async def test_every_row_is_told_with_the_reason_where_it_is_refused(service: FusService) -> None:
    await put(service, "There", url="https://there.example.org")
    rows: list[object] = [
        {"url": "https://good.example.org", "tags": "a, b", "unknown": 1},
        {"url": "https://there.example.org/"},
        {"url": "ftp://bad.example.org"},
        {"title": "No address"},
        {"url": "https://long.example.org", "title": "x" * 301, "tags": ["y" * 41]},
        {"url": "https://date.example.org", "createdAt": "yesterday"},
        {"url": 7},
        "https://text.example.org",
        {"url": "https://good.example.org/#again"},
    ]
    report = await imported(service, manager(), orjson.dumps({"items": rows}))
    assert [row.outcome for row in report.rows] == ["added", "there", *["refused"] * 6, "there"]
    reasons = [row.reason for row in report.rows]
    assert "already, as “There”" in reasons[1]
    assert reasons[2].startswith("url: ")
    assert reasons[3] == "url: Please fill this in."
    assert "title: At most 300" in reasons[4]
    assert "tags.0: At most 40" in reasons[4]
    assert "createdAt" in reasons[5] or "created" in reasons[5]
    assert reasons[8] == "Row 1 has the same address."
    assert await service.sites.total() == 2


@pytest.mark.parametrize(
    ("data", "format"),
    [
        (b"", None),
        (b"   ", None),
        (b"nothing,to,see\n1,2,3", "csv"),
        (b"{", "json"),
        (b'{"sites": 7}', "json"),
        (b"[" * 100_000, "json"),
        (b"[]", "json"),
        (b"<html><body>No links</body></html>", "html"),
    ],
)
async def test_a_file_that_is_none_is_refused_as_a_whole(
    service: FusService, data: bytes, format: Format | None
) -> None:
    with pytest.raises((Invalid, ImportFailed)):
        await imported(service, manager(), data, format)
    assert await service.sites.total() == 0


async def test_too_much_is_refused_before_anything_is_added(service: FusService) -> None:
    with pytest.raises(TooLarge, match="2 MB"):
        await imported(service, manager(), b" " * (MOST_BYTES + 1))
    rows = orjson.dumps([{"url": f"https://{number}.example.org"} for number in range(2001)])
    with pytest.raises(ImportFailed, match="2,000 entries"):
        await imported(service, manager(), rows)
    assert await service.sites.total() == 0


async def test_importing_is_limited(service: FusService) -> None:
    busy = manager()
    for _ in range(20):
        await imported(service, busy, b"url\nhttps://example.org")
    with pytest.raises(TooMany):
        await imported(service, busy, b"url\nhttps://example.org")


async def test_a_moment_in_the_future_is_now(service: FusService) -> None:
    await imported(service, manager(), b'[{"url": "https://example.org", "createdAt": "2999-01-01T00:00:00Z"}]')
    (each,) = (await service.catalog.browse()).items
    assert each.item.created_at < "2999"


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2026-01-31T10:30:00Z", "2026-01-31T10:30:00.000000Z"),
        ("2026-01-31T10:30:00+02:00", "2026-01-31T08:30:00.000000Z"),
        ("2026-01-31", "2026-01-31T00:00:00.000000Z"),
        (1700000000, "2023-11-14T22:13:20.000000Z"),
        ("1700000000", "2023-11-14T22:13:20.000000Z"),
        ("1700000000000", "2023-11-14T22:13:20.000000Z"),
        ("1700000000000000", "2023-11-14T22:13:20.000000Z"),
        ("0", None),
        ("", None),
        ("soon", None),
        (True, None),
        (float("nan"), None),
        (float("inf"), None),
        ("9" * 400, None),
    ],
)
def test_a_moment_is_read_as_files_spell_it(value: object, moment: str | None) -> None:
    assert moment_of(value) == moment


def test_what_a_file_is_is_told_by_how_it_begins() -> None:
    assert [format_of(data) for data in (b" \n[", b"\xef\xbb\xbf{", b"<!DOCTYPE", b"url,title", b"")] == [
        "json",
        "json",
        "html",
        "csv",
        "csv",
    ]


async def test_an_export_is_made_while_it_is_sent(service: FusService) -> None:
    await asyncio.gather(*(put(service) for _ in range(5)))
    pieces = [piece async for piece in service.transfer.export("json")]
    assert len(pieces) == 7
    assert len(orjson.loads(b"".join(pieces))) == 5
