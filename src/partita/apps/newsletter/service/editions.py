"""From what is stored to an edition that can be set: the text as it is now, its sources, its pictures, the brand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from partita.apps.newsletter.formats import as_plain
from partita.apps.newsletter.schema import Draft, Newsletter
from partita.apps.newsletter.service.brand import Brands
from partita.apps.newsletter.service.documents.by_source import by_source
from partita.apps.newsletter.service.documents.edition import Edition
from partita.apps.newsletter.service.documents.model import Document, Paragraph, Picture, Source, plain
from partita.apps.newsletter.service.documents.normal import safe_link
from partita.apps.newsletter.service.documents.phrases import phrases
from partita.apps.newsletter.service.documents.reading import read_blocks
from partita.apps.newsletter.service.draft import DraftText
from partita.apps.newsletter.service.editing.sections import document
from partita.apps.newsletter.service.links import Links
from partita.kit.files.content import kind_of
from partita.kit.kit import Kit
from partita.kit.problems import NotFound

_PREHEADER = 140


class Editions:
    """Makes editions of drafts."""

    def __init__(self, kit: Kit, brands: Brands, links: Links) -> None:
        self._kit = kit
        self._brands = brands
        self._links = links

    async def of(self, text: DraftText, *, pictures: bool = True) -> Edition:
        """The edition of a draft. Without `pictures` only their sizes are known, which is enough for pages."""
        newsletter = text.newsletter
        online = self._links.address(newsletter)
        shown = await self._pictures(text.draft) if pictures else _sizes(text.draft)
        places = {_name(each): place for place, each in enumerate(text.draft.images)}
        return Edition(
            document=document_of(text),
            theme_name=newsletter.theme,
            brand=await self._brands.for_editions(),
            pictures=shown,
            read_online=online,
            picture_addresses={name: f"{online}/pictures/{places[name]}" for name in shown} if online else {},
        )

    async def _pictures(self, draft: Draft) -> dict[str, Picture]:
        found = {}
        for name, picture in _sizes(draft).items():
            try:
                file = await self._kit.files.load(_key(draft, name))
            except NotFound:
                continue  # the edition says which picture is missing
            kind = kind_of(file.data) or file.content_type
            found[name] = Picture(file.data, kind, picture.width, picture.height)
        return found


def document_of(text: DraftText) -> Document:
    """The text of a draft as a document."""
    newsletter, draft = text.newsletter, text.draft
    words = phrases(newsletter.language)
    blocks = read_blocks(document("", text.texts.values()), newsletter.language)
    number = f"{words.number} {newsletter.issue_number}" if newsletter.issue_number else ""
    first = next((plain(block.pieces) for block in blocks if isinstance(block, Paragraph)), "")
    written = Document(
        title=newsletter.title,
        blocks=blocks,
        sources=tuple(source_of(each) for each in as_plain(draft.citations)),
        language=newsletter.language,
        code=newsletter.newsletter_code,
        issue_label=newsletter.issue_label or number,
        date=draft.updated_at[:10],
        region=newsletter.geographic_focus,
        preheader=newsletter.preheader or _shortened(first),
        made_with=made_line(newsletter, draft),
    )
    return by_source(written, source_keys(draft.citations))


def source_keys(citations: Iterable[Mapping[str, Any]]) -> dict[int, str]:
    """Which source each citation is of."""
    return {
        int(each.get("n") or 0): str(each.get("source_id") or f"{each.get('title')}\n{each.get('url')}")
        for each in as_plain(citations)
    }


def source_of(citation: dict[str, Any]) -> Source:
    """A citation of a draft as a source of a document."""

    def text(name: str) -> str:
        return " ".join(str(citation.get(name) or "").split())

    number = int(citation.get("n") or 0)
    address = safe_link(text("url"))
    return Source(number, text("title"), text("publisher"), text("date"), text("page"), address, text("heading"))


def made_line(newsletter: Newsletter, draft: Draft) -> str:
    """How the text was made, for its foot."""
    words = phrases(newsletter.language)
    made = [each for each in as_plain(draft.made_with).values() if isinstance(each, dict)]
    sources = len({each.get("source_id") or each.get("title") for each in draft.citations})
    if not sources:
        return ""
    models = sorted({str(each["model"]) for each in made if each.get("model") and not each.get("instead_of")})
    told = words.made_by_model if models else words.made_offline
    return told.format(sources=words.sources_counted(sources), model=", ".join(models))


def _sizes(draft: Draft) -> dict[str, Picture]:
    return {
        _name(each): Picture(b"", "", int(each.get("width") or 1), int(each.get("height") or 1))
        for each in draft.images
    }


def _name(image: Mapping[str, Any]) -> str:
    """The name that the text uses."""
    return f"images/{PurePosixPath(str(image.get('s3_key', ''))).name}"


def _key(draft: Draft, name: str) -> str:
    return next(str(each["s3_key"]) for each in draft.images if _name(each) == name)


def _shortened(text: str) -> str:
    if len(text) <= _PREHEADER:
        return text
    return text[: _PREHEADER - 1].rsplit(" ", 1)[0] + "…"
