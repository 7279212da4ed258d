"""The search indexes of fus: sites by title, then tags, host, description and the text of their pages; and copies of
pages, for those who may read them."""

from __future__ import annotations

from partita.apps.fus import schema
from partita.apps.fus.schema import PageCopy, Site
from partita.kit.search import Catalog, Document


def _document(site: Site) -> Document:
    return Document(
        id=site.site_id,
        fields={
            "title": site.title,
            "tags": " ".join(site.tags),
            "host": site.host,
            "description": site.description,
            "page": site.scraped_content,
        },
        filters={"tag": site.tags, "stars": _whole_stars(site)},
        sorts={"created_at": site.created_at, "rating": site.rank, "title": site.title},
    )


def _whole_stars(site: Site) -> tuple[str, ...]:
    """The whole stars of its average, so that 4.6 is four; nothing if nobody has rated it."""
    return () if site.rating_average is None else (str(int(site.rating_average)),)


def at_least(stars: int) -> frozenset[str]:
    """The values of the filter `stars` for an average of so many stars or more."""
    return frozenset(str(each) for each in range(stars, 6))


CATALOG = Catalog(
    name="fus.sites",
    title="sites of fus",
    item_type=Site,
    document=_document,
    weights={"title": 10.0, "tags": 6.0, "host": 4.0, "description": 3.0, "page": 1.0},
    sources=(schema.all_sites(),),
    filters=("tag", "stars"),
    sorts=("created_at", "rating", "title"),
    order="-created_at",
)


COPIES = Catalog(
    name="fus.copies",
    title="page copies of fus",
    item_type=PageCopy,
    document=lambda copy: Document(id=copy.site_id, fields={"title": copy.title, "page": copy.text}),
    weights={"title": 5.0, "page": 1.0},
    sources=(schema.all_copies(),),
)
