"""Feeds: well-formed and complete, whatever people typed."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from html import unescape
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.sharing.feeds import ATOM, MOST_ENTRIES, Entry, Feed, atom, permanent_id, rss
from partita.kit.sharing.xml import legal

BASE = "https://example.org"
TEXT = st.text(st.characters(), max_size=60)
"""Any characters at all: controls, halves of pairs, what is no character."""
MOMENTS = st.datetimes(datetime(2001, 1, 1), datetime(2037, 1, 1), timezones=st.just(UTC))
ENTRIES = st.builds(
    Entry,
    path=st.integers(1, 10**9).map(lambda number: f"/fus/sites/{number}"),
    title=TEXT,
    published=MOMENTS.map(lambda at: at.isoformat().replace("+00:00", "Z")),
    updated=st.none().map(lambda _: ""),
    summary=TEXT,
    tags=st.lists(TEXT, max_size=3).map(tuple),
    author=TEXT,
)
FEEDS = st.builds(
    Feed,
    title=TEXT,
    path=st.just("/fus/sites"),
    page=st.just("/fus"),
    entries=st.lists(ENTRIES, max_size=4, unique_by=lambda entry: entry.path).map(tuple),
    author=st.just("fus"),
    subtitle=TEXT,
    parameters=st.dictionaries(st.just("tags"), st.text(max_size=20)),
)


def _entry(**changes: object) -> Entry:
    fields: dict[str, object] = {"path": "/fus/sites/1", "title": "One", "published": "2026-05-04T10:00:00Z"}
    return Entry(**{**fields, **changes})  # type: ignore[arg-type]


def _feed(*entries: Entry, **changes: object) -> Feed:
    fields: dict[str, object] = {"title": "New sites", "path": "/fus/sites", "page": "/fus", "author": "fus"}
    return Feed(entries=entries, **{**fields, **changes})  # type: ignore[arg-type]


def _text(element: Element, name: str) -> str:
    found = element.find(f"{{{ATOM}}}{name}")
    assert found is not None, name
    return found.text or ""


def _links(element: Element) -> dict[str, str]:
    return {link.attrib["rel"]: link.attrib["href"] for link in element.findall(f"{{{ATOM}}}link")}


@given(FEEDS)
def test_what_people_typed_comes_out_of_a_parser_as_it_was(feed: Feed) -> None:
    root = fromstring(atom(feed, BASE))
    assert _text(root, "title") == legal(feed.title)
    entries = root.findall(f"{{{ATOM}}}entry")
    assert len(entries) == len(feed.entries)
    for element, entry in zip(entries, feed.entries, strict=True):
        assert _text(element, "title") == legal(entry.title)
        if legal(entry.summary):
            assert _text(element, "summary") == legal(entry.summary)
        tags = [tag.attrib["term"] for tag in element.findall(f"{{{ATOM}}}category")]
        # A line end within an attribute is a space to a parser, unless it is written as a reference.
        assert tags == [legal(tag) for tag in entry.tags if legal(tag)]


@given(FEEDS)
def test_atom_has_all_that_its_standard_requires(feed: Feed) -> None:
    root = fromstring(atom(feed, BASE))
    assert root.tag == f"{{{ATOM}}}feed"
    ids = [_text(root, "id"), *(_text(entry, "id") for entry in root.findall(f"{{{ATOM}}}entry"))]
    assert len(set(ids)) == len(ids)
    assert all(urlsplit(each).scheme in ("https", "tag") and each.isascii() for each in ids)
    assert _links(root)["self"] == ids[0]
    assert root.find(f"{{{ATOM}}}author/{{{ATOM}}}name") is not None
    for element in (root, *root.findall(f"{{{ATOM}}}entry")):
        assert _links(element)["alternate"].startswith(BASE)
        datetime.strptime(_text(element, "updated"), "%Y-%m-%dT%H:%M:%SZ")


@given(FEEDS)
def test_rss_says_the_same(feed: Feed) -> None:
    channel = fromstring(rss(feed, BASE)).find("channel")
    assert channel is not None
    assert all(channel.find(name) is not None for name in ("title", "link", "description"))
    items = channel.findall("item")
    for item, entry in zip(items, feed.entries, strict=True):
        assert (item.findtext("title") or "") == legal(entry.title)
        assert unescape(item.findtext("description") or "") == unescape(_escaped(legal(entry.summary)))
        assert item.findtext("guid") == permanent_id(entry, BASE)
        assert item.find("guid").attrib == {"isPermaLink": "false"}  # type: ignore[union-attr]
        published = parsedate_to_datetime(item.findtext("pubDate") or "")
        assert abs(published - datetime.fromisoformat(entry.published)) < timedelta(seconds=1)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def test_a_feed_is_as_new_as_its_newest_entry() -> None:
    changed = _entry(path="/fus/sites/2", updated="2026-06-01T08:00:00.5Z")
    assert _feed(_entry(), changed).updated == "2026-06-01T08:00:00Z"
    assert _feed().updated == "1970-01-01T00:00:00Z"


@pytest.mark.parametrize("stored", ["2026-13-45T99:99:99Z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59", ""])
def test_a_time_that_does_not_exist_spoils_its_own_entry_only(stored: str) -> None:
    feed = _feed(_entry(path="/fus/sites/2", published=stored), _entry())
    assert feed.updated == "2026-05-04T10:00:00Z"
    assert "1970-01-01T00:00:00Z" in atom(feed, BASE).decode()
    assert b"Thu, 01 Jan 1970 00:00:00 GMT" in rss(feed, BASE)


@given(st.from_regex(r"(?a)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?", fullmatch=True))
def test_every_time_that_can_be_stored_can_be_written(stored: str) -> None:
    feed = _feed(_entry(published=stored))
    assert re.search(r"<updated>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ</updated>", atom(feed, BASE).decode())
    assert b"<pubDate>" in rss(feed, BASE)


def test_an_id_stays_when_the_site_moves_to_https_or_another_port() -> None:
    ids = {permanent_id(_entry(), base) for base in ("http://example.org", "https://example.org:8443")}
    assert ids == {"tag:example.org,2026-05-04:/fus/sites/1"}
    assert permanent_id(_entry(title="Renamed", updated="2026-09-09T00:00:00Z"), BASE) in ids


def test_a_feed_never_has_more_entries_than_a_page() -> None:
    many = [_entry(path=f"/fus/sites/{number}") for number in range(MOST_ENTRIES + 5)]
    assert atom(_feed(*many), BASE).count(b"<entry>") == MOST_ENTRIES
    assert rss(_feed(*many), BASE).count(b"<item>") == MOST_ENTRIES


def test_what_a_feed_is_narrowed_to_is_in_its_address() -> None:
    feed = _feed(parameters={"tags": "ci/cd & more", "empty": ""})
    assert feed.own_path("atom") == "/fus/sites.atom?tags=ci%2Fcd+%26+more"
    assert _links(fromstring(atom(feed, BASE)))["self"] == f"{BASE}/fus/sites.atom?tags=ci%2Fcd+%26+more"
