"""The four tables: the document's keys, the indexes beside them, and rows of the original program."""

from __future__ import annotations

import pytest

from partita.apps.enablement import schema
from partita.apps.enablement.schema import CONTENT, EVENTS, NOTIFICATIONS, SUBSCRIPTIONS, Content, Subscription
from partita.dynamo.python_values import item_from_python
from partita.table import Item, Table

TABLES = (CONTENT, NOTIFICATIONS, SUBSCRIPTIONS, EVENTS)
INDEXES = {
    "content_registry": """
        by_status_updated   GSI1PK           GSI1SK
        by_product          GSI2PK           GSI2SK
        by_status_product   status_product   GSI2SK
        by_status_suite     status_suite     GSI2SK
        by_status_audience  status_audience  GSI2SK
        by_owner            owner_user_id    GSI2SK
        by_expiry_day       expiry_day       expiry_key
        by_review           review_state     review_key
        by_approval         approval_state   approval_key
        by_due              due_day          due_key
        history             history_of       changed_at
        audit               changed_month    changed_at
        by_report           report_state     report_key
        shelves             shelf            shelf_key
    """,
    "notifications": """
        by_notification     notification_id
        unread              unread_by        created_at
    """,
    "subscriptions": """
        by_follower         follower         followed
        open_reading        open_reader      read_by_key
    """,
    "events": """
        by_user             user_id          ts#event_id
        series_by_day       series_day       series_of
        downloads           downloaded       last_downloaded
        by_last_view        stats_of         viewed_key
    """,
}
KINDS = [(table, kind) for table in TABLES for kind in table.item_types]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_table_has_exactly_these_indexes(table: Table) -> None:
    declared = [[index.name, *(key.name for key in index.key_names)] for index in table.indexes]
    assert declared == [line.split() for line in INDEXES[table.name].strip().splitlines()]


@pytest.mark.parametrize(("table", "kind"), KINDS, ids=lambda value: getattr(value, "__name__", ""))
def test_an_item_has_all_keys_of_an_index_or_none(table: Table, kind: type[Item]) -> None:
    own = {key.name for key in table.keys}
    for index in table.indexes:
        keys = {key.name for key in index.key_names} - own
        held = {name for name in keys if kind.__layout__.makes(name)}
        assert held in (set(), keys), f"{kind.__name__} has {held} and is not in {index.name}"


def test_expiring_tables_name_the_same_attribute() -> None:
    assert [table.ttl for table in TABLES] == [None, "expires_at", None, "expires_at"]


def test_a_row_of_the_original_program_is_read_without_anything_that_we_add() -> None:
    row = item_from_python(
        {
            "content_id": "c1",
            "status": "Approved",
            "title": "Guide",
            "summary": "",
            "owner_user_id": "u1",
            "tags": [],
            "version": "v7 final",
            "last_updated": "2026-01-26T10:30:00+02:00",
            "review_due_date": "2026-03-01T09:00:00Z",
            "expiry_date": "soon",
            "GSI1PK": "Approved",
            "GSI1SK": "Approved#2026-01-26T10:30:00+02:00#c1",
        }
    )
    content = Content.from_row(row)
    assert (content.major, content.expires_at, content.review_key) == (7, None, "2026-03-01#c1")
    assert content.review_state == "open"


@pytest.mark.parametrize("status", ["Draft", "Deprecated", "Expired"])
def test_only_approved_content_is_in_the_review_calendar(status: schema.Status) -> None:
    made = Content(
        content_id="c1",
        title="Guide",
        owner_user_id="u1",
        last_updated="2026-01-26T10:30:00.000000Z",
        status=status,
        review_due_date="2026-03-01",
    )
    assert {"review_state", "review_key"}.isdisjoint(made.to_row())


def test_content_without_a_concept_is_in_its_suite_and_absent_from_the_documents_product_list() -> None:
    made = Content(
        content_id="c1",
        title="Guide",
        owner_user_id="u1",
        last_updated="2026-01-26T10:30:00.000000Z",
        product_suite="Atlas",
    )
    row = made.to_row()
    assert row["status_suite"] == {"S": "Draft#Atlas"}
    assert {"GSI2PK", "status_product"}.isdisjoint(row)


@pytest.mark.parametrize(
    ("suite", "concept", "tags", "keys"),
    [
        (None, None, None, ["MATCH#*#*#*"]),
        ("Atlas", None, ("Pricing", "pricing"), ["MATCH#Atlas#*#pricing"]),
        ("A#B", "*", (), ["MATCH#A%23B#%2A#*"]),
    ],
)
def test_a_subscription_is_found_under_what_it_matches(
    suite: str | None, concept: str | None, tags: tuple[str, ...] | None, keys: list[str]
) -> None:
    made = Subscription(
        user_id="u1",
        subscription_id="s1",
        product_suite=suite,
        product_concept=concept,
        tags=tags,
        created_at="2026-01-26T10:30:00Z",
    )
    assert [match.to_row()["user_id"]["S"] for match in schema.matches_of(made)] == keys


def test_subscribers_are_found_with_four_queries_for_each_tag_and_four_more() -> None:
    assert len(schema.all_matching("Atlas", "Pricing", ("a", "b", "A"))) == 4 * (2 + 1)
    assert len(schema.all_matching(None, None, ())) == 1
