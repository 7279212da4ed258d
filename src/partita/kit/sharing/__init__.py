"""What other programs read of our pages: feeds, sitemaps, robots.txt, heads, pictures, structured data."""

from partita.kit.sharing.addresses import absolute, address
from partita.kit.sharing.cards import Card
from partita.kit.sharing.feeds import Entry, Feed, FeedLink
from partita.kit.sharing.head import Head
from partita.kit.sharing.responses import add_feed, picture_response
from partita.kit.sharing.sitemaps import Address, Sitemap

__all__ = [
    "Address",
    "Card",
    "Entry",
    "Feed",
    "FeedLink",
    "Head",
    "Sitemap",
    "absolute",
    "add_feed",
    "address",
    "picture_response",
]
