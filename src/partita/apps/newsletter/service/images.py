"""Pictures in a newsletter: made safe, kept under its code, and named in the text by `images/…`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from partita.apps.newsletter import schema
from partita.apps.newsletter.inputs import PictureWords
from partita.apps.newsletter.schema import MOST_IMAGES, Draft, Newsletter
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.draft import Drafts, DraftText
from partita.apps.newsletter.service.draft_texts import Texts
from partita.apps.newsletter.service.editing.paragraphs import joined, paragraphs
from partita.kit.files.content import GIF, JPEG, PNG, WEBP
from partita.kit.files.images import image_of
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound

MOST_BYTES = 5_000_000
KINDS = (PNG, JPEG, WEBP, GIF)


@dataclass(frozen=True, slots=True)
class Image:
    """A picture of a newsletter."""

    name: str
    """`images/….png`, as the text names it."""
    alt: str
    caption: str
    width: int
    height: int
    file_size: int
    s3_key: str

    @property
    def markdown(self) -> str:
        """How the text shows it."""
        title = f' "{self.caption}"' if self.caption and '"' not in self.caption else ""
        return f"![{self.alt.replace('[', '(').replace(']', ')')}]({self.name}{title})"


class Images:
    """Adds pictures to drafts and finds them again."""

    def __init__(self, kit: Kit, access: Access, drafts: Drafts) -> None:
        self._kit = kit
        self._access = access
        self._drafts = drafts

    async def add(self, viewer: Viewer, code: str, data: bytes, words: PictureWords) -> Image:
        """Keep a picture; if a section is named, it is shown at the end of it."""
        await self._access.newsletter(viewer, code, write=True)
        picture = await image_of(data, kinds=KINDS, most_bytes=MOST_BYTES, least=(16, 16))
        key = await self._kit.uploads.keep(f"newsletters/{code}/images", picture.data, picture.kind)
        image = Image(
            name=f"images/{PurePosixPath(key).name}",
            alt=words.alt,
            caption=words.caption,
            width=picture.width,
            height=picture.height,
            file_size=len(picture.data),
            s3_key=key,
        )

        def change(before: DraftText) -> tuple[Draft, Texts]:
            if len(before.draft.images) >= MOST_IMAGES:
                raise Conflict(f"A newsletter has at most {MOST_IMAGES} pictures.", code="too_many_images")
            stored = {
                "s3_key": key,
                "alt": image.alt,
                "caption": image.caption,
                "file_size": image.file_size,
                "width": image.width,
                "height": image.height,
            }
            texts = before.texts
            if words.section:
                shown = before.one(words.section).text
                texts = {**texts, words.section: joined([*paragraphs(shown), image.markdown])}
            return before.draft.with_(Draft.images((*before.draft.images, stored))), texts

        try:
            await self._drafts.change(viewer, code, "saved", change, self._kit.uploads.claim(key))
        except BaseException:
            await self._kit.uploads.discard(key)
            raise
        return image

    async def of_edition(self, newsletter: Newsletter, place: int) -> str:
        """A link to a picture of a newsletter that was opened by its secret address."""
        draft = await find(self._kit.store, schema.draft, newsletter.newsletter_code)
        if draft is None or not 0 <= place < len(draft.images):
            raise NotFound("There is no such picture.")
        return self._kit.files.url(str(draft.images[place]["s3_key"]))

    async def address(self, viewer: Viewer, code: str, wanted: str) -> str:
        """A link to a picture of a newsletter that the viewer may read, by its name or its place."""
        await self._access.newsletter(viewer, code)
        draft = await find(self._kit.store, schema.draft, code)
        for place, each in enumerate(draft.images if draft is not None else ()):
            if wanted in (str(place), PurePosixPath(str(each.get("s3_key", ""))).name):
                return self._kit.files.url(str(each["s3_key"]))
        raise NotFound("There is no such picture.")
