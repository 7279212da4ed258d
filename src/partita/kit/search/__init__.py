"""Full text search, kept by the change stream beside the tables."""

from partita.kit.search.catalog import Catalog, Document
from partita.kit.search.index import Hit, Search, SearchPage

__all__ = ["Catalog", "Document", "Hit", "Search", "SearchPage"]
