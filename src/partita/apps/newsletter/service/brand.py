"""The brand: logo, colour, masthead, imprint and sign-off of all editions. Every change is a new version."""

from __future__ import annotations

from dataclasses import dataclass

from partita.apps.newsletter import schema
from partita.apps.newsletter.inputs import BrandEdit
from partita.apps.newsletter.schema import Brand
from partita.apps.newsletter.service.documents.colours import contrast, ink_on
from partita.apps.newsletter.service.documents.edition import Brand as EditionBrand
from partita.apps.newsletter.service.documents.model import Picture
from partita.apps.newsletter.service.documents.styles import stylesheet, switched_styles
from partita.apps.newsletter.service.documents.themes import DEFAULT_THEME, HOUSE_COLOUR, light, theme_of
from partita.kit.clock import stamp
from partita.kit.files.content import GIF, JPEG, PNG, WEBP
from partita.kit.files.images import image_of
from partita.kit.inputs import StaleEdit
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound, Problem
from partita.table import Put, Transaction

LOGOS = "newsletters/brand"
"""The folder of logos."""
LOGO_BYTES = 2_000_000
LOGO_KINDS = (PNG, JPEG, WEBP, GIF)
_LEAST = (32, 16)


@dataclass(frozen=True, slots=True)
class Readable:
    """What became of a colour so that text in it can be read."""

    wanted: str
    text: str
    """For headings and links on white."""
    ground: str
    """For the masthead, with text on it."""
    on_ground: str

    @property
    def mended(self) -> bool:
        return self.text != self.wanted or self.ground != self.wanted

    @property
    def contrast_wanted(self) -> float:
        return round(contrast(self.wanted, "#ffffff"), 1)

    @property
    def contrast_text(self) -> float:
        return round(contrast(self.text, "#ffffff"), 1)


def readable(colour: str, theme: str = "bulletin") -> Readable:
    """A colour as editions use it."""
    made = light(theme_of("bulletin" if theme == "field" else theme), colour)
    return Readable(colour, made.accent, made.block, ink_on(made.block))


class Brands:
    """The brand that is in use, and its versions."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store

    async def current(self) -> Brand:
        """The highest version; before there is one, the house's (version 0 is never stored)."""
        page = await self._store.page(schema.brand_versions(), limit=1)
        for brand in page.items:
            return brand
        return Brand.model_construct(
            version=0,
            logo_key=None,
            logo_alt="",
            colour=HOUSE_COLOUR,
            masthead_line="",
            imprint="",
            sign_off="",
            theme=DEFAULT_THEME,
            changed_by="",
            created_at="",
        )

    async def save(self, edit: BrandEdit, viewer: Viewer, logo: bytes | None = None) -> Brand:
        """Make a new version of what was changed; refused if somebody else has made one meanwhile."""
        before = await self.current()
        if edit.version is not None and edit.version != before.version:
            raise StaleEdit(before.version)
        key: str | None = None
        if logo is not None:
            picture = await image_of(logo, kinds=LOGO_KINDS, most_bytes=LOGO_BYTES, least=_LEAST)
            key = await self._kit.uploads.keep(LOGOS, picture.data, picture.kind)
        after = Brand(
            version=before.version + 1,
            logo_key=key or (None if edit.remove_logo else before.logo_key),
            logo_alt=before.logo_alt if edit.logo_alt is None else edit.logo_alt,
            colour=(edit.colour or before.colour).lower(),
            masthead_line=before.masthead_line if edit.masthead_line is None else edit.masthead_line,
            imprint=before.imprint if edit.imprint is None else edit.imprint,
            sign_off=before.sign_off if edit.sign_off is None else edit.sign_off,
            theme=edit.theme or before.theme,
            changed_by=viewer.id,
            created_at=stamp(self._kit.clock),
        )
        claims = () if key is None else (self._kit.uploads.claim(key),)
        try:
            taken = StaleEdit(after.version)
            await self._store.transact(Transaction(Put(after).if_new().otherwise(taken), *claims))
        except BaseException:
            if key is not None:
                await self._kit.uploads.discard(key)
            raise
        return after

    async def logo(self) -> Picture | None:
        """The logo of the brand in use, if it can be read."""
        return await self._logo(await self.current())

    async def for_editions(self) -> EditionBrand:
        """The brand as documents use it."""
        brand = await self.current()
        return EditionBrand(
            name=brand.masthead_line or brand.logo_alt,
            colour=brand.colour,
            line=brand.masthead_line,
            imprint=brand.imprint,
            sign_off=brand.sign_off,
            logo=await self._logo(brand),
        )

    async def styles(self, theme: str, *, switched: bool = False) -> str:
        """A theme in the brand's colour; `switched` follows the choice of light or dark on our pages."""
        colour = (await self.current()).colour
        return (switched_styles if switched else stylesheet)(theme_of(theme), colour)

    async def named_files(self) -> list[str]:
        """The logos that versions name."""
        return [brand.logo_key async for brand in self._store.stream(schema.brand_versions()) if brand.logo_key]

    async def _logo(self, brand: Brand) -> Picture | None:
        if brand.logo_key is None:
            return None
        try:
            file = await self._kit.files.load(brand.logo_key)
            picture = await image_of(file.data, kinds=LOGO_KINDS, most_bytes=LOGO_BYTES, least=_LEAST)
        except (NotFound, Problem):
            return None  # an edition without its logo is better than none
        return Picture(picture.data, picture.kind, picture.width, picture.height)
