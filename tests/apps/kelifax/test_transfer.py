"""Import and export: what an export has, an import brings back; what is there stays; a file twice changes nothing."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from partita.apps.kelifax import permissions, schema
from partita.apps.kelifax.formats import LICENCES, PRICINGS
from partita.apps.kelifax.inputs import Submission
from partita.apps.kelifax.permissions import MODERATOR, ROLES
from partita.apps.kelifax.schema import CATEGORIES, RESOURCES, Resource
from partita.apps.kelifax.service.submissions import Submissions, resource_of
from partita.apps.kelifax.service.transfer import FOLDER, MOST_ENTRIES, Format
from partita.apps.kelifax.service.transfer.importing import (
    _MOST_NAME,
    ImportedRow,
    ImportReport,
    _room_for_reasons,
    _short,
)
from partita.apps.kelifax.service.transfer.markdown_list import from_markdown
from partita.apps.kelifax.service.transfer.reading import format_of, read_candidates
from partita.apps.kelifax.service.transfer.writing import COLUMNS, csv_line, json_object, markdown_line
from partita.kit.jobs import Job
from partita.kit.jobs.holds import Hold
from partita.kit.jobs.running import MOST_BYTES, as_json
from partita.kit.permissions import Viewer
from partita.kit.problems import Invalid, TooLarge
from partita.kit.spreadsheets import line
from tests.apps.house import kit_on
from tests.apps.kelifax.conftest import approved
from tests.apps.kelifax.served import Kelifax, serve
from tests.kit.jobs.kills import go_on, kill

pytestmark = pytest.mark.anyio
TRANSFER = permissions.Kelifax.TRANSFER.value
AWESOME = b"""# Awesome looms

- [Contents](#looms)

## Looms

* [Power loom](https://power.example.org) - Weaves by *steam*, with `cards` of [Jacquard](https://j.example.org).
- [Hand loom](https://hand.example.org/(old)) Short.
- no entry

## Design
- [Patterns](https://patterns.example.org/) \xe2\x80\x93 Patterns of cloth for everybody who weaves.
"""


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def kelifax(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Kelifax]:
    with kit_on(tmp_path_factory.mktemp("transfer"), RESOURCES) as kit:
        yield serve(kit)


async def _admin(kelifax: Kelifax) -> Viewer:
    accounts = kelifax.kit.accounts
    account = await accounts.registration.create("ada", "ada@example.org", "Ada Admin", "correct horse battery")
    return Viewer(user_id=account.user_id, username="ada", permissions=ROLES["admin"])


async def _imported(kelifax: Kelifax, admin: Viewer, data: bytes, **wanted: Any) -> Job:
    kept = await kelifax.service.transfer.keep(data, "list.md")
    job = await kelifax.service.transfer.begin(admin, kept, **wanted)
    assert kelifax.suite.jobs is not None
    await kelifax.suite.jobs.drain()
    ended = await kelifax.service.transfer.ended_within(job, 5)
    assert ended.state == "done", ended.error
    return ended


async def _exported(kelifax: Kelifax, format: Format) -> bytes:
    return b"".join([piece async for piece in kelifax.service.transfer.export(format)])


async def test_an_import_tries_adds_matches_and_refuses_and_twice_it_adds_nothing(kelifax: Kelifax) -> None:
    admin, transfer = await _admin(kelifax), kelifax.service.transfer
    await approved(kelifax.service, "patterns")
    tried = await _imported(kelifax, admin, AWESOME, dry_run=True)
    assert transfer.report(tried).counts == {"added": 1, "there": 1, "refused": 1}
    assert (await kelifax.service.moderation.queue("pending")).items == ()
    job = await transfer.begin_tried(admin, tried.job_id)
    assert kelifax.suite.jobs is not None
    await kelifax.suite.jobs.drain()
    report = transfer.report(await transfer.ended_within(job, 5))
    assert [(row.row, row.outcome, row.slug) for row in report.rows] == [
        (7, "added", "power-loom"),
        (8, "refused", ""),
        (12, "there", "patterns"),
    ]
    (loom,) = await kelifax.service.moderation.queue("pending")
    assert loom.usage_purpose == "Weaves by steam, with cards of Jacquard."
    assert (loom.category, loom.tag_list, loom.submitter_email) == ("other", ("looms",), "ada@example.org")
    again = transfer.report(await _imported(kelifax, admin, AWESOME))
    assert again.counts == {"added": 0, "there": 2, "refused": 1}
    assert len(await kelifax.service.moderation.queue("pending")) == 1


async def test_killed_anywhere_an_import_goes_on_and_nothing_is_added_twice(
    kelifax: Kelifax, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before and after each resource is written, when the file is claimed and deleted, and when the report is saved."""
    admin, transfer = await _admin(kelifax), kelifax.service.transfer
    rows = [{"resourceName": f"Loom {each}", "resourceUrl": f"https://{each}.example.org"} for each in range(4)]
    listed = [{**row, "usagePurpose": "Weaves by steam, with cards.", "category": "design"} for row in rows]
    kept = await transfer.keep(orjson.dumps([*listed, listed[0], {"resourceName": "Bad"}]), "list.json")
    job = await transfer.begin(admin, kept, publish=True)
    kill(monkeypatch, Submissions, "create", at=[(number, number % 2 == 0) for number in range(1, 9)])
    kill(monkeypatch, Hold, "save", at=[(1, False), (2, True), (3, False), (4, True)])
    kill(monkeypatch, kelifax.kit.uploads, "discard", at=[(1, False), (2, True)])
    await go_on(kelifax.kit.jobs, 14)
    ended = await transfer.find(admin, job.job_id)
    assert (ended.state, ended.attempts) == ("done", 15), ended.error
    assert transfer.report(ended).counts == {"added": 4, "there": 1, "refused": 1}
    resources = [each async for each in kelifax.kit.store.stream(schema.approved_resources())]
    assert sorted(each.resource_name for each in resources) == [row["resourceName"] for row in rows]
    assert (await kelifax.service.analytics.statuses())["approved"] == 4
    assert len([each async for each in kelifax.kit.store.stream(schema.decisions())]) == 4
    assert [file async for file in kelifax.kit.files.listed(FOLDER)] == []


@pytest.mark.parametrize("format", ["csv", "json"])
async def test_an_export_that_is_imported_elsewhere_is_exported_the_same(kelifax: Kelifax, format: Format) -> None:
    await approved(
        kelifax.service,
        "Loom",
        resource__usagePurpose="=SUM(1) is what looms are for, and cloth.",
        resource__licence="open-source",
        resource__pricing="free",
    )
    await approved(kelifax.service, "Mill", resource__tags=[], details__learningResources=[])
    data = await _exported(kelifax, format)
    rows = {each.name: each.resource for each in read_candidates(data, None, "other")}
    assert format_of(data) == format
    admin = await _admin(kelifax)
    for slug in ("loom", "mill"):
        await kelifax.service.moderation.delete(admin, slug)
    await _imported(kelifax, admin, data, publish=True)
    again = {each.name: each.resource for each in read_candidates(await _exported(kelifax, format), None, "other")}
    assert again == rows
    assert set(rows) == {"Loom", "Mill"}


async def test_nobody_is_told_of_each_row_and_the_log_has_what_was_published(kelifax: Kelifax) -> None:
    admin = await _admin(kelifax)
    await _imported(kelifax, admin, AWESOME, publish=True)
    await kelifax.worker.drain()
    log = await kelifax.service.moderation.log()
    assert [(entry.action, entry.by, entry.reason) for entry in log] == [("approve", "ada", "Imported.")] * 2
    (told,) = await kelifax.kit.notifications.page(admin, limit=10)
    assert told.words.title == "“list.md” is imported"
    assert told.words.text == "2 added, 0 already there, 1 refused."


async def test_whoever_imports_hears_once_how_it_ended(kelifax: Kelifax) -> None:
    admin, transfer = await _admin(kelifax), kelifax.service.transfer
    assert kelifax.suite.jobs is not None
    await _imported(kelifax, admin, AWESOME, dry_run=True)
    assert not (await kelifax.kit.notifications.page(admin)).items, "a file that is only tried is looked at"
    cancelled = await transfer.begin(admin, await transfer.keep(AWESOME, "cancelled.md"))
    await kelifax.kit.jobs.cancel(admin, cancelled.job_id)
    await kelifax.suite.jobs.drain()
    gone = await transfer.begin(admin, await transfer.keep(AWESOME, "gone.md"))
    await kelifax.kit.uploads.discard(orjson.loads(gone.arguments)["file"])
    await kelifax.suite.jobs.drain()
    done = await _imported(kelifax, admin, AWESOME)
    told = [(each.words.title, each.link) for each in await kelifax.kit.notifications.page(admin)]
    assert told == [
        ("“list.md” is imported", f"/kelifax/moderation/import/{done.job_id}"),
        ("“gone.md” was not imported", f"/jobs/{gone.job_id}"),
        ("“cancelled.md” was not imported", f"/jobs/{cancelled.job_id}"),
    ]


async def test_the_desk_isolates_names_and_one_of_a_single_part_has_no_space_behind(kelifax: Kelifax) -> None:
    accounts, moderator = kelifax.kit.accounts, kelifax.visitor()
    for username, name in (("root", "Administrator"), ("shira", "שירה לוי")):
        account = await accounts.registration.create(
            username, f"{username}@example.org", name, "correct horse battery staple"
        )
        admin = Viewer(user_id=account.user_id, username=username, permissions=ROLES["admin"])
        entry = f"- [Loom of {username}](https://{username}.example.org) - Weaves by steam, with many cards."
        await _imported(kelifax, admin, entry.encode())
    await accounts.administration.set_roles(accounts.operator(), admin.id, ["kelifax:moderator"])
    await moderator.post("/sign-in", {"identity": "shira", "password": "correct horse battery staple"})
    for page in ("/kelifax/moderation", "/kelifax/moderation/many"):
        shown = (await moderator.get(page)).text
        assert "<bdi>Administrator</bdi>" in shown
        assert "<bdi>שירה לוי</bdi>" in shown
        assert not re.search(r"\s,", re.sub(r"<[^>]*>", "", shown.partition("<main")[2]))


async def test_only_administrators_import_and_export(kelifax: Kelifax) -> None:
    assert ROLES["admin"] - {TRANSFER} == MODERATOR
    moderator, admin = await kelifax.person("kelifax:moderator"), await kelifax.person("kelifax:admin")
    await approved(kelifax.service)
    assert (await moderator.api("GET", "/export")).status == 403
    assert [each["resourceName"] for each in (await admin.api("GET", "/export")).json] == ["Amazing Dev Tool"]
    markdown = await admin.api("GET", "/export?format=md")
    assert "## Development\n\n- [Amazing Dev Tool](" in markdown.text


KINDS_OF_LINES = b"""# A list
1. [Pico CSS](https://pico.example.org) - A small style sheet for plain HTML pages.
2) **[Water](https://water.example.org)** - Another small style sheet, without any classes.
- Loom: https://loom.example.org, which has no name in brackets
- no entry

## Design

### Icons
- [Wiki](https://w.test) - Pages that everybody writes. ([Demo](//d.test), [Code](//s.test)) `BSD-3-Clause` `PHP/Docker`
- [Bus](https://bus.example.org) - Answers when you call it with `bus`

## Looms
- [Mill](https://mill.example.org) - Grinds corn by wind and by water. ([Source Code](https://m.test)) `SSPL-1.0` `Go`
"""


def test_numbered_entries_are_read_and_what_is_not_understood_is_told() -> None:
    first, second, refused, *_ = read_candidates(KINDS_OF_LINES, "md", "other")
    assert [each.row for each in (first, second, refused)] == [2, 3, 4]
    assert (first.name, first.problem, second.name, second.problem) == ("Pico CSS", "", "Water", "")
    assert refused.problem == "Write the line as - [Name](https://example.org) - What it is for."


def test_the_licence_at_the_end_of_an_entry_is_read_and_is_no_purpose() -> None:
    *_, wiki, bus, mill = (each.resource for each in read_candidates(KINDS_OF_LINES, "md", "other"))
    assert wiki is not None
    assert (wiki.usage_purpose, wiki.licence) == ("Pages that everybody writes.", "open-source")
    assert (wiki.category, wiki.tags) == ("design", ["icons"])
    assert bus is not None
    assert (bus.usage_purpose, bus.licence) == ("Answers when you call it with bus", "")
    assert mill is not None
    assert (mill.usage_purpose, mill.licence) == ("Grinds corn by wind and by water.", "source-available")
    assert (mill.category, mill.tags) == ("other", ["looms"])


@pytest.mark.parametrize("heading", ["# Design", "## Design:", "## 🎨 Design", "### AI", "#### **Productivity**"])
def test_a_heading_that_is_a_categorys_name_is_the_category(heading: str) -> None:
    line = "- [Wiki](https://wiki.example.org) - Pages that everybody can write."
    (read,) = read_candidates(f"{heading}\n{line}".encode(), "md", "other")
    assert read.resource is not None
    assert read.resource.category == heading.strip("#🎨*: ").lower()
    assert read.resource.tags == []


async def test_a_short_report_has_whole_reasons_and_its_job_counts_all_rows(kelifax: Kelifax) -> None:
    row = {"resourceName": "Loom", "resourceUrl": "https://l.example.org", "usagePurpose": "Short."}
    lists = {"keyFeatures": ["x"], "useCases": ["y", "z"]}
    job = await _imported(kelifax, await _admin(kelifax), orjson.dumps([{**row, **lists}]))
    (refused,) = kelifax.service.transfer.report(job).rows
    assert not refused.reason.endswith("…")
    for said in ("Purpose: At least 20 characters; this has 6.", "Key features 1: ", "Use cases 2: "):
        assert said in refused.reason
    assert (job.done, job.total) == (1, 1)


def test_reasons_name_fields_as_the_form_does_and_end_with_a_word() -> None:
    (read,) = read_candidates(b"- [Wiki](https://wiki.example.org) - Short.", "md", "other")
    assert read.problem == "Purpose: At least 20 characters; this has 6."
    (many,) = read_candidates(b'[{"resourceName": "Loom", "keyFeatures": ["long enough", "x"]}]', None, "other")
    assert "Key features 2: At least 10 characters" in many.problem
    assert _short("Purpose: At least", 14) == "Purpose: At…"
    assert _short("Purpose: At least", 16) == "Purpose: At…"
    assert _short("Purpose: At least", 17) == "Purpose: At least"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"{", "This is not JSON"),
        (b"{}", "must contain a list"),
        (b"resourceUrl\nhttps://a.example.org", "must name the columns"),
        (b"Nothing here", "There is no resource in this file."),
    ],
)
def test_a_file_that_is_none_is_refused_whole_with_the_reason(data: bytes, says: str) -> None:
    with pytest.raises(Invalid) as refused:
        read_candidates(data, None, "other")
    assert says in refused.value.errors[0].message


def test_a_file_with_too_many_entries_is_refused_whole() -> None:
    entry = {"resourceName": "Loom", "resourceUrl": "https://a.example.org"}
    with pytest.raises(TooLarge):
        read_candidates(orjson.dumps([entry] * (MOST_ENTRIES + 1)), None, "other")


@settings(max_examples=60)
@given(st.binary(max_size=300) | st.text(alphabet="[]()-*#\\|\n\",' ahtps:/.", max_size=200).map(str.encode))
def test_any_file_is_read_or_refused(data: bytes) -> None:
    formats: tuple[Format, ...] = ("csv", "json", "md")
    for format in formats:
        try:
            candidates = read_candidates(data, format, "other")
        except (Invalid, TooLarge):
            continue
        assert all(each.problem or each.resource is not None for each in candidates)


_words = st.text(alphabet=st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), min_size=20, max_size=60)
_resources = st.builds(
    lambda name, purpose, tags, features, cases, category, licence, pricing: {
        "resourceName": name,
        "resourceUrl": "https://loom.example.org/a(b)",
        "usagePurpose": purpose,
        "category": category,
        "tags": tags,
        "licence": licence,
        "pricing": pricing,
        "keyFeatures": features,
        "useCases": cases,
    },
    _words,
    _words,
    st.lists(st.sampled_from(["looms", "cards", "größe", "c++"]), unique=True),
    st.lists(_words.map(lambda text: text.replace("|", "/")), min_size=3, max_size=4),
    st.lists(_words.map(lambda text: text.replace("|", "/")), min_size=2, max_size=3),
    st.sampled_from(CATEGORIES),
    st.sampled_from(["", *LICENCES]),
    st.sampled_from(["", *PRICINGS]),
)


def _of(fields: dict[str, Any]) -> Resource | None:
    """The resource of a form; None if the form would refuse it."""
    details = {name: fields[name] for name in ("keyFeatures", "useCases")}
    described = {name: value for name, value in fields.items() if name not in details}
    submitter = {"firstName": "Ada", "lastName": "Lovelace", "companyEmail": "ada@example.org"}
    try:
        form = Submission.model_validate({"submitter": submitter, "resource": described, "details": details})
    except ValueError:
        return None
    return resource_of(form, "loom", "id", "2026-01-01T00:00:00.000000Z")


@settings(max_examples=40)
@given(_resources)
def test_what_is_written_is_read_back_from_every_format(fields: dict[str, Any]) -> None:
    resource = _of(fields)
    if resource is None:
        return
    sheet = (line(COLUMNS) + csv_line(resource)).encode()
    written: dict[Format, bytes] = {"csv": sheet, "json": b"[" + json_object(resource) + b"]"}
    for format, data in written.items():
        (read,) = read_candidates(data, format, "other")
        assert read.resource is not None, read.problem
        assert read.resource.resource_name == resource.resource_name
        assert read.resource.usage_purpose == resource.usage_purpose
        assert tuple(read.resource.tags) == resource.tag_list
        assert tuple(read.resource.key_features) == resource.feature_list
        assert (read.resource.licence, read.resource.pricing) == (resource.licence or "", resource.pricing or "")
    (listed,) = read_candidates(markdown_line(resource).encode(), "md", "other")
    assert listed.address or listed.problem


@settings(max_examples=60)
@given(st.text(max_size=200))
@example("é" * 100)
@example("x" * 60)
@example("x" * 90)
@example("€" * 30)
def test_a_report_of_a_full_file_fits_into_the_result_of_a_job(text: str) -> None:
    for rows in (1, 45, 46, 300, MOST_ENTRIES):
        reason = _short(text * 10, _room_for_reasons(rows))
        row = ImportedRow(99_999, _short(text, _MOST_NAME), "refused", reason, "a" * 26)
        assert len(as_json(ImportReport(False, (row,) * rows).values, "A result")) <= MOST_BYTES


@pytest.mark.parametrize(
    "line", ["# a" + " " * 3990 + "b", "- [N](https://x.org) - " + "[" * 3900, "- [N](https://x.org) - " + "![" * 1900]
)
def test_lines_of_a_list_take_no_longer_than_others_whatever_is_in_them(line: str) -> None:
    begun = time.process_time()
    for _ in from_markdown("\n".join([line] * 500).encode()):
        pass
    assert time.process_time() - begun < 8, "in proportion to its size, on a machine that has other things to do"
