"""Full text search; change handlers keep its index up to date."""

from partita.kit.search.catalog import Catalog, Document
from partita.kit.search.index import Hit, Search, SearchPage

__all__ = ["Catalog", "Document", "Hit", "Search", "SearchPage"]
