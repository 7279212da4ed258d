"""Where the parts of sitemaps begin, in the house's table."""

from __future__ import annotations

from partita.kit.schema import HOUSE
from partita.table import Attribute, Item, Query, access_pattern, camel_case, key_part
from partita.table.types import Timestamp


class SitemapPart(Item, table=HOUSE, pk="SITEMAP#{system}", sk="BEGINS#{begins}", names=camel_case):
    """A part of a system's sitemap begins at this time. It never moves, so that a part stays the same part."""

    system: Attribute[str] = key_part()
    begins: Attribute[Timestamp] = key_part()


@access_pattern("The parts of a system's sitemap, oldest first", HOUSE, system="kelifax")
def sitemap_parts(system: str) -> Query[SitemapPart]:
    return SitemapPart.query(SitemapPart.system(system))
