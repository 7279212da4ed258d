"""What can be found in sources: passages by any of many words, with the title of their source and their heading.

Only the shared shelf is in the index: a private shelf is small, and is read whole by whom it belongs to.
"""

from __future__ import annotations

from collections.abc import Mapping

from partita.apps.newsletter import schema
from partita.apps.newsletter.schema import SHARED_SHELF, Chunk, Source
from partita.apps.newsletter.service.reading.sentences import sentences
from partita.apps.newsletter.service.writing.terms import word_stem
from partita.kit.search import Catalog, Document
from partita.kit.search.folding import stem, tokens


def passage_id(source_id: str, position: int) -> str:
    """A passage in the index."""
    return f"{source_id}#{position:06}"


def place_of(identity: str) -> tuple[str, int]:
    """Where a passage of the index is: its source, and its place in it."""
    source_id, _, position = identity.rpartition("#")
    return source_id, int(position)


def passage_document(source_id: str, position: int, title: str, heading: str, text: str) -> Document:
    """A passage as the index knows it. English words are stemmed by the index; of others the stems are a field."""
    words = (word for part in (title, heading, text) for word in tokens(part) if stem(word) is None)
    forms = (each for word in words if (each := word_stem(word)) != word)
    return Document(
        id=passage_id(source_id, position),
        fields={"title": title, "heading": heading, "text": text, "forms": " ".join(forms)},
        filters={"source": source_id},
    )


def document_of(source: Source | None, chunk: Chunk) -> Document | None:
    """A passage that can be found, or nothing: references, what is switched off, and private shelves cannot."""
    if source is None or source.shelf != SHARED_SHELF or not source.enabled or not chunk.enabled:
        return None
    if chunk.kind == "references":
        return None
    return passage_document(chunk.source_id, chunk.position, source.title, chunk.heading, chunk.text)


def meant_by(fields: Mapping[str, str]) -> tuple[str, ...]:
    """What a passage is about, and what it says: both count the same, so that a heading is not lost among sentences."""
    title, heading, text = (fields[each] for each in ("title", "heading", "text"))
    return f"{title}. {heading}", f"{heading}. {text}"


def worded(fields: Mapping[str, str]) -> str:
    """What is compared word by word: what a passage says, which was read for its meaning anyway."""
    return meant_by(fields)[1]


def sentences_of(fields: Mapping[str, str]) -> tuple[str, ...]:
    """What a passage says, sentence by sentence: a question is about one of them, and the others are beside it."""
    return tuple(each.text for each in sentences(fields["text"]))


def _no_document(_source: Source) -> Document | None:
    return None


CATALOG: Catalog[Source] = Catalog(
    name="newsletter.passages",
    title="source passages of Newsletter",
    item_type=Source,
    document=_no_document,
    weights={"title": 3.0, "heading": 2.0, "text": 1.0, "forms": 1.0},
    sources=(schema.sources(SHARED_SHELF),),
    filters=("source",),
    meaning=meant_by,
    sentences=sentences_of,
    word_by_word=worded,
)
"""Its documents are passages: whoever has the store reads them (`catalog.expand`)."""
