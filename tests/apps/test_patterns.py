"""Every access pattern that the five documents name is there, runs, and is no scan."""

import importlib
from collections.abc import Iterator

import pytest

from partita.bootstrap import SYSTEMS, examples
from partita.dynamo import requests
from partita.dynamo.expressions.evaluate import holds
from partita.dynamo.wire import render
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import Pattern, Query, Table

TABLES = [table for tables in SYSTEMS.values() for table in tables]
PATTERNS = [pattern for table in TABLES for pattern in table.patterns]
EXAMPLES = examples()

# The documents, line by line, with what answers each: also what they leave open, put off or would do by a scan.
DOCUMENTED = {
    "kelifax": """
        Get Resource by Slug                    resource            GetItem
        List All Approved Resources             approved_resources  Query ResourceStatusIndex
        Get all approved resources (public)     approved_resources  Query ResourceStatusIndex
        List Approved by Category               approved_in         Query CategoryListIndex
        Filter by status post-query             approved_in         Query CategoryListIndex
        Admin: List Pending Resources           pending_resources   Query ResourceStatusIndex
        Get all pending resources (admin)       pending_resources   Query ResourceStatusIndex
        Get recently submitted                  submitted_since     Query ResourceStatusIndex
        Get all development resources           resources_in        Query CategoryIndex
        Get recent design tools                 recent_in           Query CategoryIndex
        Text Search                             resources_found     BatchGetItem
        Analytics Queries                       resources_from      Query SubmitterDomainIndex
        Analytics Queries                       popular_resources   Query ViewsIndex
        Analytics Queries                       totals              Query CountIndex
    """,
    "fus": """
        Get site                                site                GetItem
        List all sites                          all_sites           Query byEntity
        (or add createdAt                       newest_sites        Query sitesByTime
        Sites by tag                            sites_with_tag      Query byTag
        My rating for a site                    my_rating           GetItem
        My ratings                              my_ratings          Query byRater
        All 5-star ratings                      ratings_with        Query byStars
        Ratings by value                        ratings_with        Query byStars
        Comments for a site                     comments_of         Query bySite
        List all groups                         all_groups          Query byEntity
        Get group                               group               GetItem
        User's custom groups                    groups_of           Query
        Group members                           members_of          Query byGroup
        List users in custom group              members_of          Query byGroup
    """,
    "worthwatch": """
        Get user by ID                          user                GetItem
        Get user by email                       user_with_email     Query GSI1
        Get watchlist by ID                     watchlist           GetItem
        Get watchlists by curator               watchlists_of       Query GSI2
        List all public watchlists              public_watchlists   Query GSI3
        Get all items in a watchlist            items_of            Query
        Get specific item                       item_of             GetItem
        Get movie by ID                         movie               GetItem
        Search movies                           movies_found        BatchGetItem
        Get show by ID                          show                GetItem
        Search shows                            shows_found         BatchGetItem
        GSI4: Query all entities                all_users           Query GSI4
        GSI4: Query all entities                all_watchlists      Query GSI4
        GSI4: Query all entities                all_movies          Query GSI4
        GSI4: Query all entities                all_shows           Query GSI4
        Get user's saved watchlists             saved_by            Query
        Ratings (Future)                        ratings_by          Query
        Comments (Future)                       comments_on         Query
    """,
    "newsletter": """
        Get Newsletter by Code: Get METADATA    newsletter          GetItem
        Get Newsletter by Code: Get all items   whole_newsletter    Query
        List User's Newsletters                 newsletters_of      Query GSI1
        Update Newsletter Step Data             newsletter_changed  UpdateItem
        Delete Newsletter (All Items)           whole_newsletter    Query
        Support streaming                       topics              GetItem
        Support streaming                       outline             GetItem
        Support streaming                       draft               GetItem
        Comparison with Proposal Writer         proposal            GetItem
        Comparison with Proposal Writer         proposals_of        Query GSI1
    """,
    "enablement": """
        Get content by ID                       content             GetItem
        List content by status                  content_with_status Query by_status_updated
        List all Approved content               content_with_status Query by_status_updated
        List content by product                 content_of_product  Query by_product
        List content for a specific product     content_of_product  Query by_product
        Create/Update/Delete                    create_content      PutItem
        Create/Update/Delete                    replace_content     PutItem
        Create/Update/Delete                    delete_content      DeleteItem
        Search/filter by query string           content_found       BatchGetItem
        Composite filters                       content_filtered    Query by_status_product
        Composite filters                       content_for         Query by_status_audience
        List notifications for user             notifications_of    Query
        Get notification                        notification        Query by_notification
        GSI for notifications                   notification        Query by_notification
        Mark as read                            mark_read           UpdateItem
        Create notification                     create_notification PutItem
        List subscriptions for user             subscriptions_of    Query
        Get subscription                        subscription        GetItem
        Create subscription                     create_subscription PutItem
        Delete subscription                     delete_subscription DeleteItem
        Store event                             store_event         PutItem
        List events for date                    events_on           Query
        Query events by user                    events_of           Query by_user
    """,
}
LINES = [
    (f"{system}.{line[40:60].strip()}", line[:40].strip(), line[60:])
    for system, text in DOCUMENTED.items()
    for line in text.replace("\n        ", "\n").strip().splitlines()
]


@pytest.fixture(scope="module")
def store() -> Iterator[EmbeddedStore]:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine)
        store.create(*TABLES)
        yield store


@pytest.mark.parametrize(("label", "words", "sent"), LINES)
def test_a_pattern_that_a_document_names_is_answered(label: str, words: str, sent: str) -> None:
    (pattern,) = [each for each in PATTERNS if each.label == label]
    assert any(wording.startswith(words) for wording in pattern.wordings)
    operation, wire = render(pattern.request(EXAMPLES).request())
    assert f"{operation} {wire.get('IndexName', '')}".strip() == sent


@pytest.mark.parametrize("pattern", [each for each in PATTERNS if each.documented], ids=lambda pattern: pattern.label)
def test_what_is_called_documented_is_in_the_document(pattern: Pattern) -> None:
    known = [words for label, words, _ in LINES if label == pattern.label]
    assert len(known) == len(pattern.wordings)
    assert all(any(wording.startswith(words) for words in known) for wording in pattern.wordings)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.label)
def test_a_pattern_is_a_request_that_runs_and_is_no_scan(pattern: Pattern, store: EmbeddedStore) -> None:
    request = pattern.request(EXAMPLES).request()
    assert not isinstance(request, requests.Scan)
    if isinstance(request, requests.GetItem | requests.Query | requests.BatchGetItem):
        store.engine.execute(request)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.label)
def test_a_list_has_examples_that_it_finds(pattern: Pattern) -> None:
    request = pattern.request(EXAMPLES)
    item = next(EXAMPLES.of(request))
    assert type(item).from_row(item.to_row()) == item
    if isinstance(request, Query):
        assert holds(request.request().condition, item.to_row())


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_index_is_written_by_an_item_type_and_used_by_a_pattern(table: Table) -> None:
    used = {getattr(pattern.request(), "index", None) for pattern in table.patterns}
    for index in table.indexes:
        assert index in used, f"no access pattern reads {index!r}"
        writers = [kind for kind in table.item_types if all(kind.__layout__.makes(key.name) for key in index.key_names)]
        assert writers, f"nothing writes the keys of {index!r}"


def test_every_pattern_has_a_name_of_its_own() -> None:
    labels = [pattern.label for pattern in PATTERNS]
    assert len(set(labels)) == len(labels)


def test_no_table_of_a_schema_is_forgotten() -> None:
    declared = {
        value
        for system in SYSTEMS
        for value in vars(importlib.import_module(f"partita.apps.{system}.schema")).values()
        if isinstance(value, Table)
    }
    assert declared == set(TABLES)
