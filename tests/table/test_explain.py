"""Explaining a pattern says what is sent, what it costs, and what is to know about it."""

from __future__ import annotations

import json

from partita.bootstrap import examples, patterns
from partita.store.measure import measure
from partita.table import Pattern
from partita.table.cost import cost
from partita.table.examples import Examples
from partita.table.explain import explain
from partita.table.summary import filled, summary
from tests.table.forum import FEED, FORUM, Post, posts_of

EXAMPLES = examples()
PATTERNS = {pattern.label: pattern for pattern in patterns()}


def _explained(label: str, items: int = 25) -> str:
    return explain(PATTERNS[label], EXAMPLES, items=items)


def test_a_list_is_shown_with_its_index_condition_cost_and_the_request_itself() -> None:
    shown = _explained("newsletter.newsletters_of")
    head, _, body = shown.partition("\n\n")
    assert head.splitlines() == [
        "newsletter.newsletters_of(user_id: str) -> Query[Newsletter]",
        "  List User's Newsletters",
        "  the document: List User's Newsletters: Query GSI1 for all user newsletters (most recent first)",
        "  Query on igad-testing-main-table, index GSI1",
        "  backwards",
        "  where GSI1PK = 'USER#user123' AND begins_with(GSI1SK, 'NEWSLETTER#')",
        "  costs 2 read units for 25 items of 564 bytes",
    ]
    assert json.loads(body) == {
        "TableName": "igad-testing-main-table",
        "IndexName": "GSI1",
        "Limit": 26,
        "KeyConditionExpression": "GSI1PK = :v0 AND begins_with(GSI1SK, :v1)",
        "ExpressionAttributeValues": {":v0": {"S": "USER#user123"}, ":v1": {"S": "NEWSLETTER#"}},
        "ScanIndexForward": False,
    }


def test_the_cost_follows_the_number_of_items() -> None:
    assert "costs 4 read units for 50 items" in _explained("newsletter.newsletters_of", 50)
    assert "costs 771 read units for 10,000 items of 564 bytes, in 6 calls" in _explained(
        "newsletter.newsletters_of", 10_000
    )


def test_a_page_of_more_than_a_megabyte_is_charged_call_by_call() -> None:
    measured = measure(PATTERNS["newsletter.chunks_of"], EXAMPLES, stored=(2000,), page=1000)
    said = cost(measured.request, EXAMPLES, items=1000)
    assert said.calls > 1
    assert (said.units, said.calls) == (measured.steps[0].units, len(measured.steps[0].calls))


def test_a_second_read_is_counted_and_said() -> None:
    shown = _explained("worthwatch.all_movies")
    assert "  backwards, then BatchGetItem\n" in shown
    assert "(worthwatch.GSI4 0.5, worthwatch 12.5), in 2 calls" in shown


def test_a_write_says_what_it_costs_the_table_and_each_index() -> None:
    shown = _explained("enablement.mark_read")
    assert "  SET read = True REMOVE unread_by\n  where user_id = 'u1' AND " in shown
    assert "(notifications 1, notifications.by_notification 1, notifications.unread 1)" in shown


def test_findings_about_the_pattern_and_its_index_are_shown() -> None:
    assert "accepted hot-partition: kelifax-resources.ResourceStatusIndex: all " in _explained(
        "kelifax.approved_resources"
    )
    assert "hot-partition" not in _explained("kelifax.resource")


def _pattern(request: object) -> Pattern:
    return Pattern("A feed", lambda: request, FORUM, (), {})


def test_a_sharded_list_costs_a_page_of_every_shard() -> None:
    query = Post.query(FEED, Post.feed("all"))
    one = cost(posts_of("ada"), Examples(), items=25)
    all_shards = cost(query, Examples(), items=25)
    assert all_shards.calls == 4 * one.calls
    shown = explain(_pattern(query))
    assert "  merged from 4 shards\n" in shown
    assert "  not in the document\n" in shown


def test_a_filter_is_shown_and_warned_of() -> None:
    pattern = _pattern(posts_of("ada").where(Post.stars > 3))
    assert "  keeping stars > 3\n" in explain(pattern)
    assert summary(pattern.request()).more == ("filtered",)


def test_placeholders_are_filled_in_once() -> None:
    wire = {
        "FilterExpression": "#n1 = :v1 AND #n10 = :v10",
        "ExpressionAttributeNames": {"#n1": "a#n10", "#n10": "b"},
        "ExpressionAttributeValues": {":v1": {"S": ":v10"}, ":v10": {"L": [{"N": "1"}, {"S": "x"}]}},
    }
    assert filled(wire, "FilterExpression") == "a#n10 = ':v10' AND b = [1, 'x']"
