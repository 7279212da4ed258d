"""Import and export: what an export has, an import brings back; what is there stays; a file twice changes nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.apps.kelifax import permissions
from partita.apps.kelifax.formats import LICENCES, PRICINGS
from partita.apps.kelifax.inputs import Submission
from partita.apps.kelifax.permissions import MODERATOR, ROLES
from partita.apps.kelifax.schema import CATEGORIES, RESOURCES, Resource
from partita.apps.kelifax.service.submissions import resource_of
from partita.apps.kelifax.service.transfer import MOST_ENTRIES, Format
from partita.apps.kelifax.service.transfer.importing import ImportedRow, ImportReport, _short
from partita.apps.kelifax.service.transfer.reading import format_of, read_candidates
from partita.apps.kelifax.service.transfer.writing import COLUMNS, csv_line, json_object, markdown_line
from partita.kit.jobs import Job
from partita.kit.jobs.running import MOST_BYTES, as_json
from partita.kit.permissions import Viewer
from partita.kit.problems import Invalid, TooLarge
from partita.kit.spreadsheets import line
from tests.apps.house import kit_on
from tests.apps.kelifax.conftest import approved
from tests.apps.kelifax.served import Kelifax, serve

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


async def test_an_import_that_begins_again_counts_what_it_added_as_added(kelifax: Kelifax) -> None:
    admin, transfer = await _admin(kelifax), kelifax.service.transfer
    job = await _imported(kelifax, admin, AWESOME, publish=True)
    first = transfer.report(job)
    arguments = {**orjson.loads(job.arguments), "file": (await transfer.keep(AWESOME, "list.md")).name}

    class Again:
        """The job after a kill: with what was saved, and no more."""

        saved, user_id, job_id = {"claimed": True}, admin.id, job.job_id

        async def progress(self, *_: object, **__: object) -> None:
            """Nobody looks."""

    result = await transfer.kind.run(Again(), arguments)  # type: ignore[arg-type]
    assert result is not None
    assert ImportReport.read(result.values) == first
    assert first.counts == {"added": 2, "there": 0, "refused": 1}
    assert (await kelifax.service.analytics.statuses())["approved"] == 2


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
    assert not (await kelifax.kit.notifications.page(admin, limit=10)).items


async def test_only_administrators_import_and_export(kelifax: Kelifax) -> None:
    assert ROLES["admin"] - {TRANSFER} == MODERATOR
    moderator, admin = await kelifax.person("kelifax:moderator"), await kelifax.person("kelifax:admin")
    await approved(kelifax.service)
    assert (await moderator.api("GET", "/export")).status == 403
    assert [each["resourceName"] for each in (await admin.api("GET", "/export")).json] == ["Amazing Dev Tool"]
    markdown = await admin.api("GET", "/export?format=md")
    assert "## Development\n\n- [Amazing Dev Tool](" in markdown.text


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
def test_a_report_of_a_full_file_fits_into_the_result_of_a_job(text: str) -> None:
    row = ImportedRow(99_999, _short(text, 60), "refused", _short(text, 90), "a" * 26)
    assert len(as_json(ImportReport(False, (row,) * MOST_ENTRIES).values, "A result")) <= MOST_BYTES
