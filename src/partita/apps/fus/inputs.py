"""What people type, with every limit checked before anything is stored; the same for pages, API and imports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator

from partita.apps.fus.formats import tag_of, tags_in
from partita.kit.inputs import CLEARABLE, Changes, Edit, Input, Line, Text, Url, distinct, example, given, without
from partita.kit.messages import matching
from partita.kit.problems import FieldError, Invalid

MOST_TAGS = 20
MOST_TAGS_WANTED = 10
MOST_SITES_AT_ONCE = 500
MOST_TITLE = 300
MOST_DESCRIPTION = 2000
MOST_NOTE = 2000
MOST_COMMENT = 5000
LONGEST_TAG = 40

Title = Annotated[Line, Field(max_length=MOST_TITLE)]
Description = Annotated[Text, Field(max_length=MOST_DESCRIPTION)]
Tag = Annotated[
    str,
    BeforeValidator(tag_of),
    Field(min_length=1, max_length=LONGEST_TAG),
    without(",", "A tag cannot contain a comma, since commas separate tags."),
]
SiteId = Annotated[str, Field(min_length=1, max_length=80)]
Tags = Annotated[tuple[Tag, ...], AfterValidator(distinct), Field(max_length=MOST_TAGS)]
Stars = Annotated[int, Field(ge=1, le=5, strict=True)]
Note = Annotated[Text, Field(max_length=MOST_NOTE)]
Body = Annotated[Text, Field(min_length=1, max_length=MOST_COMMENT)]
GroupName = Annotated[Text, matching("[a-zA-Z0-9_-]{1,64}", "1 to 64 letters a–z, digits, hyphens and underscores.")]
Permissions = Annotated[tuple[str, ...], AfterValidator(distinct), Field(max_length=200)]


class NewSite(Input):
    """A site for the catalog; title, description and text are taken from its page if they are left out."""

    model_config = example(url="https://www.openstreetmap.org", tags=["maps", "open-data"], fetch=False)

    url: Url
    title: Title = ""
    description: Description = ""
    tags: Tags = ()
    fetch: bool = Field(default=True, description="Whether to read the page for title, description and text.")


class SiteEdit(Edit):
    """What changes about a site; fields that are left out stay as they are."""

    model_config = example(title="OpenStreetMap", tags=["maps", "open-data"])

    url: Url | None = None
    title: Annotated[Title, Field(min_length=1)] | None = None
    description: Description | None = None
    tags: Tags | None = None
    fetch: bool = Field(default=False, description="Whether to read the page again.")


class SiteForm(SiteEdit):
    """The same as a form has it: whole, so that a field left empty is empty."""

    url: Url
    title: Annotated[Title, Field(min_length=1)]
    description: Description = ""
    tags: Tags = ()


class PreviewInput(Input):
    """A page to look at without saving anything."""

    model_config = example(url="https://www.openstreetmap.org")

    url: Url


class NewSuggestion(Input):
    """A site that somebody would like to see in the catalog."""

    model_config = example(url="https://www.openstreetmap.org", title="OpenStreetMap", tags=["maps"])

    url: Url
    title: Title = ""
    description: Description = Field(default="", description="What is good about it.")
    tags: Tags = ()


class DeclineInput(Input):
    """Why a suggestion is declined."""

    model_config = example(answer="It is a shop. The catalog has none.")

    answer: Annotated[Text, Field(min_length=1, max_length=1000)]


class CollectionInput(Input):
    """What somebody calls a collection."""

    model_config = example(name="For the trip", description="Maps and timetables.")

    name: Annotated[Line, Field(min_length=1, max_length=100)]
    description: Description = ""


class CollectionEdit(CollectionInput, Edit):
    """What somebody makes of a collection of theirs."""


class CollectInput(Input):
    """The collection that a site is put into."""

    collection_id: Annotated[str, Field(min_length=1, max_length=80)]


class ProfileInput(Input):
    """What somebody shows of themselves."""

    model_config = example(isPublic=True, about="Maps, mostly old ones.")

    is_public: bool = Field(description="Whether everybody sees what you like.")
    about: Annotated[Text, Field(max_length=500)] = ""


class ProfileEdit(ProfileInput, Edit):
    """The same, with the revision that it was made from."""


class ProfileForm(ProfileEdit):
    """The same as a form has it: a box that is not ticked is not sent."""

    is_public: bool = False


class TagRename(Input):
    """A tag and what it is called from now on; if there is such a tag already, the two become one."""

    model_config = example(tag="map", to="maps")

    tag: Tag
    to: Tag

    @field_validator("to")
    @classmethod
    def _another(cls, to: str, info: ValidationInfo) -> str:
        if to == info.data.get("tag"):
            raise ValueError("This is what the tag is called now. Choose another name.")
        return to


class SiteChanges(Changes):
    """The same change of many sites: of those that are named, or of all that have a tag."""

    model_config = example(tag="maps", addTags=["geography"])

    site_ids: Annotated[tuple[SiteId, ...], AfterValidator(distinct), Field(max_length=MOST_SITES_AT_ONCE)] = ()
    tag: Tag | None = Field(default=None, description="All sites with this tag, instead of `siteIds`.")
    add_tags: Tags = ()
    remove_tags: Tags = ()
    delete: bool = Field(default=False, description="Delete the sites, with their ratings and comments.")

    @field_validator("tag")
    @classmethod
    def _one_selection(cls, tag: str | None, info: ValidationInfo) -> str | None:
        if tag is not None and info.data.get("site_ids"):
            raise ValueError("Choose sites or a tag, not both.")
        return tag

    @field_validator("remove_tags")
    @classmethod
    def _not_both(cls, remove: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        both = set(remove) & set(info.data.get("add_tags", ()))
        if both:
            raise ValueError(f"“{min(both)}” cannot be added and removed at once.")
        return remove

    @field_validator("delete")
    @classmethod
    def _nothing_else(cls, delete: bool, info: ValidationInfo) -> bool:
        if delete and (info.data.get("add_tags") or info.data.get("remove_tags")):
            raise ValueError("Sites are deleted, or their tags change: not both.")
        return delete


class SitesForm(Input):
    """The same as a form has it: sites that are ticked, or all that have the tag, and the button that was pressed."""

    q: str = Field(default="", max_length=200)
    tag: Tag | None = None
    all: bool = False
    site_ids: Annotated[tuple[SiteId, ...], AfterValidator(distinct), Field(max_length=MOST_SITES_AT_ONCE)] = ()
    does: Literal["add", "remove", "delete"]
    tags: Tags = ()
    sure: bool = False

    @field_validator("tags")
    @classmethod
    def _some(cls, tags: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if not tags and info.data.get("does") != "delete":
            raise ValueError("Say which tags.")
        return tags

    @property
    def changes(self) -> SiteChanges:
        """What it asks for."""
        all_tagged = self.all and self.tag is not None
        tags = () if self.does == "delete" else self.tags
        return SiteChanges(
            site_ids=() if all_tagged else self.site_ids,
            **given(tag=self.tag if all_tagged else None),
            add_tags=tags if self.does == "add" else (),
            remove_tags=tags if self.does == "remove" else (),
            delete=self.does == "delete",
        )


class ImportOptions(Input):
    """What somebody chooses for the import of a file."""

    folders_as_tags: bool = False
    tags: Annotated[Tags, Field(max_length=MOST_TAGS_WANTED)] = ()
    dry_run: bool = False


class RatingInput(Changes):
    """Somebody's opinion of a site."""

    model_config = example(stars=4, note="Print the cycle map before the trip.")

    stars: Stars
    note: Note | None = Field(default=None, description="For yourself alone; if it is left out, it stays as it is.")


class RatingForm(RatingInput):
    """The same as a form has it: a number is sent as text, and a note that was emptied as nothing."""

    stars: Annotated[int, Field(ge=1, le=5, strict=False)]
    note: Annotated[Note | None, CLEARABLE] = None


class CommentInput(Input):
    """What somebody writes about a site."""

    model_config = example(body="The only map that has our footpath.")

    body: Body


class NewComment(CommentInput):
    """A comment, or an answer to one."""

    reply_to: Annotated[Line, Field(max_length=200, description="The id of the comment that it answers.")] = ""


class CommentEdit(CommentInput, Edit):
    """What somebody makes of a comment of theirs."""


class NewGroup(Input):
    """A group that grants permissions to its members."""

    model_config = example(name="map-editors", permissions=["fus:site:edit"])

    name: GroupName
    description: Description = ""
    permissions: Permissions = ()


class GroupEdit(Edit):
    """What changes about a group; fields that are left out stay as they are."""

    model_config = example(description="They keep the maps in order.")

    description: Description | None = None
    permissions: Permissions | None = None


class GroupForm(GroupEdit):
    """The same as a form has it: whole, so that a field left empty is empty."""

    description: Description = ""
    permissions: Permissions = ()


class MemberInput(Input):
    """Whom to add to a group."""

    person: Line = Field(min_length=1, max_length=320, description="A username, an email address or an id.")


def wanted_tags(texts: Iterable[str]) -> tuple[str, ...]:
    """The tags to search for, as a program sends them."""
    tags = tags_in(texts)
    if len(tags) > MOST_TAGS_WANTED:
        raise Invalid(FieldError("tags", f"At most {MOST_TAGS_WANTED} tags at once; these are {len(tags)}."))
    if any(len(tag) > LONGEST_TAG for tag in tags):
        raise Invalid(FieldError("tags", f"A tag has at most {LONGEST_TAG} characters."))
    return tags


def likely_tags(texts: Iterable[str]) -> tuple[str, ...]:
    """The same for people, who follow links: tags that cannot exist are left out, not refused."""
    return tuple(tag for tag in tags_in(texts) if len(tag) <= LONGEST_TAG)[:MOST_TAGS_WANTED]
