"""Feeds as values, and as Atom (RFC 4287) and RSS 2.0. A feed shows a list that everybody can see, newest first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element

from partita.kit.sharing.addresses import Parameter, absolute, address
from partita.kit.sharing.xml import add, document, legal, moment, timestamp

MOST_ENTRIES = 20
"""As many as a page of a list, so that a feed costs no more to read."""
ATOM = "http://www.w3.org/2005/Atom"
_LONGEST_SUMMARY = 2_000


@dataclass(frozen=True, slots=True)
class FeedLink:
    """A feed that pages point to; feed readers show the title."""

    title: str
    path: str


@dataclass(frozen=True, slots=True)
class Entry:
    """Something new. Texts are plain; they are escaped when the feed is written."""

    path: str
    """Its page, which never changes."""
    title: str
    published: str
    updated: str = ""
    summary: str = ""
    tags: tuple[str, ...] = ()
    author: str = ""
    related: str = ""
    """The URL of what the entry is about, if that is elsewhere."""
    first_known: str = ""
    """A moment whose day is in the entry's id, if that of its publication may change."""

    @property
    def changed(self) -> str:
        return self.updated or self.published


@dataclass(frozen=True, slots=True)
class Feed:
    """A list of what is new."""

    title: str
    path: str
    """Its own path without the ending that says which format: `/kelifax/resources`."""
    page: str
    """The page that shows the same list."""
    entries: tuple[Entry, ...]
    author: str
    """Who publishes it: the title of the system."""
    subtitle: str = ""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    """What the list is narrowed to."""

    def own_path(self, ending: str) -> str:
        """Where the feed itself is."""
        return address(f"{self.path}.{ending}", self.parameters)

    @property
    def updated(self) -> str:
        """When its newest entry changed."""
        return max((timestamp(entry.changed) for entry in self.entries), default=timestamp(""))

    @property
    def modified(self) -> datetime:
        return datetime.fromisoformat(self.updated).astimezone(UTC)


def atom(feed: Feed, base_url: str) -> bytes:
    """The feed as Atom."""
    root = Element("feed", {"xmlns": ATOM})
    own = absolute(base_url, feed.own_path("atom"))
    add(root, "id", own)
    add(root, "title", feed.title)
    if feed.subtitle:
        add(root, "subtitle", feed.subtitle)
    add(root, "updated", feed.updated)
    add(root, "link", rel="self", type="application/atom+xml", href=own)
    add(root, "link", rel="alternate", type="text/html", href=absolute(base_url, feed.page))
    add(add(root, "author"), "name", feed.author)
    for each in feed.entries[:MOST_ENTRIES]:
        entry = add(root, "entry")
        add(entry, "id", permanent_id(each, base_url))
        add(entry, "title", each.title)
        add(entry, "link", rel="alternate", type="text/html", href=absolute(base_url, each.path))
        if each.related:
            add(entry, "link", rel="related", href=each.related)
        add(entry, "published", timestamp(each.published))
        add(entry, "updated", timestamp(each.changed))
        if each.author:
            add(add(entry, "author"), "name", each.author)
        if each.summary:
            add(entry, "summary", each.summary[:_LONGEST_SUMMARY], type="text")
        for tag in each.tags:
            if legal(tag):
                add(entry, "category", term=tag)
    return document(root)


def rss(feed: Feed, base_url: str) -> bytes:
    """The feed as RSS 2.0, for readers that know nothing else."""
    root = Element("rss", {"version": "2.0", "xmlns:atom": ATOM})
    channel = add(root, "channel")
    add(channel, "title", feed.title)
    add(channel, "link", absolute(base_url, feed.page))
    add(channel, "description", feed.subtitle or feed.title)
    add(channel, "lastBuildDate", format_datetime(feed.modified, usegmt=True))
    own = absolute(base_url, feed.own_path("rss"))
    add(channel, "atom:link", rel="self", type="application/rss+xml", href=own)
    for each in feed.entries[:MOST_ENTRIES]:
        item = add(channel, "item")
        add(item, "title", each.title)
        add(item, "link", absolute(base_url, each.path))
        add(item, "guid", permanent_id(each, base_url), isPermaLink="false")
        add(item, "pubDate", format_datetime(moment(each.published), usegmt=True))
        if each.summary:
            add(item, "description", _as_html(each.summary[:_LONGEST_SUMMARY]))
        for tag in each.tags:
            if legal(tag):
                add(item, "category", tag)
    return document(root)


def permanent_id(entry: Entry, base_url: str) -> str:
    """A tag URI (RFC 4151): it stays when the site moves to https or another port. Day and path keep it unique."""
    host = urlsplit(base_url).hostname or ""
    authority = host if host and ":" not in host else "localhost"
    return f"tag:{authority},{timestamp(entry.first_known or entry.published)[:10]}:{absolute('', entry.path)}"


def _as_html(text: str) -> str:
    """Descriptions of RSS are read as HTML, so that plain text is escaped once more."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
