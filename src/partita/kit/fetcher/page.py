"""What a page says: its title, its description, the text that people see, and which pictures stand for it."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from itertools import islice

from partita.kit.fetcher.markup import Tag, pieces
from partita.kit.fetcher.outline import Outline
from partita.kit.previews.blocks import MOST_BLOCKS, Block

MOST_TITLE = 300
MOST_DESCRIPTION = 2000
MOST_TEXT_BYTES = 100_000

# Ten times what long pages have: what follows is written to keep us busy.
_MOST_PIECES = 200_000
# Elements within a line; every other one ends a word.
_INLINE = frozenset(
    (
        *(
            "a",
            "abbr",
            "acronym",
            "b",
            "bdi",
            "bdo",
            "big",
            "cite",
            "code",
            "data",
            "del",
            "dfn",
            "em",
            "font",
            "i",
            "ins",
        ),
        *(
            "kbd",
            "mark",
            "nobr",
            "q",
            "s",
            "samp",
            "small",
            "span",
            "strong",
            "sub",
            "sup",
            "time",
            "tt",
            "u",
            "var",
            "wbr",
        ),
    )
)
_DRAWN = frozenset({"svg", "math", "template"})
"""Not text of the page: a drawing may have a title of its own, and a template is not shown."""
_SHOWN_RAW = frozenset({"textarea", "xmp"})
_DESCRIPTIONS = ("description", "og:description", "twitter:description")
_TITLES = ("og:title", "twitter:title")
_PICTURES = ("og:image:secure_url", "og:image", "og:image:url", "twitter:image")
_DATES = (
    "article:published_time",
    "datepublished",
    "citation_publication_date",
    "dc.date.issued",
    "dc.date",
    "dcterms.issued",
    "date",
    "pubdate",
    "article:modified_time",
)
_SIZES = re.compile(r"([0-9]{1,4})[xX]([0-9]{1,4})")
_MOST_ICONS = 50
_LONGEST_ADDRESS = 2_000
_BEST_ICON = 512
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# More digits than any character has; html.unescape would take them for a number and fail.
_ENDLESS = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9a-fA-F]{8,});?")


@dataclass(frozen=True, slots=True)
class Page:
    """The readable part of a page; each may be empty."""

    title: str
    description: str
    text: str
    blocks: tuple[Block, ...] = ()
    """The text with its structure, without navigation and footers."""
    image: str = ""
    """The picture that the page names for others to show (`og:image`), as it is written."""
    icons: tuple[str, ...] = ()
    """The site's icons, the one that fits best first."""
    base: str = ""
    """What addresses on the page begin from, if not from the page's own address."""
    published: str = ""
    """When it was published, as the page spells it."""
    language: str = ""
    """The language that the page says it is in."""


def read_page(source: str, most_characters: int = 0, most_blocks: int = MOST_BLOCKS) -> Page:
    """Read any HTML, however broken; `most_characters` of its blocks, unless that is 0 and as many as pages have."""
    title: str | None = None
    told: dict[str, str] = {}
    text: list[str] = []
    icons: list[tuple[int, str]] = []
    base = language = published = ""
    outline = Outline(_plain, most_characters, most_blocks) if most_characters else Outline(_plain)
    most_pieces = max(_MOST_PIECES, most_characters // 4)
    hidden, depth = "", 0
    for piece in islice(pieces(source), most_pieces):
        if isinstance(piece, str):
            if not hidden:
                text.append(piece)
                outline.text(piece)
            continue
        if hidden:
            if piece.name == hidden and not piece.closes_itself:
                depth += -1 if piece.end else 1
                hidden = hidden if depth else ""
            continue
        if piece.name in _DRAWN and not piece.end and not piece.closes_itself:
            hidden, depth = piece.name, 1
        elif piece.name == "html" and not piece.end and not language:
            language = _plain(piece.attributes().get("lang", ""))[:35]
        elif piece.name == "title" and title is None and not piece.end:
            title = piece.content
        elif piece.name == "meta":
            _remember(piece, told)
        elif piece.name == "link" and len(icons) < _MOST_ICONS:
            icons.extend(_icon(piece))
        elif piece.name == "base" and not base:
            base = _address(piece.attributes().get("href", ""))
        elif piece.name == "time" and not piece.end and not published:
            published = _plain(piece.attributes().get("datetime", ""))[:40]
        elif piece.name in ("b", "strong"):
            outline.bold(not piece.end)
        elif piece.name == "a":
            outline.link(not piece.end)
        elif piece.name in _SHOWN_RAW:
            text.append(f" {piece.content} ")
            outline.text(f" {piece.content} ")
        if piece.name not in _INLINE:
            text.append(" ")
            outline.tag(piece)
    return Page(
        _cut(_plain(title or "") or _first(told, _TITLES), MOST_TITLE),
        _cut(_first(told, _DESCRIPTIONS), MOST_DESCRIPTION),
        _cut_bytes(_plain("".join(text)), MOST_TEXT_BYTES),
        outline.blocks(),
        _address(_first(told, _PICTURES)),
        tuple(address for _, address in sorted(icons, key=lambda icon: -icon[0])),
        base,
        _first(told, _DATES)[:40] or published,
        language,
    )


def _remember(meta: Tag, told: dict[str, str]) -> None:
    attributes = meta.attributes()
    name = (attributes.get("name") or attributes.get("property") or attributes.get("itemprop") or "").strip().lower()
    if name in _DESCRIPTIONS or name in _TITLES or name in _PICTURES or name in _DATES:
        told.setdefault(name, _plain(attributes.get("content", "")))


def _icon(link: Tag) -> list[tuple[int, str]]:
    """An icon and how well it suits: the larger the better, up to what anybody shows."""
    attributes = link.attributes()
    relation = attributes.get("rel", "").lower().split()
    address = _address(attributes.get("href", ""))
    drawn = "svg" in attributes.get("type", "").lower() or address.partition("?")[0].lower().endswith(".svg")
    if not address or drawn or not {"icon", "apple-touch-icon", "apple-touch-icon-precomposed"} & set(relation):
        return []  # drawings can hold scripts, and are not decoded here
    sizes = [int(found[1]) for found in _SIZES.finditer(attributes.get("sizes", "")) if int(found[1]) <= _BEST_ICON]
    usual = 16 if "icon" in relation else 180
    return [(max(sizes, default=usual), address)]


def _address(written: str) -> str:
    """An address as a page spells it; one that is too long to be any is none."""
    address = _plain(written)
    return address if len(address) <= _LONGEST_ADDRESS else ""


def _first(told: dict[str, str], names: tuple[str, ...]) -> str:
    return next((told[name] for name in names if told.get(name)), "")


def _plain(written: str) -> str:
    """Escapes read, control characters gone, any run of spaces one."""
    read = html.unescape(_ENDLESS.sub("\ufffd", written))
    return " ".join(_CONTROL.sub(" ", read).split())


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    words = text[:most].rpartition(" ")[0]
    return (words if len(words) > most // 2 else text[: most - 1]) + "…"


def _cut_bytes(text: str, most: int) -> str:
    encoded = text.encode()
    return text if len(encoded) <= most else encoded[:most].decode("utf-8", "ignore").rstrip()
