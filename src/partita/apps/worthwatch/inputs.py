"""What people type, with every limit checked before anything is stored; the same for pages, API and imports."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from partita.apps.worthwatch.formats import tag_key, tag_of
from partita.apps.worthwatch.schema import ContentType
from partita.kit.inputs import CLEARABLE, Changes, Input, Line, Text, Url, VersionedEdit, distinct, example, without
from partita.kit.letters import no_link
from partita.kit.messages import matching

MOST_TAGS = 10
MOST_ITEMS = 1000
MOST_ADDED_AT_ONCE = 30
MOST_OTHER_TITLES = 10
MOST_FAVOURITES = 4
MOST_NAMES = 100
MOST_CHOICES = 2000
FIRST_YEAR, LAST_YEAR = 1870, 2100


def _distinct_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Each tag once, in the spelling that came first."""
    return tuple({tag_key(tag): tag for tag in reversed(tags)}[key] for key in dict.fromkeys(map(tag_key, tags)))


Username = Annotated[Line, Field(min_length=3, max_length=30), AfterValidator(no_link)]
Bio = Annotated[Text, Field(max_length=500)]
ListTitle = Annotated[Line, Field(min_length=1, max_length=200)]
Description = Annotated[Text, Field(max_length=1000)]
Tag = Annotated[
    str,
    BeforeValidator(tag_of),
    Field(min_length=1, max_length=50),
    without(",", "A tag cannot contain a comma, since commas separate tags."),
    without("#", "A tag cannot contain a #."),
]
Tags = Annotated[tuple[Tag, ...], AfterValidator(_distinct_tags), Field(max_length=MOST_TAGS)]
Note = Annotated[Text, Field(max_length=1000)]
Review = Annotated[Text, Field(max_length=5000)]
DiaryNote = Annotated[Text, Field(max_length=500)]
Stars = Annotated[int, Field(ge=1, le=10, strict=False)]
Id = Annotated[Line, Field(min_length=1, max_length=100), without("#", "An id has no #.")]
TitleName = Annotated[Line, Field(min_length=1, max_length=300)]
OtherTitles = Annotated[tuple[TitleName, ...], AfterValidator(distinct), Field(max_length=MOST_OTHER_TITLES)]
Year = Annotated[int, Field(ge=FIRST_YEAR, le=LAST_YEAR, strict=False)]
Name = Annotated[Line, Field(min_length=1, max_length=200)]
Names = Annotated[tuple[Name, ...], AfterValidator(distinct), Field(max_length=MOST_NAMES)]
Synopsis = Annotated[Text, Field(max_length=5000)]
Number = Annotated[int, Field(ge=0, le=100_000, strict=False)]
TmdbId = Annotated[Line, matching("[0-9]{1,12}", "A TMDB id is a number, such as 27205.")]
ImdbId = Annotated[Line, matching("tt[0-9]{5,12}", "An IMDb id is tt and a number, such as tt1375666.")]
Reason = Annotated[Text, Field(min_length=1, max_length=1000)]


class TitleInput(Input):
    """A film or series by its id."""

    content_type: ContentType
    content_id: Id


# -- people


class ProfileEdit(Changes):
    """What changes about the viewer's own profile; fields that are left out stay as they are."""

    model_config = example(username="Ada", bio="Trains, mostly at night.", mail="weekly")

    username: Username | None = None
    bio: Bio | None = None
    avatar_url: Annotated[Url | None, CLEARABLE] = None
    favourites: (
        Annotated[
            tuple[TitleInput, ...], AfterValidator(lambda given: tuple(dict.fromkeys(given))), Field(max_length=4)
        ]
        | None
    ) = None
    mail: Literal["never", "weekly"] | None = None
    hide_averages: bool | None = None


class ProfileForm(Changes):
    """The profile as its form has it: whole, so that a box that is not ticked is off."""

    username: Username
    bio: Bio = ""
    mail: Literal["never", "weekly"] = "never"
    hide_averages: bool = False


class ApplicationInput(Input):
    """Why somebody should be a curator."""

    model_config = example(
        statement="I have run a film club in Leeds for ten years, and write a note on every evening."
    )

    statement: Annotated[Text, Field(min_length=50, max_length=1000)]
    links: Annotated[tuple[Url, ...], AfterValidator(distinct), Field(max_length=3)] = ()
    sample_list: Id | None = Field(default=None, description="One of your own lists, which may be private.")


class DecisionInput(Input):
    """What becomes of a curator or an application; the reason is mailed."""

    model_config = example(reason="Your notes are a pleasure to read. Welcome.")

    reason: Reason


class ReportInput(Input):
    """What is wrong with something."""

    model_config = example(what="list", id="01hx", reason="The notes are copied from a magazine.")

    what: Literal["list", "comment", "review", "person"]
    id: Annotated[Line, Field(min_length=1, max_length=300)] = Field(
        description="The list's id; `<list>/<comment>`; `<type>/<title>/<person>`; the person's id."
    )
    reason: Reason


class ResolutionInput(Input):
    """What becomes of a reported thing."""

    decision: Literal["keep", "remove", "suspend"]
    reason: Annotated[Text, Field(max_length=1000)] = ""


class ReportedResolution(ResolutionInput):
    """The same, with the thing that was reported."""

    model_config = example(what="list", id="01hx", decision="keep")

    what: Literal["list", "comment", "review", "person"]
    id: Annotated[Line, Field(min_length=1, max_length=300)] = Field(description="As in the report.")


# -- lists


class NewList(Input):
    """A list; public if it is left out and the viewer is an approved curator, else private."""

    model_config = example(title="Night trains", tags=["trains", "noir"], isPublic=False)

    title: ListTitle
    description: Description = ""
    tags: Tags = ()
    is_public: bool | None = None
    is_ranked: bool = False
    cover_image_url: Url | None = None


class ListEdit(VersionedEdit):
    """What changes about a list; fields that are left out stay as they are."""

    model_config = example(title="Night trains", isPublic=True)

    title: ListTitle | None = None
    description: Description | None = None
    tags: Tags | None = None
    is_public: bool | None = None
    is_ranked: bool | None = None
    cover_image_url: Annotated[Url | None, CLEARABLE] = None


class ListForm(ListEdit):
    """The same as a form has it: whole, so that a field left empty is empty."""

    title: ListTitle
    description: Description = ""
    tags: Tags = ()
    is_public: bool = False
    is_ranked: bool = False


class ListFacts(ListEdit):
    """What the form about a list has: whole, so that a field left empty is empty. Publishing is a button of its own."""

    title: ListTitle
    description: Description = ""
    tags: Tags = ()
    is_ranked: bool = False


class FirstForm(Input):
    """What a new list begins with."""

    title: ListTitle
    description: Description = ""


class NoteForm(VersionedEdit):
    """A note on a title, whole."""

    curator_note: Note = ""
    note_spoils: bool = False


class PlaceForm(Input):
    """A place on a list, counted from 1."""

    position: Annotated[int, Field(ge=1, le=MOST_ITEMS, strict=False)]


class ChosenForm(Input):
    """Several titles of a list, and what to do with them."""

    chosen: Annotated[tuple[Annotated[Line, Field(max_length=120)], ...], Field(max_length=100)] = ()
    does: Literal["remove", "top"]


class CopyInput(Input):
    """A copy of a list."""

    model_config = example(title="Night trains, mine")

    title: ListTitle | None = Field(default=None, description="If it is left out, that of the list.")
    secret: Annotated[Line, Field(max_length=200)] | None = Field(
        default=None, description="The secret of a private list's link."
    )


class NewItem(TitleInput):
    """A title for a list, at its end unless a place is named."""

    model_config = example(contentType="MOVIE", contentId="tt1375666", curatorNote="Watch it on a train.")

    curator_note: Note = ""
    note_spoils: bool = False


class NewItems(Input):
    """Several titles for a list; those that are there already are left as they are."""

    items: Annotated[tuple[NewItem, ...], Field(min_length=1, max_length=MOST_ADDED_AT_ONCE)]


class ItemEdit(VersionedEdit):
    """What changes about a title on a list; fields that are left out stay as they are."""

    model_config = example(curatorNote="Watch it on a train.", noteSpoils=False)

    curator_note: Note | None = None
    note_spoils: bool | None = None


class MoveInput(Input):
    """Where a title goes: before or after another one, or to a place counted from 1."""

    model_config = example(before={"contentType": "MOVIE", "contentId": "tt1375666"})

    before: TitleInput | None = None
    after: TitleInput | None = None
    position: Annotated[int, Field(ge=1, le=MOST_ITEMS, strict=False)] | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> MoveInput:
        if sum(each is not None for each in (self.before, self.after, self.position)) != 1:
            raise PydanticCustomError("one_place", "Name one place: before, after or position.")
        return self


# -- titles


class _NewTitle(Input):
    title: TitleName
    other_titles: OtherTitles = ()
    genres: Names = ()
    cast: Names = ()
    synopsis: Synopsis = ""
    poster_url: Url | None = None
    tmdb_id: TmdbId | None = None
    imdb_id: ImdbId | None = None


class NewMovie(_NewTitle):
    """A film for the catalog."""

    model_config = example(title="Inception", releaseYear=2010, runtime=148, imdbId="tt1375666")

    release_year: Year | None = None
    directors: Names = ()
    runtime: Number | None = Field(default=None, description="In minutes.")


class NewShow(_NewTitle):
    """A series for the catalog."""

    model_config = example(title="Severance", startYear=2022, status="ongoing")

    start_year: Year | None = None
    end_year: Year | None = None
    creators: Names = ()
    number_of_seasons: Number | None = None
    number_of_episodes: Number | None = None
    status: Literal["ongoing", "ended", "cancelled"] | None = None


class _TitleEdit(VersionedEdit):
    title: TitleName | None = None
    other_titles: OtherTitles | None = None
    genres: Names | None = None
    cast: Names | None = None
    synopsis: Synopsis | None = None
    poster_url: Annotated[Url | None, CLEARABLE] = None
    tmdb_id: Annotated[TmdbId | None, CLEARABLE] = None
    imdb_id: Annotated[ImdbId | None, CLEARABLE] = None
    checked: bool = Field(default=False, description="Whether a librarian has looked at it; takes it off that list.")


class MovieEdit(_TitleEdit):
    """What changes about a film; fields that are left out stay as they are."""

    model_config = example(runtime=148)

    release_year: Annotated[Year | None, CLEARABLE] = None
    directors: Names | None = None
    runtime: Annotated[Number | None, CLEARABLE] = None


class ShowEdit(_TitleEdit):
    """What changes about a series; fields that are left out stay as they are."""

    model_config = example(status="ended", endYear=2026)

    start_year: Annotated[Year | None, CLEARABLE] = None
    end_year: Annotated[Year | None, CLEARABLE] = None
    creators: Names | None = None
    number_of_seasons: Annotated[Number | None, CLEARABLE] = None
    number_of_episodes: Annotated[Number | None, CLEARABLE] = None
    status: Annotated[Literal["ongoing", "ended", "cancelled"] | None, CLEARABLE] = None


class MergeInput(Input):
    """The title that another one becomes."""

    into: Id


# -- what members do


class RatingInput(Input):
    """Somebody's opinion of a title."""

    model_config = example(rating=8, review="The last act earns all of it.", hasSpoilers=False)

    rating: Stars
    review: Review | None = Field(default=None, description="If it is left out, it stays as it is.")
    has_spoilers: bool | None = None


class ReviewForm(Input):
    """A rating as its form has it: whole, so that a review left empty goes."""

    rating: Stars
    review: Review = ""
    has_spoilers: bool = False


class SeenInput(Input):
    """That a title was seen, perhaps on a day."""

    model_config = example(day="2026-05-01")

    day: date | None = None


class NewViewing(TitleInput):
    """An entry of the diary."""

    model_config = example(contentType="MOVIE", contentId="tt1375666", day="2026-05-01", rewatch=False)

    day: date
    rewatch: bool = False
    note: DiaryNote = ""
    rating: Stars | None = None


class ViewingForm(Input):
    """An entry of the diary as its form has it: a title that was chosen, or words of one."""

    title: Annotated[Line, Field(max_length=300)] = ""
    chosen: Annotated[str, matching("(film|series)/[^/#]{1,100}", "Choose one of these titles.")] | None = None
    day: date
    rating: Stars | None = None
    rewatch: bool = False
    note: DiaryNote = ""


class QueueInput(Input):
    """Which list gave somebody the idea."""

    from_list: Id | None = None


class SavedInput(Input):
    """Whether to be told of a saved list's news."""

    tell_me: bool | None = None


class CommentInput(Input):
    """What somebody writes about a list, or answers to a comment."""

    model_config = example(commentText="Number four made me miss my stop.")

    comment_text: Annotated[Text, Field(min_length=1, max_length=5000)]
    reply_to: Annotated[Line, Field(min_length=1, max_length=200)] | None = None
    has_spoilers: bool = False


class CommentEdit(Input):
    """A comment as its author wants it now."""

    model_config = example(commentText="Number five made me miss my stop.")

    comment_text: Annotated[Text, Field(min_length=1, max_length=5000)]
    has_spoilers: bool = False


class LeavingInput(Input):
    """What becomes of the published lists of somebody who leaves."""

    keep_lists: bool = False


# -- import


class ImportChoices(Input):
    """What to do with the rows of an import: a title for those to check, rows to leave out, and where to put them."""

    model_config = example(choices={"7": {"contentType": "MOVIE", "contentId": "tt1375666"}}, leaveOut=[12])

    choices: Annotated[dict[Annotated[int, Field(ge=0, strict=False)], TitleInput], Field(max_length=MOST_CHOICES)] = (
        Field(default_factory=dict)
    )
    leave_out: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(max_length=MOST_CHOICES)] = ()
    target: Annotated[Line, Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="`new`, `history`, or the id of one of your lists."
    )
    title: ListTitle | None = Field(default=None, description="The title of a new list.")
