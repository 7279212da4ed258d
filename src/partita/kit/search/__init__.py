"""Full text search, kept by the change stream beside the tables."""

from partita.kit.search.catalog import Catalog, Document, Text, Texts
from partita.kit.search.index import Search
from partita.kit.search.nearest import Alike
from partita.kit.search.ranking import Ranked
from partita.kit.search.results import FacetValue, Hit, SearchPage

__all__ = ["Alike", "Catalog", "Document", "FacetValue", "Hit", "Ranked", "Search", "SearchPage", "Text", "Texts"]
