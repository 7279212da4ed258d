"""What retrieval searches: our own item types, never mixed into a newsletter's partition."""

from __future__ import annotations

from typing import Literal

from partita.apps.newsletter.schema.main import MAIN, SHARED_SHELF, SOURCES
from partita.kit.urls import normalise
from partita.table import (
    Attribute,
    BatchGet,
    Get,
    Guard,
    Item,
    Query,
    access_pattern,
    attribute,
    collection,
    key_part,
    version,
)
from partita.table.types import Timestamp

SourceKind = Literal["text", "markdown", "html", "pdf", "docx", "url"]
SourceStatus = Literal["waiting", "reading", "ready", "failed"]
ChunkKind = Literal["text", "table", "references"]


# 1. Sources
class Source(Item, table=MAIN, pk="SOURCE#{source_id}", sk="METADATA", keys={"addedAt": "{created_at}"}):
    """A text, a file or a page that newsletters may draw from."""

    source_id: Attribute[str] = key_part()
    title: Attribute[str] = attribute(min_length=1, max_length=300)
    kind: Attribute[SourceKind]
    url: Attribute[str | None] = attribute(default=None)
    published: Attribute[str | None] = attribute(default=None)
    """A day such as 2026-01-15."""
    chunk_count: Attribute[int] = attribute(default=0, ge=0)
    created_by: Attribute[str]
    created_at: Attribute[Timestamp]
    shelf: Attribute[str] = attribute("sourceShelf", default=SHARED_SHELF)
    """`sources`, or the code of the newsletter or proposal that alone may draw from it."""
    status: Attribute[SourceStatus] = attribute(default="ready")
    error: Attribute[str | None] = attribute(default=None, max_length=1000)
    """Why it could not be read, or not be refreshed, in a sentence."""
    file_key: Attribute[str | None] = attribute(default=None)
    file_size: Attribute[int] = attribute(default=0, ge=0)
    language: Attribute[str | None] = attribute(default=None)
    publisher: Attribute[str] = attribute(default="", max_length=200)
    words: Attribute[int] = attribute(default=0, ge=0)
    pages: Attribute[int | None] = attribute(default=None)
    digest: Attribute[str | None] = attribute(default=None)
    """SHA-256 of what was read."""
    summary: Attribute[str] = attribute(default="", max_length=1000)
    tags: Attribute[tuple[str, ...]] = attribute(default=(), max_length=10)
    enabled: Attribute[bool] = attribute(default=True)
    fetched_at: Attribute[Timestamp | None] = attribute(default=None)
    updated_at: Attribute[Timestamp | None] = attribute(default=None)
    cited_in: Attribute[int] = attribute(default=0, ge=0)
    """In how many drafts and proposals it is cited; follows `Cited`."""
    revision: Attribute[int] = version()

    @property
    def searched(self) -> bool:
        """Whether retrieval finds its passages."""
        return self.enabled and self.chunk_count > 0


@access_pattern("A source", MAIN, documented=False, source_id="s1")
def source(source_id: str) -> Get[Source]:
    return Source.get(Source.source_id(source_id))


@access_pattern("Several sources", MAIN, documented=False, source_ids=("s1", "s2"))
def sources_with(source_ids: tuple[str, ...]) -> BatchGet[Source]:
    return BatchGet(tuple(Source.key(Source.source_id(source_id)) for source_id in source_ids))


@access_pattern("The sources of a shelf, newest first", MAIN, documented=False, shelf=SHARED_SHELF)
def sources(shelf: str = SHARED_SHELF) -> Query[Source]:
    return Source.query(SOURCES, Source.shelf(shelf)).newest_first()


# 2. Chunks
class Chunk(Item, table=MAIN, pk="SOURCE#{source_id}", sk="CHUNK#{position:06}"):
    """A piece of a source, small enough to be found and cited."""

    source_id: Attribute[str] = key_part()
    position: Attribute[int] = key_part(ge=0)
    text: Attribute[str] = attribute(max_length=20_000)
    heading: Attribute[str] = attribute(default="")
    chunk_id: Attribute[str] = attribute(default="")
    """`chunk-` and a hash of source and text: text that stays keeps its id when a source is read again."""
    page: Attribute[int | None] = attribute(default=None)
    kind: Attribute[ChunkKind] = attribute(default="text")
    start: Attribute[int] = attribute(default=0, ge=0)
    """Where it begins in the source, in characters."""
    words: Attribute[int] = attribute(default=0, ge=0)
    above: Attribute[tuple[str, ...]] = attribute(default=(), max_length=25)
    """Headings between the chunk before and this one, as Markdown: `## Results`."""
    turns: Attribute[tuple[tuple[int, int], ...]] = attribute(default=(), max_length=100, examples=[((0, 1),)])
    """Where pages begin within it: character of its text, page."""
    enabled: Attribute[bool] = attribute(default=True)


@access_pattern("A chunk", MAIN, documented=False, source_id="s1", position=1)
def chunk(source_id: str, position: int) -> Get[Chunk]:
    return Chunk.get(Chunk.source_id(source_id), Chunk.position(position))


@access_pattern("Several chunks", MAIN, documented=False, places=(("s1", 1), ("s2", 4)))
def chunks_at(places: tuple[tuple[str, int], ...]) -> BatchGet[Chunk]:
    return BatchGet(tuple(Chunk.key(Chunk.source_id(source_id), Chunk.position(at)) for source_id, at in places))


@access_pattern("Chunks of a source", MAIN, documented=False, source_id="s1")
def chunks_of(source_id: str, first: int = 0) -> Query[Chunk]:
    chunks = Chunk.query(Chunk.source_id(source_id))
    return chunks.at_least(Chunk.position(first)) if first else chunks


# 3. Which drafts cite a source; kept by the change stream
class Cited(Item, table=MAIN, pk="SOURCE#{source_id}", sk="CITED#{code}"):
    """A newsletter or proposal that cites a source."""

    source_id: Attribute[str] = key_part()
    code: Attribute[str] = key_part()
    count: Attribute[int] = attribute(default=1, ge=1)
    cited_at: Attribute[Timestamp]


@access_pattern("Where a source is cited", MAIN, documented=False, source_id="s1")
def citing(source_id: str) -> Query[Cited]:
    return Cited.query(Cited.source_id(source_id))


@access_pattern(
    "A draft or proposal that cites a source", MAIN, documented=False, source_id="s1", code="NL-20260126-A1B2"
)
def cited(source_id: str, code: str) -> Get[Cited]:
    return Cited.get(Cited.source_id(source_id), Cited.code(code))


@access_pattern("All items of a source, to delete them", MAIN, documented=False, source_id="s1")
def whole_source(source_id: str) -> Query[Source | Chunk | Cited]:
    return collection(
        Source.query(Source.source_id(source_id)),
        Chunk.query(Chunk.source_id(source_id)),
        Cited.query(Cited.source_id(source_id)),
    )


# 4. The same text or address once on a shelf
class SourceDigest(Item, table=MAIN, pk="SOURCEDIGEST#{shelf}#{digest}", sk="UNIQUE"):
    """The source that has this content."""

    shelf: Attribute[str] = key_part()
    digest: Attribute[str] = key_part()
    of_source: Attribute[str]


class SourceUrl(Item, table=MAIN, pk="SOURCEURL#{shelf}#{url}", sk="UNIQUE"):
    """The source that was read from this address."""

    shelf: Attribute[str] = key_part()
    url: Attribute[str] = key_part()
    """Normalised."""
    of_source: Attribute[str]


DIGEST = Guard(
    Source,
    lambda source: (
        None
        if source.digest is None
        else SourceDigest(shelf=source.shelf, digest=source.digest, of_source=source.source_id)
    ),
)
URL = Guard(
    Source,
    lambda source: (
        None
        if source.url is None
        else SourceUrl(shelf=source.shelf, url=normalise(source.url), of_source=source.source_id)
    ),
)


@access_pattern("Which source has a content", MAIN, documented=False, shelf=SHARED_SHELF, digest="0a")
def source_digest(shelf: str, digest: str) -> Get[SourceDigest]:
    return SourceDigest.get(SourceDigest.shelf(shelf), SourceDigest.digest(digest))


@access_pattern("Which source has an address", MAIN, documented=False, shelf=SHARED_SHELF, url="https://example.org/")
def source_url(shelf: str, url: str) -> Get[SourceUrl]:
    return SourceUrl.get(SourceUrl.shelf(shelf), SourceUrl.url(url))
