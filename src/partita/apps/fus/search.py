"""What can be found in fus: sites, by title first, then tags, host, description and what their pages say."""

from __future__ import annotations

from partita.apps.fus import schema
from partita.apps.fus.formats import host_of
from partita.apps.fus.schema import Site
from partita.kit.search import Catalog, Document


def _document(site: Site) -> Document:
    return Document(
        id=site.site_id,
        fields={
            "title": site.title,
            "tags": " ".join(site.tags),
            "host": host_of(site.url),
            "description": site.description,
            "page": site.scraped_content,
        },
        filters={"tag": site.tags},
    )


CATALOG = Catalog(
    name="fus.sites",
    item_type=Site,
    document=_document,
    weights={"title": 10.0, "tags": 6.0, "host": 4.0, "description": 3.0, "page": 1.0},
    sources=(schema.all_sites(),),
    filters=("tag",),
)
